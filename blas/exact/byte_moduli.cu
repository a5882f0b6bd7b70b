#include <residua/blas/exact/byte_moduli.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <residua/blas/base/check_cuda.cuh>

namespace residua::blas::detail {
namespace {

constexpr std::int64_t most_narrow = 253;  // 255 would have residues of 128
constexpr std::int64_t least_narrow = 26;  // below it, other moduli give as many bits for a product
constexpr int half_tile = rows_at_once / 2;

constexpr int ceil_div(int n, int each) { return (n + each - 1) / each; }

/// Two digits of base 127 of |x| <= 127^2 / 2.
struct constant_digits {
    std::int64_t high;
    std::int64_t low;

    explicit constant_digits(std::int64_t x)
        : high((x + (x < 0 ? -digit_base : digit_base) / 2) / digit_base), low(x - high * digit_base)
    {}
};

/// The place of byte `column` of row `row` of a matrix of rows_at_once x bytes_at_once. Lane 4 g + q of a warp loads
/// columns 4 q, ..., 4 q + 3 and 4 q + 16, ..., 4 q + 19 of rows g and g + 8.
///
/// from  NVIDIA, PTX ISA, mma.m16n8k32
std::int8_t& at(byte_fragment* fragment, int row, int column)
{
    const int lane = row % half_tile * 4 + column % 16 / 4;
    return fragment[lane].byte[column / 16 * 8 + row / half_tile * 4 + column % 4];
}

/// Arrays side by side, which go to the device in one copy.
class arrays {
public:
    template <class T>
    std::size_t add(const std::vector<T>& x)
    {
        const std::size_t begin = bytes_.size();
        const auto* const from = reinterpret_cast<const std::int8_t*>(x.data());
        bytes_.insert(bytes_.end(), from, from + x.size() * sizeof(T));
        bytes_.resize((bytes_.size() + 15) / 16 * 16);
        return begin;
    }

    buffer<cuda_executor, std::int8_t> on_device(const cuda_executor& exec) const
    {
        buffer<cuda_executor, std::int8_t> r(static_cast<index_t>(bytes_.size()), exec, uninitialized{});
        residua::detail::cuda_copy_in(exec, r.data(), bytes_.data(), bytes_.size());
        return r;
    }

private:
    std::vector<std::int8_t> bytes_;
};

/// centred_residue() for int, which is faster.
constexpr int centred(int r, int m)
{
    const int rest = r % m;
    return rest + (2 * rest < -m ? m : 0) - (2 * rest >= m ? m : 0);
}

/// The bits of the binary32 number k, 2^23 <= k < 2^24. Like all sums in these tables they count modulo 2^32.
constexpr std::uint32_t float_bits(std::int64_t k) { return 0x4b000000U + static_cast<std::uint32_t>(k - (1 << 23)); }

/// The multiple of m that is next to 1.5 2^23.
constexpr std::int64_t multiple_of(std::int64_t m) { return (float_middle + m / 2) / m * m; }

/// The tables that make residues of integers.
struct power_tables {
    int narrow_tiles;
    int tiles;
    int steps;
    std::vector<byte_fragment> power;
    std::vector<tile_rows> row;
    std::vector<tile_start> start;

    power_tables(const moduli_set& set, int words)
        : narrow_tiles(ceil_div(set.narrow(), rows_at_once)),
          tiles(narrow_tiles + ceil_div(set.size() - set.narrow(), half_tile)),
          steps(ceil_div(8 * words, bytes_at_once)),
          power(static_cast<std::size_t>(tiles * steps * warp_lanes)),
          row(static_cast<std::size_t>(tiles * half_tile)),
          start(static_cast<std::size_t>(words * tiles * half_tile))
    {
        for (int i = 0; i < set.size(); ++i) {
            const int wide = i - set.narrow();
            const int tile = wide < 0 ? i / rows_at_once : narrow_tiles + wide / half_tile;
            const int first = wide < 0 ? i % rows_at_once : wide % half_tile;
            const std::int64_t m = set.modulus(i);
            const std::int64_t middle = multiple_of(wide < 0 ? 256 * m : m);
            const std::uint32_t begin = float_bits(middle);
            tile_rows& of_row = row[static_cast<std::size_t>(tile * half_tile + first % half_tile)];
            const int side = first / half_tile;
            of_row.reciprocal[side] = 1.0F / static_cast<float>(m);
            of_row.offset[side] = static_cast<float>(float_middle - middle / m);
            // begin + u - m (float_bits(float_middle) + q) is u - m q, which is wanted, plus this
            const std::uint32_t with = begin - static_cast<std::uint32_t>(m) * float_bits(float_middle);
            int p = 1;
            for (int j = 0; j < 8 * words; ++j, p = centred(256 * p, static_cast<int>(m))) {
                const constant_digits d(p);
                put(tile, first, j, wide < 0 ? p : d.low);
                if (wide >= 0) {
                    put(tile, first + half_tile, j, d.high);
                }
                if (j % 8 != 7) {
                    continue;
                }
                tile_start& of =
                    start[static_cast<std::size_t>((j / 8 * tiles + tile) * half_tile + first % half_tile)];
                of.factor[side] = static_cast<std::int32_t>(-m);
                if (wide < 0) {
                    of.start[side] = signed_word(begin, -128 * p);
                } else {
                    of.start[0] = signed_word(begin - digit_base * with, -128 * d.low);
                    of.start[1] = signed_word(begin, -128 * d.high);
                    of.factor[1] = signed_word(float_bits(multiple_of(256 * digit_base)) - with, 0);
                }
            }
        }
    }

private:
    static std::int32_t signed_word(std::uint32_t a, std::int64_t b)
    {
        return static_cast<std::int32_t>(a + static_cast<std::uint32_t>(b));
    }

    /// Lane 4 g + q has word 4 step + q of a number. So byte j of the word belongs to a column that this lane loads.
    void put(int tile, int r, int j, std::int64_t p)
    {
        const int word = j / 8;
        const int column = word % 4 * 4 + j % 4 + j % 8 / 4 * 16;
        at(&power[static_cast<std::size_t>((tile * steps + word / 4) * warp_lanes)], r, column) =
            static_cast<std::int8_t>(p);
    }
};

/// The tables that make integers of residues.
struct part_tables {
    int residue_words;
    int steps;
    int chunks;
    std::vector<narrow_modulus> narrow;
    std::vector<wide_modulus> wide;
    std::vector<byte_fragment> part;

    part_tables(const moduli_set& set, int words)
        : residue_words(ceil_div(set.narrow(), 4) + ceil_div(set.size() - set.narrow(), 2) + 1),
          steps(ceil_div(4 * residue_words, bytes_at_once)),
          chunks(ceil_div(words, words_at_once)),
          part(static_cast<std::size_t>(chunks * steps * tiles_at_once * warp_lanes))
    {
        const int bytes = 8 * words;
        const int first_wide = ceil_div(set.narrow(), 4) * 4;
        for (int i = 0; i < set.size(); ++i) {
            const std::int64_t m = set.modulus(i);
            const std::int64_t w = set.weight(i);
            const std::vector<std::int64_t> digits = set.digits(i, 8);
            if (i < set.narrow()) {
                narrow.push_back(narrow_of(m, w));
                put(i, bytes, times(digits, w));
            } else {
                wide.push_back(wide_of(m, w));
                put_two(first_wide + 2 * (i - set.narrow()), bytes, digits);
            }
        }
        put_two(4 * (residue_words - 1), bytes, set.digits(set.size(), 8));
        narrow.resize(static_cast<std::size_t>(first_wide), {});
        wide.resize((wide.size() + 1) / 2 * 2, {});
    }

private:
    static narrow_modulus narrow_of(std::int64_t m, std::int64_t weight)
    {
        const int shift = m > 128 ? 6 : 3;
        const std::int64_t one = std::int64_t{1} << (32 + shift);
        const auto share = std::lround(std::ldexp(static_cast<double>(weight) / static_cast<double>(m), share_bits));
        return {one / 2, static_cast<std::int32_t>((one + m / 2) / m), static_cast<std::int32_t>(-m),
                static_cast<std::int32_t>(share), shift};
    }

    static wide_modulus wide_of(std::int64_t m, std::int64_t weight)
    {
        constexpr std::int64_t b = digit_base;
        constexpr std::int64_t one = std::int64_t{1} << wide_share_bits;
        const auto factor = [&](std::int64_t f) { return static_cast<std::int32_t>(centred_residue(weight * f, m)); };
        return {1.0 / static_cast<double>(m),
                {factor(1 - b), factor(b * b - b), factor(b)},
                static_cast<std::int32_t>(-m),
                static_cast<std::int32_t>((one + m / 2) / m),
                0};
    }

    /// The digits of f times the number that has these digits, |f| <= 128
    static std::vector<std::int64_t> times(std::vector<std::int64_t> digits, std::int64_t f)
    {
        std::int64_t carry = 0;
        digits.resize(digits.size() + 2);
        for (std::int64_t& d : digits) {
            const std::int64_t x = f * d + carry;
            d = centred_residue(x, 256);
            carry = (x - d) / 256;
        }
        return digits;
    }

    void put_two(int column, int bytes, const std::vector<std::int64_t>& digits)
    {
        put(column, bytes, digits);
        put(column + 1, bytes, times(digits, digit_base));
    }

    /// Lanes 4 g, ..., 4 g + 3 make the lower half of word g % 4 of a chunk or, from g = 4 on, the upper half. The
    /// bytes of that half are rows g and g + 8 of each tile.
    void put(int column, int bytes, const std::vector<std::int64_t>& digits)
    {
        for (int j = 0; j < std::min(bytes, static_cast<int>(digits.size())); ++j) {
            const int word = j / 8;
            const int chunk = word / words_at_once;
            const int row = word % words_at_once + j % 8 / 4 * words_at_once + j % 2 * half_tile;
            const int tile = j % 4 / 2;
            at(&part[static_cast<std::size_t>(((chunk * steps + column / bytes_at_once) * tiles_at_once + tile) *
                                              warp_lanes)],
               row, column % bytes_at_once) = static_cast<std::int8_t>(digits[static_cast<std::size_t>(j)]);
        }
    }
};

/// The number of 8-bit matrix products in a product of matrices.
int planes_of(const moduli_set& set) { return set.narrow() + 3 * (set.size() - set.narrow()); }

/// The 64-bit words that a number below M / 4 in magnitude takes.
int words_of(const moduli_set& set) { return static_cast<int>(set.product_bits() / 64) + 1; }

long supported(long product_bits)
{
    if (product_bits > most_byte_sum) {
        throw unsupported_error("gemm_exact: sums of " + std::to_string(product_bits) + " bits, above " +
                                std::to_string(most_byte_sum) +
                                ", are too long for a CUDA device; give bits, how many to keep of each number");
    }
    return product_bits;
}

}  // namespace

/// The tables of a set of moduli, which the host makes in one piece.
class byte_moduli::host_tables {
public:
    host_tables(long product_bits, int number_words)
        : set_({most_narrow, least_narrow}, {digit_base * digit_base, most_narrow + 1}, product_bits)
    {
        const power_tables powers(set_, number_words);
        const part_tables parts(set_, words_of(set_));
        power_ = all_.add(powers.power);
        row_ = all_.add(powers.row);
        start_ = all_.add(powers.start);
        if (parts.narrow.size() > std::size(sizes_.narrow_of_sum)) {
            throw error("gemm_exact: there are more moduli of one digit than kernels take");
        }
        std::copy(parts.narrow.begin(), parts.narrow.end(), sizes_.narrow_of_sum);
        wide_ = all_.add(parts.wide);
        part_ = all_.add(parts.part);
        sizes_.narrow = set_.narrow();
        sizes_.moduli = set_.size();
        sizes_.planes = planes_of(set_);
        sizes_.narrow_tiles = powers.narrow_tiles;
        sizes_.tiles = powers.tiles;
        sizes_.power_steps = powers.steps;
        sizes_.residue_words = parts.residue_words;
        sizes_.steps = parts.steps;
        sizes_.words = words_of(set_);
        sizes_.chunks = parts.chunks;
    }

    const moduli_set& set() const { return set_; }

    buffer<cuda_executor, std::int8_t> on_device(const cuda_executor& exec) const { return all_.on_device(exec); }

    byte_tables in(const std::int8_t* memory) const
    {
        byte_tables r = sizes_;
        const auto array = [&]<class T>(const T*& to, std::size_t begin) {
            to = reinterpret_cast<const T*>(memory + begin);
        };
        array(r.power, power_);
        array(r.row, row_);
        array(r.start, start_);
        array(r.wide_of_sum, wide_);
        array(r.part, part_);
        return r;
    }

    /// The tables of a set. They are kept, some hundred kilobytes each: dense factors need the same tables for many
    /// products, and making them takes as long as a small product.
    static std::shared_ptr<const host_tables> of(long product_bits, int number_words)
    {
        constexpr std::size_t most_kept = 64;
        static std::mutex turn;
        static std::map<std::pair<long, int>, std::shared_ptr<const host_tables>> kept;
        const std::lock_guard lock(turn);
        if (const auto found = kept.find({product_bits, number_words}); found != kept.end()) {
            return found->second;
        }
        if (kept.size() == most_kept) {
            kept.clear();
        }
        return kept[{product_bits, number_words}] = std::make_shared<host_tables>(product_bits, number_words);
    }

private:
    moduli_set set_;
    arrays all_;
    byte_tables sizes_{};
    std::size_t power_ = 0, row_ = 0, start_ = 0, wide_ = 0, part_ = 0;  // where they begin
};

byte_moduli::byte_moduli(const cuda_executor& exec, long product_bits, int number_words)
    : host_(host_tables::of(supported(product_bits), number_words)),
      memory_(host_->on_device(exec)),
      tables_(host_->in(memory_.data()))
{}

const moduli_set& byte_moduli::set() const { return host_->set(); }

}  // namespace residua::blas::detail

// Any bytes make operands: every operation has the bits of MPFR, and several numbers at a time have the bits of one by one.
//
//   multidigit_replay --seconds S   random bytes, from a fixed seed, for S seconds
//   multidigit_replay FILE...       each file once
//   multidigit_fuzz                 the same under libFuzzer

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <vector>

#include <residua/blas/multidigit/for_indices.hpp>
#include <residua/blas/multidigit/lanes/for_indices.hpp>

#include "tests/arith/multidigit/multidigit_oracle.hpp"

namespace {

using namespace residua;
using namespace residua::support;

/// Bytes one after the other; behind the end the last one again and again.
class byte_source {
public:
    byte_source(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    std::uint8_t next()
    {
        last_ = at_ < size_ ? data_[at_++] : last_;
        return last_;
    }

    int below(int n) { return (next() * 256 + next()) % n; }

private:
    const std::uint8_t* data_;
    std::size_t size_;
    std::size_t at_ = 0;
    std::uint8_t last_ = 0;
};

template <class Digit, int N>
class decoder {
public:
    using number = multidigit_float<Digit, N>;

    decoder(byte_source& bytes, int p) : bytes_(bytes), p_(p) {}

    /// Runs of bits and literal bytes; an exponent near an end, near that of another number, or any.
    number next(const number& other)
    {
        const int kind = bytes_.next();
        if (kind < 3) {
            const std::int32_t code = kind == 0   ? detail::multidigit_zero_code
                                      : kind == 1 ? detail::multidigit_infinity_code
                                                  : detail::multidigit_nan_code;
            return detail::multidigit_special<Digit, N>(code, kind == 1 && bytes_.next() % 2 != 0);
        }
        number x = kind % 4 == 0 && detail::is_regular(other.exponent) ? other : number{};
        x.negative = kind % 2 != 0;
        const int near = bytes_.below(4 * p_ + 64) - 2 * p_ - 32;
        const bool can = detail::is_regular(other.exponent) && std::abs(std::int64_t{other.exponent}) < (1 << 30);
        x.exponent = kind < 24   ? multidigit_most_exponent - std::abs(near)
                     : kind < 48 ? multidigit_least_exponent + std::abs(near)
                     : can       ? other.exponent + near
                                 : near;
        int place = bits - 1;
        const int last = kind % 4 == 0 ? bits - 1 - bytes_.below(p_) : bits - p_;
        while (place >= last) {
            const int run = bytes_.next();
            if (run < 128) {  // a byte as it is
                const int literal = bytes_.next();
                for (int k = 0; k < 8 && place >= last; ++k) {
                    put(x, place--, (literal >> k & 1) != 0);
                }
            } else {
                for (int k = 0; k < (run & 63) + 1 && place >= last; ++k) {
                    put(x, place--, (run & 64) != 0);
                }
            }
        }
        put(x, bits - 1, true);
        return x;
    }

private:
    static constexpr int bits = detail::bits_of<Digit> * N;

    static void put(number& x, int place, bool one)
    {
        const Digit bit = Digit{1} << place % detail::bits_of<Digit>;
        Digit& d = x.d[place / detail::bits_of<Digit>];
        d = one ? d | bit : d & ~bit;
    }

    byte_source& bytes_;
    int p_;
};

[[noreturn]] void fail(const char* what, int digits, int bits, int p)
{
    std::fprintf(stderr, "%s: not the bits wanted, %d digits of %d bits, precision %d\n", what, digits, bits, p);
    std::abort();
}

/// n multi-digit floats of p bits.
class numbers {
public:
    numbers(int n, int p)
        : digits_((p + 31) / 32),
          words_((n + residua::detail::words_apart - 1) / residua::detail::words_apart * residua::detail::words_apart *
                 (digits_ + 1))
    {}

    blas::detail::multidigit_tiles<false> tiles() { return {words_.data(), 0, digits_}; }
    bool operator==(const numbers&) const = default;

private:
    int digits_;
    std::vector<std::uint32_t> words_;
};

/// Multiply-adds and an inner product of vectors, made of random bytes: those at hand would not reach so far.
template <int N>
void try_lanes(std::uint64_t seed, int p)
{
    using namespace blas::detail;
    std::mt19937_64 random(seed);
    std::vector<std::uint8_t> many(16384);
    std::generate(many.begin(), many.end(), [&] { return static_cast<std::uint8_t>(random()); });
    byte_source bytes(many.data(), many.size());
    decoder<std::uint64_t, N> decode(bytes, p);
    const int n = 1 + bytes.below(bytes.below(16) == 0 ? 3 * multidigit_lanes : 40);
    numbers x(n, p), z(n, p), one_by_one(n, p), by_lanes(n, p);
    auto last =
        decode.next(residua::detail::multidigit_special<std::uint64_t, N>(residua::detail::multidigit_zero_code));
    multidigit_axpy f{};
    f.p = p;
    f.a = residua::detail::widest(last);
    if (bytes.below(4) == 0) {
        std::fill(std::begin(f.a.d), std::end(f.a.d) - 1, 0);
        *(std::end(f.a.d) - 1) = std::uint64_t{1} << 63;
        f.a.exponent = bytes.below(2) == 0 ? f.a.exponent : bytes.below(64) - 32;
    }
    f.multiplies = !is_power_of_two(f.a);
    f.adds = bytes.below(4) != 0;
    f.negates = bytes.below(2) != 0;
    f.x.start = x.tiles();
    f.z.start = z.tiles();
    for (int i = 0; i < n; ++i) {
        last = decode.next(last);
        residua::detail::store(x.tiles(), i, last);
        last = decode.next(i % 2 != 0 ? mul(last, residua::detail::leading_digits<std::uint64_t, N>(f.a), p) : last);
        residua::detail::store(z.tiles(), i, last);
    }
    f.w.start = one_by_one.tiles();
    for (int i = 0; i < n; ++i) {
        f.template operator()<std::uint64_t, N>(i);
    }
    f.w.start = by_lanes.tiles();
    const auto one = [](const multidigit_axpy& g, index_t i) { g.template operator()<std::uint64_t, N>(i); };
    if (!by_lanes::for_indices(f, 0, n, p, one)) {
        return;  // a processor without the instructions
    }
    if (!(by_lanes == one_by_one)) {
        fail("multiply-adds several at a time", N, 64, p);
    }

    const multidigit_terms terms{f.x, 0, f.z, bytes.below(8) == 0};
    using sum = multidigit_sum<std::uint64_t, N>;
    sum of_lane[multidigit_lanes];
    for (int i = 0; i < n; ++i) {
        terms.add_to(of_lane[i % multidigit_lanes], i, p);
    }
    typename sum::state s;
    by_lanes::sum(terms, 0, n, p, s.digit, sum::digits, s.top, s.special);
    const typename sum::state expected = merged(of_lane, multidigit_lanes).get();
    if (s.top != expected.top || s.special != expected.special ||
        !std::equal(std::begin(s.digit), std::end(s.digit), expected.digit)) {
        fail("an inner product several at a time", N, 64, p);
    }
}

template <class Digit, int N>
void try_size(byte_source& bytes)
{
    constexpr int most = detail::bits_of<Digit> * N;
    constexpr int least = std::max(multidigit_least_bits, detail::bits_of<Digit> * (N - 1 - spare_digits<N>)+1);
    const int p = least + bytes.below(most - least + 1);
    decoder<Digit, N> decode(bytes, p);
    multidigit_operands<Digit, N> o{};
    o.x = decode.next(detail::multidigit_special<Digit, N>(detail::multidigit_zero_code));
    o.y = decode.next(o.x);
    o.z = decode.next(bytes.next() % 2 != 0 ? mul(o.x, o.y, p) : o.x);
    std::uint64_t word = 0;
    for (int k = 0; k < 8; ++k) {
        word = word << 8 | bytes.next();
    }
    o.d = from_bits(word);
    multidigit_results<Digit, N> r;
    every_operation(o, p, r);
    if (const char* const wrong = first_difference(o, p, r)) {
        fail(wrong, N, detail::bits_of<Digit>, p);
    }
    if constexpr (sizeof(Digit) == 8) {
        try_lanes<N>(word, p);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    byte_source bytes(data, size);
    constexpr void (*sizes[])(byte_source&) = {
        try_size<std::uint64_t, 1>,  try_size<std::uint64_t, 2>,  try_size<std::uint64_t, 3>,
        try_size<std::uint64_t, 4>,  try_size<std::uint64_t, 7>,  try_size<std::uint64_t, 14>,
        try_size<std::uint64_t, 27>, try_size<std::uint32_t, 2>,  try_size<std::uint32_t, 3>,
        try_size<std::uint32_t, 4>,  try_size<std::uint32_t, 7>,  try_size<std::uint32_t, 14>,
        try_size<std::uint32_t, 19>, try_size<std::uint32_t, 27>, try_size<std::uint32_t, 53>};
    sizes[bytes.next() % std::size(sizes)](bytes);
    return 0;
}

#if !defined(RESIDUA_LIBFUZZER)
#include <chrono>
#include <cstring>
#include <fstream>

int main(int count, char** argument)
{
    if (count == 3 && std::strcmp(argument[1], "--seconds") == 0) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atol(argument[2]));
        std::mt19937_64 random(20170101);
        long inputs = 0;
        std::vector<std::uint8_t> bytes;
        while (std::chrono::steady_clock::now() < end) {
            bytes.resize(8 + random() % 512);
            for (std::uint8_t& byte : bytes) {
                byte = static_cast<std::uint8_t>(random());
            }
            LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
            ++inputs;
        }
        std::printf("%ld inputs\n", inputs);
        return inputs > 0 ? 0 : 1;
    }
    for (int k = 1; k < count; ++k) {
        std::ifstream file(argument[k], std::ios::binary);
        const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
        std::printf("%s: nothing wrong\n", argument[k]);
    }
    return 0;
}
#endif

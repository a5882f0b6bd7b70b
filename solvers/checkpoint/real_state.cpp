#include <residua/solvers/checkpoint/real_state.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace residua {
namespace {

enum class kind { number, infinity, not_a_number };

constexpr long most_bits = 1L << 30;

std::vector<std::uint64_t> words_of(mpz_srcptr z)
{
    std::vector<std::uint64_t> words(mpz_size(z));
    mpz_export(words.data(), nullptr, -1, sizeof(std::uint64_t), 0, 0, z);
    return words;
}

}  // namespace

void archive(state_archive& io, real& x)
{
    long bits = x.precision();
    kind is = mpfr_number_p(x.mpfr()) != 0 ? kind::number
              : mpfr_inf_p(x.mpfr()) != 0  ? kind::infinity
                                           : kind::not_a_number;
    bool negative = mpfr_signbit(x.mpfr()) != 0;
    std::int64_t exponent = 0;
    std::vector<std::uint64_t> words;
    mpz_t whole;
    mpz_init(whole);
    if (!io.reads() && is == kind::number && !is_zero(x)) {
        exponent = mpfr_get_z_2exp(whole, x.mpfr());
        words = words_of(whole);
    }
    try {
        io.at_most(bits, most_bits);
        io.at_most(is, kind::not_a_number);
        io.value(negative);
        io.value(exponent);
        io.list(words);
    } catch (...) {
        mpz_clear(whole);
        throw;
    }
    if (io.reads()) {
        x = real(is == kind::number     ? 0.0
                 : is == kind::infinity ? std::numeric_limits<double>::infinity()
                                        : std::nan(""),
                 std::max<long>(bits, MPFR_PREC_MIN));
        mpz_import(whole, words.size(), -1, sizeof(std::uint64_t), 0, 0, words.data());
        if (mpz_sgn(whole) != 0) {
            mpfr_set_z_2exp(x.mpfr(), whole, exponent, MPFR_RNDN);
        }
        mpfr_setsign(x.mpfr(), x.mpfr(), negative ? 1 : 0, MPFR_RNDN);
    }
    mpz_clear(whole);
}

void archive(state_archive& io, std::vector<real>& all)
{
    constexpr std::size_t least_bytes = 32;
    all.resize(io.count(all.size(), least_bytes), real(0.0));
    for (real& each : all) {
        archive(io, each);
    }
}

}  // namespace residua

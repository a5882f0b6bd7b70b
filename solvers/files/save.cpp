#include <residua/solvers/files/save.hpp>

#include <cmath>

#include <gmp.h>
#include <mpfr.h>

#include <residua/io/matrix_market.hpp>
#include <residua/solvers/matrix/complex_form.hpp>

namespace residua {
namespace {

/// All digits of a number: an integer times a power of ten.
std::string all_digits(const real& x)
{
    constexpr mpfr_exp_t most = 1'000'000;
    if (is_zero(x)) {
        return "0";
    }
    mpz_t integer;
    mpz_init(integer);
    const mpfr_exp_t unit = mpfr_get_z_2exp(integer, x.mpfr()) + static_cast<mpfr_exp_t>(mpz_scan1(integer, 0));
    mpz_tdiv_q_2exp(integer, integer, mpz_scan1(integer, 0));
    if (unit < -most || unit > most) {
        mpz_clear(integer);
        throw unsupported_error("a number about " + to_string(x, 3) + " has more than a million digits");
    }
    if (unit >= 0) {
        mpz_mul_2exp(integer, integer, static_cast<mp_bitcnt_t>(unit));
    } else {  // times 2^unit is times 5^-unit 10^unit
        mpz_t fives;
        mpz_init(fives);
        mpz_ui_pow_ui(fives, 5, static_cast<unsigned long>(-unit));
        mpz_mul(integer, integer, fives);
        mpz_clear(fives);
    }
    std::string digits(mpz_sizeinbase(integer, 10) + 2, '\0');
    mpz_get_str(digits.data(), 10, integer);
    mpz_clear(integer);
    digits.resize(digits.find('\0'));
    return unit < 0 ? digits + "e" + std::to_string(unit) : digits;
}

/// The text of x that reading takes for a binary64 number: 17 digits for a subnormal x.
std::string text_of(double x)
{
    constexpr int enough = 17;
    return std::fpclassify(x) == FP_SUBNORMAL ? to_string(x, enough) : to_string(x);
}

std::string text_of(const linear_system& a, std::size_t k)
{
    return a.exact.empty()          ? text_of(a.values[k])
           : a.exact.are_decimals() ? a.exact.written(k)
                                    : all_digits(a.exact.at(k, real::double_bits));
}

}  // namespace

void save_matrix(const std::string& path, const linear_system& a)
{
    const auto [first, second] = a.complex ? parts_of(a) : std::pair(a, linear_system());
    io::matrix_market_writer writer(
        path, {io::matrix_format::coordinate, a.complex ? io::matrix_field::complex : io::matrix_field::real,
               io::matrix_symmetry::general, first.rows, first.cols, first.nonzeros()});
    for (index_t i = 0; i < first.rows; ++i) {
        const auto row = static_cast<std::size_t>(i);
        for (index_t k = first.row_begin[row]; k < first.row_begin[row + 1]; ++k) {
            const auto place = static_cast<std::size_t>(k);
            writer.write(i, first.column[place], text_of(first, place), a.complex ? text_of(second, place) : "0");
        }
    }
    writer.close();
}

void save_columns(const std::string& path, const std::vector<std::vector<real>>& columns, int digits, bool complex)
{
    if (columns.empty()) {
        throw dimension_error(path + ": there is no column to write");
    }
    std::vector<real> all;
    for (const std::vector<real>& column : columns) {
        if (column.size() != columns.front().size()) {
            throw dimension_error(path + ": columns of " + std::to_string(columns.front().size()) + " and of " +
                                  std::to_string(column.size()) + " numbers");
        }
        all.insert(all.end(), column.begin(), column.end());
    }
    const auto rows = static_cast<index_t>(columns.front().size());
    const auto cols = static_cast<index_t>(columns.size());
    const auto text = [digits](const real& x) { return digits == 0 ? to_string(x) : to_string(x, digits); };
    io::write_array(path, complex ? rows / 2 : rows, cols, std::span<const real>(all), text, {}, complex);
}

}  // namespace residua

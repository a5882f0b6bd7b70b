// Entries made from others: some of them, more of them, and the same times powers of two.
#include <algorithm>
#include <memory>
#include <utility>

#include <mpfr.h>

#include <residua/solvers/matrix/exact_entries.hpp>

namespace residua {

exact_entries exact_entries::gathered(const std::vector<index_t>& source) const
{
    exact_entries result;
    if (empty()) {
        return result;
    }
    result.digits_ = digits_;
    std::vector<real> reals;
    std::vector<double> terms;
    std::vector<int> exponents;
    for (const index_t from : source) {
        const auto k = static_cast<std::size_t>(from);
        if (reals_) {
            reals.push_back((*reals_)[k]);
        } else if (terms_) {
            terms.insert(terms.end(), terms_of(k).begin(), terms_of(k).end());
        } else {
            result.decimals_.push_back(decimals_[k]);
        }
        if (exponents_) {
            exponents.push_back((*exponents_)[k]);
        }
    }
    if (!reals.empty()) {
        result.reals_ = std::make_shared<const std::vector<real>>(std::move(reals));
    }
    if (!terms.empty()) {
        const auto owner = std::make_shared<const std::vector<double>>(std::move(terms));
        result = exact_entries(std::shared_ptr<const double>(owner, owner->data()), source.size(),
                               static_cast<int>(terms_each_));
    }
    return exponents_ ? result.scaled(exponents) : result;
}

exact_entries exact_entries::joined(const std::vector<real>& reals, long bits) const
{
    if (!are_decimals()) {
        std::vector<real> all = in_bits(bits);
        all.insert(all.end(), reals.begin(), reals.end());
        return exact_entries(std::move(all));
    }
    exact_entries result = *this;
    std::string digits = *digits_;
    const std::size_t most = mpfr_get_str_ndigits(10, bits);
    for (const real& x : reals) {
        decimal d;
        if (!is_zero(x)) {
            mpfr_exp_t exponent = 0;
            char* const text = mpfr_get_str(nullptr, &exponent, 10, most, x.mpfr(), MPFR_RNDN);
            std::string_view written(text);
            d.negative = written.front() == '-' ? 1 : 0;
            written.remove_prefix(d.negative);
            written = written.substr(0, written.find_last_not_of('0') + 1);
            d.coefficient = digits.size();
            d.size = static_cast<std::uint32_t>(written.size()) & 0x7fffffff;
            d.exponent = static_cast<std::int32_t>(exponent - static_cast<mpfr_exp_t>(written.size()));
            digits += written;
            mpfr_free_str(text);
        }
        result.decimals_.push_back(d);
    }
    result.digits_ = std::make_shared<const std::string>(std::move(digits));
    return result;
}

exact_entries exact_entries::scaled(const std::vector<int>& exponents) const
{
    exact_entries result = *this;
    std::vector<int> sums = exponents;
    for (std::size_t k = 0; exponents_ && k < sums.size(); ++k) {
        sums[k] += (*exponents_)[k];
    }
    const bool none = std::all_of(sums.begin(), sums.end(), [](int e) { return e == 0; });
    result.exponents_ = none ? nullptr : std::make_shared<const std::vector<int>>(std::move(sums));
    return result;
}

}  // namespace residua

#include <residua/solvers/precond/factorization.hpp>

#include <algorithm>
#include <cmath>

#include <residua/solvers/precond/factor_kinds.hpp>
#include <residua/solvers/sparse_direct/device_fronts.hpp>

namespace residua {

const triangular_factors& factor_numbers::triangles(bool transposed) const
{
    if (!triangles_) {
        triangles_ = make_triangles();
    }
    if (!transposed) {
        return *triangles_;
    }
    if (!transposed_triangles_) {
        transposed_triangles_ = std::make_shared<const triangular_factors>(transpose(*triangles_));
    }
    return *transposed_triangles_;
}

std::shared_ptr<const device_fronts> factor_numbers::on_device([[maybe_unused]] const cuda_executor& exec,
                                                               [[maybe_unused]] double room) const
{
#if defined(RESIDUA_CUDA)
    if (const auto* const fronts = fronts_in_binary64()) {
        std::shared_ptr<const device_fronts> there = copy_.lock();
        if (there && there->executor().device == exec.device && there->executor().stream == exec.stream) {
            return there;
        }
        if (device_fronts::bytes(*fronts) <= room) {
            copy_ = there = std::make_shared<const device_fronts>(exec, *fronts);
            return there;
        }
    }
#endif
    return nullptr;
}

void factor_numbers::refuse(const char* what) const
{
    throw unsupported_error(std::string(words_for(kind())) + " factors in " + std::to_string(bits()) +
                            " bits have no " + what);
}

double factorization::lower_entries() const
{
    if (are_fronts()) {
        return (kind() == factor_kind::lu ? 0.5 : 1.0) * entries();
    }
    return numbers_ ? static_cast<double>(triangles().lower.column.size()) : 0.0;
}

std::vector<long_vector> factorization::solve(const long_columns& r, bool transposed) const
{
    scaled_matrix as_it_is;  // R = C = I
    as_it_is.row_exponent.assign(static_cast<std::size_t>(size()), 0);
    as_it_is.column_exponent = as_it_is.row_exponent;
    return numbers_->solve(r, as_it_is, transposed != transposed_, nullptr);
}

bool factorization::are_faster_on_device() const
{
#if defined(RESIDUA_CUDA)
    const auto* const fronts = numbers_ ? numbers_->fronts_in_binary64() : nullptr;
    return fronts != nullptr && device_fronts::are_faster(*fronts);
#else
    return false;
#endif
}

double factorization::growth(const sparse_matrix& s) const
{
    double largest = 0.0;
    for (const double value : s.values) {
        largest = std::max(largest, std::abs(value));
    }
    const double growth =
        kind_ == factor_kind::cholesky || largest == 0.0 ? 1.0 : numbers_->largest_product() / largest;
    return growth < 1.0 ? 1.0 : growth;  // a NaN stays one, which weight_of_growth() takes for no bound
}

std::optional<real> factorization::find_determinant() const
{
    return failure_.empty() && numbers_ ? numbers_->find_determinant() : std::nullopt;
}

std::optional<complex_number<real>> factorization::find_complex_determinant() const
{
    const auto found = failure_.empty() && numbers_ ? numbers_->find_complex_determinant() : std::nullopt;
    return found && transposed_ ? std::optional(conj(*found)) : found;
}

std::optional<inertia> factorization::find_inertia() const
{
    return failure_.empty() && numbers_ ? numbers_->find_inertia() : std::nullopt;
}

factorization factorization::transposed() const
{
    factorization result = *this;
    result.transposed_ = !transposed_;
    return result;
}

}  // namespace residua

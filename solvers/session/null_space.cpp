#include <residua/solvers/session/null_space.hpp>

#include <cstddef>
#include <utility>

#include <mpfr.h>

#include <residua/io/interruption.hpp>
#include <residua/solvers/matrix/complex_form.hpp>

namespace residua {
namespace {

real dot(const std::vector<real>& x, const std::vector<real>& y, long bits)
{
    real sum(0.0, bits);
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!is_zero(x[i]) && !is_zero(y[i])) {
            sum = sum + x[i].with_precision(bits) * y[i].with_precision(bits);
        }
    }
    return sum;
}

/// y <- y - a x
void subtract(const real& a, const std::vector<real>& x, std::vector<real>& y, long bits)
{
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!is_zero(x[i])) {
            y[i] = y[i].with_precision(bits) - a * x[i].with_precision(bits);
        }
    }
}

}  // namespace

null_space::null_space(const matrix_components& components, const std::vector<std::int32_t>& which)
    : vector_of_(components.of_unknown.size(), -1)
{
    std::vector<std::int32_t> vector_of_component(components.first.size(), -1);
    for (const std::int32_t c : which) {
        vector_of_component[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(sizes_.size());
        sizes_.push_back(components.size[static_cast<std::size_t>(c)]);
    }
    for (std::size_t i = 0; i < vector_of_.size(); ++i) {
        vector_of_[i] = vector_of_component[static_cast<std::size_t>(components.of_unknown[i])];
    }
}

null_space::null_space(std::vector<std::vector<real>> vectors, real error, long bits)
    : basis_(std::move(vectors)), error_(ldexp(error, 1))
{
    for (std::size_t j = 0; j < basis_.size(); ++j) {
        io::ask_for_stop();
        for (int pass = 0; pass < 2; ++pass) {  // the second makes them orthogonal to all bits
            for (std::size_t k = 0; k < j; ++k) {
                subtract(dot(basis_[k], basis_[j], bits), basis_[k], basis_[j], bits);
            }
        }
        const real length = sqrt(dot(basis_[j], basis_[j], bits));
        for (real& x : basis_[j]) {
            x = x.with_precision(bits) / length;
        }
    }
}

std::vector<std::vector<real>> null_space::vectors(long bits) const
{
    std::vector<std::vector<real>> all = basis_;
    for (std::vector<real>& v : all) {
        for (real& x : v) {
            x = x.with_precision(bits);
        }
    }
    for (const std::int32_t size : sizes_) {
        io::ask_for_stop();
        const auto vector = static_cast<std::int32_t>(all.size() - basis_.size());
        const real each = real(1.0, bits) / sqrt(real(static_cast<double>(size), bits));
        std::vector<real>& v = all.emplace_back(vector_of_.size(), real(0.0, bits));
        for (std::size_t i = 0; i < v.size(); ++i) {
            if (vector_of_[i] == vector) {
                v[i] = each;
            }
        }
    }
    return all;
}

std::vector<real> null_space::sums(const std::vector<real>& v, long bits) const
{
    std::vector<real> all(sizes_.size(), real(0.0, bits));
    for (std::size_t i = 0; i < vector_of_.size(); ++i) {
        if (vector_of_[i] >= 0) {
            real& sum = all[static_cast<std::size_t>(vector_of_[i])];
            mpfr_add(sum.mpfr(), sum.mpfr(), v[i].mpfr(), MPFR_RNDN);
        }
    }
    return all;
}

real null_space::norm_of_part(const std::vector<real>& v, long bits) const
{
    real square(0.0, bits);
    for (const std::vector<real>& each : basis_) {
        const real part = dot(each, v, bits);
        square = square + part * part;
    }
    const std::vector<real> of_constants = sums(v, bits);
    for (std::size_t c = 0; c < of_constants.size(); ++c) {
        square = square + of_constants[c] * of_constants[c] / real(static_cast<double>(sizes_[c]), bits);
    }
    return sqrt(square);
}

void null_space::take_from(std::vector<real>& v, long bits) const
{
    for (const std::vector<real>& each : basis_) {
        subtract(dot(each, v, bits), each, v, bits);
    }
    std::vector<real> mean = sums(v, bits);
    for (std::size_t c = 0; c < mean.size(); ++c) {
        mean[c] = mean[c] / real(static_cast<double>(sizes_[c]), bits);
    }
    real difference(0.0, bits);
    for (std::size_t i = 0; i < vector_of_.size(); ++i) {
        const std::int32_t of = vector_of_[i];
        if (of >= 0 && !is_zero(mean[static_cast<std::size_t>(of)])) {
            mpfr_set_prec(difference.mpfr(), bits);  // the room of the number before
            mpfr_sub(difference.mpfr(), v[i].mpfr(), mean[static_cast<std::size_t>(of)].mpfr(), MPFR_RNDN);
            std::swap(difference, v[i]);
        }
    }
}

complex_vectors complex_basis(const std::vector<std::vector<real>>& form, long bits)
{
    complex_vectors found{.vectors = {}, .distance = real(0.0, bits)};
    std::vector<std::vector<real>> left = form;
    real outside(0.0, bits);
    for (std::size_t k = 0; k < form.size() / 2; ++k) {
        std::size_t next = 0;
        real largest(0.0, bits);
        for (std::size_t j = 0; j < left.size(); ++j) {
            io::ask_for_stop();
            const real square = dot(left[j], left[j], bits);
            if (largest < square) {
                largest = square;
                next = j;
            }
        }
        std::vector<real> v = left[next];
        const real length = sqrt(largest);
        for (real& x : v) {
            x = x.with_precision(bits) / length;
        }
        const std::vector<real> image = times_i(v);
        for (std::vector<real>& each : left) {
            io::ask_for_stop();
            for (int pass = 0; pass < 2; ++pass) {
                subtract(dot(v, each, bits), v, each, bits);
                subtract(dot(image, each, bits), image, each, bits);
            }
        }
        std::vector<real> rest = v;
        for (const std::vector<real>& each : form) {
            subtract(dot(each, rest, bits), each, rest, bits);
        }
        outside = outside + dot(rest, rest, bits);
        found.vectors.push_back(std::move(v));
    }
    found.distance = sqrt(outside);
    return found;
}

}  // namespace residua

#pragma once

#include <concepts>
#include <memory>
#include <utility>
#include <variant>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/sliced_ell.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/matrix/make_csr.hpp>

namespace residua {

/// A matrix by rows as products take it: in slices where these need at most most_padding times the places, for their speed.
template <class Exec, class V>
using stored_matrix = std::variant<csr<Exec, V>, sliced_ell<Exec, V>>;

inline constexpr double most_padding = 2.0;

template <class V>
stored_matrix<host_executor, V> stored_for_products(csr<host_executor, V> a)
{
    using sliced = sliced_ell<host_executor, V>;
    if (sliced::padding(a) <= most_padding) {
        return sliced(a);
    }
    return a;
}

/// A matrix of binary64 numbers for all who multiply with it: one copy in the memory of each executor, which is made when it
/// is first asked for.
class matrix_storage {
public:
    explicit matrix_storage(sparse_matrix a) : a_(std::move(a)) {}

    std::shared_ptr<const stored_matrix<host_executor, double>> on(const host_executor&)
    {
        if (host_ == nullptr) {
            host_ = std::make_shared<const stored_matrix<host_executor, double>>(stored_for_products(make_csr(a_)));
        }
        return host_;
    }

    /// For a few products: no copy on the host.
    std::shared_ptr<const stored_matrix<host_executor, double>> for_few(const host_executor&) const
    {
        return host_ != nullptr ? host_ : std::make_shared<const stored_matrix<host_executor, double>>(make_csr(a_));
    }
    std::shared_ptr<const stored_matrix<cuda_executor, double>> for_few(const cuda_executor& exec) { return on(exec); }

    /// throws  resource_error if it does not fit there
    std::shared_ptr<const stored_matrix<cuda_executor, double>> on(const cuda_executor& exec)
    {
        if (device_ == nullptr || number_ != exec.device) {
            const auto from =
                host_ != nullptr
                    ? host_
                    : std::make_shared<const stored_matrix<host_executor, double>>(stored_for_products(make_csr(a_)));
            device_ = std::visit(
                [&](const auto& a) {
                    return std::make_shared<const stored_matrix<cuda_executor, double>>(to_device(exec, a));
                },
                *from);
            number_ = exec.device;
        }
        return device_;
    }

    /// The matrix as a dense one, for products by gemv; null where less than least_fill of it is stored, or memory does
    /// not hold it too.
    template <class Exec>
    std::shared_ptr<const matrix<Exec, double>> dense_on(const Exec& exec)
    {
        const double places = static_cast<double>(a_.rows) * static_cast<double>(a_.cols);
        const auto entries = static_cast<double>(a_.nonzeros());
        if (entries < least_fill * places || entries == 0.0 || 16.0 * places > available_memory_bytes()) {
            return nullptr;
        }
        if constexpr (std::same_as<Exec, host_executor>) {
            if (dense_host_ == nullptr) {
                dense_host_ = std::make_shared<const matrix<Exec, double>>(dense());
            }
            return dense_host_;
        } else {
            if (dense_device_ == nullptr || dense_number_ != exec.device) {
                try {
                    dense_device_ = std::make_shared<const matrix<Exec, double>>(to_device(exec, dense()));
                } catch (const cuda_error&) {
                    throw;
                } catch (const resource_error&) {
                    return nullptr;
                }
                dense_number_ = exec.device;
            }
            return dense_device_;
        }
    }

private:
    static constexpr double least_fill = 0.75;  ///< gemv is 1.3 to 2.7 times as fast for full matrices

    matrix<host_executor, double> dense() const
    {
        matrix<host_executor, double> full(a_.rows, a_.cols);
        for (index_t i = 0; i < a_.rows; ++i) {
            for (index_t p = a_.row_begin[i]; p < a_.row_begin[i + 1]; ++p) {
                full.set(i, a_.column[p], a_.values[p]);
            }
        }
        return full;
    }

    sparse_matrix a_;
    std::shared_ptr<const stored_matrix<host_executor, double>> host_;
    std::shared_ptr<const stored_matrix<cuda_executor, double>> device_;
    std::shared_ptr<const matrix<host_executor, double>> dense_host_;
    std::shared_ptr<const matrix<cuda_executor, double>> dense_device_;
    int number_ = 0, dense_number_ = 0;  ///< of the devices
};

}  // namespace residua

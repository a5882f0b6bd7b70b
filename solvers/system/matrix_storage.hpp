#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <variant>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/sliced_ell.hpp>

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
    /// make  the matrix by rows; called again only for a device after the host's copy was made
    explicit matrix_storage(std::function<csr<host_executor, double>()> make) : make_(std::move(make)) {}

    std::shared_ptr<const stored_matrix<host_executor, double>> on(const host_executor&)
    {
        if (host_ == nullptr) {
            host_ = std::make_shared<const stored_matrix<host_executor, double>>(stored_for_products(make_()));
        }
        return host_;
    }

    /// throws  resource_error if it does not fit there
    std::shared_ptr<const stored_matrix<cuda_executor, double>> on(const cuda_executor& exec)
    {
        if (device_ == nullptr || number_ != exec.device) {
            const auto from =
                host_ != nullptr
                    ? host_
                    : std::make_shared<const stored_matrix<host_executor, double>>(stored_for_products(make_()));
            device_ = std::visit(
                [&](const auto& a) {
                    return std::make_shared<const stored_matrix<cuda_executor, double>>(to_device(exec, a));
                },
                *from);
            number_ = exec.device;
        }
        return device_;
    }

private:
    std::function<csr<host_executor, double>()> make_;
    std::shared_ptr<const stored_matrix<host_executor, double>> host_;
    std::shared_ptr<const stored_matrix<cuda_executor, double>> device_;
    int number_ = 0;  ///< of the device
};

}  // namespace residua

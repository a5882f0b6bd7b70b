#pragma once

#include <functional>
#include <memory>

#include <residua/blas/base/multidigit_array.hpp>

namespace residua {

/// Multi-digit floats in one format, of which several processes have some each, for the one that leads them. They never
/// change. Each number, and each norm, has the bits that it has where all numbers are in one place.
class numbers_elsewhere {
public:
    using numbers = vector<host_executor, multidigit>;
    using pointer = std::shared_ptr<const numbers_elsewhere>;

    virtual ~numbers_elsewhere() = default;

    virtual index_t size() const = 0;
    virtual multidigit_format format() const = 0;

    /// The numbers rounded to nearest even with `bits` bits. Null: these are fewer than multi-digit floats have, and an
    /// exponent is beyond what long_vector::exactly() takes.
    virtual pointer rounded(long bits) const = 0;
    /// this + d in the format of `bits` bits, as long_vector::plus() has it.
    ///
    /// shapes  d is in pieces of the same sizes
    virtual pointer plus(const numbers_elsewhere& d, long bits) const = 0;

    /// blas::norm2() and blas::norm_inf()
    virtual multidigit_number norm2() const = 0;
    virtual multidigit_number norm_inf() const = 0;

    /// All numbers, here.
    virtual numbers gathered() const = 0;
    /// f(piece) here for some numbers after the other, in their order: one piece at a time is here.
    virtual void for_each_piece(const std::function<void(numbers)>& f) const = 0;
    /// Numbers of `bits` bits in the places of these: f(piece) for each piece of for_each_piece(), as long, in their format.
    virtual pointer mapped(long bits, const std::function<numbers(numbers)>& f) const = 0;
};

}  // namespace residua

#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/solvers/base/scaled_double.hpp>
#include <residua/solvers/checkpoint/state_archive.hpp>
#include <residua/solvers/matrix/numbers_elsewhere.hpp>

namespace residua {

/// The elements rounded to binary64's precision, with an error of 2^-52 at most relative to each.
scaled_doubles leading(const vector<host_executor, multidigit>& v);

/// x, b, a residual or a correction in more bits than binary64 has: multi-digit floats in the memory of the host or of a
/// device, or of several processes, so that they stay where they are computed, or MPFR numbers where multi-digit floats
/// do not hold them.
class long_vector {
public:
    template <class Exec>
    using numbers_on = residua::vector<Exec, multidigit>;

    /// No numbers.
    long_vector() = default;
    /// MPFR numbers, each with the precision that it has.
    explicit long_vector(std::vector<real> v) : v_(std::move(v)) {}
    /// Multi-digit floats, each of which is a number of `bits` bits.
    template <class Exec>
    long_vector(const Exec& exec, numbers_on<Exec> v, long bits) : v_(placed<Exec>{exec, std::move(v)}), bits_(bits)
    {}

    /// Multi-digit floats that processes have, each a number of `bits` bits.
    long_vector(numbers_elsewhere::pointer v, long bits) : v_(std::move(v)), bits_(bits) {}

    /// n zeros, as multi-digit floats on the host.
    static long_vector zeros(index_t n);

    /// Multi-digit floats on the host, of as many bits as the longest number needs, if these are at most
    /// multidigit_format::most_bits, and exponents at most 2^20 in size; otherwise the MPFR numbers.
    static long_vector exactly(const std::vector<real>& v);

    index_t size() const;
    /// The precision of the elements; for MPFR numbers the highest one.
    long bits() const;
    bool in_mpfr() const { return std::holds_alternative<std::vector<real>>(v_); }
    /// The multi-digit floats, if processes have them; null: they are here.
    const numbers_elsewhere* elsewhere() const
    {
        const auto* const there = std::get_if<numbers_elsewhere::pointer>(&v_);
        return there != nullptr ? there->get() : nullptr;
    }
    bool is_zero() const;
    bool is_finite() const;

    /// ||v||_2 and the largest |v_i|, without overflow or underflow.
    ///
    /// errors  relative to the norm 2^-63 (1 + 2^-20 n) for n numbers of 64 bits and more, and less for longer ones
    real norm2() const;
    real norm_inf() const;

    /// The elements, exactly, and rounded to nearest even with `bits` bits.
    std::vector<real> numbers() const;
    std::vector<real> numbers(long bits) const;
    /// f(first, elements) for elements first, first + 1, ..., in their order: of those that processes have, few at a time.
    void for_each_part(const std::function<void(index_t first, const std::vector<real>& part)>& f) const;

    /// residua::leading()
    scaled_doubles leading() const;

    /// The elements rounded to nearest even with `bits` bits, in the same place.
    long_vector rounded(long bits) const;

    /// this + d, rounded to `bits` bits, where d is; in MPFR if this is or multi-digit floats do not hold the sum. Zero
    /// plus d is d, without more bits than it has.
    ///
    /// shapes  d (n)
    /// errors  a rounding of each operand, and one of the sum
    long_vector plus(const long_vector& d, long bits) const;

    /// Makes the elements numbers of at least `bits` bits: what is added to them may have as many.
    void carry(long bits);

    /// The precision in which multi-digit floats are held, at least bits().
    long held_bits() const;
    /// Holds multi-digit floats in this precision, unless they are held in a higher one.
    void hold_in(long bits);

    /// Archives the vector. One that is read is on the host, wherever it was, and one that is written, if processes had it.
    void archive(state_archive& io);

    /// The multi-digit floats, moved to the memory of exec if they are not there; null: they are in MPFR.
    template <class Exec>
    const numbers_on<Exec>* on(const Exec& exec);

    /// Calls f(exec, numbers) with the multi-digit floats and where they are.
    ///
    /// needs  elsewhere() is null
    template <class F>
    decltype(auto) visit(const F& f) const
    {
#if defined(RESIDUA_CUDA)
        if (const auto* there = std::get_if<placed<cuda_executor>>(&v_)) {
            return f(there->exec, there->numbers);
        }
#endif
        const auto& here = std::get<placed<host_executor>>(v_);
        return f(here.exec, here.numbers);
    }

private:
    template <class Exec>
    struct placed {
        Exec exec;
        numbers_on<Exec> numbers;
    };

    /// The same numbers, on the host.
    long_vector gathered() const { return {host_executor{}, elsewhere()->gathered(), bits_}; }

    /// MPFR numbers become multi-digit floats only by exactly().
    std::variant<std::vector<real>, placed<host_executor>, placed<cuda_executor>, numbers_elsewhere::pointer> v_;
    long bits_ = 0;
};

extern template const long_vector::numbers_on<host_executor>* long_vector::on(const host_executor& exec);
#if defined(RESIDUA_CUDA)
extern template const long_vector::numbers_on<cuda_executor>* long_vector::on(const cuda_executor& exec);
#endif

}  // namespace residua

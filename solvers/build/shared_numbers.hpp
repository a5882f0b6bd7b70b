#pragma once

#include <functional>

#include <residua/solvers/matrix/numbers_elsewhere.hpp>
#include <residua/solvers/processes/number_part.hpp>

namespace residua {

/// Numbers of which each process has its rows, as process 0 has them. The others keep theirs under a number until this is
/// destroyed (serve.hpp).
class shared_numbers final : public numbers_elsewhere {
public:
    /// part  the rows that process 0 has; the other processes know theirs by this number
    shared_numbers(processes& all, index_t number, number_part part);
    shared_numbers(const shared_numbers&) = delete;
    shared_numbers& operator=(const shared_numbers&) = delete;
    ~shared_numbers() override;

    index_t number() const { return number_; }
    const number_part& part() const { return part_; }

    index_t size() const override { return part_.rows().n(); }
    multidigit_format format() const override { return part_.own().format(); }
    pointer rounded(long bits) const override;
    pointer plus(const numbers_elsewhere& d, long bits) const override;
    multidigit_number norm2() const override;
    multidigit_number norm_inf() const override;
    numbers gathered() const override;
    void for_each_piece(const std::function<void(numbers)>& f) const override;
    pointer mapped(long bits, const std::function<numbers(numbers)>& f) const override;

private:
    numbers between(index_t first, index_t last) const;
    /// Replaces these rows.
    void put(index_t first, index_t last, const numbers& part);

    processes& all_;
    index_t number_;
    number_part part_;
};

}  // namespace residua

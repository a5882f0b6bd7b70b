#pragma once

// A KSP on several processes: process 0 has residua's solver and whole vectors, and the others do with it what all
// processes of a KSP do together.
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <petscmat.h>

namespace residua_petsc {

/// What process 0 asks of all.
enum class order_kind { apply, apply_transposed, step, end };

struct order {
    order_kind what = order_kind::end;
    PetscInt iteration = 0;  ///< of a step
    double norm = 0.0;       ///< of a step
};

/// The processes of a communicator, and vectors of one layout on them. All of them call these functions together, but for
/// leads() and ask().
class all_processes {
public:
    all_processes() = default;
    ~all_processes() { (void)reset(); }
    all_processes(const all_processes&) = delete;
    all_processes& operator=(const all_processes&) = delete;

    PetscErrorCode set_up(Vec of_layout);
    PetscErrorCode reset();

    bool leads() const { return rank_ == 0; }

    /// The numbers of a vector on process 0, no numbers on the others.
    PetscErrorCode gather(Vec from, std::span<double> numbers);
    PetscErrorCode gather(Vec from, std::vector<double>& numbers);
    /// Each process gets its part of the numbers of process 0.
    PetscErrorCode scatter(std::span<const double> numbers, Vec into);
    /// The bytes of process 0 on all.
    PetscErrorCode share(void* bytes, std::size_t size);
    PetscErrorCode share(std::string& text);
    /// The greatest of all numbers, on all.
    PetscErrorCode greatest(int& number);

    /// f() on process 0. Meanwhile the others do what it asks, by serve(). An error of one process is one of all.
    PetscErrorCode lead(const std::function<PetscErrorCode()>& f,
                        const std::function<PetscErrorCode(const order&)>& serve);
    /// On process 0, in f(): the others do it, and so has the caller to.
    PetscErrorCode ask(order wanted);

private:
    MPI_Comm communicator_ = MPI_COMM_NULL;
    PetscMPIInt rank_ = 0, count_ = 1;
    VecScatter to_zero_ = nullptr;
    Vec whole_ = nullptr;  ///< on process 0
};

/// The matrix on process 0, and one without rows on the others; on one process it is the matrix itself.
PetscErrorCode whole_matrix(Mat a, Mat* whole);

}  // namespace residua_petsc

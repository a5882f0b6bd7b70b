#include "leader.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine.hpp"

namespace residua_petsc {
namespace {

/// The bytes of process 0 on all. Who waits for long sleeps, so that the threads of process 0 have its processor.
PetscErrorCode broadcast(void* bytes, std::size_t size, MPI_Comm communicator)
{
    constexpr int asked_without_sleep = 1000;
    MPI_Request request = MPI_REQUEST_NULL;
    PetscCallMPI(MPI_Ibcast(bytes, static_cast<int>(size), MPI_BYTE, 0, communicator, &request));
    int is_done = 0;
    for (int asked = 0; is_done == 0; ++asked) {
        PetscCallMPI(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE));
        if (is_done == 0 && asked > asked_without_sleep) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    return 0;
}

}  // namespace

PetscErrorCode all_processes::set_up(Vec of_layout)
{
    PetscCall(reset());
    communicator_ = PetscObjectComm(reinterpret_cast<PetscObject>(of_layout));
    PetscCallMPI(MPI_Comm_rank(communicator_, &rank_));
    PetscCallMPI(MPI_Comm_size(communicator_, &count_));
    PetscCall(VecScatterCreateToZero(of_layout, &to_zero_, &whole_));
    return 0;
}

PetscErrorCode all_processes::reset()
{
    PetscCall(VecScatterDestroy(&to_zero_));
    PetscCall(VecDestroy(&whole_));
    return 0;
}

PetscErrorCode all_processes::gather(Vec from, std::span<double> numbers)
{
    PetscCall(VecScatterBegin(to_zero_, from, whole_, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(to_zero_, from, whole_, INSERT_VALUES, SCATTER_FORWARD));
    const PetscScalar* of_whole = nullptr;
    PetscCall(VecGetArrayRead(whole_, &of_whole));
    std::copy_n(of_whole, numbers.size(), numbers.begin());
    PetscCall(VecRestoreArrayRead(whole_, &of_whole));
    return 0;
}

PetscErrorCode all_processes::gather(Vec from, std::vector<double>& numbers)
{
    PetscInt size = 0;
    PetscCall(VecGetLocalSize(whole_, &size));
    numbers.resize(static_cast<std::size_t>(size));
    return gather(from, std::span<double>(numbers));
}

PetscErrorCode all_processes::scatter(std::span<const double> numbers, Vec into)
{
    PetscScalar* of_whole = nullptr;
    PetscCall(VecGetArrayWrite(whole_, &of_whole));
    std::copy(numbers.begin(), numbers.end(), of_whole);
    PetscCall(VecRestoreArrayWrite(whole_, &of_whole));
    PetscCall(VecScatterBegin(to_zero_, whole_, into, INSERT_VALUES, SCATTER_REVERSE));
    PetscCall(VecScatterEnd(to_zero_, whole_, into, INSERT_VALUES, SCATTER_REVERSE));
    return 0;
}

PetscErrorCode all_processes::share(void* bytes, std::size_t size)
{
    return count_ > 1 ? broadcast(bytes, size, communicator_) : 0;
}

PetscErrorCode all_processes::share(std::string& text)
{
    std::size_t size = text.size();
    PetscCall(share(&size, sizeof size));
    text.resize(size);
    return share(text.data(), size);
}

PetscErrorCode all_processes::ask(order wanted) { return share(&wanted, sizeof wanted); }

PetscErrorCode all_processes::lead(const std::function<PetscErrorCode()>& f,
                                   const std::function<PetscErrorCode(const order&)>& serve)
{
    PetscErrorCode mine = 0;
    if (leads()) {
        mine = without_exceptions(f);
        PetscCall(ask({}));
    }
    for (order asked; !leads();) {
        PetscCall(share(&asked, sizeof asked));
        if (asked.what == order_kind::end) {
            break;
        }
        const PetscErrorCode code = serve(asked);
        mine = mine != 0 ? mine : code;
    }
    PetscErrorCode of_all = mine;
    PetscCall(greatest(of_all));
    if (mine == 0 && of_all != 0) {
        SETERRQ(PETSC_COMM_SELF, of_all, "residua: another process of this solve has an error, and says which one");
    }
    return mine;
}

PetscErrorCode all_processes::greatest(int& number)
{
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MAX, communicator_));
    return 0;
}

PetscErrorCode whole_matrix(Mat a, Mat* whole)
{
    MPI_Comm communicator = PetscObjectComm(reinterpret_cast<PetscObject>(a));
    PetscMPIInt rank = 0, count = 1;
    PetscCallMPI(MPI_Comm_rank(communicator, &rank));
    PetscCallMPI(MPI_Comm_size(communicator, &count));
    if (count == 1) {
        *whole = a;
        return PetscObjectReference(reinterpret_cast<PetscObject>(a));
    }
    PetscInt rows = 0, cols = 0;
    PetscCall(MatGetSize(a, &rows, &cols));
    IS of_rows = nullptr, of_cols = nullptr;
    PetscCall(ISCreateStride(PETSC_COMM_SELF, rank == 0 ? rows : 0, 0, 1, &of_rows));
    PetscCall(ISCreateStride(PETSC_COMM_SELF, rank == 0 ? cols : 0, 0, 1, &of_cols));
    Mat* parts = nullptr;
    PetscCall(MatCreateSubMatrices(a, 1, &of_rows, &of_cols, MAT_INITIAL_MATRIX, &parts));
    *whole = parts[0];
    PetscCall(PetscObjectReference(reinterpret_cast<PetscObject>(parts[0])));
    PetscCall(MatDestroySubMatrices(1, &parts));
    PetscCall(ISDestroy(&of_rows));
    PetscCall(ISDestroy(&of_cols));
    return 0;
}

}  // namespace residua_petsc

// MPI's processes: the library libresidua_mpi.so, which nothing links and open_processes() opens. It needs headers of
// residua alone.
#include <residua/solvers/processes/machine_mail.hpp>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <thread>

#include <mpi.h>

namespace residua {
namespace {

/// The function of the join that this thread is in: MPI gives none of ours to its operations.
thread_local const processes::merge_function* merging = nullptr;

/// MPI's operation: messages of the type's size, in <- left, out <- right.
void merge_messages(void* in, void* out, int* count, MPI_Datatype* type) noexcept
{
    int size = 0;
    MPI_Type_size(*type, &size);
    const auto bytes = static_cast<std::size_t>(size);
    for (std::size_t at = 0; at < bytes * static_cast<std::size_t>(*count); at += bytes) {
        (*merging)({static_cast<const std::byte*>(in) + at, bytes}, {static_cast<std::byte*>(out) + at, bytes});
    }
}

/// All processes that mpirun has started. MPI is begun by the first object where the program has not begun it; then it
/// ends with the last one, and cannot begin again.
///
/// On one machine, joins and routes go through memory that all map, and MPI carries the rest.
///
/// Errors of MPI end all processes with MPI's own message, as is usual.
class mpi_processes final : public processes {
public:
    mpi_processes()
    {
        int is_begun = 0;
        int has_ended = 0;
        MPI_Initialized(&is_begun);
        MPI_Finalized(&has_ended);
        if (has_ended != 0) {
            throw error("processes: MPI has ended in this program and cannot begin again: keep the first processes");
        }
        if (is_begun == 0) {
            int provided = 0;
            MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
            is_ours = true;
        }
        MPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
        MPI_Comm_size(communicator_, &count_);
        MPI_Comm_rank(communicator_, &rank_);
        MPI_Comm machine = MPI_COMM_NULL;
        MPI_Comm_split_type(communicator_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
        MPI_Comm_rank(machine, &rank_on_machine_);
        int on_machine = 0;
        MPI_Comm_size(machine, &on_machine);
        MPI_Comm_free(&machine);
        MPI_Op_create(&merge_messages, 0, &operation_);
        if (maximum(*this, count_ - on_machine) == 0 && count_ > 1) {
            mail_ = machine_mail::open(*this, [this] { go_on_with_messages(); });
        }
        ++objects;
    }

    ~mpi_processes() override
    {
        if (std::uncaught_exceptions() > 0 && count_ > 1) {
            end_all("an exception leaves the others waiting");
        }
        for (auto& [size, type] : types_) {
            MPI_Type_free(&type);
        }
        MPI_Op_free(&operation_);
        MPI_Comm_free(&communicator_);
        if (--objects == 0 && is_ours) {
            MPI_Finalize();
        }
    }

    index_t count() const override { return count_; }
    index_t rank() const override { return rank_; }
    index_t rank_on_machine() const override { return rank_on_machine_; }

    void begin_exchange(std::span<const outgoing> out, std::span<const incoming> in) override
    {
        for (const incoming& each : in) {
            in_parts(each.bytes.data(), each.bytes.size(), [&](std::byte* bytes, int size) {
                MPI_Irecv(bytes, size, MPI_BYTE, static_cast<int>(each.rank), 0, communicator_,
                          &requests_.emplace_back());
            });
        }
        for (const outgoing& each : out) {
            in_parts(each.bytes.data(), each.bytes.size(), [&](const std::byte* bytes, int size) {
                MPI_Isend(bytes, size, MPI_BYTE, static_cast<int>(each.rank), 0, communicator_,
                          &requests_.emplace_back());
            });
        }
    }

    void end_exchange() override
    {
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
        requests_.clear();
    }

    std::unique_ptr<route> make_route(std::vector<route::end> out, std::vector<route::end> in) override
    {
        auto made = mail_ != nullptr ? mail_->make_route(*this, out, in) : nullptr;
        return made != nullptr ? std::move(made) : processes::make_route(std::move(out), std::move(in));
    }

    bytes_by_rank all_to_all(bytes_by_rank to) override
    {
        std::vector<std::int64_t> given;
        for (const std::vector<std::byte>& each : to) {
            given.push_back(static_cast<std::int64_t>(each.size()));
        }
        std::vector<std::int64_t> taken(given.size());
        MPI_Alltoall(given.data(), 1, MPI_INT64_T, taken.data(), 1, MPI_INT64_T, communicator_);

        bytes_by_rank from(to.size());
        std::vector<outgoing> out;
        std::vector<incoming> in;
        for (index_t other = 0; other < count_; ++other) {
            const auto at = static_cast<std::size_t>(other);
            if (other == rank_) {
                from[at] = std::move(to[at]);
            } else {
                from[at].resize(static_cast<std::size_t>(taken[at]));
                out.push_back({other, to[at]});
                in.push_back({other, from[at]});
            }
        }
        begin_exchange(out, in);
        end_exchange();
        return from;
    }

    void broadcast(std::vector<std::byte>& bytes) override
    {
        auto size = static_cast<std::int64_t>(bytes.size());
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibcast(&size, 1, MPI_INT64_T, 0, communicator_, &request);
        int is_done = 0;
        for (int asked = 0; is_done == 0; ++asked) {
            MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
            if (is_done == 0 && asked > asked_without_sleep) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        }
        bytes.resize(static_cast<std::size_t>(size));
        in_parts(bytes.data(), bytes.size(),
                 [&](std::byte* part, int length) { MPI_Bcast(part, length, MPI_BYTE, 0, communicator_); });
    }

    [[noreturn]] void end_all(const std::string& why) override
    {
        std::fprintf(stderr, "residua: process %d of %d: %s\n", rank_ + 1, count_, why.c_str());
        std::fflush(stderr);
        MPI_Abort(communicator_, 1);
        std::abort();
    }

protected:
    void join_messages(std::span<std::byte> message, const merge_function& merge) override
    {
        if (mail_ != nullptr && mail_->takes(message.size())) {
            return mail_->join(message, merge);
        }
        merging = &merge;
        MPI_Allreduce(MPI_IN_PLACE, message.data(), 1, type_of(message.size()), operation_, communicator_);
    }

private:
    static constexpr int asked_without_sleep = 1000;

    /// f(begin, size) for parts of a message whose sizes MPI can count.
    template <class Byte, class F>
    static void in_parts(Byte* bytes, std::size_t size, const F& f)
    {
        constexpr std::size_t most = std::size_t{1} << 30;
        for (std::size_t at = 0; at < size; at += most) {
            f(bytes + at, static_cast<int>(std::min(most, size - at)));
        }
    }

    /// The type of a message, so that MPI does not cut it.
    MPI_Datatype type_of(std::size_t size)
    {
        if (size > INT_MAX) {
            end_all("a sum of " + std::to_string(size) + " bytes is too long for MPI");
        }
        const auto [at, is_new] = types_.try_emplace(size);
        if (is_new) {
            MPI_Type_contiguous(static_cast<int>(size), MPI_BYTE, &at->second);
            MPI_Type_commit(&at->second);
        }
        return at->second;
    }

    /// Lets MPI carry messages, which it does only while it is called. Another process may wait for one from here.
    void go_on_with_messages()
    {
        int is_there = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator_, &is_there, MPI_STATUS_IGNORE);
    }

    static inline int objects = 0;
    static inline bool is_ours = false;  ///< MPI was begun here

    int count_ = 1;
    int rank_ = 0;
    int rank_on_machine_ = 0;
    MPI_Comm communicator_ = MPI_COMM_NULL;
    MPI_Op operation_ = MPI_OP_NULL;
    std::unique_ptr<machine_mail> mail_;  ///< where all processes are on one machine
    std::map<std::size_t, MPI_Datatype> types_;
    std::vector<MPI_Request> requests_;
};

}  // namespace
}  // namespace residua

extern "C" residua::processes* residua_make_processes(std::int64_t interface)
{
    return interface == residua::processes_interface ? new residua::mpi_processes : nullptr;
}

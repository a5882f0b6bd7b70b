#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/io/error.hpp>

/// Several processes that solve one system, each with some of its rows. Everything here is in headers and uses nothing
/// of the library but io/error.hpp, so that a plug-in which implements it links nothing.
namespace residua {

/// The functions of `processes`; another number wherever they change.
inline constexpr std::int64_t processes_interface = 4;

/// What a process asks of all; of several the greatest wins.
enum class status_word : std::int64_t { go_on, checkpoint_due, time_limit, interrupted, failed };

/// Messages that go to some processes, and come from some, round after round. In a round a process calls next(), puts its
/// messages where to() says, and calls send(), then receive(), and reads at from(). The calls of several routes, and
/// joins, may lie between each other.
class route {
public:
    struct end {
        index_t rank;
        std::size_t bytes;
    };

    route(std::vector<end> out, std::vector<end> in) : out_(std::move(out)), in_(std::move(in)) {}
    virtual ~route() = default;
    route(const route&) = delete;
    route& operator=(const route&) = delete;

    /// The same ends with other lengths, none longer than at first; receivers expect those that senders have.
    void set_lengths(std::vector<end> out, std::vector<end> in)
    {
        out_ = std::move(out);
        in_ = std::move(in);
    }

    /// All memory that to() and from() ever name: whole pages, which stay as long as the route.
    virtual std::vector<std::span<std::byte>> memory() const = 0;

    /// Begins a round: waits until the places of its messages may be written to.
    virtual void next() = 0;
    /// The place of the message for the i-th receiver.
    virtual std::span<std::byte> to(std::size_t i) = 0;
    /// Sends the messages. Those of the round before have been read: they may be overwritten from here on.
    virtual void send() = 0;
    /// Waits for all messages of the round.
    virtual void receive() = 0;
    /// The message of the i-th sender, between receive() and next().
    virtual std::span<const std::byte> from(std::size_t i) const = 0;

protected:
    std::vector<end> out_, in_;
};

/// The processes of a run, as one of them sees them. They call the functions that are marked `together` in the same
/// order, each of them on every process: a process that does not come leaves the others waiting.
///
/// An object belongs to one thread. An exception that leaves a process between two such calls must end in end_all().
class processes {
public:
    /// right <- left right, for messages of two neighbours or groups of neighbours. It is associative to the last bit,
    /// need not be commutative, and must not throw.
    using merge_function = std::function<void(std::span<const std::byte> left, std::span<std::byte> right)>;

    /// Bytes on their way to a process, and the place for those that come from one.
    struct outgoing {
        index_t rank;
        std::span<const std::byte> bytes;
    };
    struct incoming {
        index_t rank;
        std::span<std::byte> bytes;
    };
    /// For each process, or from each process.
    using bytes_by_rank = std::vector<std::vector<std::byte>>;

    processes() = default;
    virtual ~processes() = default;
    processes(const processes&) = delete;
    processes& operator=(const processes&) = delete;

    virtual index_t count() const = 0;
    virtual index_t rank() const = 0;
    /// How many processes of a lower rank are on the same machine.
    virtual index_t rank_on_machine() const = 0;

    /// 1, 2, 3, ...: numbers for what process 0 makes on all.
    index_t next_number() { return ++numbers_; }

    /// Messages of all processes, merged from the first to the last one; every process gets the result.
    ///
    /// together  with messages of one size. The status words travel with them
    void join(std::span<std::byte> message, const merge_function& merge)
    {
        if (count() == 1) {
            agreed_ = mine_;
            return;
        }
        buffer_.resize(word_bytes + message.size());
        std::memcpy(buffer_.data(), &mine_, word_bytes);
        std::copy(message.begin(), message.end(), buffer_.begin() + word_bytes);
        join_messages(buffer_, [&merge](std::span<const std::byte> left, std::span<std::byte> right) {
            const status_word greatest = std::max(word_of(left), word_of(right));
            std::memcpy(right.data(), &greatest, word_bytes);
            merge(left.subspan(word_bytes), right.subspan(word_bytes));
        });
        agreed_ = word_of(buffer_);
        std::copy(buffer_.begin() + word_bytes, buffer_.end(), message.begin());
    }

    /// Asks something of all from the next join on.
    void say(status_word word) { mine_ = std::max(mine_, word); }
    /// Asks for it no longer, if it is what this process asks for.
    void take_back(status_word word) { mine_ = mine_ == word ? status_word::go_on : mine_; }
    /// What had been asked by the last join: the same word on all processes between two joins.
    status_word agreed() const { return agreed_; }

    /// Begins to send and to receive; the bytes stay where they are, and are not changed by others, until
    /// end_exchange(). Messages between two processes arrive in the order in which they were given, and have the sizes
    /// that were expected.
    ///
    /// together  joins may come between begin and end
    virtual void begin_exchange(std::span<const outgoing> out, std::span<const incoming> in) = 0;
    virtual void end_exchange() = 0;

    /// A route with these ends; between two processes there is one message at most in each direction.
    ///
    /// together
    virtual std::unique_ptr<route> make_route(std::vector<route::end> out, std::vector<route::end> in);

    /// What each process has for this one.
    ///
    /// needs     to.size() == count()
    /// together  this is for preparations: every process hears from every other one
    virtual bytes_by_rank all_to_all(bytes_by_rank to) = 0;

    /// The bytes of process 0 on every process. Who comes early sleeps, so that others have its processor.
    ///
    /// together  this is for what may be long in coming
    virtual void broadcast(std::vector<std::byte>& bytes) = 0;

    /// Ends all processes with a message. Where they are one process of the system, it throws error.
    [[noreturn]] virtual void end_all(const std::string& why) = 0;

protected:
    virtual void join_messages(std::span<std::byte> message, const merge_function& merge) = 0;

private:
    static constexpr std::size_t word_bytes = sizeof(status_word);
    static status_word word_of(std::span<const std::byte> message)
    {
        status_word word;
        std::memcpy(&word, message.data(), word_bytes);
        return word;
    }

    index_t numbers_ = 0;
    std::vector<std::byte> buffer_;
    status_word mine_ = status_word::go_on;
    status_word agreed_ = status_word::go_on;
};

/// A route whose messages are exchanged as any others are.
class exchanged_route final : public route {
public:
    exchanged_route(processes& all, std::vector<end> out, std::vector<end> in)
        : route(std::move(out), std::move(in)), all_(all)
    {
        for (const auto& [ends, places] : {std::pair(&out_, &out_at_), std::pair(&in_, &in_at_)}) {
            for (const end& each : *ends) {
                places->push_back(size_);
                size_ += (each.bytes + 63) / 64 * 64;
            }
        }
        size_ = (size_ + page - 1) / page * page;
        memory_.reset(static_cast<std::byte*>(::operator new(size_, std::align_val_t{page})));
        std::fill_n(memory_.get(), size_, std::byte{0});
    }

    std::vector<std::span<std::byte>> memory() const override { return {{memory_.get(), size_}}; }
    void next() override {}
    std::span<std::byte> to(std::size_t i) override { return {memory_.get() + out_at_[i], out_[i].bytes}; }
    void send() override
    {
        std::vector<processes::outgoing> out;
        for (std::size_t i = 0; i < out_.size(); ++i) {
            out.push_back({out_[i].rank, to(i)});
        }
        std::vector<processes::incoming> in;
        for (std::size_t i = 0; i < in_.size(); ++i) {
            in.push_back({in_[i].rank, {memory_.get() + in_at_[i], in_[i].bytes}});
        }
        all_.begin_exchange(out, in);
    }
    void receive() override { all_.end_exchange(); }
    std::span<const std::byte> from(std::size_t i) const override { return {memory_.get() + in_at_[i], in_[i].bytes}; }

private:
    static constexpr std::size_t page = 4096;
    struct pages_freed {
        void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{page}); }
    };

    processes& all_;
    std::size_t size_ = 0;
    std::vector<std::size_t> out_at_, in_at_;
    std::unique_ptr<std::byte, pages_freed> memory_;
};

inline std::unique_ptr<route> processes::make_route(std::vector<route::end> out, std::vector<route::end> in)
{
    return std::make_unique<exchanged_route>(*this, std::move(out), std::move(in));
}

/// One process alone: nothing travels.
class one_process final : public processes {
public:
    index_t count() const override { return 1; }
    index_t rank() const override { return 0; }
    index_t rank_on_machine() const override { return 0; }
    void begin_exchange(std::span<const outgoing>, std::span<const incoming>) override {}
    void end_exchange() override {}
    bytes_by_rank all_to_all(bytes_by_rank to) override { return to; }
    void broadcast(std::vector<std::byte>&) override {}
    [[noreturn]] void end_all(const std::string& why) override { throw error(why); }

protected:
    void join_messages(std::span<std::byte>, const merge_function&) override {}
};

/// Each number becomes the greatest that any process has in its place; NaN is greater than any other.
///
/// together  with as many numbers
template <class T>
    requires(std::is_arithmetic_v<T>)
void maximum(processes& all, std::span<T> numbers)
{
    all.join(std::as_writable_bytes(numbers), [](std::span<const std::byte> left, std::span<std::byte> right) {
        for (std::size_t at = 0; at < right.size(); at += sizeof(T)) {
            T a;
            T b;
            std::memcpy(&a, left.data() + at, sizeof a);
            std::memcpy(&b, right.data() + at, sizeof b);
            if (!(a <= b) && b == b) {  // NOLINT(misc-redundant-expression): NaN
                std::memcpy(right.data() + at, &a, sizeof a);
            }
        }
    });
}

template <class T>
T maximum(processes& all, T number)
{
    maximum(all, std::span<T>(&number, 1));
    return number;
}

/// The greatest word that a process says here, and all earlier ones that were not taken back.
///
/// together
inline status_word agree(processes& all, status_word word)
{
    all.say(word);
    all.join({}, [](std::span<const std::byte>, std::span<std::byte>) {});
    return all.agreed();
}

/// The bytes of all processes, in their order, on process `to`; nothing on the others.
///
/// together
inline std::vector<std::byte> gather(processes& all, std::span<const std::byte> mine, index_t to = 0)
{
    processes::bytes_by_rank out(static_cast<std::size_t>(all.count()));
    out[static_cast<std::size_t>(to)].assign(mine.begin(), mine.end());
    std::vector<std::byte> gathered;
    for (const std::vector<std::byte>& part : all.all_to_all(std::move(out))) {
        gathered.insert(gathered.end(), part.begin(), part.end());
    }
    return gathered;
}

}  // namespace residua

// Any bytes as a checkpoint. The first byte says what they are: a whole file; the list of states of a file whose checks hold; or
// a state whose check holds, of each kind that is read. They are read or refused in one line that names the file; nothing else happens.

#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <residua/solvers/checkpoint/checkpoint.hpp>
#include <residua/solvers/checkpoint/real_state.hpp>
#include <residua/solvers/options/stop.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/long_vector.hpp>
#include <residua/solvers/space/space_state.hpp>

#include "tests/fuzz/target.hpp"

namespace {

using namespace residua;
using fuzz::require;

const std::string& path()
{
    static const std::string name =
        (std::filesystem::temp_directory_path() / ("checkpoint_fuzz." + std::to_string(::getpid()))).string();
    return name;
}

/// What is done with a checkpoint that is read or refused.
template <class F>
void read_or_refuse(const F& f)
{
    try {
        f();
    } catch (const input_error& why) {
        const std::string words = why.what();
        require(fuzz::is_one_line(words.substr(0, path().size())) && words.starts_with(path()),
                "names the file: " + words);
    }
}

void write_file(const std::string& bytes) { std::ofstream(path(), std::ios::binary | std::ios::trunc) << bytes; }

void resume()
{
    read_or_refuse([] {
        checkpoint again(path(), checkpoint::beginning::resumed, {}, 1.0);
        again.begin_call(content_key{});
        std::vector<double> x{1.0};
        require(again.save(content_key{}, [&](state_archive& io) { io.list(x); }),
                "a file that is read can be written");
    });
}

template <class T>
void append(std::string& bytes, const T& x)
{
    bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
}

/// A file with this list, as docs/checkpoints.md says.
std::string file_with_list(const std::string& list)
{
    constexpr std::uint64_t at = 4096;
    std::string bytes = "residua\n";
    append(bytes, std::uint32_t{1});
    append(bytes, std::uint32_t{0});
    bytes.resize(2048);
    std::string place;
    append(place, std::uint64_t{1});
    append(place, at);
    append(place, std::uint64_t{list.size()});
    append(place, content_hash().add(list.data(), list.size()).key());
    append(place, content_hash().add(place.data(), place.size()).key());
    bytes += place;
    bytes.resize(at);
    return bytes + list;
}

template <class S>
void archive_numbers(state_archive& io, const S& space)
{
    auto x = space.make_vector(3);
    auto a = space.make_scalar(1.0);
    auto s = space.make_scalars(2);
    archive(io, space, x);
    archive(io, space, a);
    archive_scalars(io, space, s, 2);
    (void)is_finite(space.norm2(x));
}

void read_state(int kind, std::string bytes)
{
    std::filesystem::remove(path());
    checkpoint in(path(), checkpoint::beginning::anew, {}, 1.0);
    require(in.save(content_key{}, [&](state_archive& io) { io.bytes(bytes.data(), bytes.size()); }), "saved");
    const auto find = [&](const state_function& f) { read_or_refuse([&] { (void)in.find(content_key{}, f); }); };
    switch (kind) {
        case 0: {
            iteration_report report;
            find([&](state_archive& io) { report.archive(io); });
            require(report.status <= solve_status::time_limit, "a status is one");
            break;
        }
        case 1: {
            std::vector<real> x;
            find([&](state_archive& io) { archive(io, x); });
            for (const real& each : x) {
                (void)to_string(each, 5);
            }
            break;
        }
        case 2: {
            long_vector x = long_vector::zeros(1);
            find([&](state_archive& io) { x.archive(io); });
            break;
        }
        case 3:
            find([&](state_archive& io) { archive_numbers(io, host_space<expansion<double, 4>>{}); });
            break;
        default:
            find([&](state_archive& io) {
                archive_numbers(io, multidigit_space<host_executor>{{}, multidigit_format(192)});
            });
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) {
        return 0;
    }
    const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    const int kind = data[0] % 7;
    if (kind == 5) {
        write_file(bytes);
        resume();
    } else if (kind == 6) {
        write_file(file_with_list(bytes));
        resume();
    } else {
        read_state(kind, bytes);
    }
    std::filesystem::remove(path());
    return 0;
}

// Runs a fuzz target without libFuzzer: on the files of a folder, then on random mutations of them.
//
//   NAME_replay FOLDER SECONDS    mutations from a fixed seed, for so many seconds; 0: the files alone
//   NAME_replay FILE 0

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/support/scale.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::string> read_corpus(const std::filesystem::path& path)
{
    std::vector<std::filesystem::path> paths{path};
    if (std::filesystem::is_directory(path)) {
        paths.assign(std::filesystem::directory_iterator(path), {});
        std::sort(paths.begin(), paths.end());
    }
    std::vector<std::string> inputs;
    for (const std::filesystem::path& each : paths) {
        std::ifstream file(each, std::ios::binary);
        inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return inputs;
}

/// One to four small changes, and parts of other inputs.
std::string mutate(std::string bytes, const std::vector<std::string>& corpus, std::mt19937_64& random)
{
    for (std::uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
        const std::string& other = corpus[random() % corpus.size()];
        const std::size_t at = random() % (bytes.size() + 1);
        const std::size_t length = std::min(bytes.size() - at, std::size_t{1 + random() % 12});
        const std::size_t from = random() % (other.size() + 1);
        switch (random() % 5) {
            case 0:
                bytes.erase(at, length);
                break;
            case 1:
                bytes.insert(at, other.substr(from, 1 + random() % 30));
                break;
            case 2:
                bytes = bytes.substr(0, at) + other.substr(from);
                break;
            case 3:
                bytes.insert(at, 1, "0123456789.+-eE %\n"[random() % 18]);
                break;
            default:
                if (at < bytes.size()) {
                    bytes[at] = static_cast<char>(random());
                }
        }
    }
    return bytes.substr(0, 4096);
}

/// Runs the target; a failing input is kept.
bool holds(const std::string& bytes)
{
    try {
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
        return true;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
    }
    std::ofstream("failing-input", std::ios::binary) << bytes;
    std::fprintf(stderr, "the input is in the file failing-input\n");
    return false;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s FOLDER SECONDS\n", argv[0]);
        return 2;
    }
    const std::vector<std::string> corpus = read_corpus(argv[1]);
    if (corpus.empty() || !std::all_of(corpus.begin(), corpus.end(), holds)) {
        return 1;
    }
    const std::chrono::duration<double> seconds(std::atof(argv[2]) * residua::support::test_scale());
    const auto end = std::chrono::steady_clock::now() + seconds;
    std::mt19937_64 random(6180339887);
    long mutations = 0;
    for (; std::chrono::steady_clock::now() < end; ++mutations) {
        if (!holds(mutate(corpus[random() % corpus.size()], corpus, random))) {
            return 1;
        }
    }
    std::printf("%zu inputs and %ld mutations; none failed\n", corpus.size(), mutations);
    return 0;
}

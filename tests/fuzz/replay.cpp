// Runs the MatrixMarket fuzz target without libFuzzer: on files, or on random mutations of built-in seeds.
//
//   replay FILE...              each file once
//   replay --seconds S          mutations, from a fixed seed, for S seconds
//   replay --write-seeds DIR    the seeds as files, to begin a libFuzzer corpus with

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <zlib.h>

#include <residua/io/decimal.hpp>
#include <residua/io/matrix_market.hpp>
#include "tests/support/scale.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace residua;

const std::vector<std::string> words = {"%%MatrixMarket matrix ",
                                        "%%MatrixMarket matrix coordinate real general\n",
                                        "%%MatrixMarket matrix array complex hermitian\n",
                                        "coordinate",
                                        "array",
                                        "real",
                                        "integer",
                                        "pattern",
                                        "complex",
                                        "general",
                                        "symmetric",
                                        "skew-symmetric",
                                        "hermitian",
                                        "\n",
                                        "\r\n",
                                        "\r",
                                        "\n\n",
                                        " ",
                                        "\t",
                                        "%",
                                        "% c\n",
                                        "0",
                                        "1",
                                        "2 ",
                                        "3\n",
                                        "-1",
                                        "+1",
                                        "1.5",
                                        ".5",
                                        "5.",
                                        "-0.0",
                                        "1e5",
                                        "1E-5",
                                        "1d+05",
                                        "1e400",
                                        "1e-400",
                                        "4.9406564584124654e-324",
                                        "1.7976931348623157e308",
                                        "e99999999999999999999",
                                        "e9223372036854775807",
                                        "-9223372036854775808",
                                        "9223372036854775807",
                                        "4294967297",
                                        "18446744073709551617",
                                        "3037000500",
                                        "nan",
                                        "inf",
                                        "1,5",
                                        "0x1p3",
                                        "\xef\xbb\xbf",
                                        "\x1f\x8b\x08",
                                        std::string(1, '\0'),
                                        "0.333333333333333333333333333333333333333333333333333333333333"};

std::vector<std::string> make_seeds()
{
    const std::string banner = "%%MatrixMarket matrix ";
    std::vector<std::string> seeds = {
        banner + "coordinate real general\n% c\n3 3 4\n1 1 2.0\n2 2 4.0e0\n3 3 +8.D0\n3 1 -1.5\n",
        banner + "coordinate real symmetric\r\n2 2 3\r\n1 1 3\r\n2 1 1\r\n2 2 0.1\r\n",
        banner + "coordinate real skew-symmetric\n3 3 2\n2 1 3.5\n3 2 1e-400\n",
        banner + "coordinate integer general\n2 2 2\n1 1 123456789012345678901234567890\n2 2 2.0\n",
        banner + "coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n3 2\n",
        banner + "coordinate complex hermitian\n2 2 3\n1 1 2 0\n2 1 .5 -1\n2 2 3 0.0\n",
        banner + "array real general\n2 3\n1\n2\n3\n4\n5\n6.5\n",
        banner + "array real symmetric\n3 3\n4 -1 0\n4 -1\n4\n",
        banner + "array real skew-symmetric\n3 3\n1 2 3\n",
        banner + "array complex general\r2 2\r1 0\r0 1\r0 -1\r2 0\r",
        "%%MatrixMarket vector coordinate real general\n3\n1 1.5\n2 0\n3 -2\n",
        "# b\n1.5\n\n-2e-400\n",
        "title\n 5 1 1 1 2\nRUA 2 2 3 0\n(3I2) (3I2) (3E9.2) (2F3.1)\nFGX 1 0\n 1 3 4\n 1 2 2\n"
        "  1.5E+00-2.5D-01 1.25-003\n1.52.5\n 10-20\n5.05.0\n",
        "title\n 3 1 1 1\nCHA 2 2 3 0\n(3I2) (3I2) (1P,6F2.0)\n 1 3 4\n 1 2 2\n 1 0 2 3 4 0\n",
        std::string("\x93NUMPY\1\0\x3e\0", 10) + "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 2), }  \n1234",
        banner + "coordinate real general\n4000000000 4000000000 1\n4000000000 4000000000 1\n",
        banner + "coordinate real general\n2 2 4\n1 1 1.25\n2 2 3\n1 1 0.75\n2 1 1\n",
        banner + "coordinate real general\n2 2 2\n1 1 5e-324\n2 2 9007199254740993\n",
        banner + "coordinate real general\n0 0 0\n",
        banner + "coordinate real general\n2 2 2\n1 1 1\n9223372036854775808 2 1\n",
    };
    for (std::size_t k = 0; k < 3; ++k) {  // the same, compressed
        std::string packed(4096, '\0');
        z_stream z{};
        if (deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK) {
            z.next_in = reinterpret_cast<Bytef*>(seeds[k].data());
            z.avail_in = static_cast<uInt>(seeds[k].size());
            z.next_out = reinterpret_cast<Bytef*>(packed.data());
            z.avail_out = static_cast<uInt>(packed.size());
            deflate(&z, Z_FINISH);
            packed.resize(z.total_out);
            deflateEnd(&z);
            seeds.push_back(packed);
        }
    }
    return seeds;
}

/// One to four small changes.
std::string mutate(std::string bytes, const std::vector<std::string>& seeds, std::mt19937_64& random)
{
    for (std::uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
        const std::size_t at = random() % (bytes.size() + 1);
        const std::size_t length = std::min(bytes.size() - at, std::size_t{1 + random() % 12});
        switch (random() % 7) {
            case 0:
                bytes.erase(at, length);
                break;
            case 1:
                bytes.insert(at, words[random() % words.size()]);
                break;
            case 2:
                bytes.replace(at, length, words[random() % words.size()]);
                break;
            case 3:
                bytes.insert(at, bytes.substr(random() % (bytes.size() + 1), 1 + random() % 30));
                break;
            case 4: {
                const std::string& other = seeds[random() % seeds.size()];
                bytes = bytes.substr(0, at) + other.substr(random() % (other.size() + 1));
                break;
            }
            case 5:
                bytes.insert(at, 1, "0123456789.+-eEdD %\n"[random() % 20]);
                break;
            default:
                if (at < bytes.size()) {
                    bytes[at] = static_cast<char>(random());
                }
        }
    }
    return bytes;
}

/// Runs the target; on a failure tells everything needed to repeat it.
bool holds(const std::string& bytes, const std::string& origin)
{
    try {
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
        return true;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s: %s\n", origin.c_str(), e.what());
    }
    std::ofstream("failing-input", std::ios::binary) << bytes;
    std::fprintf(stderr, "the input is in the file failing-input\n");
    return false;
}

bool is_valid(const std::string& bytes)
{
    try {
        io::read_matrix_market(io::make_text("f", bytes), io::binary64_tally());
        return true;
    } catch (const input_error&) {
        return false;
    }
}

int run_mutations(double seconds)
{
    const std::uint64_t seed = 6180339887;
    std::mt19937_64 random(seed);
    const std::vector<std::string> seeds = make_seeds();
    std::vector<std::string> pool = seeds;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    long runs = 0;
    long valid = 0;
    for (; std::chrono::steady_clock::now() < end; ++runs) {
        const std::string bytes = mutate(pool[random() % pool.size()], seeds, random);
        if (!holds(bytes, "seed " + std::to_string(seed) + ", mutation " + std::to_string(runs))) {
            return 1;
        }
        if (is_valid(bytes)) {
            ++valid;
            if (pool.size() < 500) {  // mutations of mutations
                pool.push_back(bytes.substr(0, 2000));
            } else {
                pool[seeds.size() + random() % (pool.size() - seeds.size())] = bytes.substr(0, 2000);
            }
        }
    }
    std::printf("%ld mutations, %ld of them valid files; none failed\n", runs, valid);
    return valid > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv)
{
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const std::vector<std::string> seeds = make_seeds();
    for (std::size_t k = 0; k < seeds.size(); ++k) {
        if (!holds(seeds[k], "built-in seed " + std::to_string(k))) {
            return 1;
        }
    }
    if (arguments.size() == 2 && arguments[0] == "--seconds") {
        return run_mutations(std::atof(arguments[1].c_str()) * support::test_scale());
    }
    if (arguments.size() == 2 && arguments[0] == "--write-seeds") {
        for (std::size_t k = 0; k < seeds.size(); ++k) {
            std::ofstream(arguments[1] + "/seed" + std::to_string(k), std::ios::binary) << seeds[k];
        }
        return 0;
    }
    for (const std::string& path : arguments) {
        std::ifstream file(path, std::ios::binary);
        if (!holds({std::istreambuf_iterator<char>(file), {}}, path)) {
            return 1;
        }
    }
    return 0;
}

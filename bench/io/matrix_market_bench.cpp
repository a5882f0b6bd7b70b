// Reads generated coordinate files of random binary64 numbers, written with the digits that round-trip, by one thread and by
// more, and prints the rates as JSON. Arguments: entries (default 2000000), repeats (7), and a folder in which the files stay,
// for peer_scipy.py.

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <omp.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <residua/io/decimal.hpp>
#include <residua/io/matrix_market.hpp>

namespace {

using namespace residua;

enum class entry_order { by_rows, by_columns, shuffled };

/// A random matrix with about 10 entries a row; values over 12 decades, so exponents occur.
io::matrix_market<double> random_matrix(index_t entries, io::matrix_symmetry symmetry)
{
    std::mt19937_64 random(20240117);
    const index_t n = std::max<index_t>(entries / 10, 1);
    std::uniform_int_distribution<index_t> position(0, n - 1);
    std::uniform_real_distribution<double> mantissa(-1.0, 1.0);
    std::uniform_real_distribution<double> decade(-6.0, 6.0);
    io::matrix_market<double> m;
    m.header.symmetry = symmetry;
    m.entries.rows = m.entries.cols = n;
    for (index_t k = 0; k < entries; ++k) {
        index_t row = position(random);
        index_t col = position(random);
        if (symmetry != io::matrix_symmetry::general && row < col) {
            std::swap(row, col);
        }
        m.entries.row.push_back(row);
        m.entries.col.push_back(col);
        m.entries.value.push_back(mantissa(random) * std::pow(10.0, decade(random)));
    }
    return m;
}

void arrange(io::matrix_market<double>& m, entry_order wanted)
{
    io::coo<double>& a = m.entries;
    io::sort_and_sum(a);
    std::vector<index_t> order;
    if (wanted == entry_order::by_columns) {
        order = io::row_major_order(a.cols, a.col, a.row);
    } else if (wanted == entry_order::shuffled) {
        order.resize(a.row.size());
        std::iota(order.begin(), order.end(), index_t{0});
        std::shuffle(order.begin(), order.end(), std::mt19937_64(7));
    }
    if (!order.empty()) {
        io::detail::permute(a.row, order);
        io::detail::permute(a.col, order);
        io::detail::permute(a.value, order);
    }
}

double now_seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Median seconds of a few runs, after one to warm up.
double median_seconds(int repeats, const std::function<void()>& body)
{
    std::vector<double> seconds;
    for (int k = 0; k <= repeats; ++k) {
        const double begin = now_seconds();
        body();
        if (k > 0) {
            seconds.push_back(now_seconds() - begin);
        }
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
}

}  // namespace

int main(int argc, char** argv)
{
    const index_t entries = argc > 1 ? std::atoll(argv[1]) : 2000000;
    const int repeats = argc > 2 ? std::atoi(argv[2]) : 7;
    const bool keeps = argc > 3;
    const std::filesystem::path folder =
        keeps ? std::filesystem::path(argv[3]) : std::filesystem::temp_directory_path();

    nlohmann::json report = {
        {"benchmark", "io/matrix_market"}, {"entries", entries}, {"runs", nlohmann::json::array()}};
    struct variant {
        const char* name;
        const char* file;
        io::matrix_symmetry symmetry;
        entry_order order;
    };
    const std::array<variant, 4> variants{{
        {"general, by columns", "columns", io::matrix_symmetry::general, entry_order::by_columns},
        {"general, by rows", "rows", io::matrix_symmetry::general, entry_order::by_rows},
        {"general, shuffled", "shuffled", io::matrix_symmetry::general, entry_order::shuffled},
        {"symmetric, by columns", "symmetric", io::matrix_symmetry::symmetric, entry_order::by_columns},
    }};
    for (const variant& v : variants) {
        io::matrix_market<double> m = random_matrix(entries, v.symmetry);
        arrange(m, v.order);
        const std::string path =
            (folder / (keeps ? std::string(v.file) + ".mtx" : "residua_io_bench_" + std::to_string(getpid()) + ".mtx"))
                .string();
        const double writing = median_seconds(1, [&] { io::write_matrix_market(path, m, io::to_decimal); });
        const double megabytes = static_cast<double>(std::filesystem::file_size(path)) * 1e-6;
        const int most_threads = omp_get_max_threads();
        for (int threads = 1; threads <= most_threads; threads *= 2) {
            omp_set_num_threads(threads);
            io::text text;
            const double loading = median_seconds(repeats, [&] { text = io::load(path); });
            const double reading = median_seconds(repeats, [&] { io::read_matrix_market(text, io::parse_binary64); });
            const double tallying = median_seconds(repeats, [&] {
                io::binary64_tally tally;
                io::read_matrix_market(text, tally);
            });
            report["runs"].push_back({
                {"file", v.name},
                {"threads", threads},
                {"megabytes", megabytes},
                {"write_MB_per_s", megabytes / writing},
                {"load_MB_per_s", megabytes / loading},
                {"read_binary64_MB_per_s", megabytes / reading},
                {"read_binary64_with_tally_MB_per_s", megabytes / tallying},
                {"load_and_read_with_tally_MB_per_s", megabytes / (loading + tallying)},
                {"load_and_read_with_tally_seconds", loading + tallying},
            });
        }
        omp_set_num_threads(most_threads);
        if (!keeps) {
            std::filesystem::remove(path);
        }
    }
    std::printf("%s\n", report.dump(2).c_str());
}

#include <residua/io/plot.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <residua/io/error.hpp>

extern char** environ;

namespace residua::io {
namespace {

// Okabe and Ito's colours, which colour-blind readers can tell apart, without yellow.
constexpr std::array palette{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C564B"};
constexpr std::array dashes{"solid", "(9,4)", "(2,3)", "(9,3,2,3)"};

std::string text_of(double value)
{
    std::array<char, 32> buffer;
    const auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    (void)status;  // the shortest form of a double needs at most 24 characters
    return {buffer.data(), end};
}

/// In double quotes, for gnuplot.
std::string quoted_string(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c == '\n' ? ' ' : c;
    }
    return out + '"';
}

/// The number of decades between tics, about eight of them.
double tic_step(double decades)
{
    constexpr std::array steps{1.0, 2.0, 5.0, 10.0, 20.0, 25.0, 50.0, 100.0, 200.0, 500.0};
    for (const double step : steps) {
        if (decades <= 9.0 * step) {
            return step;
        }
    }
    return 1000.0 * std::ceil(decades / 9000.0);
}

struct range {
    double low = 0.0;
    double high = 0.0;
};

range decades_of(const log_plot& plot)
{
    range r{.low = 0.0, .high = 0.0};
    bool first = true;
    for (const plot_curve& curve : plot.curves) {
        for (const std::vector<log_point>* points : {&curve.line, &curve.marks}) {
            for (const log_point& p : *points) {
                r.low = first ? p.y : std::min(r.low, p.y);
                r.high = first ? p.y : std::max(r.high, p.y);
                first = false;
            }
        }
    }
    const double margin = 0.3 + 0.015 * (r.high - r.low);  // room for the marks at the ends
    return {.low = std::floor(r.low - margin), .high = std::ceil(r.high + margin)};
}

std::string terminal_of(const std::string& picture)
{
    if (picture.ends_with(".svg")) {
        return "svg size 960,560 font \"DejaVu Sans,Helvetica,Arial,sans-serif,13\" background "
               "\"white\" "
               "enhanced dynamic";
    }
    if (picture.ends_with(".png")) {
        return "pngcairo size 1440,840 font \"DejaVu Sans,18\" background \"white\" enhanced "
               "linewidth 1.5";
    }
    if (picture.ends_with(".pdf")) {
        return "pdfcairo size 9in,5.25in font \"DejaVu Sans,13\" background \"white\" enhanced";
    }
    throw error(picture + " ends in none of .svg, .png, .pdf");
}

void append_block(std::string& out, const std::vector<log_point>& points)
{
    for (const log_point& p : points) {
        out += text_of(p.x) + ' ' + text_of(p.y) + '\n';
    }
    if (points.empty()) {
        out += "NaN NaN\n";
    }
    out += "\n\n";  // gnuplot's end of an indexed block
}

void write_file(const std::string& path, const std::string& text)
{
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out) {
        throw resource_error(path + ": cannot write");
    }
}

draw_result run_gnuplot(const std::string& script)
{
    std::string program = "gnuplot";
    std::string argument = script;
    std::array<char*, 3> argv{program.data(), argument.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int status = posix_spawnp(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (status != 0) {
        return draw_result::no_gnuplot;
    }
    int ended = 0;
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(gnuplot_seconds);
    for (pid_t of = 0; (of = waitpid(child, &ended, WNOHANG)) == 0 || (of < 0 && errno == EINTR);) {
        if (std::chrono::steady_clock::now() > last) {
            kill(child, SIGKILL);
            while (waitpid(child, &ended, 0) < 0 && errno == EINTR) {
            }
            return draw_result::gnuplot_hung;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return WIFEXITED(ended) && WEXITSTATUS(ended) == 0 ? draw_result::drawn : draw_result::gnuplot_failed;
}

}  // namespace

std::vector<log_point> thinned(const std::vector<log_point>& points, std::size_t most)
{
    const std::size_t runs = std::max<std::size_t>(most / 2, 1);
    if (points.size() <= most) {
        return points;
    }
    std::vector<log_point> kept;
    const auto below = [](const log_point& a, const log_point& b) { return a.y < b.y; };
    for (std::size_t run = 0; run < runs; ++run) {
        const auto first = points.begin() + static_cast<std::ptrdiff_t>(run * points.size() / runs);
        const auto last = points.begin() + static_cast<std::ptrdiff_t>((run + 1) * points.size() / runs);
        auto [low, high] = std::minmax_element(first, last, below);
        if (high < low) {
            std::swap(low, high);
        }
        kept.push_back(*low);
        if (low != high) {
            kept.push_back(*high);
        }
    }
    if (kept.back().x != points.back().x) {
        kept.push_back(points.back());  // where a curve ends is what it says
    }
    return kept;
}

std::string gnuplot_data(const log_plot& plot)
{
    std::string out = "# blocks of: " + plot.x_label + ", log10 of " + plot.y_label + "\n";
    for (const plot_curve& curve : plot.curves) {
        out += "# " + curve.label + ": line, marks, end\n";
        append_block(out, curve.line);
        append_block(out, curve.marks);
        append_block(out, curve.line.empty() ? curve.line : std::vector<log_point>{curve.line.back()});
    }
    return out;
}

std::string gnuplot_script(const log_plot& plot, const std::string& data_file, const std::string& picture)
{
    const range y = decades_of(plot);
    const std::string data = quoted_string(data_file);
    std::string out;
    out += "set terminal " + terminal_of(picture) + "\n";
    out += "set output " + quoted_string(picture) + "\n";
    out += "set title " + quoted_string(plot.title) + " noenhanced\n";
    out += "set xlabel " + quoted_string(plot.x_label) + "\n";
    out += "set ylabel " + quoted_string(plot.y_label) + "\n";
    out += "set xrange [0:*]\n";
    out += "set yrange [" + text_of(y.low) + ":" + text_of(y.high) + "]\n";
    out += "set ytics " + text_of(tic_step(y.high - y.low)) + "\n";
    out += "set format y \"10^{%g}\"\n";
    out += "set border 3 linecolor \"#444444\"\nset tics nomirror out\n";
    out += "set grid linetype 1 linecolor \"#E4E4E4\" linewidth 0.7\n";
    const char* const place = plot.curves.size() > 1 ? "outside right top" : "inside right top opaque";
    out += std::string("set key ") + place + " Left reverse noenhanced spacing 1.3 samplen 3\n";
    out += "plot \\\n";
    for (std::size_t k = 0; k < plot.curves.size(); ++k) {
        const plot_curve& curve = plot.curves[k];
        const std::string color =
            std::string("linecolor rgb \"") + palette[static_cast<std::size_t>(curve.color) % palette.size()] + "\"";
        const auto block = [&](std::size_t which) { return data + " index " + std::to_string(3 * k + which); };
        out += "    " + block(0) + " with lines linewidth 2 dashtype " +
               dashes[static_cast<std::size_t>(curve.dash) % dashes.size()] + " " + color + " title " +
               quoted_string(curve.label) + ", \\\n";
        if (!curve.marks.empty()) {
            out += "    " + block(1) + " with points pointtype 6 pointsize 0.9 linewidth 1.5 " + color + " title " +
                   quoted_string(curve.marks_label) + ", \\\n";
        }
        out += "    " + block(2) + " with points pointtype " + (curve.good ? "7" : "2") + " pointsize " +
               (curve.good ? "0.9" : "1.4") + " linewidth 2 " + color + " notitle";
        out += k + 1 < plot.curves.size() ? ", \\\n" : "\n";
    }
    return out;
}

drawing draw(const log_plot& plot, const std::string& picture)
{
    drawing result{.script = picture + ".gp", .data = picture + ".dat"};
    write_file(result.data, gnuplot_data(plot));
    write_file(result.script, gnuplot_script(plot, result.data, picture));
    result.result = run_gnuplot(result.script);
    if (result.result == draw_result::drawn) {
        std::remove(result.script.c_str());
        std::remove(result.data.c_str());
    }
    return result;
}

}  // namespace residua::io

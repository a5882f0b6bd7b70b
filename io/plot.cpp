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
constexpr std::array shapes{4, 6, 8, 10, 12, 14, 1, 3};  // gnuplot's: square, circle, triangles, ...
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

struct ranges {
    range x, y;
};

ranges ranges_of(const plot_panel& panel)
{
    ranges r;
    bool first = true;
    for (const plot_curve& curve : panel.curves) {
        for (const std::vector<log_point>* points : {&curve.line, &curve.marks}) {
            for (const log_point& p : *points) {
                r.x.high = std::max(r.x.high, p.x);
                r.y.low = first ? p.y : std::min(r.y.low, p.y);
                r.y.high = first ? p.y : std::max(r.y.high, p.y);
                first = false;
            }
        }
    }
    const double room = 1.03;  // for the marks at the ends
    const double margin = 0.3 + 0.5 * (room - 1.0) * (r.y.high - r.y.low);
    r.x.high = r.x.high > 0.0 ? room * r.x.high : 1.0;
    r.y.low = panel.powers ? std::floor(r.y.low - margin) : 0.0;
    r.y.high = std::ceil(r.y.high + margin);
    return r;
}

// Of a picture in SVG, in pixels.
constexpr double panel_width = 800.0, narrow_panel_width = 500.0, panel_height = 440.0;
constexpr double left_of_panel = 95.0, right_of_panel = 25.0, above_panel = 45.0, below_panel = 60.0;
constexpr double key_row = 20.0, key_sample = 60.0, key_character = 7.8;

struct key_entry {
    const plot_curve* curve;  ///< null: a text alone
    bool of_marks;
    std::string label;
};

std::vector<key_entry> key_of(const log_plot& plot)
{
    std::vector<key_entry> entries;
    for (const plot_panel& panel : plot.panels) {
        for (const plot_curve& curve : panel.curves) {
            if (!curve.label.empty()) {
                entries.push_back({&curve, false, curve.label});
            }
            if (!curve.marks_label.empty()) {
                entries.push_back({&curve, true, curve.marks_label});
            }
        }
    }
    if (entries.size() > most_key_entries) {
        const std::size_t more = entries.size() - most_key_entries + 1;
        entries.resize(most_key_entries - 1);
        entries.push_back({nullptr, false, "and " + std::to_string(more) + " more"});
    }
    return entries;
}

/// Where things are, in pixels.
struct layout {
    double width, height;
    double panel_width;
    std::size_t key_rows;
};

layout layout_of(const log_plot& plot, const std::vector<key_entry>& key)
{
    const auto panels = static_cast<double>(plot.panels.size());
    const double inner = plot.panels.size() > 1 ? narrow_panel_width : panel_width;
    const double width = panels * (inner + left_of_panel + right_of_panel);
    std::size_t longest = 0;
    for (const key_entry& each : key) {
        longest = std::max(longest, each.label.size());
    }
    const double column = key_sample + key_character * static_cast<double>(longest);
    const auto columns = std::max<std::size_t>(static_cast<std::size_t>(width / column), 1);
    const std::size_t rows = (key.size() + columns - 1) / columns;
    return {width, above_panel + panel_height + below_panel + (static_cast<double>(rows) + 0.5) * key_row, inner, rows};
}

std::string terminal_of(const std::string& picture, const layout& at)
{
    const auto size = [&](double scale) { return text_of(scale * at.width) + "," + text_of(scale * at.height); };
    const auto inches = [](double pixels) { return text_of(std::round(pixels) / 100.0) + "in"; };
    if (picture.ends_with(".svg")) {
        return "svg size " + size(1.0) +
               " font \"DejaVu Sans,Helvetica,Arial,sans-serif,13\" background \"white\" enhanced dynamic";
    }
    if (picture.ends_with(".png")) {
        return "pngcairo size " + size(1.5) + " font \"DejaVu Sans,15\" background \"white\" enhanced linewidth 1.5";
    }
    if (picture.ends_with(".pdf")) {
        return "pdfcairo size " + inches(at.width) + "," + inches(at.height) +
               " font \"DejaVu Sans,10\" background \"white\" enhanced";
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
    std::string out;
    for (const plot_panel& panel : plot.panels) {
        out += "# blocks of: " + panel.x_label + ", " + (panel.powers ? "log10 of " : "") + panel.y_label + "\n";
        for (const plot_curve& curve : panel.curves) {
            out += "# " + curve.label + ": line, marks, end\n";
            append_block(out, curve.line);
            append_block(out, curve.marks);
            append_block(out, curve.line.empty() ? curve.line : std::vector<log_point>{curve.line.back()});
        }
    }
    return out;
}

namespace {

std::string color_of(const plot_curve& curve)
{
    return std::string(" linecolor rgb \"") +
           (curve.color < 0 ? "#AAAAAA" : palette[static_cast<std::size_t>(curve.color) % palette.size()]) + "\"";
}

std::string line_style(const plot_curve& curve)
{
    return std::string(curve.color < 0 ? " linewidth 1" : " linewidth 2") + " dashtype " +
           dashes[static_cast<std::size_t>(curve.dash) % dashes.size()] + color_of(curve);
}

std::string mark_style(const plot_curve& curve)
{
    return " pointtype " + std::to_string(shapes[static_cast<std::size_t>(curve.mark) % shapes.size()]) +
           " pointsize 1.4";
}

/// The curves of a panel; `block` is the index of the first of their blocks of data, and goes on behind the last one.
std::string curves_script(const plot_panel& panel, const std::string& data, std::size_t& block)
{
    std::string out;
    const auto add = [&](std::size_t which, const std::string& style) {
        out += std::string(out.empty() ? "" : ", \\\n") + "    " + data + " index " + std::to_string(block + which) +
               " with " + style;
    };
    for (const plot_curve& curve : panel.curves) {
        add(0, "lines" + line_style(curve));
        if (!curve.marks.empty()) {
            add(1, "points" + mark_style(curve) + " linewidth 1.5" + color_of(curve));
        }
        if (curve.end != line_end::none) {
            add(2, std::string("points pointtype ") +
                       (curve.end == line_end::disc ? "7 pointsize 0.9" : "2 pointsize 1.4") + " linewidth 2" +
                       color_of(curve));
        }
        block += 3;
    }
    return "plot \\\n" + out + "\n";
}

std::string key_script(const std::vector<key_entry>& key, const layout& at)
{
    std::string out =
        "unset border\nunset tics\nunset grid\nunset xlabel\nunset ylabel\nset xrange [0:1]\nset yrange [0:1]\n";
    out += "set lmargin at screen 0\nset rmargin at screen 1\nset bmargin at screen 0\nset tmargin at screen " +
           text_of((static_cast<double>(at.key_rows) + 0.5) * key_row / at.height) + "\n";
    out += "set key inside center center vertical maxrows " + std::to_string(at.key_rows) +
           " Left reverse noenhanced spacing 1.2 samplen 3\nplot \\\n";
    for (const key_entry& each : key) {
        const std::string style = each.curve == nullptr ? "points pointtype 0"
                                  : each.of_marks       ? "points" + mark_style(*each.curve) + color_of(*each.curve)
                                  : each.curve->marks.empty() || !each.curve->marks_label.empty()
                                      ? "lines" + line_style(*each.curve)
                                      : "linespoints" + line_style(*each.curve) + mark_style(*each.curve);
        out += std::string(&each == &key.front() ? "" : ", \\\n") + "    NaN with " + style + " title " +
               quoted_string(each.label);
    }
    return out + "\n";
}

}  // namespace

std::string gnuplot_script(const log_plot& plot, const std::string& data_file, const std::string& picture)
{
    const std::vector<key_entry> key = key_of(plot);
    const layout at = layout_of(plot, key);
    const std::string data = quoted_string(data_file);
    std::string out = "set terminal " + terminal_of(picture, at) + "\n";
    out += "set output " + quoted_string(picture) + "\nset multiplot\n";
    out += "set label 1 " + quoted_string(plot.title) + " at screen 0.5, screen " +
           text_of(1.0 - 0.5 * above_panel / at.height) + " center noenhanced\n";
    out += "set border 3 linecolor \"#444444\"\nset tics nomirror out\nunset key\n";
    out += "set grid linetype 1 linecolor \"#E4E4E4\" linewidth 0.7\n";
    double left = left_of_panel;
    std::size_t block = 0;
    for (const plot_panel& panel : plot.panels) {
        const ranges r = ranges_of(panel);
        out += "set lmargin at screen " + text_of(left / at.width) + "\nset rmargin at screen " +
               text_of((left + at.panel_width) / at.width) + "\n";
        out += "set tmargin at screen " + text_of(1.0 - above_panel / at.height) + "\nset bmargin at screen " +
               text_of(1.0 - (above_panel + panel_height) / at.height) + "\n";
        out += "set xlabel " + quoted_string(panel.x_label) + "\nset ylabel " + quoted_string(panel.y_label) + "\n";
        out += "set xrange [0:" + text_of(r.x.high) + "]\n";
        out += "set yrange [" + text_of(r.y.low) + ":" + text_of(r.y.high) + "]\n";
        out += "set ytics " + text_of(tic_step(r.y.high - r.y.low)) + "\n";
        out += std::string("set format y \"") + (panel.powers ? "10^{%g}" : "%g") + "\"\n";
        out += curves_script(panel, data, block) + "unset label 1\n";
        left += at.panel_width + right_of_panel + left_of_panel;
    }
    return out + (key.empty() ? "" : key_script(key, at)) + "unset multiplot\n";
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

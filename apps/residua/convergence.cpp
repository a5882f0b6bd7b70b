#include "convergence.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace residua {
namespace {

constexpr std::size_t most_points = 2000;
constexpr const char* iteration_label = "iteration";
constexpr const char* residual_label = "relative residual  ||r||_2 / ||b||_2";

/// A zero has no place on a logarithmic axis.
bool drawable(const real& x) { return is_finite(x) && sign(x) > 0; }

io::log_point point(const history_entry& entry, const real& residual)
{
    return {static_cast<double>(entry.iteration), to_double(log10(residual.with_precision(64)))};
}

std::vector<io::log_point> recursive_line(const solve_report& report)
{
    std::vector<io::log_point> line;
    for (const history_entry& entry : report.history) {
        if (drawable(entry.recursive)) {
            line.push_back(point(entry, entry.recursive));
        }
    }
    return io::thinned(line, most_points);
}

/// The recursive residual, and the true one instead wherever it was formed.
std::vector<io::log_point> residual_line(const solve_report& report)
{
    std::vector<io::log_point> line;
    for (const history_entry& entry : report.history) {
        const double iteration = static_cast<double>(entry.iteration);
        if (entry.exact && !line.empty() && line.back().x == iteration) {
            line.pop_back();
        }
        if (const real& residual = entry.exact ? *entry.exact : entry.recursive;
            drawable(residual)) {
            line.push_back(point(entry, residual));
        }
    }
    return io::thinned(line, most_points);
}

std::vector<io::log_point> true_points(const solve_report& report)
{
    std::vector<io::log_point> points;
    for (const history_entry& entry : report.history) {
        if (entry.exact && drawable(*entry.exact)) {
            points.push_back(point(entry, *entry.exact));
        }
    }
    return io::thinned(points, most_points);
}

}  // namespace

std::string run_name(const solve_report& report)
{
    return fmt::format("{} {} {} bits", to_string(report.method), to_string(report.format),
                       report.precision_bits);
}

std::string plot_title(const std::string& matrix_file)
{
    return "Convergence on " + std::filesystem::path(matrix_file).filename().string();
}

io::log_plot solve_plot(const std::string& title, const solve_report& report)
{
    io::plot_curve curve{.label = run_name(report) + ", recursive residual",
                         .line = recursive_line(report),
                         .marks = true_points(report),
                         .marks_label = "true residual",
                         .good = report.status == solve_status::converged};
    return {.title = title,
            .x_label = iteration_label,
            .y_label = residual_label,
            .curves = {std::move(curve)}};
}

io::log_plot compare_plot(const std::string& title, const std::vector<const solve_report*>& reports)
{
    std::map<long, int> color_of;
    std::map<std::pair<method, number_format>, int> dash_of;
    for (const solve_report* report : reports) {
        color_of.emplace(report->precision_bits, 0);
    }
    int next_color = 0;
    for (auto& [bits, color] : color_of) {
        color = next_color++;
    }
    const bool native_and_more =
        std::any_of(reports.begin(), reports.end(), [&](const solve_report* r) {
            return std::any_of(reports.begin(), reports.end(), [&](const solve_report* s) {
                return r->precision_bits == s->precision_bits && r->method == s->method &&
                       r->format != s->format;
            });
        });

    io::log_plot plot{
        .title = title, .x_label = iteration_label, .y_label = residual_label, .curves = {}};
    for (const solve_report* report : reports) {
        // a format on its own at its precision needs no dash to be told apart
        const auto kind =
            std::pair(report->method, native_and_more ? report->format : number_format::automatic);
        const int dash = dash_of.emplace(kind, static_cast<int>(dash_of.size())).first->second;
        plot.curves.push_back({.label = run_name(*report),
                               .line = residual_line(*report),
                               .marks = {},
                               .marks_label = {},
                               .color = color_of[report->precision_bits],
                               .dash = dash,
                               .good = report->status == solve_status::converged});
    }
    return plot;
}

void draw_and_tell(const io::log_plot& plot, output_file& picture)
{
    const io::drawing drawing = io::draw(plot, picture.path());
    if (drawing.result == io::draw_result::drawn) {
        picture.keep();
        return;
    }
    const char* why = drawing.result == io::draw_result::no_gnuplot ? "gnuplot is not installed"
                                                                    : "gnuplot failed";
    fmt::print(stderr, "residua: {}: not drawn: {}; data and script are kept, for: gnuplot {}\n",
               picture.path(), why, drawing.script);
}

}  // namespace residua

#include "convergence.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <residua/io/error.hpp>

#include <apps/residua/cli/console.hpp>

namespace residua {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_points = 2000;
constexpr const char* iteration_label = "iteration";
constexpr const char* residual_label = "relative residual  ||r||_2 / ||b||_2";

/// A new folder for temporary files, which is removed with all that is in it.
class private_folder {
public:
    private_folder()
    {
        std::error_code unknown;
        const fs::path parent = fs::temp_directory_path(unknown);  // honours TMPDIR
        std::string name = ((unknown ? fs::path("/tmp") : parent) / "residua-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            throw resource_error(fmt::format("{}: cannot create a temporary folder: {}", name, std::strerror(errno)));
        }
        path_ = name;
    }
    private_folder(const private_folder&) = delete;
    private_folder& operator=(const private_folder&) = delete;
    ~private_folder()
    {
        std::error_code ignored;
        if (!kept_) {
            fs::remove_all(path_, ignored);
        }
    }

    const fs::path& path() const { return path_; }
    void keep() { kept_ = true; }

private:
    fs::path path_;
    bool kept_ = false;
};

std::string content_of(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

bool is_taken(const std::string& path)
{
    std::error_code unknown;
    return fs::exists(fs::symlink_status(path, unknown));
}

void write_whole(const std::string& path, const std::string& text)
{
    output_file file(path);
    file.write(text);
    file.close();
}

/// Writes the data and the script, in this order, with which the user can draw the picture: beside it, or in a temporary
/// folder where one of the names is taken.
std::vector<std::string> keep_script(const io::log_plot& plot, const std::string& picture)
{
    std::vector<std::string> paths{picture + ".dat", picture + ".gp"};
    if (is_taken(paths[0]) || is_taken(paths[1])) {
        private_folder folder;
        const std::string name = (folder.path() / fs::path(picture).filename()).string();
        paths = {name + ".dat", name + ".gp"};
        folder.keep();
    }
    write_whole(paths[0], io::gnuplot_data(plot));
    write_whole(paths[1], io::gnuplot_script(plot, paths[0], picture));
    return paths;
}

struct drawn_picture {
    std::string bytes;    ///< empty: it was not drawn
    std::string why_not;  ///< in words
};

/// ending  the file name's extension, which tells gnuplot the format of the picture
drawn_picture draw_apart(const io::log_plot& plot, const std::string& ending)
{
    try {
        const private_folder folder;
        const fs::path drawn = folder.path() / ("picture" + ending);
        switch (io::draw(plot, drawn.string()).result) {
            case io::draw_result::drawn:
                return {content_of(drawn), "gnuplot failed"};
            case io::draw_result::no_gnuplot:
                return {"", "gnuplot is not installed"};
            case io::draw_result::gnuplot_failed:
                return {"", "gnuplot failed"};
            case io::draw_result::gnuplot_hung:
                return {"", fmt::format("gnuplot was ended after {} s", io::gnuplot_seconds)};
        }
    } catch (const resource_error& e) {  // the temporary folder cannot be made or read
        return {"", e.what()};
    }
    return {};
}

/// Whether x has a place on a logarithmic axis: it is finite and positive.
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
        if (const real& residual = entry.exact ? *entry.exact : entry.recursive; drawable(residual)) {
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

io::line_end end_of(const solve_report& report)
{
    return report.status == solve_status::converged ? io::line_end::disc : io::line_end::cross;
}

/// The point of a line at a share of its length along x.
io::log_point point_at(const std::vector<io::log_point>& line, double share)
{
    const double x = line.front().x + share * (line.back().x - line.front().x);
    const auto next = std::find_if(line.begin(), line.end(), [&](const io::log_point& p) { return p.x >= x; });
    if (next == line.begin() || next == line.end()) {
        return line.front();
    }
    const io::log_point from = *(next - 1);
    return {x, from.y + (next->y - from.y) * (x - from.x) / (next->x - from.x)};
}

/// Marks along the lines, those of each curve in other places, so that curves that coincide can be told apart.
void put_marks(std::vector<io::plot_curve>& curves)
{
    constexpr std::size_t marks = 5;
    for (std::size_t k = 0; curves.size() > 1 && k < curves.size(); ++k) {
        for (std::size_t j = 0; !curves[k].line.empty() && j < marks; ++j) {
            const double place = (static_cast<double>(k) + 0.5) / static_cast<double>(curves.size());
            curves[k].marks.push_back(
                point_at(curves[k].line, (static_cast<double>(j) + place) / static_cast<double>(marks)));
        }
    }
}

}  // namespace

std::string run_name(const solve_report& report)
{
    return fmt::format("{} {} {} bits", to_string(report.method), to_string(report.format), report.precision_bits);
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
                         .mark = 1,
                         .end = end_of(report)};
    return {.title = title,
            .panels = {{.x_label = iteration_label, .y_label = residual_label, .curves = {std::move(curve)}}}};
}

io::log_plot columns_plot(const std::string& title, const std::vector<const solve_report*>& reports)
{
    io::plot_panel panel{.x_label = iteration_label, .y_label = residual_label, .curves = {}};
    for (const solve_report* report : reports) {
        const auto number = static_cast<int>(panel.curves.size());
        panel.curves.push_back({.label = fmt::format("column {}, {}", number + 1, run_name(*report)),
                                .line = residual_line(*report),
                                .marks = {},
                                .marks_label = {},
                                .color = number,
                                .dash = number,
                                .mark = number,
                                .end = end_of(*report)});
    }
    put_marks(panel.curves);
    return {.title = title, .panels = {std::move(panel)}};
}

io::log_plot compare_plot(const std::string& title, const std::vector<run_record>& runs)
{
    std::map<long, int> color_of;
    std::map<std::pair<method, number_format>, int> kinds;
    std::map<int, io::plot_curve> through;  // the curve of digits for each kind
    for (const run_record& run : runs) {
        color_of.emplace(run.report.precision_bits, 0);
    }
    for (int next = 0; auto& [bits, color] : color_of) {
        color = next++;
    }
    const bool several_formats = std::any_of(runs.begin(), runs.end(), [&](const run_record& r) {
        return std::any_of(runs.begin(), runs.end(), [&](const run_record& s) {
            return r.report.precision_bits == s.report.precision_bits && r.report.method == s.report.method &&
                   r.report.format != s.report.format;
        });
    });

    io::plot_panel residuals{.x_label = iteration_label, .y_label = residual_label, .curves = {}};
    std::vector<io::plot_curve> digits;
    bool estimated = false;
    for (const run_record& run : runs) {
        if (!run.fits) {
            continue;
        }
        const solve_report& report = run.report;
        // if no method ran in several formats at one precision, the format needs no shape of its own
        const auto kind = std::pair(report.method, several_formats ? report.format : number_format::automatic);
        const int mark = kinds.emplace(kind, static_cast<int>(kinds.size())).first->second;
        const int color = color_of[report.precision_bits];
        residuals.curves.push_back({.label = run_name(report),
                                    .line = residual_line(report),
                                    .marks = {},
                                    .marks_label = {},
                                    .color = color,
                                    .dash = color,
                                    .mark = mark,
                                    .end = end_of(report)});
        if (const std::optional<int> correct = run.correct_digits()) {
            const io::log_point at{static_cast<double>(report.precision_bits), static_cast<double>(*correct)};
            estimated = estimated || !run.known_error;
            through[mark].line.push_back(at);
            digits.push_back({.label = {}, .line = {}, .marks = {at}, .marks_label = {}, .color = color, .mark = mark});
        }
    }
    put_marks(residuals.curves);
    io::log_plot plot{.title = title, .panels = {std::move(residuals)}};
    if (!digits.empty()) {
        io::plot_panel panel{.x_label = "bits of the method",
                             .y_label = estimated ? "correct digits of x, estimated" : "correct digits of x",
                             .curves = {},
                             .powers = false};
        for (auto& [mark, curve] : through) {
            std::sort(curve.line.begin(), curve.line.end(), [](auto& a, auto& b) { return a.x < b.x; });
            curve.color = -1;
            panel.curves.push_back(std::move(curve));
        }
        panel.curves.insert(panel.curves.end(), digits.begin(), digits.end());
        plot.panels.push_back(std::move(panel));
    }
    return plot;
}

std::vector<std::string> draw_and_tell(const io::log_plot& plot, output_file& picture, bool quiet)
{
    const auto warn = [&](const std::string& why) {
        if (!quiet) {
            tell(fmt::format("residua: {}: not drawn: {}\n", picture.path(), why));
        }
    };
    if (plot.panels.front().curves.empty()) {
        warn("nothing was solved");
        return {};
    }
    const drawn_picture drawn = draw_apart(plot, fs::path(picture.path()).extension().string());
    if (!drawn.bytes.empty()) {
        picture.write(drawn.bytes);
        picture.close();
        return {picture.path()};
    }
    std::vector<std::string> kept = keep_script(plot, picture.path());
    warn(fmt::format("{}; data and script are kept, for: gnuplot {}", drawn.why_not, kept.back()));
    return kept;
}

}  // namespace residua

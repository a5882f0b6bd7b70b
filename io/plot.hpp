#pragma once

#include <string>
#include <utility>
#include <vector>

namespace residua::io {

/// A point (x, y), in a panel of powers (x, 10^y): the exponent is kept, since 10^y may leave the range of a double.
struct log_point {
    double x = 0.0;
    double y = 0.0;
};

/// What a line ends in.
enum class line_end { none, disc, cross };

struct plot_curve {
    std::string label;  ///< the name of the curve in the key; empty: it is not in the key
    std::vector<log_point> line;
    std::vector<log_point> marks;  ///< drawn as separate points; may be empty
    std::string marks_label;       ///< the name of the marks in the key; empty: they stand on the line's entry
    int color = 0;                 ///< index into a palette for colour-blind readers; -1: grey
    int dash = 0;                  ///< 0: solid
    int mark = 0;                  ///< index into the shapes of marks
    line_end end = line_end::none;
};

/// Curves over a linear x axis.
struct plot_panel {
    std::string x_label;
    std::string y_label;
    std::vector<plot_curve> curves;
    bool powers = true;  ///< the y axis is logarithmic; else it begins at 0
};

/// Panels side by side, and below them one key, for which the picture grows: the axes keep their size.
struct log_plot {
    std::string title;
    std::vector<plot_panel> panels;
};

/// The most entries of a key; the last one then tells how many more there are.
inline constexpr std::size_t most_key_entries = 60;

/// The curve with at most about `most` points: of each run of points the lowest and the highest.
std::vector<log_point> thinned(const std::vector<log_point>& points, std::size_t most);

/// What gnuplot reads: the data, and the script that draws them into `picture`.
std::string gnuplot_data(const log_plot& plot);
std::string gnuplot_script(const log_plot& plot, const std::string& data_file, const std::string& picture);

/// What gnuplot may take for a picture.
inline constexpr int gnuplot_seconds = 10;

enum class draw_result {
    drawn,
    no_gnuplot,      ///< not installed
    gnuplot_failed,  ///< it ran and gave up
    gnuplot_hung     ///< it was ended after gnuplot_seconds
};

struct drawing {
    draw_result result = draw_result::drawn;
    std::string script;  ///< left beside the picture unless it was drawn
    std::string data;
};

/// Draws the picture, as SVG, PNG or PDF by its ending, with gnuplot from the PATH. Where that
/// does not work, PICTURE.gp and PICTURE.dat are left for `gnuplot PICTURE.gp`.
///
/// throws  resource_error if script or data cannot be written; error for another ending
drawing draw(const log_plot& plot, const std::string& picture);

}  // namespace residua::io

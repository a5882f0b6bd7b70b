#pragma once

#include <string>
#include <vector>

#include <residua/io/plot.hpp>
#include <residua/solvers/solve.hpp>

#include <apps/residua/cli/output_file.hpp>
#include <apps/residua/commands/report.hpp>

namespace residua {

/// The name of a run in tables and legends: "cg expansion 212 bits".
std::string run_name(const solve_report& report);

/// "Convergence on a.mtx", without the folders.
std::string plot_title(const std::string& matrix_file);

/// The picture of one solve: recursive residuals as a line, true ones as points.
io::log_plot solve_plot(const std::string& title, const solve_report& report);

/// The picture of one solve with several right-hand sides, each with a line and a colour, as in compare_plot.
io::log_plot columns_plot(const std::string& title, const std::vector<const solve_report*>& reports);

/// The picture of several solves. One panel has residuals over the iterations: true ones where they were formed, and
/// recursive ones between. The other has correct digits of x over the bits, where they are known. Each precision has a
/// colour and a dash, each method and format a shape of marks. Runs that do not fit in memory are left out.
io::log_plot compare_plot(const std::string& title, const std::vector<run_record>& runs);

/// Draws into the file, and closes it. If gnuplot did not draw, a warning on standard error says so,
/// unless it is to be quiet, and the data and the script are kept. That is not an error, since nothing is lost. They become
/// PICTURE.dat and PICTURE.gp, unless one of these names is taken: then they stay in the folder for
/// temporary files, so that no file of the user is touched.
///
/// returns  the files that were written
/// throws   resource_error if there is no room for them
std::vector<std::string> draw_and_tell(const io::log_plot& plot, output_file& picture, bool quiet);

}  // namespace residua

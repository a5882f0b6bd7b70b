#include "examples.hpp"

#include <array>

#include "yardsticks.hpp"

namespace residua {
namespace {

constexpr std::array of_program{
    example{"A matrix that double precision cannot solve, and 30 correct digits of x",
            "residua generate hilbert --n 20 -o A.mtx && residua solve A.mtx -d 30 -o x.mtx"}};

constexpr std::array of_solve{
    example{"30 correct digits of x, for the b of which all entries of x are 1", "residua solve A.mtx -d 30 -o x.mtx"},
    example{"Another b; a script goes on only if 20 digits are backed",
            "residua solve A.mtx -b b.mtx -d 20 --require-digits 20 -q -o x.mtx && wc -l x.mtx"},
    example{"CG in 212 bits, with its history and a picture",
            "residua solve A.mtx -m cg -P jacobi -p qd --history history.csv --plot history.svg"},
    example{"A compressed matrix from a pipe, x into another one",
            "gzip -dc A.mtx.gz | residua solve - -q -o - | tail -n 1"},
    example{"An hour at most, with a state to go on from by --resume",
            "residua solve A.mtx -d 100 --time-limit 3600 --checkpoint state"}};

constexpr std::array of_compare{
    has_yardsticks ? example{"What more bits give, beside an x by Eigen and MPFR",
                             "residua compare A.mtx -b b.mtx --reference eigen --plot digits.svg"}
                   : example{"What more bits give", "residua compare A.mtx -b b.mtx --plot digits.svg"},
    example{"Three methods in two precisions, as a table of a spreadsheet",
            "residua compare A.mtx --methods cg,gmres,direct --precisions dd,qd --csv table.csv"},
    example{"A scalar product that nearly cancels, in every way that computes it",
            "residua compare --kernels dot --sizes 1000 --cond 1e25 --precisions double,dd"}};

constexpr std::array of_info{
    example{"What solve would do for 30 digits, and how long it would take", "residua info A.mtx -d 30"},
    example{"The determinant to 20 digits, and the signs of the eigenvalues", "residua info A.mtx --determinant 20"}};

constexpr std::array of_generate{
    example{"Hilbert's matrix of 20 unknowns", "residua generate hilbert --n 20 -o hilbert20.mtx"},
    example{"A definite matrix with a condition of 1e40, compressed",
            "residua generate randsvd --n 30 --cond 1e40 --definite -o - | gzip >randsvd.mtx.gz"},
    example{"Poisson's equation on 30 x 30 points, solved at once",
            "residua generate poisson2d --n 30 -o - | residua solve - -m cg -p qd"}};

constexpr std::array of_bench{
    example{"Scalar products of expansions of 106 and 212 bits",
            "residua bench dot --sizes 1000 --formats expansion --precisions dd,qd --repeat 5"}};

}  // namespace

std::span<const example> examples_of(std::string_view command)
{
    if (command == "solve") {
        return of_solve;
    }
    if (command == "compare") {
        return std::span<const example>(of_compare).first(of_compare.size() - (has_yardsticks ? 0 : 1));
    }
    if (command == "info") {
        return of_info;
    }
    if (command == "generate") {
        return of_generate;
    }
    return command == "bench" ? std::span<const example>(of_bench) : of_program;
}

}  // namespace residua

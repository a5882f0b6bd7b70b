// Prints what the registries of methods and preconditioners have, and the names that options take, as it stands in the documents: a line "== NAME" before
// each part.
#include <cstdio>
#include <string>
#include <vector>

#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/options/option_text.hpp>
#include <residua/solvers/options/preconditioners.hpp>

using namespace residua;

namespace {

std::string code(std::string_view name) { return "`" + std::string(name) + "`"; }

std::string row(const std::vector<std::string>& cells)
{
    std::string text = "|";
    for (const std::string& cell : cells) {
        text += " " + cell + " |";
    }
    return text + "\n";
}

/// The preconditioners of a method, or the first method that has the same.
std::string preconditioners_of(method m)
{
    const std::vector<preconditioner> fitting = fitting_preconditioners(m);
    std::string text;
    for (const preconditioner each : fitting) {
        text += (text.empty() ? "" : ", ") + code(to_string(each));
    }
    if (fitting.size() > 1) {
        for (const method_traits& earlier : all_methods()) {
            if (earlier.method == m) {
                break;
            }
            if (fitting_preconditioners(earlier.method) == fitting) {
                return "as " + code(earlier.name);
            }
        }
    }
    return text;
}

std::string methods()
{
    std::string text = row({"method", "systems", "preconditioners, its own first", "one step costs"});
    text += row({"---", "---", "---", "---"});
    for (const method_traits& each : all_methods()) {
        text += row(
            {code(each.name), std::string(each.systems), preconditioners_of(each.method), std::string(each.step_cost)});
    }
    return text;
}

std::string preconditioners()
{
    std::string text = row({"preconditioner", "M, of A = D + L + U with its strict triangles", "needs"});
    text += row({"---", "---", "---"});
    for (const preconditioner_traits& each : all_preconditioners()) {
        text += row({code(each.name), std::string(each.formula), std::string(each.needs)});
    }
    return text;
}

/// The names as an option takes them.
template <class T>
std::string names(const choices<T>& all)
{
    std::string text;
    for (const std::string_view each : words_of(all)) {
        text += (text.empty() ? "" : " ") + std::string(each);
    }
    return text + "\n";
}

}  // namespace

int main()
{
    std::printf("== methods\n%s", methods().c_str());
    std::printf("== preconditioners\n%s", preconditioners().c_str());
    std::printf("== --method\n%s", names(method_choices()).c_str());
    std::printf("== --precond\n%s", names(preconditioner_choices()).c_str());
    std::printf("== --format\n%s", names(format_choices()).c_str());
}

#include <fmt/format.h>

#include <apps/residua/cli/args.hpp>
#include <apps/residua/cli/command_line.hpp>

#include "pages.hpp"

namespace residua {
namespace {

/// Text for roff: a backslash, a hyphen that is to be copied as one, and a line that would begin a request.
std::string roff(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            out += c;
        }
    }
    return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

/// "\fB\-p\fR, \fB\-\-precision\fR \fIBITS\fR"
std::string heading(const option_entry& option)
{
    if (option.positional) {
        return "\\fI" + roff(option.names.front()) + "\\fR";
    }
    std::string text;
    for (const std::string& name : option.names) {
        text += (text.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
    }
    return option.value.empty() ? text : text + " \\fI" + roff(option.value) + "\\fR";
}

/// The command line: positional arguments, then options that must be given.
std::string synopsis(const command_entry& entry)
{
    std::string text = "\\fBresidua " + roff(entry.name) + "\\fR";
    for (const option_entry& option : entry.options) {
        if (option.positional) {
            text += " " + heading(option);
        }
    }
    for (const option_entry& option : entry.options) {
        if (option.required && !option.positional) {
            text += " \\fB" + roff(option.names.front()) + "\\fR \\fI" + roff(option.value) + "\\fR";
        }
    }
    return text + " [\\fIoptions\\fR]\n";
}

std::string lower_first(std::string text)
{
    text[0] = static_cast<char>(text[0] >= 'A' && text[0] <= 'Z' ? text[0] - 'A' + 'a' : text[0]);
    return text;
}

std::string options_section(const command_entry& entry)
{
    std::string text = ".SH OPTIONS\n";
    for (const option_entry& option : entry.options) {
        text += ".TP\n" + heading(option) + "\n" + roff(option.about) + "\n";
    }
    return text;
}

/// Notes as they stand, "Kinds:" and a line for each.
std::string notes_section(const std::string& notes)
{
    const std::size_t end = notes.find(":\n");
    std::string title = notes.substr(0, end);
    for (char& c : title) {
        c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    std::string text = ".SH " + title + "\n.nf\n";
    for (std::size_t at = end + 2; at < notes.size();) {
        const std::size_t stop = std::min(notes.find('\n', at), notes.size());
        text += roff(notes.substr(at, stop - at)) + "\n";
        at = stop + 1;
    }
    return text + ".fi\n";
}

std::string examples_section(const command_entry& entry)
{
    std::string text = ".SH EXAMPLES\n";
    for (const example& each : entry.examples) {
        text += ".PP\n" + roff(each.about) + ":\n.PP\n.nf\n.RS\n" + roff(each.line) + "\n.RE\n.fi\n";
    }
    return text;
}

std::string exit_section()
{
    std::string text = ".SH EXIT STATUS\n";
    for (const exit_code_text& each : exit_codes) {
        text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", static_cast<int>(each.code), each.text);
    }
    return text;
}

std::string page_of(const command_entry& entry) { return entry.name.empty() ? "residua" : "residua-" + entry.name; }

}  // namespace

std::string manual_page(const std::vector<command_entry>& table, const command_entry& entry)
{
    const bool whole = entry.name.empty();
    std::string title = page_of(entry);
    for (char& c : title) {
        c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    std::string about = entry.about;
    if (about.ends_with('.')) {
        about.pop_back();
    }
    std::string text = fmt::format(".TH {} 1 \"\" \"residua {}\" \"User Commands\"\n", roff(title), version_text());
    text += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n", roff(page_of(entry)), roff(lower_first(about)));
    if (whole) {
        for (std::size_t k = 1; k < table.size(); ++k) {
            text += (k == 1 ? "" : ".br\n") + synopsis(table[k]);
        }
        text += ".SH COMMANDS\n";
        for (std::size_t k = 1; k < table.size(); ++k) {
            text += fmt::format(".TP\n\\fB{}\\fR\n{}: see {}(1).\n", roff(table[k].name), roff(table[k].about),
                                roff(page_of(table[k])));
        }
    } else {
        text += synopsis(entry);
    }
    text += options_section(entry);
    if (!whole && !entry.notes.empty()) {
        text += notes_section(entry.notes);
    }
    text += exit_section() + examples_section(entry) + ".SH SEE ALSO\n";
    for (const command_entry& other : table) {
        if (&other != &entry) {
            text +=
                fmt::format("{}(1){}\n", roff(page_of(other)),
                            &other == &table.back() || (&entry == &table.back() && &other + 1 == &entry) ? "" : ",");
        }
    }
    return text;
}

}  // namespace residua

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "command.hpp"
#include "option_table.hpp"
#include "parse_errors.hpp"
#include "upsweep/cli/build_facts.hpp"

namespace upsweep::cli {
namespace {

/// Text of roff: no line of it is a request, no hyphen becomes another character.
std::string roff(const std::string& text) {
  std::string shown;
  for (const char c : text) {
    if (c == '\\') {
      shown += "\\e";
    } else if (c == '-') {
      shown += "\\-";
    } else {
      shown += c;
    }
  }
  return shown.starts_with('.') || shown.starts_with('\'') ? "\\&" + shown : shown;
}

std::string option_lines(const CLI::App& command) {
  std::string lines;
  for (const OptionRow& row : option_rows(command)) {
    const std::string type = row.values.empty() ? row.type : fmt::format("{}", fmt::join(row.values, "|"));
    lines += fmt::format(".TP\n\\fB{}\\fR{}\n{}", roff(row.name), type.empty() ? "" : " \\fI" + roff(type) + "\\fR",
                         roff(row.text));
    lines += row.preset.empty() ? "\n" : fmt::format(" (default: {})\n", roff(row.preset));
  }
  return lines;
}

std::string command_lines(const CLI::App& command) {
  std::string lines = fmt::format(".SS {}\n{}\n", roff(usage_of(command)), roff(command.get_description()));
  lines += option_lines(command);
  for (const CLI::App* sub : subcommands(command)) {
    lines += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(command.get_name() + " " + sub->get_name()),
                         roff(sub->get_description()));
  }
  return lines;
}

}  // namespace

std::string manual_page(const CLI::App& root) {
  std::string page = fmt::format(
      ".TH UPSWEEP 1 \"\" \"upsweep {}\" \"User Commands\"\n.SH NAME\nupsweep \\- counts and simulates "
      "back\\-propagation as a parallel scan\n.SH SYNOPSIS\n\\fBupsweep\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH "
      "DESCRIPTION\n{}\n.SH OPTIONS\n{}.SH COMMANDS\n",
      build_facts().version, roff(root.get_description()), option_lines(root));
  for (const CLI::App* command : subcommands(root)) page += command_lines(*command);
  return page +
         ".SH EXIT STATUS\n0 done; 1 a fault of the program; 2 wrong usage; 3 a wrong file or setting; 4 a device is "
         "not there or failed, or memory is out; 5 a mismatch; 130 interrupted.\n";
}

}  // namespace upsweep::cli

#include "option_table.hpp"

#include <algorithm>

#include "options.hpp"

namespace upsweep::cli {
namespace {

/// {"a", "b"} of "TEXT:{a,b}".
std::vector<std::string> members_of(const std::string& type) {
  const std::size_t open = type.find(":{");
  if (open == std::string::npos || !type.ends_with('}')) return {};
  return parse_list(type.substr(open + 2, type.size() - open - 3));
}

}  // namespace

std::vector<OptionRow> option_rows(const CLI::App& command) {
  std::vector<OptionRow> rows;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_lnames().empty()) continue;
    OptionRow row;
    row.name = "--" + option->get_lnames().front();
    row.text = option->get_description();
    row.preset = option->get_default_str();
    const bool is_flag = option->get_items_expected_max() == 0;
    const std::string type = is_flag ? "" : option->get_type_name();
    row.values = members_of(type);
    row.type = row.values.empty() ? type : type.substr(0, type.find(':'));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<const CLI::App*> subcommands(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

}  // namespace upsweep::cli

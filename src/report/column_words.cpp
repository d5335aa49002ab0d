#include "column_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cell_text.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/report/command_text.hpp"

namespace upsweep {
namespace {

using NamedUnit = std::pair<std::string_view, Unit>;
using NamedWords = std::pair<std::string_view, std::string_view>;

/// Units that the name does not end with.
constexpr std::array kUnits = {NamedUnit{"flops", Unit::count},
                               NamedUnit{"flops_sum", Unit::count},
                               NamedUnit{"flops_max", Unit::count},
                               NamedUnit{"nnz", Unit::count},
                               NamedUnit{"products", Unit::count},
                               NamedUnit{"chain_build_values", Unit::count},
                               NamedUnit{"bytes", Unit::bytes},
                               NamedUnit{"share_of_flops", Unit::share},
                               NamedUnit{"worst_share_of_bound", Unit::share},
                               NamedUnit{"bubble_fraction", Unit::share},
                               NamedUnit{"margin", Unit::share},
                               NamedUnit{"search_margin", Unit::share},
                               NamedUnit{"scheme_margin", Unit::share},
                               NamedUnit{"error", Unit::change},
                               NamedUnit{"ratio_to_first", Unit::ratio},
                               NamedUnit{"verdict_ratio", Unit::ratio},
                               NamedUnit{"ops", Unit::whole},
                               NamedUnit{"live_ops", Unit::whole},
                               NamedUnit{"dead_ops", Unit::whole},
                               NamedUnit{"levels", Unit::whole},
                               NamedUnit{"steps", Unit::whole},
                               NamedUnit{"makespan_level_unit", Unit::whole},
                               NamedUnit{"makespan_dag_unit", Unit::whole},
                               NamedUnit{"parameters", Unit::code}};

/// Columns of 0 and 1.
constexpr std::array<std::string_view, 6> kTruths = {"feasible", "best", "complete", "fused", "exact", "does_not_fit"};

constexpr std::array kUnitEnds = {NamedUnit{"_flops", Unit::count}, NamedUnit{"_bytes", Unit::bytes},
                                  NamedUnit{"_s", Unit::seconds}, NamedUnit{"_low", Unit::count},
                                  NamedUnit{"_high", Unit::count}};

/// Columns whose names say too little when only their signs are replaced.
constexpr std::array kWords = {
    NamedWords{"id", "number"},
    NamedWords{"parameters", "command line"},
    NamedWords{"requested", "asked for"},
    NamedWords{"search_id", "search"},
    NamedWords{"command_id", "number of the command"},
    NamedWords{"machine_id", "machine"},
    NamedWords{"length", "elements of the array"},
    NamedWords{"flops_sum", "FLOPs"},
    NamedWords{"flops_max", "largest FLOPs"},
    NamedWords{"share_of_flops", "share of FLOPs"},
    NamedWords{"live_flops", "FLOPs of live ops"},
    NamedWords{"live_critical_path_level_flops", "critical path of live ops in FLOPs (level)"},
    NamedWords{"live_critical_path_dag_flops", "critical path of live ops in FLOPs (dag)"},
    NamedWords{"baseline_flops", "dense BP in FLOPs"},
    NamedWords{"linear_flops", "plain BP in FLOPs"},
    NamedWords{"graph_bp_flops", "plain BP over the graph in FLOPs"},
    NamedWords{"formation_flops", "forming Jacobians of blocks in FLOPs"},
    NamedWords{"chain_build_values", "Jacobian values of an iteration"},
    NamedWords{"chain_build_bytes", "memory of these"},
    NamedWords{"per_step_flops", "FLOPs of a step"},
    NamedWords{"makespan_level_unit", "makespan in ops (level)"},
    NamedWords{"makespan_dag_unit", "makespan in ops (dag)"},
    NamedWords{"peak_live_bytes", "peak memory"},
    NamedWords{"memory_limit_bytes", "memory limit"},
    NamedWords{"value_bytes", "size of a value"},
    NamedWords{"worst_share_of_bound", "of rounding bound"},
    NamedWords{"ratio_to_first", "to the first"},
    NamedWords{"bubble_fraction", "bubbles"},
    NamedWords{"rule", "counting rule"},
    NamedWords{"binding", "limited by"},
    NamedWords{"exact", "counted exactly"},
    NamedWords{"flops_low", "FLOPs, 95 % interval from"},
    NamedWords{"flops_high", "FLOPs, 95 % interval to"},
    NamedWords{"score_low", "score, 95 % interval from"},
    NamedWords{"score_high", "score, 95 % interval to"},
    NamedWords{"makespan_dag_low", "makespan (dag), 95 % interval from"},
    NamedWords{"makespan_dag_high", "makespan (dag), 95 % interval to"},
    NamedWords{"makespan_shared_low", "makespan shared, 95 % interval from"},
    NamedWords{"makespan_shared_high", "makespan shared, 95 % interval to"},
    NamedWords{"nnz", "nnz"},
    NamedWords{"bytes", "memory"}};

/// A column as in the store: without what stands before it in a comparison, and without an index.
std::string_view bare_name(std::string_view column) {
  if (const std::size_t colon = column.rfind(": "); colon != std::string_view::npos) column.remove_prefix(colon + 2);
  return column.substr(0, column.find('['));
}

Unit unit_of(std::string_view name) {
  const auto known =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const NamedUnit& one) { return one.first == name; });
  if (known != kUnits.end()) return known->second;
  const auto end =
      std::find_if(kUnitEnds.begin(), kUnitEnds.end(), [&](const NamedUnit& one) { return name.ends_with(one.first); });
  return end == kUnitEnds.end() ? Unit::exact : end->second;
}

/// Takes an end off a name, where it has it.
bool take_end(std::string_view& name, std::string_view end) {
  if (!name.ends_with(end) || name.size() == end.size()) return false;
  name.remove_suffix(end.size());
  return true;
}

std::string words_of(std::string_view name) {
  const auto known = std::find_if(kWords.begin(), kWords.end(), [&](const auto& one) { return one.first == name; });
  if (known != kWords.end()) return std::string(known->second);
  if (name == "flops") return "FLOPs";
  std::string unit;
  if (take_end(name, "_flops")) unit = " in FLOPs";
  if (take_end(name, "_utc")) unit = " (UTC)";
  if (unit.empty() && !take_end(name, "_bytes")) take_end(name, "_s");
  std::string rule;
  if (take_end(name, "_level")) rule = " (level)";
  if (take_end(name, "_dag")) rule = " (dag)";
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words + unit + rule;
}

}  // namespace

std::string column_words(const std::string& column) {
  const std::string_view name = bare_name(column);
  const auto begin = static_cast<std::size_t>(name.data() - column.data());
  return column.substr(0, begin) + words_of(name) + column.substr(begin + name.size());
}

std::string exact_cell(const std::string& column, const Cell& cell) {
  const std::string text = cell_text(cell);
  if (text.empty() || std::holds_alternative<std::string>(cell)) return text;
  switch (unit_of(bare_name(column))) {
    case Unit::seconds:
      return text + " s";
    case Unit::bytes:
      return text + " B";
    case Unit::ratio:
      return text + 'x';
    default:
      return text;
  }
}

std::string shown_cell(const std::string& column, const Cell& cell) {
  const std::string_view name = bare_name(column);
  const Unit unit = unit_of(name);
  if (const auto* text = std::get_if<std::string>(&cell))
    return unit == Unit::code ? command_text(*text) : text->empty() ? "-" : *text;
  const Value value = cell_value(cell);
  if (!value.is_nothing() && std::ranges::find(kTruths, name) != kTruths.end())
    return Value(cell_number(cell) != 0).text(Unit::text);
  if (const auto* number = std::get_if<double>(&cell); number != nullptr && unit == Unit::exact)
    return fmt::format("{:.6g}", *number);
  return value.text(unit);
}

}  // namespace upsweep

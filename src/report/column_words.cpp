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

enum class ColumnUnit { plain, count, bytes, seconds, ratio, share, error, truth, command };

using NamedUnit = std::pair<std::string_view, ColumnUnit>;
using NamedWords = std::pair<std::string_view, std::string_view>;

/// Units that the name does not end with.
constexpr std::array kUnits = {NamedUnit{"flops", ColumnUnit::count},
                               NamedUnit{"flops_sum", ColumnUnit::count},
                               NamedUnit{"flops_max", ColumnUnit::count},
                               NamedUnit{"nnz", ColumnUnit::count},
                               NamedUnit{"products", ColumnUnit::count},
                               NamedUnit{"chain_build_values", ColumnUnit::count},
                               NamedUnit{"bytes", ColumnUnit::bytes},
                               NamedUnit{"share_of_flops", ColumnUnit::share},
                               NamedUnit{"worst_share_of_bound", ColumnUnit::share},
                               NamedUnit{"bubble_fraction", ColumnUnit::share},
                               NamedUnit{"margin", ColumnUnit::share},
                               NamedUnit{"search_margin", ColumnUnit::share},
                               NamedUnit{"scheme_margin", ColumnUnit::share},
                               NamedUnit{"error", ColumnUnit::error},
                               NamedUnit{"ratio_to_first", ColumnUnit::ratio},
                               NamedUnit{"feasible", ColumnUnit::truth},
                               NamedUnit{"best", ColumnUnit::truth},
                               NamedUnit{"complete", ColumnUnit::truth},
                               NamedUnit{"fused", ColumnUnit::truth},
                               NamedUnit{"exact", ColumnUnit::truth},
                               NamedUnit{"parameters", ColumnUnit::command}};

constexpr std::array kUnitEnds = {NamedUnit{"_flops", ColumnUnit::count}, NamedUnit{"_bytes", ColumnUnit::bytes},
                                  NamedUnit{"_s", ColumnUnit::seconds}, NamedUnit{"_low", ColumnUnit::count},
                                  NamedUnit{"_high", ColumnUnit::count}};

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

ColumnUnit unit_of(std::string_view name) {
  const auto known =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const NamedUnit& one) { return one.first == name; });
  if (known != kUnits.end()) return known->second;
  const auto end =
      std::find_if(kUnitEnds.begin(), kUnitEnds.end(), [&](const NamedUnit& one) { return name.ends_with(one.first); });
  return end == kUnitEnds.end() ? ColumnUnit::plain : end->second;
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

std::string number_text(ColumnUnit unit, const Cell& cell) {
  const double number = cell_number(cell);
  switch (unit) {
    case ColumnUnit::count:
      return short_count(number);
    case ColumnUnit::bytes:
      return short_bytes(number);
    case ColumnUnit::seconds:
      return short_seconds(number);
    case ColumnUnit::ratio:
      return short_ratio(number);
    case ColumnUnit::share:
      return fmt::format("{:.1f} %", 100 * number);
    case ColumnUnit::error:
      return fmt::format("{:+.1f} %", 100 * number);
    case ColumnUnit::truth:
      return number != 0 ? "yes" : "no";
    case ColumnUnit::plain:
    case ColumnUnit::command:
      break;
  }
  return std::holds_alternative<double>(cell) ? fmt::format("{:.6g}", number) : cell_text(cell);
}

}  // namespace

std::string column_words(const std::string& column) {
  const std::string_view name = bare_name(column);
  const auto begin = static_cast<std::size_t>(name.data() - column.data());
  return column.substr(0, begin) + words_of(name) + column.substr(begin + name.size());
}

std::string shown_cell(const std::string& column, const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return "-";
  const ColumnUnit unit = unit_of(bare_name(column));
  if (const auto* text = std::get_if<std::string>(&cell))
    return unit == ColumnUnit::command ? command_text(*text) : text->empty() ? "-" : *text;
  return number_text(unit, cell);
}

}  // namespace upsweep

#include "upsweep/report/cost_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "upsweep/document/numbers.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostCostRows = 100;

/// The numbers that people see of each convention where several stand side by side; of one they see all.
bool is_shown(const CostTable& table, const Convention& convention, const CostQuantity& quantity) {
  if (table.conventions.size() == 1) return true;
  if (quantity.count == &Costs::parameters) return convention.source[0] == '\0';
  return quantity.count == &Costs::forward_macs || quantity.count == &Costs::forward_flops;
}

std::string head_of(const CostTable& table, const Convention& convention, const CostQuantity& quantity) {
  if (table.conventions.size() == 1) return quantity.head;
  if (quantity.count == &Costs::parameters) return quantity.head;
  const char* unit = quantity.count == &Costs::forward_macs ? "MACs" : "FLOPs";
  return fmt::format("{} {}", convention.title, unit);
}

/// Columns of all numbers of all conventions; `value(c, count)` makes the value of a row.
template <class Row>
void add_cost_fields(
    const CostTable& table, std::vector<Field<Row>>& fields,
    const std::function<Value(const Row&, std::size_t c, std::optional<std::uint64_t> Costs::*)>& value) {
  for (std::size_t c = 0; c < table.conventions.size(); ++c) {
    const Convention& convention = *table.conventions[c];
    for (const CostQuantity& quantity : kCostQuantities) {
      if (!convention.has(quantity.count)) continue;
      std::optional<std::string> head;
      if (is_shown(table, convention, quantity)) head = head_of(table, convention, quantity);
      fields.emplace_back(fmt::format("{}/{}", convention.name, quantity.name), std::move(head),
                          quantity.is_bytes ? Unit::bytes : Unit::exact,
                          [=](const Row& row) { return value(row, c, quantity.count); });
    }
  }
}

Table operator_costs_table(const CostReport& report) {
  const CostTable& table = report.costs;
  const std::vector<Operator>& operators = report.network.operators();
  std::vector<Field<std::size_t>> fields = {
      {"name", "operator", Unit::text, [&operators](std::size_t o) { return operators[o].name; }},
      {"kind", "kind", Unit::text, [&operators](std::size_t o) { return kind_name(operators[o].kind); }},
      {"module", {}, Unit::text, [&table](std::size_t o) { return table.modules[o]; }}};
  add_cost_fields<std::size_t>(table, fields,
                               [&table](std::size_t o, std::size_t c, std::optional<std::uint64_t> Costs::*count) {
                                 return Value(table.operators[c][o].costs.*count);
                               });
  return Table("network_costs/operators", numbered(operators.size()), std::move(fields))
      .keys(2)
      .at_most(kMostCostRows, fmt::format("{} operators: --format csv lists them.\n", operators.size()));
}

/// People see that there may be more where operators are not known; no 0 of views among them.
Value sum_value(const SummedCosts& sum, std::optional<std::uint64_t> Costs::*count) {
  const std::optional<std::uint64_t>& known = sum.costs.*count;
  if (!known || sum.unknown == 0) return known;
  if (*known == 0) return Value(*known).shown("-");
  const Unit unit = count == &Costs::activation_bytes ? Unit::bytes : Unit::exact;
  return Value(*known).shown(">= " + Value(*known).text(unit));
}

Table module_costs_table(const CostReport& report) {
  const std::vector<ModuleCosts>& modules = report.costs.by_module;
  using Module = const ModuleCosts*;
  std::vector<Field<Module>> fields = {{"name", "module", Unit::text, &ModuleCosts::name},
                                       {"operators", "operators", Unit::exact, &ModuleCosts::operators}};
  add_cost_fields<Module>(report.costs, fields,
                          [](Module module, std::size_t c, std::optional<std::uint64_t> Costs::*count) {
                            return sum_value(module->costs[c], count);
                          });
  return Table("network_costs/modules", each_of(modules), std::move(fields))
      .at_most(kMostCostRows, fmt::format("{} modules: --format json lists them.\n", modules.size()));
}

/// A row for each convention.
Table total_costs_table(const CostReport& report) {
  const CostTable& table = report.costs;
  const std::vector<SummedCosts>& totals = table.totals;
  std::vector<Field<std::size_t>> fields = {
      {"convention", "convention", Unit::text, [&table](std::size_t c) { return table.conventions[c]->name; }}};
  for (const CostQuantity& quantity : kCostQuantities) {
    fields.emplace_back(quantity.name, quantity.head, quantity.is_bytes ? Unit::bytes : Unit::exact,
                        [&totals, quantity](std::size_t c) { return Value(totals[c].costs.*quantity.count); });
  }
  fields.emplace_back("operators_not_known", "operators not known", Unit::exact,
                      [&totals](std::size_t c) { return totals[c].unknown; });
  return {"network_costs/totals", numbered(totals.size()), std::move(fields)};
}

/// The operators that a convention does not cover, by reason.
std::string unknown_text(const CostReport& report, std::size_t c) {
  std::vector<std::pair<std::string, std::vector<std::string>>> kinds;  // by reason
  for (std::size_t o = 0; o < report.network.operators().size(); ++o) {
    const std::string& reason = report.costs.operators[c][o].unknown;
    if (reason.empty()) continue;
    auto of_reason = std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.first == reason; });
    if (of_reason == kinds.end()) of_reason = kinds.insert(kinds.end(), {reason, {}});
    const std::string kind = kind_name(report.network.operators()[o].kind);
    if (std::find(of_reason->second.begin(), of_reason->second.end(), kind) == of_reason->second.end())
      of_reason->second.push_back(kind);
  }
  std::string text;
  for (const auto& [reason, names] : kinds)
    text += fmt::format("  Not known, and left out of sums: {} ({}).\n", fmt::join(names, ", "), reason);
  return text;
}

/// A sentence in a line.
std::string sentence_lines(const std::string& sentences) {
  std::string lines = "  ";
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const bool ends = sentences[i] == ' ' && sentences[i - 1] == '.';
    lines += ends ? "\n  " : sentences.substr(i, 1);
  }
  return lines + '\n';
}

std::string conventions_text(const CostReport& report) {
  std::string text;
  for (std::size_t c = 0; c < report.costs.conventions.size(); ++c) {
    const Convention& convention = *report.costs.conventions[c];
    text += fmt::format("{}:\n{}", convention.title, sentence_lines(convention.rule));
    if (const auto& kinds = report.costs.left_out[c]; !kinds.empty())
      text += fmt::format("  Here it counts nothing of: {}.\n", fmt::join(kinds, ", "));
    text += unknown_text(report, c);
    if (convention.source[0] != '\0') text += fmt::format("  Source: {}.\n", convention.source);
  }
  return text;
}

Json conventions_json(const CostReport& report) {
  Json found = Json::array();
  for (std::size_t c = 0; c < report.costs.conventions.size(); ++c) {
    const Convention& convention = *report.costs.conventions[c];
    found.push_back({{"name", convention.name},
                     {"rule", convention.rule},
                     {"source", Value::unless_empty(convention.source).json()},
                     {"counts_nothing_of", report.costs.left_out[c]}});
  }
  return found;
}

Json unknown_json(const CostReport& report) {
  Json found = Json::array();
  for (std::size_t c = 0; c < report.costs.conventions.size(); ++c) {
    for (std::size_t o = 0; o < report.network.operators().size(); ++o) {
      const std::string& reason = report.costs.operators[c][o].unknown;
      if (reason.empty()) continue;
      found.push_back({{"operator", report.network.operators()[o].name},
                       {"convention", report.costs.conventions[c]->name},
                       {"reason", reason}});
    }
  }
  return found;
}

}  // namespace

Document document(const CostReport& report) {
  const CostTable& table = report.costs;
  Document document;
  document.facts([report] {
    return Json{{"network_costs",
                 {{"batch", report.costs.batch},
                  {"value_bytes", report.costs.value_bytes},
                  {"module_depth", report.costs.module_depth},
                  {"conventions", conventions_json(report)},
                  {"not_known", unknown_json(report)}}}};
  });
  const std::string of = table.batch == 1 ? "one input" : fmt::format("a batch of {}", table.batch);
  if (!report.is_asked_for) {
    const Costs& own = table.totals.front().costs;
    return std::move(
        document.list(total_costs_table(report))
            .say(fmt::format("\nParameters: {}; forward pass of {}: {} multiply-accumulates (--convention all: as "
                             "torchinfo, fvcore, DeepSpeed and Calculon count).\n",
                             *own.parameters, of, *own.forward_macs)));
  }
  document.say(fmt::format("\nCosts of {}:\n\n", of)).show_sheet(operator_costs_table(report)).say("\n");
  if (table.by_module.size() < report.network.operators().size()) {
    document.show(module_costs_table(report)).say("\n");
  } else {
    document.list(module_costs_table(report));
  }
  return std::move(document.show(total_costs_table(report)).say('\n' + conventions_text(report)));
}

}  // namespace upsweep

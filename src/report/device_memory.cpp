#include "device_memory.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cell_text.hpp"
#include "upsweep/training/study.hpp"

namespace upsweep {
namespace {

/// Figures of variants, each a list.
using Lists = std::map<std::string, std::vector<double>>;

Lists lists_named(const QueryResult& figures, const std::string& name) {
  const std::size_t variant = column_of(figures, "variant");
  const std::size_t figure = column_of(figures, "figure");
  const std::size_t value = column_of(figures, "value");
  Lists found;
  for (const std::vector<Cell>& row : figures.rows) {
    if (cell_text(row[figure]) == name) found[cell_text(row[variant])].push_back(cell_number(row[value]));
  }
  return found;
}

/// What the verdict keeps of the limit of memory under that name; null where it keeps none.
Json limit_of(const QueryResult& run, const char* name) {
  const Json verdict = Json::parse(cell_text(run.rows.front()[column_of(run, "verdict_details")]), nullptr, false);
  return verdict.is_object() ? verdict.value(Json::json_pointer(std::string("/frame/") + name), Json()) : Json();
}

}  // namespace

Document device_memory(const RunTables& run) {
  const QueryResult& figures = run.table("figures");
  const Json limit = limit_of(run.run, "memory_limit");
  Lists memory;
  if (limit.is_null() || limit_of(run.run, "memory_unit") == "bytes") memory = lists_named(figures, "memory_bytes");
  const bool in_bytes = !memory.empty();
  if (!in_bytes) memory = lists_named(figures, "peak_act_plus_grad");  // which a limit may count
  Document document;
  if (memory.empty()) return document;

  const Lists size = lists_named(figures, "tensor_size");
  std::vector<Column> columns = {{"", "device", Unit::exact}};
  std::vector<std::vector<Value>> rows;
  for (const std::vector<Cell>& row : run.table("summary").rows) {  // in the order of the file
    const std::string variant = cell_text(row.front());
    const auto found = memory.find(variant);
    if (found == memory.end()) continue;
    columns.push_back({"", variant, in_bytes ? Unit::bytes : Unit::exact});
    const double scale = in_bytes || !size.contains(variant) ? 1 : size.at(variant).front();
    for (std::size_t device = 0; device < found->second.size(); ++device) {
      if (device == rows.size()) rows.push_back({device});
      rows[device].resize(columns.size() - 1);
      rows[device].push_back(Value::number(found->second[device] * scale));
    }
  }
  for (std::vector<Value>& row : rows) row.resize(columns.size());
  document.say(fmt::format("\nThe most on a device at once{}{}:\n\n",
                           in_bytes ? "" : ", in tensors of one of the file's micro-batches",
                           limit.is_number() ? "; the limit is " + memory_text(limit.get<double>(), in_bytes) : ""));
  return std::move(document.show(Table("", std::move(columns), std::move(rows))));
}

}  // namespace upsweep

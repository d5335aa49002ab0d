#include "layer_table.hpp"

#include <fmt/format.h>

#include <map>

#include "csv_table.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep {
namespace {

/// The column that names layers.
std::size_t name_column(const CsvTable& table, const BudgetFile& budget) {
  if (!budget.names.empty()) return table.column(budget.names);
  for (const char* name : {"operator", "name", "layer"}) {
    if (table.has(name)) return table.column(name);
  }
  return table.column("operator");  // throws
}

std::vector<std::size_t> weighted_operators(const Network& network) {
  std::vector<std::size_t> all;
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    const Operator& op = network.operators()[o];
    if (weight_shape(op.kind, op.in_shape)) all.push_back(o);
  }
  return all;
}

bool holds(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

LayerShares read_layer_shares(const Network& network, const OperatorAliases& aliases, const BudgetFile& budget,
                              const char* usual_column) {
  const CsvTable table = read_csv_table(budget.file, "a table of layers, CSV");
  const std::size_t names = name_column(table, budget);
  const std::size_t column = table.column(budget.column.empty() ? usual_column : budget.column);
  const std::string& title = table.columns[column];
  LayerShares shares;
  shares.is_kept = holds(title, "kept") || holds(title, "density") || holds(title, "activation");
  const std::vector<std::size_t> operators = weighted_operators(network);
  std::map<std::string, std::size_t> place;
  for (const std::size_t o : operators) {
    if (o < aliases.size() && !aliases[o].empty()) place.emplace(aliases[o], o);
  }
  for (const std::size_t o : operators) place.insert_or_assign(network.operators()[o].name, o);
  std::vector<bool> is_taken(network.operators().size());
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const std::string& name = table.rows[row][names];
    if (name == "total") continue;
    const auto fault = [&](const std::string& message) { return InputError(table.file, table.lines[row], message); };
    std::size_t at = 0;
    if (budget.in_order) {
      if (shares.of.size() == operators.size()) {
        throw fault(fmt::format("row '{}' is one too many, accepted are the {} operators with a weight", name,
                                operators.size()));
      }
      at = operators[shares.of.size()];
    } else {
      const auto found = place.find(name);
      if (found == place.end()) {
        throw fault(
            fmt::format("there is no operator '{}' with a weight, accepted are the names of the network's, or "
                        "its order",
                        name));
      }
      at = found->second;
    }
    if (is_taken[at]) throw fault(fmt::format("operator '{}' is there twice, accepted is once", name));
    is_taken[at] = true;
    const double percent = table.number(row, column);
    if (percent < 0 || percent > 100)
      throw fault(fmt::format("column '{}' has {}, accepted are percents from 0 to 100", title, percent));
    shares.of.emplace_back(at, percent / 100);
  }
  for (const std::size_t o : operators) {
    if (is_taken[o]) continue;
    throw InputError(fmt::format("{}: it has no row for operator '{}', accepted is one for each with a weight",
                                 table.file, network.operators()[o].name));
  }
  return shares;
}

}  // namespace upsweep

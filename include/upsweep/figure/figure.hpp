#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace upsweep {

/// Data of a figure: keys stay in the order in which they were set.
using FigureData = nlohmann::ordered_json;

/// A picture as data: a template (a Vega specification, by `kind`) and what stands in it. Nothing in it is markup or
/// code: texts of users are values of the data.
struct Figure {
  std::string kind;          ///< of a template: "op-flops", "schedule", ...
  std::string title;         ///< plain text
  std::string caption;       ///< plain text: what is shown, and the rule by which much was made little, where it was
  std::string context = {};  ///< plain text: of which model, schedule, machine, ...; for a figure that stands alone
  FigureData tables = FigureData::object();   ///< by name of the template's data: see figure_table()
  FigureData signals = FigureData::object();  ///< values of the template's signals
};

/// An empty table {"columns": [..], "rows": []} for Figure::tables; rows are arrays as long as the columns.
[[nodiscard]] FigureData figure_table(const std::vector<std::string>& columns);

/// The figure as one JSON object: "kind", "title", "caption", "context" (where there is one), "tables", "signals".
/// Numbers that are not finite are
/// null.
[[nodiscard]] FigureData to_json(const Figure& figure);

/// Names of all templates.
[[nodiscard]] const std::vector<std::string>& figure_kinds();

/// The template of a kind: a Vega specification. Throws std::invalid_argument for another kind.
[[nodiscard]] const FigureData& figure_template(const std::string& kind);

}  // namespace upsweep

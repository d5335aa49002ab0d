#include "upsweep/figure/anchors_figure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upsweep/document/numbers.hpp"

namespace upsweep {

std::optional<Figure> anchors_figure(const AnchorReport& report) {
  Figure figure;
  figure.kind = "anchors";
  figure.title = "Published times and predictions";
  figure.caption =
      "Each mark is a published time; on the line it is predicted exactly. Rows that rates were fitted to are "
      "predicted by rates without their structure, where the fit has enough of them.";
  FigureData points = figure_table({"family", "of", "measured", "predicted", "about"});
  FigureData families = FigureData::array();
  for (const AnchorPoint& point : report.points) {
    if (!point.predicted_s) continue;
    const AnchorRow& row = point.row;
    const std::string of = fmt::format("{}, {}", row.device, row.library);
    points["rows"].push_back(FigureData::array(
        {row.family, of, 1e3 * *row.time_s, 1e3 * *point.predicted_s,
         fmt::format("{} {}: {} published, {} predicted", of, row.matrix.empty() ? row.algorithm : row.matrix,
                     short_seconds(*row.time_s), short_seconds(*point.predicted_s))}));
    if (std::ranges::find(families, FigureData(row.family)) == families.end()) families.push_back(row.family);
  }
  if (points["rows"].empty()) return std::nullopt;
  figure.tables["points"] = std::move(points);
  figure.signals["families"] = std::move(families);
  return figure;
}

}  // namespace upsweep

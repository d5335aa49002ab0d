#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "upsweep/figure/figure.hpp"
#include "upsweep/store/stored_study.hpp"

namespace upsweep::testing {

/// A study with its points.
struct MadeStudy {
  StoredStudy study;
  std::vector<StudyPointRow> points;
};

/// An axis by name and values.
using MadeAxis = std::pair<std::string, nlohmann::ordered_json>;

/// A study over axes, the last one fastest; `fill` sets what a point comes to, by its coordinates.
inline MadeStudy made_study(const std::vector<MadeAxis>& axes,
                            const std::function<void(const nlohmann::ordered_json&, StudyPointRow&)>& fill) {
  MadeStudy made;
  made.study.name = "made";
  made.study.points = 1;
  for (const auto& [name, values] : axes) {
    made.study.axes.push_back({name, values.dump()});
    made.study.points *= values.size();
  }
  for (std::uint64_t position = 0; position < made.study.points; ++position) {
    nlohmann::ordered_json coordinates;
    std::uint64_t rest = position;
    std::vector<std::size_t> places(axes.size());
    for (std::size_t axis = axes.size(); axis-- > 0; rest /= axes[axis].second.size())
      places[axis] = rest % axes[axis].second.size();
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      coordinates[axes[axis].first] = axes[axis].second[places[axis]];
    StudyPointRow point;
    point.position = position;
    point.coordinates = coordinates.dump();
    point.status = "done";
    point.unit = "s";
    fill(coordinates, point);
    made.points.push_back(point);
  }
  return made;
}

/// Gives a point scores of both methods, the smaller one as the best.
inline void set_scores(StudyPointRow& point, double plain, double scan) {
  point.plain_score = plain;
  point.scan_score = scan;
  point.score = std::min(plain, scan);
  point.schedule = plain <= scan ? "linear" : "hybrid:2";
}

/// The rows of a table as objects by column.
inline std::vector<FigureData> rows_of(const Figure& figure, const std::string& table) {
  std::vector<FigureData> rows;
  const FigureData& columns = figure.tables.at(table).at("columns");
  for (const FigureData& row : figure.tables.at(table).at("rows")) {
    FigureData object;
    EXPECT_EQ(row.size(), columns.size());
    for (std::size_t i = 0; i < row.size(); ++i) object[columns[i].get<std::string>()] = row[i];
    rows.push_back(object);
  }
  return rows;
}

}  // namespace upsweep::testing

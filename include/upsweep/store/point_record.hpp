#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "upsweep/base/content_key.hpp"
#include "upsweep/grid/point_brief.hpp"
#include "upsweep/search/point.hpp"

namespace upsweep {

/// A point of a study with its result, by content: what it comes to, and everything that this depends on.
struct PointRecord {
  ContentKey key{};  ///< of model, pattern, machine, settings, rule and tool version; zeros where these are not valid
  PointStatus status = PointStatus::open;
  std::string reason;  ///< why it is infeasible or invalid, else empty
  PointFigures figures;
  double bppsa_bytes = std::numeric_limits<double>::quiet_NaN();
  double pipeline_bytes = std::numeric_limits<double>::quiet_NaN();
  double memory_limit = std::numeric_limits<double>::quiet_NaN();
  std::string model_hash;
  std::string machine_hash;  ///< empty without a machine
  std::string settings;      ///< canonical text
};

/// A point at its place in a study.
struct StudyPoint {
  std::uint64_t position = 0;
  std::string coordinates;  ///< JSON object: value by axis path
  PointRecord record;
};

/// A study to be kept.
struct StudyRecord {
  std::string tool_version;
  std::string parameters;  ///< the command line as a JSON array
  std::string rule;        ///< kCountingRule
  std::string name;
  std::string file;
  std::string content_hash;
  std::string text;  ///< of the file
  std::uint64_t points = 0;
  std::vector<std::string> axes;    ///< names
  std::vector<std::string> values;  ///< of each axis, as a JSON array of its first column's values
};

/// An answer to be kept.
struct AnswerRecord {
  std::string question;  ///< "crossover", ...
  std::string where;     ///< values of the other axes as a JSON object; empty: of all points
  std::string sentence;  ///< for people
  std::string answer;    ///< JSON object
};

}  // namespace upsweep

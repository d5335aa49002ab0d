#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/store/query_result.hpp"
#include "upsweep/store/store_reader.hpp"

namespace upsweep {

/// A thing that two runs have, compared.
struct DiffRow {
  enum class Kind : std::uint8_t {
    input,   ///< what was asked for: model, pattern, schedule, workers, machine, ...
    rule,    ///< the counting rule or the tool's version
    figure,  ///< what came out
  };
  Kind kind = Kind::input;
  std::string name;  ///< "model_hash", "operator conv2: nnz", "level 3: flops_sum", "flops", ...
  Cell before;
  Cell after;
  double ratio = 0;            ///< after / before where both are numbers of one unit and before is not 0, else 0
  std::string before_as = {};  ///< a column with the unit of the cell, where `name` tells none: "score_s"; else empty
  std::string after_as = {};

  friend bool operator==(const DiffRow&, const DiffRow&) = default;
};

/// What differs between two runs, and nothing that is equal; inputs first, then rules, then figures.
struct RunDiff {
  std::int64_t before = 0;
  std::int64_t after = 0;
  std::vector<DiffRow> rows;

  [[nodiscard]] bool has(DiffRow::Kind kind) const;
};

/// Compares two stored runs of schedules: columns, operators, levels, machines. Runs of backward passes and trainings
/// are compared by their columns and figures; runs of different kinds not at all.
///
/// Throws InputError that names the file and the id where there is no such run, or where the kinds differ.
[[nodiscard]] RunDiff diff_runs(const StoreReader& store, std::int64_t before, std::int64_t after);

}  // namespace upsweep

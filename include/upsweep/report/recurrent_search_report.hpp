#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "upsweep/report/recurrent_report.hpp"
#include "upsweep/search/homogeneous.hpp"

namespace upsweep {

/// A search over the depths of a recurrent model and, where it is short enough, other schemes.
struct RecurrentSearchReport {
  const RecurrentModel& model;
  const HomogeneousSearchResult& result;
  std::optional<Overtaking> overtaking;            ///< fewest workers with which a hybrid scan wins
  std::optional<std::uint64_t> scheme_steps = {};  ///< most steps with other schemes; nothing where none was wanted

  /// True where other schemes were wanted and the model has too many steps for them.
  [[nodiscard]] bool lacks_schemes() const { return scheme_steps && result.schemes.empty(); }
};

/// The object of `search`, and `overtaking`: the fewest workers with which a hybrid scan beats plain back-propagation.
///
/// `schemes`, `best_scheme` and `scheme_margin` are null where the report lacks schemes, `scheme_steps_limit` is the
/// most steps with them.
[[nodiscard]] Json to_json(const RecurrentSearchReport& report);
/// The candidates and, after them, schemes: with an empty depth.
[[nodiscard]] std::string to_csv(const RecurrentSearchReport& report);
/// A table, the best depth, from how many workers on it pays, and the best of all.
[[nodiscard]] std::string to_text(const RecurrentSearchReport& report, const TextStyle& style = {});

}  // namespace upsweep

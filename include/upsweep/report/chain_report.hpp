#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "upsweep/io/chain_file.hpp"
#include "upsweep/report/format.hpp"
#include "upsweep/sim/homogeneous.hpp"

namespace upsweep {

/// A profile of a synthetic chain by closed forms; refers to values that live elsewhere.
struct ChainProfileReport {
  const ChainModel& model;
  const HomogeneousProfile& profile;
  const PramProfile& pram;
  HomogeneousReference reference;
  std::string requested;                    ///< the schedule as it was asked for
  std::optional<std::string> machine = {};  ///< its name, with the seconds below
  std::optional<double> seconds = {};       ///< under level execution
};

/// As `profile` of a recurrent model, with "exact".
[[nodiscard]] Json to_json(const ChainProfileReport& report);
[[nodiscard]] std::string to_csv(const ChainProfileReport& report);
[[nodiscard]] std::string to_text(const ChainProfileReport& report, const TextStyle& style = {});

/// The chain in a line: name, kind, sizes.
[[nodiscard]] std::string chain_model_text(const ChainModel& model);

/// A line that says so where counts are expectations, else nothing.
[[nodiscard]] std::string expectation_text(const ChainModel& model);

}  // namespace upsweep

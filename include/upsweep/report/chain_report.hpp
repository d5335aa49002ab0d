#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "upsweep/io/chain_file.hpp"
#include "upsweep/report/format.hpp"
#include "upsweep/search/homogeneous.hpp"
#include "upsweep/sim/homogeneous.hpp"

namespace upsweep {

/// A profile of a synthetic chain by closed forms; refers to values that live elsewhere.
struct ChainProfileReport {
  const ChainModel& model;
  const HomogeneousProfile& profile;
  const HomogeneousPram& pram;
  HomogeneousReference reference;
  std::string requested;                    ///< the schedule as it was asked for
  std::optional<std::string> machine = {};  ///< its name, with the seconds below
  std::optional<double> seconds = {};       ///< under level execution
};

/// As `profile` of a recurrent model, with "exact".
[[nodiscard]] Json to_json(const ChainProfileReport& report);
[[nodiscard]] std::string to_csv(const ChainProfileReport& report);
[[nodiscard]] std::string to_text(const ChainProfileReport& report, const TextStyle& style = {});

/// A search over the depths of a synthetic chain.
struct ChainSearchReport {
  const ChainModel& model;
  const HomogeneousSearchResult& result;
  std::optional<Overtaking> overtaking = {};          ///< fewest workers with which a hybrid scan wins, in FLOPs
  std::optional<std::uint64_t> scheme_elements = {};  ///< most elements with other schemes; nothing: none was wanted

  /// True where other schemes were wanted and the chain is too long for them.
  [[nodiscard]] bool lacks_schemes() const { return scheme_elements && result.schemes.empty(); }
};

/// As `search` of a recurrent model, with "exact" and "machine"; with a machine, scores are its seconds under level
/// execution and "overtaking" is null.
[[nodiscard]] Json to_json(const ChainSearchReport& report);
[[nodiscard]] std::string to_csv(const ChainSearchReport& report);
[[nodiscard]] std::string to_text(const ChainSearchReport& report, const TextStyle& style = {});

}  // namespace upsweep

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/document/document.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/search/candidate.hpp"
#include "upsweep/sim/dense_time.hpp"

namespace upsweep {

/// What profiles of all kinds of models have; counts are those of one input of a batch, sums over `inputs`.
struct ProfileCounts {
  /// Seconds on a machine.
  struct Seconds {
    std::string machine;
    double level = 0;
    std::optional<double> dag;
    std::optional<double> build;  ///< of writing the chain's values
  };

  std::string schedule;
  std::string requested;  ///< the schedule as it was asked for
  std::optional<std::uint64_t> depth;
  std::uint64_t length = 0;  ///< of the scan array
  std::uint64_t levels = 0;
  std::uint64_t inputs = 1;
  Totals all;
  Totals live;
  std::optional<std::uint64_t> baseline_flops = {};
  std::uint64_t linear_flops = 0;
  std::uint64_t build_values = 0;
  std::uint64_t build_bytes = 0;
  const SearchResult& compared;  ///< plain back-propagation and the schedule, whose figures are those of the batch
  std::optional<Seconds> seconds = {};
  std::optional<DenseBackprop> dense = {};  ///< predicted

  [[nodiscard]] const PramProfile& pram() const { return compared.last().pram; }
};

/// The object `counting`: by classes of rows or by rows, and how many of how many; null without a network.
[[nodiscard]] Json counting_json(const NetworkProfile* network);

/// The same as a sentence and a line break; empty without a network.
[[nodiscard]] std::string counting_text(const NetworkProfile* network);

/// What the marks of estimated candidates mean, and how far each is known: a line each; empty where all were counted.
[[nodiscard]] std::string estimates_text(const SearchResult& result);

/// The object `baseline`: dense back-propagation in FLOPs (a number or null) and, where predicted, in seconds.
[[nodiscard]] Json baseline_json(Json flops, const std::optional<DenseBackprop>& dense);

/// What is said of a level but for its number.
[[nodiscard]] std::vector<Field<const LevelProfile*>> level_fields(std::uint64_t inputs, bool is_exact = true);

/// The schedule in a line.
[[nodiscard]] std::string schedule_text(const ProfileCounts& counts);
/// Totals, plain and dense back-propagation, building the chain, and the PRAM; for programs the keys "schedule",
/// "totals", "baseline", "linear", "chain_build", "time" and "pram". `plain`: what plain back-propagation is here;
/// `build`: what goes with building the chain, a part of a sentence.
[[nodiscard]] Document counts_document(const ProfileCounts& counts, const std::string& plain, const std::string& build);
/// The predicted seconds in a line; empty without.
[[nodiscard]] std::string seconds_text(const ProfileCounts& counts);

}  // namespace upsweep

#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/search/crossover.hpp"

namespace upsweep {

/// How a scan stands to plain back-propagation.
enum class Standing : std::uint8_t {
  pays,           ///< it takes less
  gains_nothing,  ///< it takes as much
  does_not_pay,   ///< it takes more
};

/// Counts and predictions are compared as they are.
inline constexpr double kSamePrediction = 0;
/// Measured times differ by this share from run to run on a machine that is not quite quiet.
inline constexpr double kSameMeasurement = 0.05;

/// The one rule of every verdict, in terminals, JSON and pages. `ratio`: of the scan to plain back-propagation; within
/// `same` of 1 they take as much.
[[nodiscard]] inline Standing standing_of(double ratio, double same = kSamePrediction) {
  if (std::fabs(ratio - 1) <= same) return Standing::gains_nothing;
  return ratio < 1 ? Standing::pays : Standing::does_not_pay;
}

/// Back-propagation of one kind, and the scan that comes off best beside it by the same rule.
struct Baseline {
  std::string name;         ///< "sparse-bp-whole", "sparse-bp", "graph-bp", ...: section "The verdict" of the docs
  double score = 0;         ///< FLOPs or seconds, as below
  bool is_seconds = false;  ///< else FLOPs, as a mean over the inputs
  std::string best_scan =
      {};                 ///< the feasible schedule that is not plain with the smallest score; empty: there is none
  double scan_score = 0;  ///< of it
  bool is_of_shared_ops = false;  ///< workers share the ops of both, where there is a baseline of whole ops, too
  std::string missing = {};  ///< the key of a machine file without which the score is not known; empty: it is known

  /// scan_score / score; nothing without a scan or at score 0.
  [[nodiscard]] std::optional<double> ratio() const;
};

/// Whether a scan is worth it.
enum class Pays : std::uint8_t {
  yes,                    ///< beside every baseline
  only_if_ops_are_whole,  ///< beside every one but that of ops that workers share
  no,
};

/// What a command comes to: the same wherever it is shown.
struct Verdict {
  std::vector<Baseline> baselines = {};     ///< that scans were compared with; none: nothing was compared
  bool is_decided = true;                   ///< false: what was compared does not tell, as the sentences say
  double same = kSamePrediction;            ///< as in standing_of()
  std::optional<Overtakes> overtakes = {};  ///< where workers count; as far as looked for
  std::vector<std::string> sentences = {};  ///< for people, without line breaks; may hold texts from files

  /// Whether scans take less than the baselines; nothing where that is not known.
  [[nodiscard]] std::optional<Pays> pays() const;
  /// The largest ratio, which decides; nothing without one, and where that is not known.
  [[nodiscard]] std::optional<double> ratio() const;
};

}  // namespace upsweep

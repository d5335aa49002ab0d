#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/search/candidate.hpp"
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
  std::optional<Interval> interval = {};       ///< of the score, where it is not known exactly
  std::optional<Interval> scan_interval = {};  ///< of scan_score, likewise
  bool is_estimate = false;                    ///< scan_score rests on counts of samples
  // What these intervals stand on: "published" times of a library; "datasheet", whose time is the least that there can
  // be, so that they begin at the score; or "estimates" of counts. Empty: there is none.
  std::string interval_from = {};
  std::string scan_interval_from = {};

  /// Whether these intervals leave open which takes less.
  [[nodiscard]] bool is_within_uncertainty() const;

  /// scan_score / score; nothing without a scan or at score 0.
  [[nodiscard]] std::optional<double> ratio() const;
};

/// Whether a scan is worth it.
enum class Pays : std::uint8_t {
  yes,                    ///< beside every baseline
  only_if_ops_are_whole,  ///< beside every one but that of ops that workers share
  no,
};

/// Under what a verdict holds: the same settings in every command. Empty texts: it has no such thing.
struct VerdictFrame {
  std::optional<std::uint64_t> workers = {};  ///< nothing where the whole machine is meant
  std::string machine = {};                   ///< its name
  std::uint64_t machine_workers = 0;          ///< that it has, of which `workers` may be a part; 0: not known
  std::optional<std::uint64_t> batch = 1;     ///< inputs of an iteration; nothing: each model's own
  std::string input = "input";                ///< what one of them is, "sequence" of recurrent models
  std::string objective = {};                 ///< what is compared where that is not time, in words
  std::string execution = {};                 ///< "level" or "dag"
  std::vector<std::string> ops = {};          ///< "whole", "shared": the rules of ops; none: ops use the whole machine
  std::string launch = {};                    ///< of a gpu: "eager", "graph" or "fused"
  std::string pattern = {};                   ///< of Jacobians: "guaranteed" or "sample"
  std::string scope = "all";                  ///< or "live"
  std::string library = {};                   ///< whose sparse products a gpu's are
  /// The most of live values or, of a training step, on a device, where that is not all that the machine has or shuts
  /// something out.
  std::optional<double> memory_limit = {};
  std::string memory_unit = "bytes";  ///< or "tensors", "units" of its file
  std::string priced_by =
      {};  ///< the parts of the machine: "pram", "roofline" or "kernels"; "measured" where it ran, "file"
  std::vector<std::string> varies = {};  ///< of a study: names of these fields, as JSON has them, that its axes change
};

/// What a scan that pays saves, and what it costs once.
struct Payback {
  std::string schedule;
  double saved_s = 0;  ///< in each iteration, beside what it is compared with; above 0
  /// Once: planning, capturing a graph, compiling, as far as that is more than back-propagation takes; nothing: not
  /// known.
  std::optional<double> setup_s = {};

  /// Whole iterations after which the set-up is paid back; nothing where that is not known.
  [[nodiscard]] std::optional<double> iterations() const {
    return setup_s ? std::optional(std::ceil(*setup_s / saved_s)) : std::nullopt;
  }
};

/// What a verdict says, in parts, for those who have a place for each; empty: it has no such part.
struct VerdictParts {
  std::string headline = {};   ///< where baselines do not tell it: "The scan is faster in a part of the grid"
  std::string under = {};      ///< "On 16 workers, one input"
  std::string standing = {};   ///< "hybrid:1 is 1.3x faster than plain BP: the scan pays"
  std::string overtakes = {};  ///< from where on, of a study: "workers from 3 to 6 on"
  std::string binds = {};      ///< "its critical path binds: more workers would not help"
  std::vector<std::string> turned_by = {};  ///< usual settings under which it ends otherwise
};

/// What a command comes to: the same wherever it is shown.
struct Verdict {
  std::optional<VerdictFrame> frame = {};   ///< nothing where nothing was compared
  std::vector<Baseline> baselines = {};     ///< that scans were compared with; none: nothing was compared
  bool is_decided = true;                   ///< false: what was compared does not tell, as the sentences say
  double same = kSamePrediction;            ///< as in standing_of()
  std::optional<Overtakes> overtakes = {};  ///< where workers count; as far as looked for
  std::optional<Payback> payback = {};      ///< where a scan pays in seconds
  VerdictParts parts = {};                  ///< of the sentences
  std::vector<std::string> sentences = {};  ///< for people, without line breaks; may hold texts from files

  /// Whether scans take less than the baselines; nothing where that is not known.
  [[nodiscard]] std::optional<Pays> pays() const;
  /// Whether the intervals of what pays() compares leave it open; nothing without intervals.
  [[nodiscard]] std::optional<bool> is_uncertain() const;
  /// The largest ratio, which decides; nothing without one, and where that is not known.
  [[nodiscard]] std::optional<double> ratio() const;
};

}  // namespace upsweep

#pragma once

#include <cmath>

namespace upsweep {

/// Whether a score is smaller than another by more than what rounding does to sums in another order: what is not is a
/// tie, which goes to the first (the shallower scan). Whole numbers (FLOPs) are exact.
[[nodiscard]] inline bool is_smaller_score(double score, double than) {
  constexpr double kRounding = 1e-12;
  const bool is_exact = score == std::floor(score) && than == std::floor(than);
  return score < (is_exact ? than : than * (1 - kRounding));
}

}  // namespace upsweep

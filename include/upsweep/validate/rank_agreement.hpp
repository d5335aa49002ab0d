#pragma once

#include <optional>
#include <vector>

namespace upsweep {

/// Spearman's rank correlation of two rankings, ties with their mean rank; nothing below two points or where one of
/// them does not vary. Shapes: one entry per point in both.
[[nodiscard]] std::optional<double> spearman(const std::vector<double>& a, const std::vector<double>& b);

/// What choosing by prediction costs: measured time of the point with the smallest prediction over the smallest
/// measured time, minus 1; nothing without points. Ties go to the first.
[[nodiscard]] std::optional<double> regret(const std::vector<double>& predicted, const std::vector<double>& measured);

}  // namespace upsweep

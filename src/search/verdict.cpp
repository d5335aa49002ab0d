#include "upsweep/search/verdict.hpp"

#include <algorithm>

namespace upsweep {

std::optional<double> Baseline::ratio() const {
  if (best_scan.empty() || !(score > 0)) return std::nullopt;
  return scan_score / score;
}

std::optional<Pays> Verdict::pays() const {
  if (baselines.empty() || !is_decided) return std::nullopt;
  Pays pays = Pays::yes;
  for (const Baseline& baseline : baselines) {
    if (!baseline.missing.empty()) continue;
    const std::optional<double> ratio = baseline.ratio();
    if (ratio && standing_of(*ratio, same) == Standing::pays) continue;
    if (!baseline.is_of_shared_ops) return Pays::no;
    pays = Pays::only_if_ops_are_whole;
  }
  return pays;
}

bool Baseline::is_within_uncertainty() const {
  const Interval mine = interval.value_or(Interval{score, score});
  const Interval scan = scan_interval.value_or(Interval{scan_score, scan_score});
  return (interval || scan_interval) && mine.low <= scan.high && scan.low <= mine.high;
}

std::optional<bool> Verdict::is_uncertain() const {
  const std::optional<Pays> known = pays();
  if (!known) return std::nullopt;
  bool has_intervals = false;
  bool surely_does_not = false;
  bool is_open = false;
  for (const Baseline& baseline : baselines) {
    if (!baseline.missing.empty() || baseline.best_scan.empty() || (!baseline.interval && !baseline.scan_interval))
      continue;
    has_intervals = true;
    is_open = is_open || baseline.is_within_uncertainty();
    surely_does_not = surely_does_not || (!baseline.is_within_uncertainty() && baseline.scan_score > baseline.score);
  }
  if (!has_intervals) return std::nullopt;
  return *known == Pays::yes ? is_open : !surely_does_not && is_open;
}

std::optional<double> Verdict::ratio() const {
  std::optional<double> largest;
  if (!is_decided) return largest;
  for (const Baseline& baseline : baselines) {
    if (const std::optional<double> ratio = baseline.ratio()) largest = std::max(largest.value_or(*ratio), *ratio);
  }
  return largest;
}

}  // namespace upsweep

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

std::optional<bool> Verdict::is_uncertain() const {
  const std::optional<Pays> known = pays();
  if (!known) return std::nullopt;
  bool has_intervals = false;
  bool surely_pays = true;
  bool surely_does_not = false;
  for (const Baseline& baseline : baselines) {
    if (!baseline.interval || !baseline.scan_interval) continue;
    has_intervals = true;
    surely_pays = surely_pays && baseline.scan_interval->high < baseline.interval->low;
    surely_does_not = surely_does_not || baseline.scan_interval->low > baseline.interval->high;
  }
  if (!has_intervals) return std::nullopt;
  return *known == Pays::yes ? !surely_pays : !surely_does_not;
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

#include <algorithm>
#include <utility>

#include "search_parts.hpp"

// What the verdict of a search is made from: baselines and the scans beside them. The words are in search_verdict.cpp.

namespace upsweep {
namespace {

Baseline baseline_of(const std::string& name, const SearchResult& result, double score, const Candidate* scan,
                     double added) {
  Baseline baseline{name, score, result.options.in_seconds()};
  if (scan == nullptr) return baseline;
  baseline.best_scan = scan->schedule;
  baseline.scan_score = *scan->score + added;
  baseline.is_estimate = !scan->is_exact();
  if (const std::optional<Interval> interval = scan->interval())
    baseline.scan_interval = Interval{interval->low + added, interval->high + added};
  return baseline;
}

/// Both with ops that workers share; in FLOPs, which machines of whole ops have no seconds for.
Baseline shared_baseline(const SearchResult& result) {
  const Candidate* plain = nullptr;
  const Candidate* scan = nullptr;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Candidate& c = result.at(i);
    if (i > 0 && !c.feasible) continue;
    const Candidate*& best = c.is_plain ? plain : scan;
    if (best == nullptr || c.pram.shared_flops < best->pram.shared_flops) best = &c;
  }
  const auto mean = [&](const Candidate& c) {
    return static_cast<double>(c.pram.shared_flops) / static_cast<double>(result.inputs);
  };
  Baseline baseline{"sparse-bp-shared", mean(plain == nullptr ? result.linear() : *plain)};
  baseline.is_of_shared_ops = true;
  if (scan == nullptr) return baseline;
  baseline.best_scan = scan->schedule;
  baseline.scan_score = mean(*scan);
  baseline.scan_interval = scan->shared_interval;
  baseline.is_estimate = !scan->is_exact();
  return baseline;
}

/// Dense back-propagation, in seconds of a processor or GPU.
void add_dense(const SearchReport& report, Verdict& verdict) {
  const SearchResult& result = report.result;
  const SearchOptions& options = result.options;
  if (!options.in_seconds() || has_whole_ops(options.machine) || report.network == nullptr) return;
  // Gradients inside blocks are what dense back-propagation does, too.
  const std::optional<GraphScores> graph = graph_scores_of(report);
  Baseline dense =
      baseline_of("dense-bp", result, baseline_score(report), best_scan(result), graph ? graph->beside_scan() : 0);
  dense.missing = missing_dense_key(*options.machine, result.workers, options.value_bytes);
  if (const std::optional<Machine> slow = at_bound(*options.machine, true)) {
    // A datasheet is the fastest that there is.
    if (const std::optional<DenseBackprop> slowest = dense_on(report, *slow))
      dense.interval = Interval{dense.score, slowest->gradients_s};
  }
  verdict.baselines.push_back(std::move(dense));
}

/// Whether a scan that was not counted might pay beside a baseline beside which no other does.
bool is_open(const Baseline& baseline, const SearchResult& result) {
  const std::optional<double> ratio = baseline.ratio();
  if (!baseline.missing.empty() || (ratio && standing_of(*ratio) == Standing::pays)) return false;
  return std::ranges::any_of(result.uncounted, [&](const Uncounted& u) {
    const std::optional<double> bound = baseline.is_of_shared_ops ? std::optional(u.shared_bound) : u.bound;
    return !u.is_plain && (!bound || *bound < baseline.score);
  });
}

/// Whether what was not counted might turn the verdict. Where a baseline of whole ops or of the graph is not beaten by
/// any scan, nothing does.
bool is_turned_by_uncounted(const Verdict& verdict, const SearchResult& result) {
  bool is_any_open = false;
  for (const Baseline& baseline : verdict.baselines) {
    const std::optional<double> ratio = baseline.ratio();
    const bool pays = ratio && standing_of(*ratio) == Standing::pays;
    if (is_open(baseline, result)) {
      is_any_open = true;
    } else if (!pays && baseline.missing.empty() && !baseline.is_of_shared_ops) {
      return false;
    }
  }
  return is_any_open;
}

/// As Baseline::interval_from, of an interval of a score.
std::string stands_on(const SearchReport& report, const std::optional<Interval>& interval, double score) {
  if (!interval) return "";
  const SearchOptions& options = report.result.options;
  if (!options.in_seconds() || options.machine->product_rates() == nullptr) return "estimates";
  return interval->low < score ? "published" : "datasheet";
}

/// The graph's baseline, where branches have blocks.
void add_graph(const SearchReport& report, Verdict& verdict) {
  const SearchResult& result = report.result;
  const std::optional<GraphScores> graph = graph_scores_of(report);
  if (!graph) {
    verdict.is_decided = false;
    return;
  }
  verdict.baselines.push_back(
      baseline_of("graph-bp", result, graph->backprop, best_scan(result), graph->beside_scan()));
}

}  // namespace

bool gave_up(const SearchResult& result) {
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result.at(i).feasible && !result.at(i).score) return true;
  }
  return false;
}

bool is_best_proven(const SearchResult& result) {
  if (!result.best_scheme) return false;
  const double best = *result.at(*result.best_scheme).score;
  return result.rivals().empty() &&
         std::ranges::all_of(result.uncounted, [&](const Uncounted& u) { return u.bound && *u.bound >= best; });
}

namespace {

std::optional<DenseBackprop> dense_with(const SearchReport& report, const Machine& machine, std::uint64_t samples) {
  if (report.network == nullptr) return std::nullopt;
  const std::optional<DenseRates> rates =
      dense_rates(machine, report.result.workers, report.result.options.value_bytes);
  if (!rates) return std::nullopt;
  return dense_backprop(*report.network, *report.network_profile, *rates, samples);
}

}  // namespace

std::optional<DenseBackprop> dense_of(const SearchReport& report, std::optional<std::uint64_t> samples) {
  const SearchOptions& options = report.result.options;
  if (!options.in_seconds()) return std::nullopt;
  return dense_with(report, *options.machine, samples.value_or(options.batch));
}

std::optional<DenseBackprop> dense_on(const SearchReport& report, const Machine& machine) {
  return dense_with(report, machine, report.result.options.batch);
}

double baseline_score(const SearchReport& report) {
  if (report.result.options.in_seconds()) {
    const std::optional<DenseBackprop> dense = dense_of(report);
    return dense ? dense->gradients_s : 0;
  }
  if (!report.baseline_flops) return 0;
  return static_cast<double>(of_batch(report, *report.baseline_flops)) / static_cast<double>(report.result.inputs);
}

std::optional<GraphScores> graph_scores_of(const SearchReport& report) {
  if (!has_blocks(report)) return std::nullopt;
  return graph_scores(*report.network, *report.network_profile, report.result.options, report.result.workers);
}

bool has_blocks(const SearchReport& report) { return report.network != nullptr && report.network->has_blocks(); }

Verdict compared_scans(const SearchReport& report) {
  const SearchResult& result = report.result;
  Verdict verdict;
  const bool is_pram = has_whole_ops(result.options.machine);
  const char* name = result.options.in_seconds() && !is_pram ? "sparse-bp" : "sparse-bp-whole";
  verdict.baselines = {baseline_of(name, result, *best_plain(result).score, best_scan(result), 0)};
  if (verdict.baselines.front().is_seconds) verdict.baselines.front().interval = best_plain(result).interval();
  if (is_pram && result.options.objective == Objective::time && result.linear().has_shared)
    verdict.baselines.push_back(shared_baseline(result));
  if (is_pram) verdict.overtakes = result.overtakes;
  bool has_scans = false;
  for (std::size_t i = 1; i < result.size(); ++i) has_scans = has_scans || result.at(i).is_scan();
  for (const Uncounted& mine : result.uncounted) has_scans = has_scans || (mine.loses && !mine.is_plain);
  const Candidate* scan = best_scan(result);
  verdict.is_decided = scan != nullptr || (has_scans && best_plain(result).feasible);
  add_dense(report, verdict);
  if (has_blocks(report)) add_graph(report, verdict);
  for (Baseline& baseline : verdict.baselines) {
    baseline.interval_from = stands_on(report, baseline.interval, baseline.score);
    baseline.scan_interval_from = stands_on(report, baseline.scan_interval, baseline.scan_score);
  }
  // What dense back-propagation takes on a machine that does not say might be less.
  const bool lacks_dense = std::ranges::any_of(verdict.baselines, [](const Baseline& b) { return !b.missing.empty(); });
  if (lacks_dense && verdict.pays() == Pays::yes) verdict.is_decided = false;
  // A way whose score is not known might be the best.
  if (gave_up(result) && verdict.pays() == Pays::no) verdict.is_decided = false;
  if (is_turned_by_uncounted(verdict, result)) verdict.is_decided = false;
  return verdict;
}

}  // namespace upsweep

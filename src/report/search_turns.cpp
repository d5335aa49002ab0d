#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "search_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

/// The score of a candidate under another setting; nothing where it is not known.
using OtherScore = std::function<std::optional<double>(const Candidate&)>;

/// Where another usual setting turns the comparison with the first baseline: that, as a sentence; else empty.
std::string turned_text(const SearchReport& report, const Verdict& verdict, const std::string& setting,
                        const OtherScore& score, const std::optional<DenseBackprop>& dense) {
  const SearchResult& result = report.result;
  if (verdict.baselines.empty() || !verdict.baselines.front().ratio()) return "";
  const Candidate* scan = nullptr;
  std::optional<double> plain;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Candidate& c = result.at(i);
    if (i > 0 && !c.feasible) continue;
    const std::optional<double> mine = score(c);
    if (!mine) return "";
    if (c.is_plain) plain = std::min(plain.value_or(*mine), *mine);
    if (c.is_scan() && (scan == nullptr || *mine < *score(*scan))) scan = &c;
  }
  if (scan == nullptr || !plain || *plain == 0) return "";
  const double ratio = *score(*scan) / *plain;
  const auto pays = [&](double of) { return standing_of(of, verdict.same) == Standing::pays; };
  if (dense) {  // which counts under any setting
    const double to_dense = *score(*scan) / dense->gradients_s;
    if (pays(std::max(ratio, to_dense)) == (verdict.pays() == Pays::yes)) return "";
    return fmt::format("With {} it is the other way round: {} takes {} of {} and {} of dense BP.", setting,
                       scan->schedule, short_ratio(ratio), report.plain, short_ratio(to_dense));
  }
  if (pays(ratio) == pays(*verdict.baselines.front().ratio())) return "";
  const bool is_tie = standing_of(ratio, verdict.same) == Standing::gains_nothing;
  return fmt::format("With {} {}: {} takes {} of {}{}.", setting,
                     is_tie ? "a scan gains nothing" : "it is the other way round", scan->schedule, short_ratio(ratio),
                     report.plain, has_shared(verdict) ? " with each op on one worker" : "");
}

}  // namespace

std::vector<std::string> turned_sentences(const SearchReport& report, const Verdict& verdict) {
  const SearchOptions& options = report.result.options;
  if (options.objective != Objective::time || has_blocks(report) || !report.result.linear().is_counted) return {};
  const Execution other = options.execution == Execution::level ? Execution::dag : Execution::level;
  const OtherScore by_execution = [&](const Candidate& c) -> std::optional<double> {
    if (options.in_seconds()) return other == Execution::level ? c.level_s : c.dag_s;
    const std::optional<Makespan> makespan = c.pram.makespan(other);
    if (!makespan) return std::nullopt;  // of batches without barriers
    return static_cast<double>(makespan->flops) / static_cast<double>(report.result.inputs);
  };
  std::vector<std::string> sentences = {
      turned_text(report, verdict, fmt::format("{} execution", to_string(other)), by_execution, dense_of(report))};
  if (!options.memory_limit) {
    const std::uint64_t batch = options.other_batch();
    const std::string other_batch = batch == 1 ? "one " + report.input : fmt::format("a batch of {}", batch);
    sentences.push_back(turned_text(
        report, verdict, other_batch + " (level execution)", [](const Candidate& c) { return c.batched_score; },
        dense_of(report, batch)));
  }
  if (!options.in_seconds() || other == Execution::level) return sentences;
  for (std::size_t i = 0; i < kLaunchModes.size(); ++i) {
    const LaunchMode mode = kLaunchModes[i];
    if (!can_launch(*options.machine, mode) || mode == options.machine->launch) continue;
    const Machine machine = launched(*options.machine, mode);
    sentences.push_back(turned_text(
        report, verdict, launch_text(mode), [i](const Candidate& c) { return c.launch_s[i]; },
        dense_on(report, machine)));
  }
  return sentences;
}

}  // namespace upsweep

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "search_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

/// Another usual setting, and what is known under it.
struct OtherSetting {
  std::string name;
  std::function<std::optional<double>(const Candidate&)> score;  ///< nothing where it is not known
  std::optional<DenseBackprop> dense = {};
  std::optional<GraphScores> graph = {};  ///< of networks with blocks
};

/// The scan and plain back-propagation with the smallest scores under another setting; nothing where one is not known.
struct OtherScores {
  std::string scan;
  double scan_score = 0;
  double plain_score = 0;
};

std::optional<OtherScores> other_scores(const SearchResult& result, const OtherSetting& setting) {
  const Candidate* scan = nullptr;
  std::optional<double> plain;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Candidate& c = result.at(i);
    if (i > 0 && !c.feasible) continue;
    const std::optional<double> mine = setting.score(c);
    if (!mine) return std::nullopt;
    if (c.is_plain) plain = std::min(plain.value_or(*mine), *mine);
    if (c.is_scan() && (scan == nullptr || *mine < *setting.score(*scan))) scan = &c;
  }
  if (scan == nullptr || !plain || *plain == 0) return std::nullopt;
  return OtherScores{scan->schedule, *setting.score(*scan), *plain};
}

/// Whether the scan pays beside all baselines that are known but that of shared ops.
bool pays_on_whole_ops(const Verdict& verdict) {
  return std::ranges::all_of(verdict.baselines, [&](const Baseline& baseline) {
    const std::optional<double> ratio = baseline.ratio();
    return baseline.is_of_shared_ops || !baseline.missing.empty() ||
           (ratio && standing_of(*ratio, verdict.same) == Standing::pays);
  });
}

/// Where another usual setting turns the comparison: that, as a sentence; else empty.
std::string turned_text(const SearchReport& report, const Verdict& verdict, const OtherSetting& setting) {
  if (verdict.baselines.empty() || !verdict.baselines.front().ratio()) return "";
  if (has_blocks(report) && !setting.graph) return "";
  const std::optional<OtherScores> scores = other_scores(report.result, setting);
  if (!scores) return "";
  const double ratio = scores->scan_score / scores->plain_score;
  const double complete = scores->scan_score + (setting.graph ? setting.graph->beside_scan() : 0);
  const double to_dense = setting.dense ? complete / setting.dense->gradients_s : 0;
  const double to_graph = setting.graph ? complete / setting.graph->backprop : 0;
  const double largest = std::max({ratio, to_dense, to_graph});
  const Standing standing = standing_of(largest, verdict.same);
  if ((standing == Standing::pays) == pays_on_whole_ops(verdict)) return "";
  std::string text =
      fmt::format("With {} {}: {} is {}", setting.name,
                  standing == Standing::gains_nothing ? "a scan gains nothing" : "it is the other way round",
                  scores->scan, speed_text(ratio, report.plain));
  if (setting.graph)
    text += fmt::format(", counting what blocks take {}", speed_text(to_graph, "plain BP over the graph"));
  if (setting.dense) text += fmt::format(" and {}", speed_text(to_dense, "dense BP"));
  return text + (has_shared(verdict) ? " with each op on one worker." : ".");
}

/// Of a network with blocks under other options; nothing without blocks.
std::optional<GraphScores> graph_under(const SearchReport& report, const SearchOptions& options) {
  if (!has_blocks(report)) return std::nullopt;
  return graph_scores(*report.network, *report.network_profile, options, report.result.workers);
}

}  // namespace

std::vector<std::string> turned_sentences(const SearchReport& report, Verdict& verdict) {
  const SearchOptions& options = report.result.options;
  if (options.objective != Objective::time || !report.result.linear().is_counted) return {};
  std::vector<OtherSetting> settings;
  SearchOptions other = options;
  other.execution = options.execution == Execution::level ? Execution::dag : Execution::level;
  const auto by_execution = [&](const Candidate& c) -> std::optional<double> {
    if (options.in_seconds()) return other.execution == Execution::level ? c.level_s : c.dag_s;
    const std::optional<Makespan> makespan = c.pram.makespan(other.execution);
    if (!makespan) return std::nullopt;  // of batches without barriers
    return static_cast<double>(makespan->flops) / static_cast<double>(report.result.inputs);
  };
  settings.push_back({fmt::format("{} execution", to_string(other.execution)), by_execution, dense_of(report),
                      graph_under(report, other)});
  if (!options.memory_limit) {
    SearchOptions batched = options;
    batched.batch = options.other_batch();
    batched.execution = Execution::level;
    const std::string other_batch =
        batched.batch == 1 ? "one " + report.input : fmt::format("a batch of {}", batched.batch);
    settings.push_back({other_batch + " (level execution)", [](const Candidate& c) { return c.batched_score; },
                        dense_of(report, batched.batch), graph_under(report, batched)});
  }
  std::vector<std::string> sentences;
  const auto add = [&](const OtherSetting& setting) {
    sentences.push_back(turned_text(report, verdict, setting));
    if (!sentences.back().empty()) verdict.parts.turned_by.push_back(setting.name);
  };
  for (const OtherSetting& setting : settings) add(setting);
  if (!options.in_seconds() || options.execution == Execution::dag) return sentences;
  for (std::size_t i = 0; i < kLaunchModes.size(); ++i) {
    const LaunchMode mode = kLaunchModes[i];
    if (!can_launch(*options.machine, mode) || mode == options.machine->launch) continue;
    const Machine machine = launched(*options.machine, mode);
    SearchOptions started = options;
    started.machine = &machine;
    const auto by_launch = [i](const Candidate& c) { return c.launch_s[i]; };
    add({launch_text(mode), by_launch, dense_on(report, machine), graph_under(report, started)});
  }
  return sentences;
}

}  // namespace upsweep

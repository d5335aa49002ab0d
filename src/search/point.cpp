#include "upsweep/search/point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "point_rules.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/search/graph_scores.hpp"
#include "upsweep/sim/dense_time.hpp"

namespace upsweep {
namespace {

const ScheduleProfile& profile_named(const Analysis& analysis, const std::string& name) {
  for (const ScheduleProfile& profile : analysis.schedules) {
    if (profile.schedule.name == name) return profile;
  }
  throw std::invalid_argument(fmt::format("the model was not counted under the schedule {}", name));
}

void add_graph_figures(const Network& network, const NetworkProfile& profile, const PointRules& rules,
                       PointFigures& figures) {
  const bool is_of_shared_ops = rules.ops == Ops::shared && has_whole_ops(rules.machine);
  if (!network.has_blocks() || is_of_shared_ops) return;
  SearchOptions options;
  options.objective = rules.objective;
  options.execution = rules.execution;
  options.batch = rules.batch;
  options.machine = rules.machine;
  options.value_bytes = rules.value_bytes;
  const std::optional<GraphScores> scores = graph_scores(network, profile, options, rules.workers);
  if (!scores) return;
  figures.graph_score = scores->backprop;
  figures.blocks_score = scores->beside_scan();
}

/// What does not depend on the schedule.
PointFigures network_figures(const CountedNetwork& counted, const PointRules& rules) {
  const NetworkProfile& network = counted.analysis.network;
  const auto inputs = static_cast<double>(network.inputs);
  PointFigures figures;
  figures.is_in_seconds = rules.machine != nullptr;
  figures.workers = rules.workers;
  figures.elements = network.links.size();
  figures.chain_build_values = static_cast<double>(checked_mul(network.build_values, rules.batch)) / inputs;
  for (const LinkProfile& link : network.links) {
    figures.largest_jacobian_bytes = std::max(figures.largest_jacobian_bytes, static_cast<double>(link.bytes) / inputs);
    // The gradient that a link starts from; none of the chain's own input is needed.
    figures.largest_vector_bytes =
        std::max(figures.largest_vector_bytes, static_cast<double>(checked_mul(link.cols, rules.value_bytes)));
  }
  if (counted.network == nullptr) return figures;
  add_graph_figures(*counted.network, network, rules, figures);
  if (rules.machine == nullptr) return figures;
  if (const std::optional<DenseRates> rates = dense_rates(*rules.machine, rules.workers, rules.value_bytes))
    figures.dense_score = dense_backprop(*counted.network, network, *rates, rules.batch).gradients_s;
  return figures;
}

}  // namespace

std::string to_string(IntervalEnd end) {
  switch (end) {
    case IntervalEnd::predicted:
      return "predicted";
    case IntervalEnd::low:
      return "low";
    case IntervalEnd::high:
      return "high";
  }
  return "";
}

PointFigures score_point(const CountedNetwork& network, const Machine* machine, const PointSettings& settings) {
  const std::size_t length = network.analysis.network.links.size() + 1;
  const PointRules rules = rules_of(settings, length, network.value_bytes, machine);
  const AskedSchedules asked = asked_schedules(settings, length, rules.workers);
  const auto scored_by = [&](const std::string& name) {
    return score_counted(*counted(profile_named(network.analysis, name), network.value_bytes), rules);
  };
  PointFigures figures = network_figures(network, rules);
  figures.plain = scored_by(hybrid_name(0));
  std::vector<PointSchedule> scored;
  for (std::uint32_t depth = asked.first_depth; depth < asked.end_depth; ++depth)
    scored.push_back(depth == 0 ? figures.plain : scored_by(hybrid_name(depth)));
  for (const std::string& name : asked.schemes) scored.push_back(scored_by(name));
  choose_schedules(scored, figures);
  return figures;
}

}  // namespace upsweep

#include <algorithm>
#include <stdexcept>

#include "turns.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

/// A part of the hidden gradients of a pass that is accounted for.
struct PassPart {
  ExplainedLevel level;
  DevicePhase cost;
};

/// Levels where a pass is predicted by them, else phases that have something to do.
std::vector<PassPart> parts_of(const DevicePrediction& prediction) {
  std::vector<PassPart> parts;
  const auto add = [&parts](const char* phase, const DevicePhase& cost) {
    if (cost.seconds() > 0) parts.push_back({{phase, 1, cost.kernels, cost.flops}, cost});
  };
  add("jacobians", prediction.jacobians);
  for (const DeviceLevel& level : prediction.levels) {
    // The middle is one entry with the products of all its levels.
    const std::uint64_t times = level.phase == Phase::middle ? 1 : level.levels;
    parts.push_back(
        {{to_string(level.phase), level.levels, checked_mul(times, level.products), level.cost.flops}, level.cost});
  }
  if (!prediction.levels.empty()) return parts;
  add("up", prediction.up);
  add("middle", prediction.middle);
  add("down", prediction.down);
  return parts;
}

}  // namespace

Explanation explain(const ExplainedPass& schedule, const ExplainedPass& against, const ExplainedOn& on) {
  if (on.machine == nullptr || schedule.shape != against.shape)
    throw std::invalid_argument("passes over different models or on no machine, accepted are two over one model");
  const auto predict = [&](const ExplainedPass& pass, const Machine& machine, std::size_t steps, double latencies) {
    PassShape shape = pass.shape;
    shape.steps = steps;
    DeviceAssumptions assumptions = pass.assumptions;
    assumptions.host_launch_s *= latencies;
    return predict_on_device(machine, shape, pass.method, on.value_bytes, assumptions);
  };
  const auto wins = [&](const Machine& machine, std::size_t steps, double latencies) {
    return takes_less(predict(schedule, machine, steps, latencies).hidden_s(),
                      predict(against, machine, steps, latencies).hidden_s());
  };
  const std::size_t steps = schedule.shape.steps;
  Explanation explanation;
  explanation.schedule = to_string(schedule.method);
  explanation.against = to_string(against.method);
  explanation.workers = on.workers;
  Account account;
  account.rule = AccountRule::seconds;
  const DevicePrediction mine = predict(schedule, *on.machine, steps, 1);
  account.total = mine.hidden_s();
  account.against = predict(against, *on.machine, steps, 1).hidden_s();
  for (const PassPart& part : parts_of(mine)) {
    explanation.levels.push_back(part.level);
    add_to(explanation.flops, part.level.flops);
    const double seconds = part.cost.seconds();
    account.levels.push_back({seconds, seconds > 0 ? resource_text(part.cost.bound()) : ""});
  }
  account.turns =
      machine_turns(*on.machine, [&](const Machine& other, double latencies) { return wins(other, steps, latencies); });
  account.turns.push_back(number_turn(Turn::Of::steps, steps, kMostExtent,
                                      [&](std::uint64_t number) { return wins(*on.machine, number, 1); }));
  explanation.accounts = {std::move(account)};
  return explanation;
}

}  // namespace upsweep

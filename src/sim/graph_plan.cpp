#include "upsweep/sim/graph_plan.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "upsweep/profile/network_profile.hpp"

namespace upsweep {
namespace {

class Planner {
 public:
  explicit Planner(const Network& network)
      : network_(network), needed_(needs_gradient(network)), arrived_(network.operators().size() + 1) {}

  [[nodiscard]] GraphPlan run() {
    const std::size_t operators = network_.operators().size();
    arrived_[operators - 1] = {new_buffer(elements(network_.operators().back().out_shape), 0)};
    std::vector<GradientPart> gradients(operators + 1);
    for (std::size_t o = operators; o-- > 0;) {
      gradients[o] = finish(o, needed_[o]);
      hand_back(o, gradients[o]);
    }
    gradients[operators] = finish(operators, false);
    for (std::size_t i = 0; i < network_.links().size(); ++i)
      plan_.of_link_input.push_back(gradients[place_of(network_.link(i).input)]);
    plan_.of_link_input.push_back(gradients[operators - 1]);
    // Those of the input begin wherever the tasks they wait for end.
    std::erase_if(plan_.input_levels, [](const auto& level) { return level.empty(); });
    return std::move(plan_);
  }

 private:
  /// Of an activation: operators by position, the network's input behind them.
  [[nodiscard]] std::size_t place_of(std::size_t position) const {
    return position == kNetworkInput ? network_.operators().size() : position;
  }

  /// `level` of the tasks that have written it; 0 for the loss gradient, which is there.
  GradientPart new_buffer(std::size_t count, std::size_t level) {
    plan_.buffer_sizes.push_back(count);
    level_of_.push_back(level);
    return {plan_.buffer_sizes.size() - 1, 0, count};
  }

  /// The gradient of an activation, all whose readers have handed it what they have.
  GradientPart finish(std::size_t place, bool is_needed) {
    std::vector<GradientPart>& parts = arrived_[place];
    assert(!parts.empty());  // every activation is read, but the last
    if (parts.size() == 1) return parts[0];
    const std::size_t count = parts[0].count;
    return append({PlannedTask::kSum, std::move(parts), 0}, count, is_needed);
  }

  void hand_back(std::size_t o, const GradientPart& gradient) {
    const OperatorKind& kind = network_.operators()[o].kind;
    std::size_t first = gradient.first;
    std::size_t which = 0;
    for (const std::size_t input : network_.inputs_of(o)) {
      const std::size_t count = elements(network_.shape_of(input));
      GradientPart part = gradient;
      if (joins_parts(kind)) {
        part = {gradient.buffer, first, count};
        first += count;
      } else if (!is_view(kind) && !is_join(kind)) {
        part = append({o, {gradient}, 0, which++}, count, input != kNetworkInput && needed_[input]);
      }
      arrived_[place_of(input)].push_back(part);
    }
  }

  GradientPart append(PlannedTask task, std::size_t count, bool is_needed) {
    std::size_t level = 0;  // counted from 0: what is there before any task does not delay it
    for (const GradientPart& read : task.reads) level = std::max(level, level_of_[read.buffer]);
    const GradientPart written = new_buffer(count, level + 1);
    task.target = written.buffer;
    TaskLevels& levels = is_needed ? plan_.levels : plan_.input_levels;
    if (levels.size() <= level) levels.resize(level + 1);
    levels[level].push_back(std::move(task));
    return written;
  }

  const Network& network_;
  std::vector<bool> needed_;
  std::vector<std::vector<GradientPart>> arrived_;  // by place
  std::vector<std::size_t> level_of_;               // by buffer
  GraphPlan plan_;
};

}  // namespace

bool hands_to_needed(const Network& network, const std::vector<bool>& needed, std::size_t position) {
  return std::ranges::any_of(network.inputs_of(position),
                             [&](std::size_t input) { return input != kNetworkInput && needed[input]; });
}

GraphPlan plan_graph_backprop(const Network& network) { return Planner(network).run(); }

}  // namespace upsweep

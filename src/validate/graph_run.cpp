#include "upsweep/validate/graph_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/base/measuring.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/sim/graph_plan.hpp"

namespace upsweep {
namespace {

void require_lengths(const GraphAtInput& at) {
  const std::vector<Operator>& operators = at.network.operators();
  bool fit = at.x.size() == elements(at.network.input()) && at.outputs.size() == operators.size() &&
             at.weights.size() == operators.size() && at.loss_gradient.size() == elements(operators.back().out_shape);
  for (std::size_t o = 0; fit && o < operators.size(); ++o) {
    const auto weights = weight_shape(operators[o].kind, operators[o].in_shape);
    fit = at.outputs[o].size() == elements(operators[o].out_shape) &&
          (!weights || at.weights[o].values.size() == elements(*weights));
  }
  if (!fit)
    throw std::invalid_argument("the input, the outputs, the weights or the loss gradient is not the network's");
}

/// A transposed Jacobian with numbers.
template <class T>
struct Jacobian {
  std::optional<Pattern> pattern;
  std::vector<T> values;
};

/// y = J^T · x; the number of multiplications.
template <class T>
std::uint64_t multiply(const Jacobian<T>& jacobian, const T* x, T* y) {
  const T* value = jacobian.values.data();
  for (Index r = 0; r < jacobian.pattern->rows(); ++r) {
    T sum = 0;
    jacobian.pattern->row(r).for_each([&](Index column) { sum += *value++ * x[column]; });
    y[r] = sum;
  }
  return static_cast<std::uint64_t>(value - jacobian.values.data());
}

/// The whole system with its numbers.
template <class T>
class GraphSystem {
 public:
  explicit GraphSystem(const GraphAtInput& at)
      : at_(at), plan_(plan_graph_backprop(at.network)), jacobians_(at.network.operators().size()) {
    for (const std::size_t count : plan_.buffer_sizes) buffers_.emplace_back(count);
    for (std::size_t i = 0; i < at.loss_gradient.size(); ++i) {
      buffers_[0][i] = static_cast<T>(at.loss_gradient[i]);
      if (!std::isfinite(buffers_[0][i])) {
        throw error_at(
            at.network.operators().size() - 1,
            fmt::format("an element of the loss gradient is {}, accepted are numbers of {} in absolute value "
                        "at most",
                        at.loss_gradient[i], std::numeric_limits<T>::max()));
      }
    }
    for (std::size_t o = 0; o < jacobians_.size(); ++o) add_pattern(o);
  }

  /// Writes the numbers of all Jacobians; seconds for those that the measured levels read.
  double build() {
    const std::vector<bool> needed = needs_gradient(at_.network);
    double seconds = 0;
    for (std::size_t o = 0; o < jacobians_.size(); ++o) {
      if (jacobians_[o].empty()) continue;
      Laps laps;
      fill(o);
      if (hands_to_needed(at_.network, needed, o)) seconds += laps.lap();
    }
    return seconds;
  }

  [[nodiscard]] const GraphPlan& plan() const { return plan_; }

  /// Runs level by level; the FLOPs that were done.
  std::uint64_t run(const TaskLevels& levels) {
    std::uint64_t flops = 0;
    for (const std::vector<PlannedTask>& level : levels) {
      done_.assign(level.size(), 0);
      parallel_chunks(level.size(), 1, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t t = begin; t < end; ++t) done_[t] = run(level[t]);
      });
      for (const std::uint64_t of_task : done_) add_to(flops, of_task);
    }
    return flops;
  }

  /// By buffer, the roundings on a path to its numbers.
  [[nodiscard]] std::vector<double> roundings() const {
    std::vector<double> roundings(plan_.buffer_sizes.size(), 1.0);  // the loss gradient's, to type T
    for (const TaskLevels* levels : {&plan_.levels, &plan_.input_levels}) {
      for (const std::vector<PlannedTask>& level : *levels) {
        for (const PlannedTask& task : level) {
          double most = 0;
          for (const GradientPart& read : task.reads) most = std::max(most, roundings[read.buffer]);
          // One to type T, one for the multiplication, and the additions of the longest row.
          roundings[task.target] =
              most + (task.op == PlannedTask::kSum ? static_cast<double>(task.reads.size() - 1)
                                                   : 1.0 + jacobians_[task.op][task.input].pattern->max_row_nnz());
        }
      }
    }
    return roundings;
  }

  [[nodiscard]] std::vector<double> numbers(const GradientPart& part) const {
    const auto begin = buffers_[part.buffer].begin() + static_cast<std::ptrdiff_t>(part.first);
    return {begin, begin + static_cast<std::ptrdiff_t>(part.count)};
  }

 private:
  [[nodiscard]] OperatorError error_at(std::size_t o, const std::string& what) const {
    const Operator& op = at_.network.operators()[o];
    return {o, fmt::format("{} '{}': {}", kind_name(op.kind), op.name, what)};
  }

  [[nodiscard]] std::vector<std::span<const double>> inputs_of(std::size_t o) const {
    std::vector<std::span<const double>> inputs;
    for (const std::size_t input : at_.network.inputs_of(o))
      inputs.push_back(input == kNetworkInput ? at_.x : std::span<const double>(at_.outputs[input]));
    return inputs;
  }

  void add_pattern(std::size_t o) {
    const Operator& op = at_.network.operators()[o];
    if (is_view(op.kind) || is_join(op.kind)) return;
    for (std::size_t input = 0; input <= op.other_shapes.size(); ++input) {
      Jacobian<T>& jacobian = jacobians_[o].emplace_back();
      jacobian.pattern = at_.pattern == PatternKind::sample && depends_on_input(op.kind)
                             ? sample_pattern(op, at_.weights[o], inputs_of(o)[0])
                             : guaranteed_pattern(op, at_.weights[o], PatternForm::rows, input);
      jacobian.values.resize(jacobian.pattern->nnz());
    }
  }

  void fill(std::size_t o) {
    try {
      const std::vector<std::span<const double>> inputs = inputs_of(o);
      for (std::size_t input = 0; input < jacobians_[o].size(); ++input) {
        Jacobian<T>& jacobian = jacobians_[o][input];
        fill_jacobian_values<T>(at_.network.operators()[o], at_.weights[o], inputs, input, *jacobian.pattern,
                                jacobian.values);
      }
    } catch (const std::overflow_error& error) {
      throw error_at(o, fmt::format("a derivative: {}", error.what()));
    }
  }

  /// Runs a task; its FLOPs.
  std::uint64_t run(const PlannedTask& task) {
    std::vector<T>& target = buffers_[task.target];
    const auto numbers_of = [&](const GradientPart& part) { return buffers_[part.buffer].data() + part.first; };
    if (task.op != PlannedTask::kSum) {
      const std::uint64_t products =
          multiply(jacobians_[task.op][task.input], numbers_of(task.reads[0]), target.data());
      const Operator& op = at_.network.operators()[task.op];
      // One addition for each; what only moves numbers adds up those that were repeated.
      return is_moving(op.kind) ? baseline_mixing_flops(op, task.input) : 2 * products;
    }
    std::uint64_t additions = 0;
    const T* first = numbers_of(task.reads[0]);
    std::copy_n(first, target.size(), target.begin());
    for (std::size_t k = 1; k < task.reads.size(); ++k) {
      const T* summand = numbers_of(task.reads[k]);
      for (std::size_t i = 0; i < target.size(); ++i) target[i] += summand[i];
      additions += target.size();
    }
    return additions;
  }

  const GraphAtInput& at_;
  GraphPlan plan_;
  std::vector<std::vector<Jacobian<T>>> jacobians_;  // by operator and input; none of views and joins
  std::vector<std::vector<T>> buffers_;
  std::vector<std::uint64_t> done_;  // by task of the level at hand
};

template <class T>
void measure(GraphSystem<T>& system, const RunOptions& options, GraphRun& run) {
  const ThreadLimit limit(std::max<std::size_t>(1, options.workers));
  run.threads = parallel_threads();
  const TaskLevels& levels = system.plan().levels;
  const auto once = [&] { return seconds_of([&] { run.flops = system.run(levels); }); };
  std::vector<double> seconds = repeat({options.repetitions, options.min_seconds}, once);
  run.repetitions = seconds.size();
  run.seconds = median(std::move(seconds));
  run.input_flops = system.run(system.plan().input_levels);
}

}  // namespace

template <class T>
GraphRun run_graph_backprop(const GraphAtInput& at, const RunOptions& options) {
  require_lengths(at);
  GraphSystem<T> system(at);
  GraphRun run;
  run.build_seconds = median({system.build(), system.build(), system.build()});
  run.levels = system.plan().levels.size();
  measure(system, options, run);
  const std::vector<double> roundings = system.roundings();
  for (const GradientPart& part : system.plan().of_link_input) {
    run.gradients.push_back(system.numbers(part));
    run.roundings.push_back(roundings[part.buffer]);
  }
  return run;
}

template GraphRun run_graph_backprop<float>(const GraphAtInput&, const RunOptions&);
template GraphRun run_graph_backprop<double>(const GraphAtInput&, const RunOptions&);

}  // namespace upsweep

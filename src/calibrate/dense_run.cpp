#include "upsweep/calibrate/dense_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "dense_kernels.hpp"
#include "upsweep/base/laps.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/sim/graph_plan.hpp"

namespace upsweep {
namespace {

/// Sums shorter than this are not worth waking another thread.
constexpr std::size_t kSummedPerChunk = 1 << 14;

/// What one run of all kernels took.
struct DenseLaps {
  std::vector<double> kernel_s;  // as DenseRun::kernel_s
  double weights_s = 0;

  [[nodiscard]] double gradients_s() const {
    double sum = 0;
    for (const double seconds : kernel_s) sum += seconds;
    return sum;
  }
};

template <class T>
class DenseSystem {
 public:
  DenseSystem(const Network& network, std::size_t threads)
      : plan_(plan_graph_backprop(network)), kernels_(network.operators().size()) {
    for (std::size_t o = 0; o < kernels_.size(); ++o) {
      const Operator& op = network.operators()[o];
      if (is_view(op.kind) || is_join(op.kind)) continue;
      kernels_[o] = dense_kernels<T>(op, threads);
      if (kernels_[o] || !missing_.empty()) continue;
      missing_ = fmt::format("{} '{}' has no dense kernel here", kind_name(op.kind), op.name);
    }
    for (const std::size_t size : plan_.buffer_sizes) buffers_.emplace_back(size, T{1});
  }

  [[nodiscard]] const std::string& missing() const { return missing_; }
  [[nodiscard]] std::size_t kernels() const {
    std::size_t count = 0;
    for (const std::vector<PlannedTask>& level : plan_.levels) count += level.size();
    return count;
  }

  /// Runs all kernels once.
  DenseLaps run() {
    DenseLaps laps;
    laps.kernel_s.resize(kernels_.size() + 1);
    for (const std::vector<PlannedTask>& level : plan_.levels) {
      for (const PlannedTask& task : level) run(task, true, laps);
    }
    for (const std::vector<PlannedTask>& level : plan_.input_levels) {
      for (const PlannedTask& task : level) run(task, false, laps);
    }
    return laps;
  }

 private:
  /// `has_gradient`: the input of the operator has one.
  void run(const PlannedTask& task, bool has_gradient, DenseLaps& laps) {
    Laps clock;
    T* const target = buffers_[task.target].data();
    if (task.op == PlannedTask::kSum) {
      if (!has_gradient) return;
      add_up(task, target);
      laps.kernel_s.back() += clock.lap();
      return;
    }
    DenseKernels<T>& kernels = *kernels_[task.op];
    const T* const gradient = numbers(task.reads[0]);
    if (has_gradient) {
      kernels.to_input(gradient, target);
      laps.kernel_s[task.op] += clock.lap();
    }
    if (!kernels.has_weights()) return;
    clock = Laps();
    kernels.to_weights(gradient);
    laps.weights_s += clock.lap();
  }

  void add_up(const PlannedTask& task, T* target) {
    const T* const first = numbers(task.reads[0]);
    const T* const second = numbers(task.reads[1]);
    parallel_chunks(task.reads[0].count, kSummedPerChunk, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t i = begin; i < end; ++i) target[i] = first[i] + second[i];
      for (std::size_t k = 2; k < task.reads.size(); ++k) {
        const T* const more = numbers(task.reads[k]);
        for (std::size_t i = begin; i < end; ++i) target[i] += more[i];
      }
    });
  }

  [[nodiscard]] const T* numbers(const GradientPart& part) const { return buffers_[part.buffer].data() + part.first; }

  GraphPlan plan_;
  std::vector<std::unique_ptr<DenseKernels<T>>> kernels_;  // by operator; null of views and joins
  std::string missing_;
  std::vector<std::vector<T>> buffers_;
};

}  // namespace

template <class T>
DenseRun run_dense_backprop(const Network& network, std::size_t workers, const Repetitions& repetitions) {
  const ThreadLimit limit(std::max<std::size_t>(1, workers));
  DenseSystem<T> system(network, parallel_threads());
  DenseRun run;
  run.skipped = system.missing();
  if (!run.skipped.empty()) return run;
  run.threads = parallel_threads();
  run.kernels = system.kernels();
  const std::vector<DenseLaps> laps = repeat(
      repetitions, [&] { return system.run(); },
      [](const DenseLaps& one) { return one.gradients_s() + one.weights_s; });
  run.repetitions = laps.size();
  std::vector<double> gradients;
  std::vector<double> weights;
  std::vector<std::vector<double>> kernels;
  for (const DenseLaps& one : laps) {
    gradients.push_back(one.gradients_s());
    weights.push_back(one.weights_s);
    kernels.push_back(one.kernel_s);
  }
  run.gradients_s = median(std::move(gradients));
  run.weight_gradients_s = median(std::move(weights));
  run.kernel_s = medians(kernels);
  return run;
}

template DenseRun run_dense_backprop<float>(const Network&, std::size_t, const Repetitions&);
template DenseRun run_dense_backprop<double>(const Network&, std::size_t, const Repetitions&);

}  // namespace upsweep

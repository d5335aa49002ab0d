#include "speedup_binding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "upsweep/study/evaluate_point.hpp"

namespace upsweep {
namespace {

/// Speedups within this factor of each other are taken for equal.
constexpr double kEqual = 1.01;

struct Helped {
  Binding binding;
  double speedup;  ///< with twice as much
};

/// 0 without a scan that is feasible.
double speedup_of(const PointInputs& inputs, CountCache& cache) {
  const double speedup = brief_of(evaluate_point(inputs, cache), 0).speedup();
  return std::isnan(speedup) ? 0 : speedup;
}

PointInputs without_limit(PointInputs inputs) {
  inputs.settings.point.memory_limit.reset();
  inputs.settings.point.is_limited_by_machine = false;
  return inputs;
}

PointInputs with_workers(PointInputs inputs, std::uint64_t workers, std::uint64_t most) {
  inputs.settings.point.workers = workers > most / 2 ? most : 2 * workers;
  return inputs;
}

PointInputs with_better(PointInputs inputs, Binding binding) {
  inputs.machine.machine = std::make_shared<const Machine>(scaled(*inputs.machine.machine, binding, 2));
  return inputs;
}

}  // namespace

std::optional<Binding> speedup_binding(const PointInputs& inputs, CountCache& cache) {
  if (inputs.is_excluded || !inputs.error.empty()) return std::nullopt;
  const PointRecord record = evaluate_point(inputs, cache);
  if (record.status == PointStatus::invalid) return std::nullopt;
  const double now = speedup_of(inputs, cache);
  if (!std::isnan(record.memory_limit) && speedup_of(without_limit(inputs), cache) > now) return Binding::memory;
  const Machine* machine = inputs.machine.machine.get();
  const std::uint64_t most = machine == nullptr ? std::numeric_limits<std::uint64_t>::max() : machine->workers();
  const std::uint64_t workers = record.figures.workers;
  std::vector<Helped> helped;
  if (workers < most) {
    helped.push_back({Binding::workers, speedup_of(with_workers(inputs, workers, most), cache)});
  }
  if (machine != nullptr && record.figures.is_in_seconds) {
    for (const Binding binding : {Binding::latency, Binding::bandwidth, Binding::arithmetic}) {
      helped.push_back({binding, speedup_of(with_better(inputs, binding), cache)});
    }
  }
  double largest = now;
  for (const Helped& one : helped) largest = std::max(largest, one.speedup);
  if (largest <= now * kEqual) return binding_of_point(inputs, cache);
  return std::find_if(helped.begin(), helped.end(), [&](const Helped& one) { return one.speedup * kEqual >= largest; })
      ->binding;
}

}  // namespace upsweep

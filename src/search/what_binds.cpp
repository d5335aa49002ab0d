#include "upsweep/search/what_binds.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace upsweep {
namespace {

/// Scores of resources within this factor of each other are taken for equal.
constexpr double kEqual = 1.01;

/// What the question is about: the best scan, else what was asked for; null where nothing of it is feasible.
const PointSchedule* scan_of(const PointFigures& figures) {
  if (figures.scan) return &*figures.scan;
  if (figures.refused_scan || !figures.best) return nullptr;
  return &*figures.best;
}

/// No schedule: worse than every score.
double scan_score(const PointFigures& figures) {
  const PointSchedule* scan = scan_of(figures);
  return scan == nullptr ? std::numeric_limits<double>::infinity() : scan->score;
}

struct Helped {
  Binding binding;
  double score;  ///< with twice as much
};

/// The first of those that are within a hair of the best.
Binding most_helpful(const std::vector<Helped>& helped) {
  const double least = std::ranges::min(helped, {}, &Helped::score).score;
  return std::ranges::find_if(helped, [&](const Helped& one) { return one.score <= least * kEqual; })->binding;
}

std::uint64_t twice(std::uint64_t workers, std::uint64_t most) { return workers > most / 2 ? most : 2 * workers; }

constexpr std::array kRates = {Binding::latency, Binding::bandwidth, Binding::arithmetic};

Helped with_workers(const Rescore& score, const Machine* machine, PointSettings settings, std::uint64_t workers,
                    std::uint64_t most) {
  settings.workers = twice(workers, most);
  return {Binding::workers, scan_score(score(machine, settings))};
}

}  // namespace

Binding binding_resource(const Rescore& score, const Machine* machine, const PointSettings& settings) {
  const PointFigures figures = score(machine, settings);
  const double now = scan_score(figures);
  const bool is_limited = settings.memory_limit || (settings.is_limited_by_machine && machine != nullptr);
  if (is_limited) {
    PointSettings unlimited = settings;
    unlimited.memory_limit.reset();
    unlimited.is_limited_by_machine = false;
    if (scan_score(score(machine, unlimited)) * kEqual < now) return Binding::memory;
  }
  std::vector<Helped> helped;
  const std::uint64_t most = machine == nullptr ? std::numeric_limits<std::uint64_t>::max() : machine->workers();
  if (figures.workers < most) helped.push_back(with_workers(score, machine, settings, figures.workers, most));
  if (figures.is_in_seconds) {
    for (const Binding binding : kRates) {
      const Machine better = scaled(*machine, binding, 2);
      helped.push_back({binding, scan_score(score(&better, settings))});
    }
  } else {
    helped.push_back({Binding::arithmetic, now / 2});  // scores are FLOPs: each takes half the time
  }
  return most_helpful(helped);
}

std::optional<Binding> binding_of(const CountedSchedule& schedule, const Machine& machine, std::uint64_t workers,
                                  Execution execution, Scope scope, std::uint64_t batch) {
  const auto seconds = [&](const Machine& on, std::uint64_t count) {
    return execution == Execution::level ? schedule.level_seconds(on, count, scope, batch)
                                         : schedule.dag_seconds(on, count, scope);
  };
  const std::optional<double> now = seconds(machine, workers);
  if (!now) return std::nullopt;
  std::vector<Helped> helped;
  const auto help = [&](Binding binding, const std::optional<double>& score) {
    if (score) helped.push_back({binding, *score});  // a simulation may give up
  };
  if (workers < machine.workers()) help(Binding::workers, seconds(machine, twice(workers, machine.workers())));
  for (const Binding binding : kRates) help(binding, seconds(scaled(machine, binding, 2), workers));
  if (helped.empty()) return std::nullopt;
  const Binding binding = most_helpful(helped);
  const auto best = std::ranges::find(helped, binding, &Helped::binding);
  if (!(best->score * kEqual < *now)) return std::nullopt;
  return binding;
}

}  // namespace upsweep

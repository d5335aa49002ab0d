#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/random.hpp"
#include "support/schedules.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sim/complexity.hpp"
#include "upsweep/store/stored_run.hpp"

namespace upsweep::testing {

/// What a store would hand out of a profile.
[[nodiscard]] inline RunDetails details_of(const ScheduleProfile& profile, std::size_t workers, Execution execution,
                                           Scope scope = Scope::all) {
  const PramProfile pram = pram_profile(profile, workers, scope);
  const auto mean = [&](std::uint64_t sum) { return static_cast<double>(sum) / static_cast<double>(profile.inputs); };
  RunDetails details;
  StoredRun& run = details.run;
  run.id = 7;
  run.model = "random chain";
  run.inputs = profile.inputs;
  run.requested = run.schedule = profile.schedule.name;
  run.length = profile.schedule.length;
  run.levels = profile.schedule.levels;
  run.workers = workers;
  run.ops = profile.ops.size();
  run.makespan_level_flops = mean(pram.level.flops);
  run.makespan_dag_flops = mean(pram.dag->flops);
  run.peak_live_bytes = mean(pram.peak_live_bytes);
  details.search = StoredSearch{};
  details.search->execution = to_string(execution);
  details.search->scope = scope == Scope::live ? "live" : "all";
  for (std::size_t level = 0; level < profile.levels.size(); ++level) {
    const LevelProfile& mine = profile.levels[level];
    details.levels.push_back({static_cast<std::uint32_t>(level), to_string(mine.phase), mine.ops, mean(mine.flops_sum),
                              mean(mine.flops_max)});
  }
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    const OpProfile& op = profile.ops[id];
    const Combine& combine = profile.schedule.combines[id];
    details.ops.push_back({static_cast<std::uint32_t>(id), combine.level, combine.left, combine.right, combine.target,
                           op.is_mv, op.dead, op.m, op.k, op.n, mean(op.left_nnz), mean(op.right_nnz), mean(op.nnz),
                           mean(op.flops), mean(op.bytes), mean(op.products), mean(op.span)});
  }
  return details;
}

/// Ops of a schedule as a store would hand them out, with FLOPs by op; vectors and matrices of `size`.
template <class Flops>
[[nodiscard]] RunDetails details_of(const Schedule& schedule, std::size_t workers, std::uint64_t size, Flops&& flops) {
  RunDetails run;
  run.run.requested = run.run.schedule = schedule.name;
  run.run.length = schedule.length;
  run.run.workers = workers;
  const auto entries = static_cast<double>(size);
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    run.ops.push_back({static_cast<std::uint32_t>(id), combine.level, combine.left, combine.right, combine.target,
                       combine.earlier == 0, false, size, size, size, entries, entries, entries, flops(id),
                       4 * entries});
  }
  return run;
}

/// Random runs of random schedules.
class StoredRunTest : public SeededTest {
 protected:
  JacobianChain random_chain(std::size_t links, double density) {
    JacobianChain chain;
    chain.gradient_length = between(1, 12);
    std::uint64_t size = chain.gradient_length;
    for (std::size_t i = 0; i < links; ++i) {
      const auto rows = static_cast<Index>(between(1, 12));
      chain.jacobians.push_back(std::make_shared<Pattern>(random_pattern(rows, static_cast<Index>(size), density)));
      size = rows;
    }
    return chain;
  }

  /// A schedule of a random kind, over a random chain at `inputs` inputs; some products are empty.
  ScheduleProfile random_profile(std::size_t inputs) {
    const std::size_t length = between(3, 40);
    std::vector<Schedule> all = schemes(length);
    for (std::uint32_t depth = 0; depth <= max_depth(length); ++depth) all.push_back(hybrid_schedule(length, depth));
    Schedule schedule = all[between(0, all.size() - 1)];
    JacobianChain shape = random_chain(length - 1, 1);
    const double density = chance(0.3) ? 0.05 : 0.4;
    const unsigned value_bytes = chance(0.5) ? 4 : 8;
    const auto at = [&](std::size_t) {
      JacobianChain chain = shape;
      for (auto& jacobian : chain.jacobians)
        jacobian = std::make_shared<Pattern>(random_pattern(jacobian->rows(), jacobian->cols(), density));
      return chain;
    };
    return profile_schedules({schedule}, inputs, at, value_bytes).front();
  }

  RunDetails random_run(std::size_t inputs) {
    const ScheduleProfile profile = random_profile(inputs);
    return details_of(profile, between(1, 6), chance(0.5) ? Execution::level : Execution::dag,
                      chance(0.3) ? Scope::live : Scope::all);
  }
};

/// The makespan that is stored of a run.
[[nodiscard]] inline double makespan_of(const RunDetails& run) {
  return run.search->execution == "level" ? run.run.makespan_level_flops : run.run.makespan_dag_flops;
}

/// Whether a run has an op: under scope "live" dead ones are left out.
[[nodiscard]] inline bool runs_op(const RunDetails& run, const StoredOp& op) {
  return run.search->scope != "live" || !op.is_dead;
}

}  // namespace upsweep::testing

#include "upsweep/search/counted_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "upsweep/base/checked.hpp"
#include "upsweep/sim/batched.hpp"
#include "upsweep/sim/homogeneous.hpp"
#include "upsweep/sim/homogeneous_time.hpp"
#include "upsweep/sim/peak_memory.hpp"
#include "upsweep/sim/pram_simulation.hpp"
#include "upsweep/sim/predict.hpp"

namespace upsweep {
namespace {

class ExplicitSchedule : public CountedSchedule {
 public:
  ExplicitSchedule(const ScheduleProfile& profile, unsigned value_bytes)
      : profile_(profile), value_bytes_(value_bytes) {}

  [[nodiscard]] std::string name() const override { return profile_.schedule.name; }
  [[nodiscard]] std::optional<std::uint32_t> depth() const override { return profile_.schedule.hybrid_depth(); }
  [[nodiscard]] std::uint64_t inputs() const override { return profile_.inputs; }
  [[nodiscard]] std::uint64_t levels() const override { return profile_.schedule.levels; }

  [[nodiscard]] std::vector<std::unique_ptr<CountedSchedule>> without() const override {
    std::vector<std::unique_ptr<CountedSchedule>> others;
    for (const ScheduleProfile& profile : profile_.without) others.push_back(counted(profile, value_bytes_));
    return others;
  }

  [[nodiscard]] Sums sums(Scope scope, bool with_dag) const override {
    Sums sums;
    std::vector<std::uint64_t> most(profile_.schedule.levels, 0);
    for (std::size_t id = 0; id < profile_.ops.size(); ++id) {
      const OpProfile& op = profile_.ops[id];
      if (scope == Scope::live && op.dead) continue;
      ++sums.totals.ops;
      add_to(sums.totals.flops, op.flops);
      std::uint64_t& level = most[profile_.schedule.combines[id].level];
      level = std::max(level, op.flops);
      sums.flops_max = std::max(sums.flops_max, op.flops);
    }
    for (const std::uint64_t level : most) add_to(sums.totals.critical_path_level, level);
    if (with_dag) sums.totals = totals(profile_, scope);
    return sums;
  }
  [[nodiscard]] std::uint64_t peak_live_bytes(Scope scope) const override {
    return upsweep::peak_live_bytes(profile_.schedule, profile_.value_bytes, in_scope(profile_, scope));
  }
  [[nodiscard]] std::optional<LargeProduct> product_above(std::uint64_t limit, Scope scope) const override {
    for (std::size_t id = 0; id < profile_.ops.size(); ++id) {
      const OpProfile& op = profile_.ops[id];
      if (op.bytes > limit && (scope == Scope::all || !op.dead)) return LargeProduct{id, op.m, op.n, op.bytes};
    }
    return std::nullopt;
  }
  [[nodiscard]] PramProfile pram(std::uint64_t workers, Scope scope, std::uint64_t batch) const override {
    return pram_profile(profile_, workers, scope, batch);
  }
  [[nodiscard]] std::uint64_t level_makespan(CostUnit unit, std::uint64_t workers, Scope scope,
                                             std::uint64_t batch) const override {
    return batched_level_makespan(profile_, workers, scope, batch, unit);
  }
  [[nodiscard]] std::optional<std::uint64_t> dag_makespan(std::uint64_t workers, Scope scope) const override {
    return simulate(profile_.schedule, profile_.flops(), in_scope(profile_, scope), workers, Execution::dag).makespan;
  }
  [[nodiscard]] SharedWork shared(Scope scope) const override { return shared_work(profile_, scope); }
  [[nodiscard]] double level_seconds(const Machine& machine, std::uint64_t workers, Scope scope,
                                     std::uint64_t batch) const override {
    return batched_seconds(profile_, machine, workers, value_bytes_, scope, batch);
  }
  [[nodiscard]] std::optional<double> dag_seconds(const Machine& machine, std::uint64_t workers,
                                                  Scope scope) const override {
    if (!has_dag_time(machine)) return std::nullopt;
    return predict_time(profile_, machine, workers, Execution::dag, value_bytes_, scope).seconds;
  }

 private:
  const ScheduleProfile& profile_;
  unsigned value_bytes_;
};

class ClosedFormSchedule : public CountedSchedule {
 public:
  explicit ClosedFormSchedule(const HomogeneousProfile& profile) : profile_(profile) {}

  [[nodiscard]] std::string name() const override { return profile_.schedule; }
  [[nodiscard]] std::optional<std::uint32_t> depth() const override { return profile_.depth; }
  [[nodiscard]] std::uint64_t inputs() const override { return 1; }
  [[nodiscard]] std::uint64_t levels() const override { return profile_.levels; }
  [[nodiscard]] Sums sums(Scope scope, bool) const override { return {totals(profile_, scope), of(scope).flops_max}; }
  [[nodiscard]] std::uint64_t peak_live_bytes(Scope scope) const override { return of(scope).peak_live_bytes; }

  [[nodiscard]] std::optional<LargeProduct> product_above(std::uint64_t limit, Scope scope) const override {
    std::uint64_t id = 0;
    for (const LevelRun& run : profile_.runs) {
      std::uint64_t start = id;  // of a level of the cycle
      for (std::size_t i = 0; i < run.cycle.size(); ++i) {
        for (const OpRun& ops : run.cycle[i].runs) {
          if (ops.bytes > limit && (scope == Scope::all || !ops.dead))
            return LargeProduct{start, profile_.chain.size, ops.is_mv ? 1 : profile_.chain.size, ops.bytes};
          start += ops.count;
        }
        id += run.times(i) * run.cycle[i].profile.ops;
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] PramProfile pram(std::uint64_t workers, Scope scope, std::uint64_t batch) const override {
    return homogeneous_pram(profile_, workers, scope, batch);
  }
  [[nodiscard]] std::uint64_t level_makespan(CostUnit unit, std::uint64_t workers, Scope scope,
                                             std::uint64_t batch) const override {
    return batched_level_makespan(profile_, workers, scope, batch, unit);
  }
  [[nodiscard]] std::optional<std::uint64_t> dag_makespan(std::uint64_t workers, Scope scope) const override {
    return homogeneous_dag_makespan(profile_, CostUnit::flops, workers, scope);
  }
  [[nodiscard]] SharedWork shared(Scope scope) const override { return shared_work(profile_, scope); }
  [[nodiscard]] double level_seconds(const Machine& machine, std::uint64_t workers, Scope scope,
                                     std::uint64_t batch) const override {
    return homogeneous_seconds(profile_, machine, workers, scope, batch);
  }
  [[nodiscard]] std::optional<double> dag_seconds(const Machine& machine, std::uint64_t workers,
                                                  Scope scope) const override {
    return homogeneous_dag_seconds(profile_, machine, workers, scope);
  }

 private:
  [[nodiscard]] const HomogeneousTotals& of(Scope scope) const {
    return scope == Scope::all ? profile_.all : profile_.live;
  }

  const HomogeneousProfile& profile_;
};

}  // namespace

std::unique_ptr<CountedSchedule> counted(const ScheduleProfile& profile, unsigned value_bytes) {
  return std::make_unique<ExplicitSchedule>(profile, value_bytes);
}

std::unique_ptr<CountedSchedule> counted(const HomogeneousProfile& profile) {
  return std::make_unique<ClosedFormSchedule>(profile);
}

std::string memory_reason(const CountedSchedule& schedule, Scope scope, std::uint64_t batch, std::uint64_t limit) {
  const std::uint64_t inputs = schedule.inputs();
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit_of_all = limit > most / inputs ? most : limit * inputs;
  const std::uint64_t peak = checked_mul(schedule.peak_live_bytes(scope), batch);
  if (peak <= limit_of_all) return {};  // so is every product
  if (const std::optional<LargeProduct> product = schedule.product_above(limit_of_all, scope)) {
    return fmt::format("op {}: its {} x {} product takes {} bytes, more than the limit of {} bytes", product->op,
                       product->rows, product->cols, ceil_div(product->bytes, inputs), limit);
  }
  return fmt::format("peak live bytes are {}, more than the limit of {} bytes", ceil_div(peak, inputs), limit);
}

}  // namespace upsweep

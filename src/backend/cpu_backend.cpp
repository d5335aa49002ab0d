#include <fmt/format.h>

#include <algorithm>

#include "processor.hpp"
#include "product_kernels.hpp"
#include "upsweep/backend/arena.hpp"
#include "upsweep/backend/backends.hpp"
#include "upsweep/backend/fitting.hpp"
#include "upsweep/backend/iterations.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/machine/op_parts.hpp"
#include "worker_team.hpp"

namespace upsweep {
namespace {

/// A contiguous share of the units of an op.
struct Part {
  std::uint32_t op;
  std::size_t begin;
  std::size_t end;
};

/// Throws std::invalid_argument where a plan is that of another schedule, or of values of other sizes.
template <class T>
void require_plan_of(const Schedule& schedule, const NumericChain<T>& chain, const SchedulePlan& plan) {
  const auto require = [](const char* what, std::uint64_t found, std::uint64_t expected) {
    if (found == expected) return;
    throw std::invalid_argument(fmt::format("a plan of another run: {} {}, expected {}", found, what, expected));
  };
  require("ops", plan.ops.size(), schedule.combines.size());
  require("values", plan.length.size(), schedule.values());
  require("numbers in the gradient", plan.length[0], chain.gradient.size());
  for (std::size_t i = 0; i < chain.values.size(); ++i)
    require("numbers in a Jacobian", plan.length[i + 1], chain.values[i].size());
  for (std::size_t id = 0; id < plan.ops.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    require("is the earlier operand of an op", plan.ops[id].earlier, combine.earlier);
    require("is the later operand of an op", plan.ops[id].later, combine.later);
    require("is the level of an op", plan.ops[id].level, combine.level);
  }
}

/// A schedule with its memory, ready to be executed many times.
template <class T>
class CpuRun {
 public:
  CpuRun(const Schedule& schedule, const NumericChain<T>& chain, const RunOptions& options)
      : schedule_(schedule),
        options_(options),
        shared_plan_(options.plan ? options.plan
                                  : std::make_shared<const SchedulePlan>(plan_schedule(schedule, chain.structure))),
        plan_(*shared_plan_),
        plan_bytes_(plan_.bytes) {
    require_fitting(schedule, chain);
    if (options.plan) require_plan_of(schedule, chain, plan_);
    const Arena arena = plan_arena(schedule, plan_.length, sizeof(T), options.execution);
    arena_bytes_ = arena.bytes;
    std::size_t scratch = 0;
    for (const PlannedOp& op : plan_.ops) tasks_.push_back(task_without_values(op));
    order_additions();
    for (const ProductTask<T>& task : tasks_) scratch = std::max(scratch, scratch_size(task));
    scratch_bytes_ = scratch * sizeof(T) * options.workers;
    require_memory();
    memory_.reset(new (kAlignment) std::byte[std::max<std::uint64_t>(1, arena.bytes)]);
    place_values(chain, arena);
    scratch_.resize(options.workers);
    cut_into_parts();
  }

  [[nodiscard]] Measurement measure() {
    Measurement measurement;
    measurement.workers = 0;
    measurement.ops.resize(plan_.ops.size());
    // The pool may be slow to deliver a worker; times without it would be those of another machine.
    constexpr int kTries = 5;
    for (int attempt = 0; attempt < kTries && measurement.workers != options_.workers; ++attempt) {
      measurement.workers = with_worker_team(options_.workers, [&](WorkerTeam& team) {
        measure_iterations(
            options_, [&] { return iterate(team); }, measurement);
      });
    }
    if (measurement.workers != options_.workers) {
      measurement.notes.push_back(
          fmt::format("only {} of {} workers took part", measurement.workers, options_.workers));
    }
    for (std::size_t id = 0; id < plan_.ops.size(); ++id) {
      const PlannedOp& op = plan_.ops[id];
      measurement.ops[id].nnz = plan_.length[op.target];
      measurement.ops[id].products = op.products;
      const Layout* layout = plan_.layouts[op.target].get();
      measurement.ops[id].structure_digest = layout == nullptr ? 0 : structure_digest(*layout);
    }
    if (options_.keep_plan) measurement.plan = shared_plan_;
    measurement.plan_bytes = plan_bytes_ + parts_.capacity() * sizeof(Part);
    measurement.value_bytes = arena_bytes_;
    measurement.workspace_bytes = scratch_bytes_;
    if (options_.keep_results) copy_results(measurement);
    return measurement;
  }

 private:
  static constexpr std::align_val_t kAlignment{kArenaAlignment};
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete[](memory, kAlignment); }
  };

  [[nodiscard]] ProductTask<T> task_without_values(const PlannedOp& op) const {
    return {op.form, plan_.layouts[op.later].get(), plan_.layouts[op.earlier].get(), plan_.layouts[op.target].get()};
  }

  void order_additions() {
    orders_.resize(tasks_.size());
    for (std::size_t id = 0; id < tasks_.size(); ++id) {
      ProductTask<T>& task = tasks_[id];
      if (scratch_size(task) == 0) continue;
      orders_[id] = adding_order(*task.x, *task.y, *task.c, sizeof(T));
      task.order = &orders_[id];
      plan_bytes_ += orders_[id].bytes();
    }
  }

  void require_memory() const {
    const std::uint64_t need = plan_bytes_ + arena_bytes_ + scratch_bytes_;
    if (options_.memory_limit == 0 || need <= options_.memory_limit) return;
    throw BackendError(fmt::format("the plan, values and workspace of {} need {} bytes, accepted are at most {}",
                                   schedule_.name, need, options_.memory_limit));
  }

  void place_values(const NumericChain<T>& chain, const Arena& arena) {
    values_.resize(schedule_.values());
    values_[0] = chain.gradient.data();
    for (std::size_t i = 0; i < chain.values.size(); ++i) values_[i + 1] = chain.values[i].data();
    for (std::size_t id = 0; id < plan_.ops.size(); ++id) {
      const PlannedOp& op = plan_.ops[id];
      T* target = reinterpret_cast<T*>(memory_.get() + arena.offsets[op.target]);
      values_[op.target] = target;
      tasks_[id].x_values = values_[op.later];
      tasks_[id].y_values = values_[op.earlier];
      tasks_[id].c_values = target;
    }
  }

  void cut_into_parts() {
    for (std::uint32_t id = 0; id < tasks_.size(); ++id) {
      const std::size_t units = tasks_[id].units();
      const std::vector<std::uint64_t> costs =
          options_.workers > 1 ? tasks_[id].unit_costs() : std::vector<std::uint64_t>();
      const std::uint64_t parts = costs.empty() ? 1 : op_parts(costs.back(), options_.workers);
      part_begin_.push_back(parts_.size());
      std::size_t begin = 0;
      for (std::uint64_t part = 1; part <= parts; ++part) {
        const std::size_t end =
            part == parts
                ? units
                : static_cast<std::size_t>(std::lower_bound(costs.begin(), costs.end(), costs.back() / parts * part) -
                                           costs.begin());
        if (part < parts && end <= begin) continue;
        parts_.push_back({id, begin, std::min(end, units)});
        begin = parts_.back().end;
      }
    }
    part_begin_.push_back(parts_.size());
    part_seconds_.resize(parts_.size());
    level_begin_.assign(schedule_.levels + 1, parts_.size());
    for (std::size_t id = plan_.ops.size(); id-- > 0;) level_begin_[plan_.ops[id].level] = part_begin_[id];
  }

  void run_part(std::size_t number, std::size_t worker) {
    const double start = now_seconds();
    const Part& part = parts_[number];
    const ProductTask<T>& task = tasks_[part.op];
    if (part.begin == 0) clear_untouched(task);
    compute_units(task, part.begin, part.end, scratch_[worker]);
    part_seconds_[number] = now_seconds() - start;
  }

  Iteration iterate(WorkerTeam& team) {
    Iteration iteration;
    const double start = now_seconds();
    if (options_.execution == Execution::level) {
      double level_start = start;
      for (std::size_t level = 0; level < schedule_.levels; ++level) {
        run_level(team, level_begin_[level], level_begin_[level + 1]);
        const double end = now_seconds();
        iteration.level_seconds.push_back(end - level_start);
        level_start = end;
      }
    } else {
      if (waits_.empty()) join_parts();
      team.run_graph(waits_, next_, [this](std::size_t part, std::size_t worker) { run_part(part, worker); });
    }
    iteration.seconds = now_seconds() - start;
    iteration.op_seconds.resize(tasks_.size());
    for (std::size_t number = 0; number < parts_.size(); ++number) {
      iteration.op_seconds[parts_[number].op] += part_seconds_[number];
    }
    return iteration;
  }

  void run_level(WorkerTeam& team, std::size_t begin, std::size_t end) {
    if (options_.workers == 1) {
      for (std::size_t part = begin; part < end; ++part) run_part(part, 0);
      return;
    }
    team.run_all(end - begin, [this, begin](std::size_t task, std::size_t worker) { run_part(begin + task, worker); });
  }

  /// Dependencies between parts: every part of an op waits for every part of the ops that made its operands.
  void join_parts() {
    waits_.assign(parts_.size(), 0);
    next_.assign(parts_.size(), {});
    for (std::size_t number = 0; number < parts_.size(); ++number) {
      const PlannedOp& op = plan_.ops[parts_[number].op];
      for (const ValueId operand : {op.earlier, op.later}) {
        if (operand < schedule_.length) continue;
        const std::size_t producer = operand - schedule_.length;
        for (std::size_t p = part_begin_[producer]; p < part_begin_[producer + 1]; ++p) {
          next_[p].push_back(static_cast<std::uint32_t>(number));
          ++waits_[number];
        }
      }
    }
  }

  void copy_results(Measurement& measurement) const {
    for (const ValueId result : schedule_.results) {
      measurement.results.emplace_back();
      if (result == kIdentity) continue;
      measurement.results.back().assign(values_[result], values_[result] + plan_.length[result]);
    }
  }

  const Schedule& schedule_;
  const RunOptions& options_;
  std::shared_ptr<const SchedulePlan> shared_plan_;
  const SchedulePlan& plan_;
  std::uint64_t plan_bytes_;  // with the orders of additions
  std::uint64_t arena_bytes_ = 0;
  std::uint64_t scratch_bytes_ = 0;
  std::unique_ptr<std::byte[], Free> memory_;
  std::vector<const T*> values_;          // by value
  std::vector<ProductTask<T>> tasks_;     // by combine id
  std::vector<AddingOrder> orders_;       // by combine id
  std::vector<Part> parts_;               // op by op
  std::vector<std::size_t> part_begin_;   // length ops + 1
  std::vector<std::size_t> level_begin_;  // length levels + 1, positions in parts_
  std::vector<double> part_seconds_;
  std::vector<Scratch<T>> scratch_;  // by worker
  std::vector<std::uint32_t> waits_;
  std::vector<std::vector<std::uint32_t>> next_;
};

class CpuBackend final : public Backend {
 public:
  [[nodiscard]] std::string name() const override { return "cpu"; }
  [[nodiscard]] Availability availability() const override { return {true, ""}; }
  [[nodiscard]] DeviceFacts facts() const override { return processor_facts(parallel_slots()); }
  [[nodiscard]] Measurement run(const Schedule& schedule, const NumericChain<float>& chain,
                                const RunOptions& options) const override {
    return run_on(schedule, chain, options);
  }
  [[nodiscard]] Measurement run(const Schedule& schedule, const NumericChain<double>& chain,
                                const RunOptions& options) const override {
    return run_on(schedule, chain, options);
  }

 private:
  template <class T>
  [[nodiscard]] static Measurement run_on(const Schedule& schedule, const NumericChain<T>& chain,
                                          const RunOptions& options) {
    if (options.workers == 0 || options.workers > parallel_slots()) {
      throw BackendError(fmt::format("cpu: {} workers, accepted are 1 to {}, the threads of this machine",
                                     options.workers, parallel_slots()));
    }
    const double start = now_seconds();
    CpuRun<T> run(schedule, chain, options);
    const double planned = now_seconds() - start;
    Measurement measurement = run.measure();
    measurement.plan_seconds = planned;
    return measurement;
  }
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend() { return std::make_unique<CpuBackend>(); }

}  // namespace upsweep

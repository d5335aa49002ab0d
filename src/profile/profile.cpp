#include "upsweep/profile/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "range_products.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

/// A schedule with what its combines refer to.
struct Planned {
  std::vector<ValueRange> ranges;
  ScheduleProfile profile;
  bool has_all = true;                         // of all chains so far
  std::optional<RefusedProduct> refusal = {};  // the last one, where it has not
};

/// What the counts of one chain say of the products of ranges of its elements; position 0 is the gradient.
class RangeCounts {
 public:
  RangeCounts(const JacobianChain& chain, const ProductPlan& plan, const ProductPlan::Counts& counts,
              unsigned value_bytes)
      : chain_(chain), plan_(plan), counts_(counts), value_bytes_(value_bytes), element_steps_(chain.length()) {}

  [[nodiscard]] std::uint64_t rows(std::uint32_t position) const {
    return position == 0 ? chain_.gradient_length : chain_.jacobians[position - 1]->rows();
  }
  [[nodiscard]] std::uint64_t cols(std::uint32_t position) const {
    return position == 0 ? 1 : chain_.jacobians[position - 1]->cols();
  }
  [[nodiscard]] std::uint64_t nnz(ValueRange range) const {
    if (range.first == 0) return rows(range.last);
    return range.first == range.last ? element(range).nnz() : counts_.nnz[plan_.range_number(range)];
  }
  [[nodiscard]] std::uint64_t bytes(ValueRange range) const {
    return range.first == 0 ? checked_mul(value_bytes_, rows(range.last))
                            : csr_bytes(rows(range.last), nnz(range), value_bytes_);
  }
  [[nodiscard]] bool is_exact(ValueRange range) const {
    return range.first == 0 || range.first == range.last || counts_.is_range_estimated.empty() ||
           !counts_.is_range_estimated[plan_.range_number(range)];
  }

  /// The product of `earlier` and `later`, which follows it.
  [[nodiscard]] OpProfile op(ValueRange earlier, ValueRange later) {
    const ValueRange range{earlier.first, later.last};
    OpProfile op;
    op.m = rows(later.last);
    op.k = cols(later.first);
    op.n = cols(earlier.first);
    op.is_mv = earlier.first == 0;
    const ProductCounts work = op.is_mv ? ProductCounts{nnz(later), max_row_nnz(later), vector_steps(later)}
                                        : counts_.products[plan_.split_number(range, earlier.last)];
    op.left_nnz = nnz(earlier);
    op.right_nnz = nnz(later);
    op.nnz = nnz(range);
    op.products = work.products;
    op.steps = work.steps;
    op.flops = flops_of_products(work.products);
    op.span = product_span(work.products, work.max_row_nnz);
    op.bytes = bytes(range);
    op.left_bytes = bytes(earlier);
    op.right_bytes = bytes(later);
    op.is_exact = is_exact(earlier) && is_exact(later) && is_exact(range);
    if (!op.is_mv && !counts_.is_split_estimated.empty())
      op.is_exact = op.is_exact && !counts_.is_split_estimated[plan_.split_number(range, earlier.last)];
    return op;
  }

 private:
  [[nodiscard]] const Pattern& element(ValueRange range) const { return *chain_.jacobians[range.first - 1]; }

  /// The steps of a matrix times a vector, where the matrix is an element of the array; made once.
  ProductSteps vector_steps(ValueRange range) {
    if (range.first != range.last) return counts_.vector_steps[plan_.range_number(range)];
    std::optional<ProductSteps>& steps = element_steps_[range.first];
    if (!steps) steps = steps_with_dense_vector(element(range));
    return *steps;
  }
  [[nodiscard]] std::uint64_t max_row_nnz(ValueRange range) const {
    return range.first == range.last ? std::uint64_t{element(range).max_row_nnz()}
                                     : counts_.max_row_nnz[plan_.range_number(range)];
  }

  const JacobianChain& chain_;
  const ProductPlan& plan_;
  const ProductPlan::Counts& counts_;
  unsigned value_bytes_;
  std::vector<std::optional<ProductSteps>> element_steps_;
};

/// Adds the counts of one chain to the profile of a schedule whose values cover `ranges`.
void add_chain(RangeCounts counts, const Schedule& schedule, const std::vector<ValueRange>& ranges,
               ScheduleProfile& profile) {
  for (std::size_t value = 0; value < schedule.length; ++value)
    add_to(profile.value_bytes[value], counts.bytes(ranges[value]));
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const OpProfile op = counts.op(ranges[schedule.combines[id].earlier], ranges[schedule.combines[id].later]);
    add_to(profile.ops[id], op);
    profile.ops[id].is_exact = profile.ops[id].is_exact && op.is_exact;
    add_to(profile.value_bytes[schedule.value_of(id)], op.bytes);
  }
}

/// An empty profile of a schedule.
ScheduleProfile begun(Schedule schedule, std::size_t inputs) {
  ScheduleProfile profile;
  profile.inputs = inputs;
  profile.ops.resize(schedule.combines.size());
  profile.value_bytes.resize(schedule.values());
  profile.schedule = std::move(schedule);
  return profile;
}

/// What follows from the counts of the ops.
void finish(ScheduleProfile& profile) {
  const std::vector<bool> dead = dead_combines(profile.schedule);
  for (std::size_t id = 0; id < dead.size(); ++id) profile.ops[id].dead = dead[id];
  profile.levels = level_profiles(profile);
}

/// Keeps the profiles of all groups but one each where counts are estimates.
void finish_estimates(ScheduleProfile& profile) {
  if (std::ranges::all_of(profile.ops, &OpProfile::is_exact)) profile.without.clear();
  for (ScheduleProfile& without : profile.without) finish(without);
}

}  // namespace

OpProfile vector_product(const VectorCounts& jacobian, unsigned value_bytes) {
  OpProfile op;
  op.m = jacobian.rows;
  op.k = jacobian.cols;
  op.n = 1;
  op.is_mv = true;
  op.left_nnz = jacobian.cols;
  op.right_nnz = jacobian.nnz;
  op.nnz = jacobian.rows;
  op.products = jacobian.nnz;
  op.flops = flops_of_products(op.products);
  op.span = product_span(op.products, jacobian.max_row_nnz);
  op.bytes = checked_mul(value_bytes, op.nnz);
  op.left_bytes = checked_mul(value_bytes, op.left_nnz);
  op.right_bytes = csr_bytes(op.m, op.right_nnz, value_bytes);
  op.steps = jacobian.steps;
  return op;
}

void add_to(OpProfile& sum, const OpProfile& op) {
  sum.m = op.m;
  sum.k = op.k;
  sum.n = op.n;
  sum.is_mv = op.is_mv;
  for (const auto count :
       {&OpProfile::left_nnz, &OpProfile::right_nnz, &OpProfile::nnz, &OpProfile::products, &OpProfile::flops,
        &OpProfile::span, &OpProfile::bytes, &OpProfile::left_bytes, &OpProfile::right_bytes})
    add_to(sum.*count, op.*count);
  add_to(sum.steps, op.steps);
}

std::vector<LevelProfile> level_profiles(const ScheduleProfile& profile) {
  std::vector<LevelProfile> levels(profile.schedule.levels);
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    const Combine& combine = profile.schedule.combines[id];
    LevelProfile& level = levels[combine.level];
    level.phase = combine.phase;
    ++level.ops;
    add_to(level.flops_sum, profile.ops[id].flops);
    level.flops_max = std::max(level.flops_max, profile.ops[id].flops);
    level.span_max = std::max(level.span_max, profile.ops[id].span);
  }
  return levels;
}

std::vector<std::uint64_t> ScheduleProfile::flops() const {
  std::vector<std::uint64_t> flops;
  flops.reserve(ops.size());
  for (const OpProfile& op : ops) flops.push_back(op.flops);
  return flops;
}

CountedSchedules count_schedules(std::vector<Schedule> schedules, std::size_t inputs, const ChainSource& chain_at,
                                 unsigned value_bytes, const CountLimits& limits, const ChainObserver& observe) {
  std::vector<Planned> all;
  ProductPlan plan;
  for (Schedule& schedule : schedules) {
    Planned planned;
    planned.ranges = value_ranges(schedule);
    plan.add(schedule, planned.ranges);
    planned.profile = begun(std::move(schedule), inputs);
    if (limits.estimate) planned.profile.without.resize(kSampleGroups, begun(planned.profile.schedule, inputs));
    all.push_back(std::move(planned));
  }
  std::vector<ProductPlan::Spent> spent(all.size());
  for (std::size_t input = 0; input < inputs; ++input) {
    const JacobianChain chain = chain_at(input);
    check_chain(chain);
    if (observe) observe(chain);
    for (const Planned& planned : all) {
      if (planned.profile.schedule.length == chain.length()) continue;
      throw std::invalid_argument(fmt::format("a schedule over {} elements and a chain of {}, expected the same length",
                                              planned.profile.schedule.length, chain.length()));
    }
    const ProductPlan::Counts counts = plan.count(chain, limits, spent, input);
    for (std::size_t s = 0; s < all.size(); ++s) {
      Planned& planned = all[s];
      const auto add = [&](const ProductPlan::Counts& some, ScheduleProfile& profile) {
        add_chain({chain, plan, some, value_bytes}, planned.profile.schedule, planned.ranges, profile);
      };
      add(counts, planned.profile);
      for (std::size_t g = 0; g < planned.profile.without.size(); ++g)
        add(counts.without.empty() ? counts : counts.without[g], planned.profile.without[g]);
      if (limits.estimate ? plan.has_all(s, counts) : !spent[s].refusal.has_value()) continue;
      planned.has_all = false;
      planned.refusal = spent[s].refusal;
    }
  }
  CountedSchedules counted;
  for (std::size_t s = 0; s < all.size(); ++s) {
    Planned& planned = all[s];
    if (planned.has_all) {
      finish(planned.profile);
      finish_estimates(planned.profile);
      counted.profiles.push_back(std::move(planned.profile));
      continue;
    }
    planned.profile.without.clear();
    for (OpProfile& op : planned.profile.ops) {
      if (!op.is_exact) op.flops = op.span = 0;  // no lower bounds
    }
    finish(planned.profile);
    const RefusedProduct& refusal = planned.refusal.value();
    UncountedSchedule uncounted{std::move(planned.profile), refusal.range(), refusal.is_memory(), spent[s].pairs};
    if (refusal.is_memory()) uncounted.bytes = refusal.amount();
    if (!refusal.is_memory()) add_to(uncounted.pairs, refusal.amount());
    counted.uncounted.push_back(std::move(uncounted));
  }
  return counted;
}

std::vector<ScheduleProfile> profile_schedules(std::vector<Schedule> schedules, std::size_t inputs,
                                               const ChainSource& chain_at, unsigned value_bytes,
                                               const ChainObserver& observe) {
  CountedSchedules counted = count_schedules(std::move(schedules), inputs, chain_at, value_bytes, {}, observe);
  if (!counted.uncounted.empty()) throw OutOfRoom(counted.uncounted.front().bytes, held_memory() + memory_left());
  return std::move(counted.profiles);
}

std::vector<ScheduleProfile> profile_schedules(std::vector<Schedule> schedules, const JacobianChain& chain,
                                               unsigned value_bytes) {
  return profile_schedules(
      std::move(schedules), 1, [&](std::size_t) { return chain; }, value_bytes);
}

}  // namespace upsweep

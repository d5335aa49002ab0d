#include "upsweep/solve/solve_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "upsweep/base/checked.hpp"
#include "upsweep/sim/task_engine.hpp"

namespace upsweep {
namespace {

/// FLOPs of the groups in a product, the group at the loss first; the last block has its value from the start.
std::vector<std::uint64_t> group_flops(const SystemShape& shape, const SolveSetting& setting) {
  std::vector<std::uint64_t> groups;
  for (std::size_t j = 0; j < shape.couplings(); ++j) {
    if (j % setting.group == 0) groups.push_back(0);
    add_to(groups.back(), checked_mul(shape.flops(shape.couplings() - 1 - j), setting.batch));
  }
  return groups;
}

/// Makespan of independent tasks that a pool of workers takes in their order.
std::uint64_t pool_makespan(const std::vector<std::uint64_t>& durations, std::size_t workers) {
  Workload workload;
  workload.graph = task_graph({}, durations.size());
  workload.durations = durations;
  workload.resource_of.assign(durations.size(), 0);
  workload.resources = {Resource{Discipline::priority, workers, false, false}};
  return simulate_tasks(workload).makespan;
}

/// What an iteration does besides its products, per unknown.
struct VectorWork {
  std::uint64_t products;  // with the matrix
  std::uint64_t flops;     // per unknown
  std::uint64_t vectors;
};

VectorWork vector_work(SolveMethod method) {
  switch (method) {
    case SolveMethod::substitution:
      return {1, 0, 1};
    case SolveMethod::jacobi:  // the change of v is the residual: a difference and its norm
      return {1, 3, 2};
    case SolveMethod::richardson:  // the same, and a multiple of it added to v
      return {1, 5, 2};
    case SolveMethod::bicgstab:
      // 2 differences of products A v = v - B v, 5 dot products and norms of 2 each, p and x of 4, s and r of 2.
      return {2, 24, 7};
  }
  return {};
}

std::uint64_t share(std::uint64_t flops, std::uint64_t workers) {
  return flops / workers + (flops % workers != 0 ? 1 : 0);
}

}  // namespace

std::string method_name(SolveMethod method, std::size_t group) {
  const char* name = "substitution";
  if (method == SolveMethod::jacobi) name = "jacobi";
  if (method == SolveMethod::richardson) name = "richardson";
  if (method == SolveMethod::bicgstab) name = "bicgstab";
  return group == 1 || method == SolveMethod::substitution ? name : fmt::format("hybrid:{} {}", group, name);
}

SolveCost iteration_cost(const SystemShape& shape, const SolveSetting& setting, unsigned value_bytes) {
  if (setting.group == 0 || setting.workers == 0 || setting.batch == 0) {
    throw std::invalid_argument(
        fmt::format("the cost of an iteration: groups of {} blocks, {} workers and {} right sides, accepted are "
                    "numbers from 1 on",
                    setting.group, setting.workers, setting.batch));
  }
  const std::vector<std::uint64_t> groups = group_flops(shape, setting);
  const VectorWork work = vector_work(setting.method);
  const std::uint64_t numbers = checked_mul(shape.unknowns(), setting.batch);
  std::uint64_t product = 0;
  for (const std::uint64_t flops : groups) add_to(product, flops);

  SolveCost cost;
  cost.product_flops = checked_mul(work.products, product);
  cost.vector_flops = checked_mul(work.flops, numbers);
  cost.vectors = work.vectors;
  cost.vector_bytes = checked_mul(checked_mul(work.vectors, numbers), value_bytes);
  if (setting.method == SolveMethod::substitution) {
    cost.product_flops = checked_mul(shape.flops(), setting.batch);
    cost.largest_flops = cost.product_flops;
    cost.makespan = cost.product_flops;
    return cost;
  }
  if (!groups.empty()) cost.largest_flops = *std::ranges::max_element(groups);
  cost.makespan = checked_add(checked_mul(work.products, pool_makespan(groups, setting.workers)),
                              share(cost.vector_flops, setting.workers));
  return cost;
}

std::size_t nilpotent_bound(const SystemShape& shape, std::size_t group) {
  if (group == 0) throw std::invalid_argument("the bound of iterations: groups of 0 blocks, accepted are 1 and more");
  return shape.couplings() / group + (shape.couplings() % group != 0 ? 1 : 0);
}

}  // namespace upsweep

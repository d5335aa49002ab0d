#include "upsweep/validate/expectation.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "upsweep/backend/schedule_plan.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

/// Uses of every value by combines.
std::vector<std::uint32_t> use_counts(const Schedule& schedule) {
  std::vector<std::uint32_t> uses(schedule.values());
  for (const Combine& combine : schedule.combines) {
    ++uses[combine.earlier];
    ++uses[combine.later];
  }
  return uses;
}

}  // namespace

std::vector<ExpectedOp> expected_ops(const Schedule& schedule, const JacobianChain& chain) {
  if (schedule.length != chain.length()) {
    throw std::invalid_argument(fmt::format("a schedule over {} elements and a chain of {}, expected the same length",
                                            schedule.length, chain.length()));
  }
  std::vector<std::shared_ptr<const Pattern>> patterns(schedule.values());
  for (std::size_t i = 0; i < chain.jacobians.size(); ++i) patterns[i + 1] = chain.jacobians[i];
  std::vector<bool> is_vector(schedule.values(), false);
  is_vector[0] = true;
  std::vector<double> roundings(schedule.values(), 1.0);
  std::vector<std::uint32_t> uses = use_counts(schedule);
  std::vector<ExpectedOp> expected;
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    const ValueId target = schedule.value_of(id);
    const std::shared_ptr<const Pattern> x = patterns[combine.later];
    ExpectedOp op;
    if (is_vector[combine.earlier]) {
      is_vector[target] = true;
      op.nnz = x->rows();
      op.products = products_with_dense_vector(*x);
    } else {
      Product product = multiply(x, patterns[combine.earlier], Keep::structure);
      op.nnz = product.nnz;
      op.products = product.products;
      op.structure_digest = structure_digest(*product.pattern);
      patterns[target] = std::move(product.pattern);
    }
    op.roundings = roundings[combine.earlier] + roundings[combine.later] + x->max_row_nnz();
    roundings[target] = op.roundings;
    expected.push_back(op);
    if (--uses[combine.earlier] == 0) patterns[combine.earlier].reset();
    if (--uses[combine.later] == 0) patterns[combine.later].reset();
    if (uses[target] == 0) patterns[target].reset();
  }
  return expected;
}

double direct_roundings(const JacobianChain& chain) {
  double roundings = 1;
  for (const auto& pattern : chain.jacobians) roundings += 1.0 + pattern->max_row_nnz();
  return roundings;
}

}  // namespace upsweep

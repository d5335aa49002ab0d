#include "upsweep/validate/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "upsweep/backend/fitting.hpp"
#include "upsweep/backend/schedule_plan.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

/// nnz, products and digest of C = X·Y from the definition: the columns of a row of C are the union of rows of Y.
ExpectedOp product_by_definition(const Pattern& x, const Pattern& y) {
  ExpectedOp op;
  StructureDigest digest(x.rows(), y.cols());
  std::vector<std::uint64_t> met(bitmap_words(y.cols()));
  std::vector<Index> columns;
  for (Index r = 0; r < x.rows(); ++r) {
    columns.clear();
    std::fill(met.begin(), met.end(), 0);
    x.row(r).for_each([&](Index k) {
      const Row row = y.row(k);
      op.products += row.nnz();
      if (row.is_bitmap()) {
        for (std::size_t w = 0; w < met.size(); ++w) met[w] |= row.words()[w];
      } else {
        for (const Index column : row.list()) met[column / 64] |= std::uint64_t{1} << column % 64;
      }
    });
    for (std::size_t w = 0; w < met.size(); ++w) {
      for (std::uint64_t word = met[w]; word != 0; word &= word - 1) {
        columns.push_back(static_cast<Index>(w * 64 + static_cast<unsigned>(std::countr_zero(word))));
      }
    }
    op.nnz += columns.size();
    digest.row(columns);
  }
  op.structure_digest = digest.value();
  return op;
}

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
  require_fitting(schedule, chain);
  std::vector<std::shared_ptr<const Pattern>> patterns(schedule.values());
  for (std::size_t i = 0; i < chain.jacobians.size(); ++i) patterns[i + 1] = chain.jacobians[i];
  std::vector<bool> is_vector(schedule.values(), false);
  is_vector[0] = true;
  std::vector<double> roundings(schedule.values(), 1.0);
  for (std::size_t i = 0; i < chain.jacobians.size(); ++i) {
    if (const BlockPlan* block = chain.block(i)) roundings[i + 1] += block->roundings;
  }
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
      op = product_by_definition(*x, *patterns[combine.earlier]);
      patterns[target] = multiply(x, patterns[combine.earlier], Keep::structure).pattern;
      if (structure_digest(*patterns[target]) != op.structure_digest) {
        throw std::logic_error(fmt::format(
            "op {} of {}: the symbolic product has another structure than its definition", id, schedule.name));
      }
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
  for (std::size_t i = 0; i < chain.jacobians.size(); ++i) {
    const BlockPlan* block = chain.block(i);
    roundings += block != nullptr ? block->roundings : 1.0 + chain.jacobians[i]->max_row_nnz();
  }
  return roundings;
}

}  // namespace upsweep

#include "upsweep/backend/schedule_plan.hpp"

#include <map>

#include "upsweep/backend/fitting.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

using PatternPtr = std::shared_ptr<const Pattern>;

ProductForm form_of(const Pattern& x, const Pattern& y) {
  if (y.is_full_diagonal()) return ProductForm::scale_columns;
  if (x.max_row_nnz() <= 1) return ProductForm::scale_rows;
  return y.max_row_nnz() <= 1 ? ProductForm::single_columns : ProductForm::general;
}

/// Multiplications of a planned product, counted over the lists that its loops walk.
std::uint64_t loop_products(ProductForm form, const Layout& x, const Layout* y, const Layout* c) {
  if (form == ProductForm::vector || form == ProductForm::scale_columns) return x.nnz();
  if (form == ProductForm::scale_rows) return c->nnz();
  std::uint64_t products = 0;
  for (std::size_t team = 0; team < x.teams(); ++team) {
    const std::uint64_t members = x.team_begin[team + 1] - x.team_begin[team];
    std::uint64_t steps = 0;
    for (const Index k : x.columns(x.team_rows[x.team_begin[team]])) steps += y->row_nnz(k);
    add_to(products, checked_mul(steps, members));
  }
  return products;
}

}  // namespace

SchedulePlan plan_schedule(const Schedule& schedule, const JacobianChain& chain) {
  require_fitting(schedule, chain);
  SchedulePlan plan;
  LayoutMaker layouts;
  std::map<PatternPtr, std::shared_ptr<const Layout>> made;  // products may share their structure with an operand
  std::vector<PatternPtr> patterns(schedule.values());
  const auto keep = [&](ValueId value, PatternPtr pattern) {
    std::shared_ptr<const Layout>& layout = made[pattern];
    if (!layout) layout = layouts.make(*pattern);
    plan.layouts[value] = layout;
    plan.length[value] = layout->nnz();
    patterns[value] = std::move(pattern);
  };
  plan.length.resize(schedule.values());
  plan.layouts.resize(schedule.values());
  plan.length[0] = chain.gradient_length;
  std::vector<bool> is_read(schedule.values());
  for (const Combine& combine : schedule.combines) is_read[combine.earlier] = is_read[combine.later] = true;
  for (std::size_t i = 0; i < chain.jacobians.size(); ++i) {
    const auto value = static_cast<ValueId>(i + 1);
    if (is_read[value]) keep(value, chain.jacobians[i]);
    plan.length[value] = chain.jacobians[i]->nnz();
  }
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    const ValueId target = schedule.value_of(id);
    const PatternPtr x = patterns[combine.later];
    const PatternPtr y = patterns[combine.earlier];
    PlannedOp op{ProductForm::vector, combine.earlier, combine.later, target, combine.level, 0};
    if (y == nullptr) {
      plan.length[target] = x->rows();
    } else {
      op.form = form_of(*x, *y);
      keep(target, multiply(x, y, Keep::structure).pattern);
    }
    op.products =
        loop_products(op.form, *plan.layouts[op.later], plan.layouts[op.earlier].get(), plan.layouts[target].get());
    plan.ops.push_back(op);
  }
  plan.bytes = layouts.bytes();
  return plan;
}

namespace {

// An odd multiplier with well-mixed bits, from the golden ratio; and a finaliser of two xor-shift-multiply rounds.
constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15ULL;

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
  return x ^ (x >> 32);
}

}  // namespace

StructureDigest::StructureDigest(std::uint64_t rows, std::uint64_t cols)
    : state_(mixed(rows * kMultiplier + mixed(cols + 1))) {}

void StructureDigest::row(std::span<const Index> columns) {
  std::uint64_t hash = columns.size();
  for (const Index column : columns) hash = hash * kMultiplier + column + 1;
  state_ = (state_ + mixed(hash + 1)) * kMultiplier;
}

std::uint64_t structure_digest(const Pattern& pattern) {
  StructureDigest digest(pattern.rows(), pattern.cols());
  std::vector<Index> columns;
  for (Index r = 0; r < pattern.rows(); ++r) {
    columns.clear();
    pattern.row(r).for_each([&](Index column) { columns.push_back(column); });
    digest.row(columns);
  }
  return digest.value();
}

std::uint64_t structure_digest(const Layout& layout) {
  StructureDigest digest(layout.rows, layout.cols);
  for (Index r = 0; r < layout.rows; ++r) digest.row(layout.columns(r));
  return digest.value();
}

}  // namespace upsweep

#include "upsweep/profile/network_profile.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/profile/uncounted_text.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

/// A step that forms a block's Jacobian as a combine; `cols` are the elements of the block's output.
OpProfile formation_op(const BlockPlan& plan, const BlockStep& step, std::uint64_t cols, unsigned value_bytes) {
  const BlockStep& source = plan.steps[step.source];
  const bool is_sum = step.kind == BlockStep::Kind::sum;
  OpProfile op;
  op.m = step.rows;
  op.k = source.rows;
  op.n = cols;
  op.left_nnz = source.nnz;
  op.right_nnz = is_sum ? plan.steps[step.added].nnz : step.jacobian_nnz;
  op.nnz = step.nnz;
  op.products = step.products;
  op.flops = step.flops();
  op.span = is_sum         ? std::min<std::uint64_t>(op.flops, 1)
            : step.is_move ? additions_span(op.flops, step.max_row_nnz)
                           : product_span(op.products, step.max_row_nnz);
  op.left_bytes = csr_bytes(source.rows, op.left_nnz, value_bytes);
  op.right_bytes = csr_bytes(step.rows, op.right_nnz, value_bytes);
  op.bytes = csr_bytes(step.rows, op.nnz, value_bytes);
  op.steps = step.work;
  if (is_sum) {  // every entry of both is read, and added to where it belongs
    op.steps.teams = step.rows;
    op.steps.scaled_rows = checked_add(op.left_nnz, op.right_nnz);
  }
  return op;
}

void add_formation(const BlockPlan& plan, unsigned value_bytes, FormationProfile& profile) {
  add_to(profile.products, plan.formation.products);
  add_to(profile.product_flops, plan.formation.product_flops);
  add_to(profile.additions, plan.formation.additions);
  add_to(profile.addition_flops, plan.formation.addition_flops);
  profile.peak_bytes = std::max(profile.peak_bytes, plan.formation.peak_bytes);
  profile.steps.resize(plan.steps.size());
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const BlockStep& step = plan.steps[s];
    FormationStep& mine = profile.steps[s];
    if (step.kind == BlockStep::Kind::identity) continue;
    add_to(mine.op, formation_op(plan, step, plan.steps.front().rows, value_bytes));
    mine.is_sum = step.kind == BlockStep::Kind::sum;
    mine.reads = {step.source};
    if (mine.is_sum) mine.reads.push_back(step.added);
  }
}

/// Adds the Jacobian of an operator; `has_gradient`: back-propagation hands a gradient to its input.
void add_operator(const Operator& op, std::size_t input, const VectorCounts& jacobian, bool has_gradient,
                  unsigned value_bytes, OperatorProfile& mine, NetworkProfile& profile) {
  if (is_view(op.kind) || is_join(op.kind)) return;
  const std::uint64_t nnz = jacobian.nnz;
  const std::uint64_t baseline = is_mixing(op.kind) ? baseline_mixing_flops(op, input) : baseline_flops(op, nnz);
  mine.rows = elements(op.in_shape);
  for (const Shape& shape : op.other_shapes) add_to(mine.rows, elements(shape));
  mine.cols = elements(op.out_shape);
  OpProfile product = vector_product(jacobian, value_bytes);
  if (is_moving(op.kind)) {
    product.products = 0;
    product.flops = baseline;
    product.span = additions_span(product.flops, jacobian.max_row_nnz);
  }
  mine.gradients.resize(op.other_shapes.size() + 1);
  add_to(mine.gradients[input], product);
  add_to(mine.nnz, nnz);
  add_to(mine.bytes, csr_bytes(mine.rows, nnz, value_bytes));
  add_to(mine.baseline_flops, baseline);
  if (has_gradient) add_to(profile.baseline_flops, baseline);
}

/// Adds what one chain counts.
void add_chain(const Network& network, const JacobianChain& chain, unsigned value_bytes, NetworkProfile& profile) {
  const std::size_t links = network.links().size();
  const std::vector<bool> needed = needs_gradient(network);
  for (std::size_t i = 0; i < links; ++i) {
    const ChainLink& link = network.link(i);
    const std::size_t at = links - 1 - i;
    const Pattern& pattern = *chain.jacobians[at];
    const BlockPlan* plan = chain.block(at);
    for (std::size_t place = 0; place < link.operators.size(); ++place) {
      const std::size_t o = link.operators[place];
      const std::vector<VectorCounts> counts =
          plan != nullptr ? plan->operators[place] : std::vector<VectorCounts>{vector_counts(pattern)};
      for (std::size_t which = 0; which < counts.size(); ++which) {
        const std::size_t input = network.inputs_of(o)[which];
        add_operator(network.operators()[o], which, counts[which], input != kNetworkInput && needed[input], value_bytes,
                     profile.operators[o], profile);
      }
    }
    LinkProfile& mine = profile.links[i];
    mine.rows = pattern.rows();
    mine.cols = pattern.cols();
    add_to(mine.nnz, pattern.nnz());
    add_to(profile.pattern_rows, pattern.rows());
    const bool has_classes = pattern.classes() && !chain.is_at_input;
    add_to(profile.pattern_classes, has_classes ? pattern.classes()->partition().size() : pattern.rows());
    add_to(mine.bytes, csr_bytes(pattern.rows(), pattern.nnz(), value_bytes));
    if (plan != nullptr) add_formation(*plan, value_bytes, mine.formation);
    if (i == 0) continue;  // no schedule needs the gradient of the input
    if (plan != nullptr) {
      add_to(profile.formation_flops, checked_add(plan->formation.product_flops, plan->formation.addition_flops));
    }
    add_to(profile.linear_flops, flops_of_products(products_with_dense_vector(pattern)));
    add_to(profile.build_values, pattern.nnz());
    add_to(profile.build_bytes, checked_mul(value_bytes, pattern.nnz()));
  }
}

/// Adds the sums of gradients where several operators read one output.
void add_additions(const Network& network, NetworkProfile& profile) {
  const std::vector<bool> needed = needs_gradient(network);
  const std::vector<std::size_t> readers = reader_counts(network);
  for (std::size_t o = 0; o < readers.size(); ++o) {
    if (!needed[o] || readers[o] < 2) continue;
    const std::uint64_t additions = checked_mul(readers[o] - 1, elements(network.operators()[o].out_shape));
    add_to(profile.addition_flops, checked_mul(additions, profile.inputs));
  }
  add_to(profile.baseline_flops, profile.addition_flops);
}

}  // namespace

NetworkChains::NetworkChains(const NetworkView& view, PatternKind pattern, PatternForm form)
    : view_(view), form_(form) {
  if (pattern != PatternKind::sample) return;
  if (view.sample == nullptr) throw std::invalid_argument("the sample pattern needs inputs");
  samples_.emplace(view.network, view.weights, form == PatternForm::classes ? PatternForm::at_input : form);
}

JacobianChain NetworkChains::at(std::size_t i) const {
  return samples_ ? samples_->at(*view_.sample, i, StepPatterns::drop)
                  : guaranteed_chain(view_.network, view_.weights, StepPatterns::drop, form_);
}

std::uint64_t FormationProfile::flops() const { return checked_add(product_flops, addition_flops); }

std::vector<bool> needs_gradient(const Network& network) {
  std::vector<bool> needed;
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    const OperatorKind& kind = network.operators()[o].kind;
    bool mine = !is_view(kind) && !is_join(kind);
    for (const std::size_t input : network.inputs_of(o)) mine = mine || (input != kNetworkInput && needed[input]);
    needed.push_back(mine);
  }
  return needed;
}

std::vector<std::size_t> reader_counts(const Network& network) {
  std::vector<std::size_t> readers(network.operators().size());
  for (std::size_t o = 0; o < readers.size(); ++o) {
    for (const std::size_t input : network.inputs_of(o)) {
      if (input != kNetworkInput) ++readers[input];
    }
  }
  return readers;
}

std::uint64_t baseline_flops(const Operator& op, std::uint64_t nnz) {
  return visit_operator(
      op.kind, [&](const ElementwiseOperator auto&) { return checked_add(elements(op.in_shape), nnz); },
      [&](const PoolingOperator auto&) { return checked_add(elements(op.in_shape), elements(op.out_shape)); },
      [&](const WeightedOperator auto&) { return flops_of_products(unpruned_nnz(op)); },
      [&](const MixingOperator auto& kind) { return kind.baseline_flops(op, 0); },
      [](const CopyingOperator auto&) { return std::uint64_t{0}; });
}

Analysis analyse(const NetworkView& view, PatternKind pattern, std::vector<Schedule> schedules,
                 const std::function<void(std::size_t, std::size_t)>& progress, PatternForm form,
                 const CountLimits* limits) {
  const NetworkChains chains(view, pattern, form);
  Analysis analysis;
  analysis.network.inputs = chains.inputs();
  analysis.network.operators.resize(view.network.operators().size());
  analysis.network.links.resize(view.network.links().size());
  const auto chain_at = [&](std::size_t i) {
    if (progress) progress(i, analysis.network.inputs);
    return chains.at(i);
  };
  const auto observe = [&](const JacobianChain& chain) {
    add_chain(view.network, chain, view.value_bytes, analysis.network);
  };
  CountedSchedules counted = count_schedules(std::move(schedules), analysis.network.inputs, chain_at, view.value_bytes,
                                             limits != nullptr ? *limits : CountLimits{}, observe);
  if (limits == nullptr && !counted.uncounted.empty()) {
    const UncountedSchedule& first = counted.uncounted.front();
    throw OperatorError(first_operator(view.network, first.refused), uncounted_text(view, pattern, first));
  }
  analysis.schedules = std::move(counted.profiles);
  analysis.uncounted = std::move(counted.uncounted);
  add_additions(view.network, analysis.network);
  if (progress) progress(analysis.network.inputs, analysis.network.inputs);
  return analysis;
}

}  // namespace upsweep

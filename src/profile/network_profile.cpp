#include "upsweep/profile/network_profile.hpp"

#include <optional>
#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

void add_chain(const Network& network, const JacobianChain& chain, unsigned value_bytes, NetworkProfile& profile) {
  const auto& links = network.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Operator& op = network.operators()[links[i]];
    const Pattern& pattern = *chain.jacobians[links.size() - 1 - i];
    OperatorProfile& mine = profile.operators[links[i]];
    const std::uint64_t baseline = baseline_flops(op, pattern.nnz());
    mine.rows = pattern.rows();
    mine.cols = pattern.cols();
    add_to(mine.nnz, pattern.nnz());
    add_to(mine.bytes, csr_bytes(pattern.rows(), pattern.nnz(), value_bytes));
    add_to(mine.baseline_flops, baseline);
    if (i == 0) continue;  // no schedule needs the gradient of the input
    add_to(profile.baseline_flops, baseline);
    add_to(profile.linear_flops, flops_of_products(products_with_dense_vector(pattern)));
    add_to(profile.build_values, pattern.nnz());
    add_to(profile.build_bytes, checked_mul(value_bytes, pattern.nnz()));
  }
}

}  // namespace

std::uint64_t baseline_flops(const Operator& op, std::uint64_t nnz) {
  if (is_view(op.kind)) return 0;
  if (is_elementwise(op.kind)) return checked_add(elements(op.in_shape), nnz);
  if (is_pooling(op.kind)) return checked_add(elements(op.in_shape), elements(op.out_shape));
  return flops_of_products(unpruned_nnz(op));
}

Analysis analyse(const NetworkView& view, PatternKind pattern, std::vector<Schedule> schedules,
                 const std::function<void(std::size_t, std::size_t)>& progress) {
  std::optional<SampleChains> samples;
  if (pattern == PatternKind::sample) {
    if (view.sample == nullptr) throw std::invalid_argument("the sample pattern needs inputs");
    samples.emplace(view.network, view.weights);
  }
  Analysis analysis;
  analysis.network.inputs = samples ? view.sample->count : 1;
  analysis.network.operators.resize(view.network.operators().size());
  const auto chain_at = [&](std::size_t i) {
    if (progress) progress(i, analysis.network.inputs);
    return samples ? samples->at(view.sample->at(i)) : guaranteed_chain(view.network, view.weights);
  };
  const auto observe = [&](const JacobianChain& chain) {
    add_chain(view.network, chain, view.value_bytes, analysis.network);
  };
  analysis.schedules =
      profile_schedules(std::move(schedules), analysis.network.inputs, chain_at, view.value_bytes, observe);
  if (progress) progress(analysis.network.inputs, analysis.network.inputs);
  return analysis;
}

}  // namespace upsweep

#include "upsweep/profile/convention.hpp"

#include <algorithm>

#include "cost_rules.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/network/dense_work.hpp"

namespace upsweep {

std::uint64_t of_batch(const CostedOperator& costed, std::uint64_t count) { return checked_mul(costed.batch, count); }

OperatorCosts with_parameters(const Operator& op) {
  const std::uint64_t count = weight_count(op);
  if (std::holds_alternative<Shifting>(op.kind) && count > 0)
    return {{}, "numbers that are added: of a bias, beside modules, or constants"};
  return {{.parameters = count}, {}};
}

bool is_affine(const Operator& op) { return parameters_of(op.kind, op.in_shape).scales > 0; }

bool repeats_elements(const Operator& op) {
  for (std::size_t input = 0; input <= op.other_shapes.size(); ++input) {
    if (baseline_mixing_flops(op, input) > 0) return true;
  }
  return false;
}

bool Convention::has(std::optional<std::uint64_t> Costs::*count) const {
  return std::find(counts.begin(), counts.end(), count) != counts.end();
}

const std::vector<Convention>& conventions() {
  static const std::vector<Convention> all = {upsweep_convention(), torchinfo_convention(), fvcore_convention(),
                                              deepspeed_convention(), calculon_convention()};
  return all;
}

std::vector<const Convention*> find_conventions(std::string_view name) {
  std::vector<const Convention*> found;
  for (const Convention& convention : conventions()) {
    if (name == "all" || name == convention.name) found.push_back(&convention);
  }
  return found;
}

std::vector<std::string> convention_names() {
  std::vector<std::string> names;
  for (const Convention& convention : conventions()) names.emplace_back(convention.name);
  names.emplace_back("all");
  return names;
}

}  // namespace upsweep

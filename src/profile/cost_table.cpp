#include "upsweep/profile/cost_table.hpp"

#include <algorithm>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/profile/network_profile.hpp"

namespace upsweep {
namespace {

std::vector<std::string> name_parts(const std::string& name) {
  std::vector<std::string> parts(1);
  for (const char c : name) {
    if (c != '.' && c != '/') {
      parts.back() += c;
    } else if (!parts.back().empty()) {
      parts.emplace_back();
    }
  }
  if (parts.size() > 1 && parts.back().empty()) parts.pop_back();
  return parts;
}

/// How many parts from `at` on repeat the last ones of `path`. Numbers alone repeat nothing: "features.0.0" is a
/// module in a module.
std::size_t repeated(const std::vector<std::string>& path, const std::vector<std::string>& parts, std::size_t at) {
  if (parts[at].find_first_not_of("0123456789") == std::string::npos) return 0;
  // The last part is the operator's own name.
  for (std::size_t count = std::min(path.size(), parts.size() - 1 - at); count > 0; --count) {
    if (std::equal(path.end() - static_cast<std::ptrdiff_t>(count), path.end(),
                   parts.begin() + static_cast<std::ptrdiff_t>(at)))
      return count;
  }
  return 0;
}

void add_costs(SummedCosts& sum, const OperatorCosts& mine) {
  for (const CostQuantity& quantity : kCostQuantities) {
    const std::optional<std::uint64_t>& count = mine.costs.*quantity.count;
    std::optional<std::uint64_t>& to = sum.costs.*quantity.count;
    if (count) to = checked_add(to.value_or(0), *count);
  }
  if (!mine.unknown.empty()) ++sum.unknown;
}

/// The module of that name, a new one at the end where there is none.
ModuleCosts& module_in(std::vector<ModuleCosts>& modules, const std::string& name, std::size_t by) {
  const auto found = std::find_if(modules.begin(), modules.end(), [&](const auto& one) { return one.name == name; });
  if (found != modules.end()) return *found;
  return modules.emplace_back(ModuleCosts{name, 0, std::vector<SummedCosts>(by)});
}

/// Which kinds of operators a convention counts.
class CountedKinds {
 public:
  void add(const std::string& kind, const Costs& costs) {
    const bool counts = costs.forward_macs.value_or(0) > 0 || costs.forward_flops.value_or(0) > 0;
    const auto found = std::find_if(kinds_.begin(), kinds_.end(), [&](const auto& one) { return one.first == kind; });
    if (found == kinds_.end()) {
      kinds_.emplace_back(kind, counts);
    } else {
      found->second = found->second || counts;
    }
  }
  [[nodiscard]] std::vector<std::string> left_out() const {
    std::vector<std::string> found;
    for (const auto& [kind, counts] : kinds_) {
      if (!counts) found.push_back(kind);
    }
    return found;
  }

 private:
  std::vector<std::pair<std::string, bool>> kinds_;  // in the order in which they begin; counted at least once
};

}  // namespace

std::string module_of(const std::string& name, std::size_t depth) {
  const std::vector<std::string> parts = name_parts(name);
  std::vector<std::string> path;
  for (std::size_t at = 0; at < parts.size();) {
    if (const std::size_t count = repeated(path, parts, at); count > 0) {
      at += count;
    } else {
      path.push_back(parts[at++]);
    }
  }
  std::string module;
  for (std::size_t i = 0; i < std::min(depth, path.size()); ++i) module += (i > 0 ? "." : "") + path[i];
  return module;
}

CostTable count_costs(const Network& network, std::vector<const Convention*> by, std::uint64_t batch,
                      unsigned value_bytes, std::size_t module_depth) {
  CostTable table{
      .batch = batch, .value_bytes = value_bytes, .module_depth = module_depth, .conventions = std::move(by)};
  const std::vector<bool> needed = needs_gradient(network);
  const std::vector<std::size_t> readers = reader_counts(network);
  table.operators.resize(table.conventions.size());
  table.totals.resize(table.conventions.size());
  std::vector<CountedKinds> kinds(table.conventions.size());
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    CostedOperator costed{network.operators()[o], {}, readers[o], needed[o], batch, value_bytes};
    for (const std::size_t input : network.inputs_of(o))
      costed.has_gradient.push_back(input != kNetworkInput && needed[input]);
    const bool has_flops = conventions().front().costs(costed).costs.forward_flops > 0U;
    table.modules.push_back(module_of(costed.op.name, module_depth));
    ModuleCosts& module = module_in(table.by_module, table.modules.back(), table.conventions.size());
    ++module.operators;
    for (std::size_t c = 0; c < table.conventions.size(); ++c) {
      const OperatorCosts& mine = table.operators[c].emplace_back(table.conventions[c]->costs(costed));
      add_costs(module.costs[c], mine);
      add_costs(table.totals[c], mine);
      if (has_flops && mine.unknown.empty()) kinds[c].add(kind_name(costed.op.kind), mine.costs);
    }
  }
  for (const CountedKinds& mine : kinds) table.left_out.push_back(mine.left_out());
  return table;
}

}  // namespace upsweep

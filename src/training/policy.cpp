#include "upsweep/training/policy.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "policy_list.hpp"
#include "upsweep/base/edit_distance.hpp"

namespace upsweep {

std::span<const Policy> policies() {
  static const std::vector<Policy> all = policy_list();
  return all;
}

const Policy& find_policy(const std::string& name) {
  std::vector<std::string> names;
  for (const Policy& policy : policies()) {
    if (policy.name == name) return policy;
    names.push_back(policy.name);
  }
  throw std::invalid_argument(fmt::format("'{}'{}", name, accepted_text(name, names)));
}

}  // namespace upsweep

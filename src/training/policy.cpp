#include "upsweep/training/policy.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "policy_list.hpp"

namespace upsweep {

std::span<const Policy> policies() {
  static const std::vector<Policy> all = policy_list();
  return all;
}

const Policy& find_policy(const std::string& name) {
  std::string accepted;
  for (const Policy& policy : policies()) {
    if (policy.name == name) return policy;
    accepted += (accepted.empty() ? "" : ", ") + policy.name;
  }
  throw std::invalid_argument(fmt::format("'{}', accepted are {}", name, accepted));
}

}  // namespace upsweep

#include "upsweep/backend/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <utility>

#include "cpu_backend.hpp"
#include "cuda_backends.hpp"
#include "eigen_backend.hpp"
#include "reference_backend.hpp"

namespace upsweep {
namespace {

using Maker = std::unique_ptr<Backend> (*)();

const std::vector<std::pair<std::string, Maker>>& makers() {
  static const std::vector<std::pair<std::string, Maker>> all = {
      {"reference", make_reference_backend}, {"cpu", make_cpu_backend},
      {"eigen", make_eigen_backend},         {"cuda", make_cuda_backend},
      {"cusparse", make_cusparse_backend},   {"cusparse-reuse", make_cusparse_reuse_backend}};
  return all;
}

}  // namespace

const std::vector<std::string>& backend_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, make] : makers()) all.push_back(name);
    return all;
  }();
  return names;
}

std::unique_ptr<Backend> make_backend(const std::string& name) {
  for (const auto& [known, make] : makers()) {
    if (known == name) return make();
  }
  throw std::invalid_argument(
      fmt::format("'{}' is no backend, accepted are {}", name, fmt::join(backend_names(), ", ")));
}

}  // namespace upsweep

#include "upsweep/devices/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "upsweep/backend/backends.hpp"
#include "upsweep/base/edit_distance.hpp"
#include "upsweep/kernels/backends.hpp"

namespace upsweep {
namespace {

/// cuSPARSE is called with 32-bit offsets. Its default algorithm for products fails in work estimation beyond as many
/// scalar multiplications: measured on an A100 (cuSPARSE's rows of the published measurements, docs/sources.md).
constexpr std::uint64_t k32Bits = std::numeric_limits<std::int32_t>::max();

/// Programs of our kernels step through a row by 32-bit positions that may go past its end (kernels/device_plan.cpp).
/// Neither the grid nor shared memory is a limit: a grid has 2^31 - 1 blocks, and rows, of which a block takes at least
/// one, have numbers of 32 bits, so that matrices with more would need terabytes; a row whose sums do not fit into
/// shared memory is added up in place.
constexpr std::uint64_t kMostColumns = std::uint64_t{1} << 31;

/// A schedule is a CUDA graph (kernels/schedule_runner.cpp).
BackendLimits cuda_limits() {
  BackendLimits limits{MachineKind::gpu, BackendLimits::kNone, BackendLimits::kNone, LaunchMode::graph};
  limits.most_columns = kMostColumns;
  limits.leaves_out = "the structure of its plan, which is known once the schedule is planned";
  return limits;
}
BackendLimits cusparse_limits(bool is_reused) {
  BackendLimits limits{MachineKind::gpu, k32Bits, is_reused ? BackendLimits::kNone : k32Bits, LaunchMode::eager};
  limits.keeps_values = is_reused;
  limits.leaves_out =
      "the library's workspace, which it tells at run time product by product; no formula of it is published";
  return limits;
}

const char* purpose(Ability ability) {
  switch (ability) {
    case Ability::networks:
      return "of networks of operators";
    case Ability::recurrent:
      return "of recurrent passes";
    case Ability::recurrent_scans:
      return "of scans over recurrent models";
    case Ability::network_training:
      return "for the training of a network of operators";
    case Ability::recurrent_training:
      return "for the training of a recurrent model";
    case Ability::calibration:
      return "to calibrate";
    case Ability::dense_backprop:
      return "beside which dense back-propagation is measured";
  }
  throw std::logic_error("unknown ability");
}

}  // namespace

bool BackendEntry::can(Ability ability) const {
  if (ability == Ability::networks) return network != nullptr;
  if (ability == Ability::recurrent) return recurrent != nullptr;
  if (ability == Ability::recurrent_scans) return recurrent != nullptr && recurrent->has_scans();
  return std::ranges::find(others, ability) != others.end();
}

std::string cannot_run_reason(const BackendEntry& backend, const LargestCounts& largest, std::uint64_t peak_live_bytes,
                              const Machine* machine) {
  const BackendLimits& limits = backend.limits;
  if (largest.products > limits.most_products) {
    return fmt::format("a product of {} scalar multiplications, its library does up to {}", largest.products,
                       limits.most_products);
  }
  if (std::max(largest.extent, largest.nnz) > limits.most_entries) {
    return fmt::format("a matrix with {} rows, columns or entries, its library takes up to {}",
                       std::max(largest.extent, largest.nnz), limits.most_entries);
  }
  if (largest.columns > limits.most_columns)
    return fmt::format("a matrix with {} columns, its kernels take up to {}", largest.columns, limits.most_columns);
  const bool is_this = machine != nullptr && machine->kind == limits.kind && machine->memory_bytes > 0;
  if (is_this && limits.keeps_values && largest.all_bytes > machine->memory_bytes) {
    return fmt::format("{} bytes of values, all of which it keeps, {} has {}", largest.all_bytes, machine->name,
                       machine->memory_bytes);
  }
  if (is_this && peak_live_bytes > machine->memory_bytes)
    return fmt::format("{} bytes of live values, {} has {}", peak_live_bytes, machine->name, machine->memory_bytes);
  return "";
}

void require_launch(const BackendEntry& backend, LaunchMode asked) {
  const std::optional<LaunchMode> own = backend.limits.launch;
  if (asked == own) return;
  throw std::invalid_argument(fmt::format(
      "launch is {}, but the backend {} {}", to_string(asked), backend.name,
      own ? fmt::format("has {}, accepted is that", to_string(*own)) : "starts no kernels, accepted is none"));
}

Machine as_run_by(const BackendEntry& backend, Machine machine, bool is_asked) {
  const bool knows = machine.kind == MachineKind::gpu && machine.rates.back().host_launch_s.has_value();
  const bool applies = backend.limits.launch && machine.provenance.origin != "calibration" && (is_asked || knows);
  return applies ? launched(std::move(machine), *backend.limits.launch) : machine;
}

const std::vector<BackendEntry>& backends() {
  using enum Ability;
  static const std::vector<BackendEntry> all = {
      {"reference", make_reference_backend, &reference_recurrent_backend(), {recurrent_training}, ""},
      {"cpu",
       make_cpu_backend,
       &cpu_recurrent_backend(),
       {calibration, dense_backprop, network_training, recurrent_training},
       ""},
      {"eigen", make_eigen_backend, nullptr, {}, ""},
      {"cuda",
       make_cuda_backend,
       &cuda_recurrent_backend(),
       {calibration, recurrent_training},
       "",
       cuda_limits(),
       cuda_dense_flops_per_s,
       cuda_copy_bytes_per_s},
      {"cusparse", make_cusparse_backend, nullptr, {}, "", cusparse_limits(false)},
      {"cusparse-reuse", make_cusparse_reuse_backend, nullptr, {}, "", cusparse_limits(true)},
      {"cudnn", nullptr, &cudnn_recurrent_backend(CudnnRegime::best), {}, "cuda"},
      {"cudnn-standard", nullptr, &cudnn_recurrent_backend(CudnnRegime::standard), {}, "cuda"}};
  return all;
}

std::vector<std::string> backend_names(Ability ability) {
  std::vector<std::string> names;
  for (const BackendEntry& one : backends()) {
    if (one.can(ability)) names.push_back(one.name);
  }
  return names;
}

const BackendEntry& find_backend(const std::string& name, Ability ability) {
  for (const BackendEntry& one : backends()) {
    if (one.name == name && one.can(ability)) return one;
  }
  throw std::invalid_argument(
      fmt::format("'{}' is no backend {}{}", name, purpose(ability), accepted_text(name, backend_names(ability))));
}

std::unique_ptr<Backend> make_backend(const std::string& name) {
  return find_backend(name, Ability::networks).network();
}

const RecurrentBackend& recurrent_backend(const std::string& name) {
  return *find_backend(name, Ability::recurrent).recurrent;
}

}  // namespace upsweep

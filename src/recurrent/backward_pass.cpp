#include "upsweep/recurrent/backward_pass.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "cpu_passes.hpp"
#include "recurrent_devices.hpp"
#include "upsweep/backend/registry.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

// Values of a schedule are numbered with 32 bits; it has about two combines per element.
constexpr std::uint64_t kLongestScan = std::uint64_t{1} << 30;

void require_known(const std::string& backend) {
  const std::vector<std::string>& names = recurrent_backend_names();
  if (std::ranges::find(names, backend) != names.end()) return;
  throw std::invalid_argument(
      fmt::format("'{}' is no backend of recurrent passes, accepted are {}", backend, fmt::join(names, ", ")));
}

/// What runs elsewhere than on this processor.
std::optional<RecurrentDevice> device_of(const std::string& backend) {
  require_known(backend);
  if (backend == "cuda") return cuda_recurrent_device();
  if (backend == "cudnn") return cudnn_recurrent_device();
  return std::nullopt;
}

void require_valid(const BackwardMethod& method, const PassShape& shape) {
  require_valid(shape.cell);
  if (shape.steps == 0 || shape.batch == 0) {
    throw std::invalid_argument(
        fmt::format("a pass over {} steps of {} samples, accepted is 1 or more", shape.steps, shape.batch));
  }
  const BlockOptions& blocks = method.blocks;
  if (method.kind == BackwardKind::blocked &&
      (blocks.blocks == 0 || !(blocks.first_block >= 1) || !std::isfinite(blocks.first_block))) {
    throw std::invalid_argument(
        fmt::format("{} blocks, the first {} times as long as the others, accepted is 1 or more", blocks.blocks,
                    blocks.first_block));
  }
}

/// What no backend of that kind has.
std::string generally_unsupported(const std::string& backend, const BackwardMethod& method, const PassShape& shape) {
  const bool sequential_only = backend == "reference" || backend == "cudnn";
  if (sequential_only && method.kind != BackwardKind::sequential) {
    return fmt::format("{} has no {}, accepted is bptt", backend, to_string(method));
  }
  if (!shape.is_fused && shape.cell.kind != CellKind::rnn) {
    return fmt::format("a {} has no unfused steps, accepted is an rnn", to_string(shape.cell.kind));
  }
  if (!shape.is_fused && method.kind == BackwardKind::blocked) {
    return fmt::format("{} has no unfused steps, accepted are bptt, linear, hybrid:L and blelloch", to_string(method));
  }
  if (method.kind == BackwardKind::levels && (shape.steps >= kLongestScan || scan_length(shape) > kLongestScan)) {
    return fmt::format("{} over {} steps, accepted are arrays of at most {} elements", to_string(method), shape.steps,
                       kLongestScan);
  }
  return {};
}

/// What would need less memory.
const char* advice(const BackwardMethod& method, const PassShape& shape) {
  if (method.kind == BackwardKind::levels) {
    return shape.is_fused ? "blocked:P, which stores no Jacobians, a smaller batch or fewer steps"
                          : "fused steps and blocked:P, which stores no Jacobians, a smaller batch or fewer steps";
  }
  if (method.kind == BackwardKind::sequential) return "a smaller batch or fewer steps";
  return method.blocks.store_jacobians ? "blocks that store no Jacobians, a smaller batch or fewer steps"
                                       : "fewer blocks or a smaller batch";
}

/// Throws BackendError where pass and schedule are larger than the memory, before any of it is taken.
void require_memory(const std::string& backend, const BackwardMethod& method, const PassShape& shape,
                    unsigned value_bytes) {
  const std::uint64_t memory = recurrent_facts(backend).memory_bytes;
  constexpr double kGiB = 0x1p30;
  std::string need = "2^64 bytes or more";
  try {
    const std::uint64_t bytes = pass_bytes(backend, method, shape, value_bytes);
    // A schedule and its plan, which take a few of these per element.
    const std::uint64_t plan =
        method.kind == BackwardKind::levels ? checked_mul(4 * sizeof(Combine), scan_length(shape)) : 0;
    const bool here = backend == "cpu" || backend == "reference";
    const std::uint64_t total = here ? checked_add(bytes, plan) : bytes;
    if (total <= memory) return;
    need = fmt::format("{:.1f} GiB", static_cast<double>(total) / kGiB);
  } catch (const CountOverflow&) {
    // More than any machine has.
  }
  throw BackendError(
      fmt::format("{}: {} over {} steps of {} samples with {} hidden elements needs {}, there are {:.1f} "
                  "GiB of memory; try {}",
                  backend, to_string(method), shape.steps, shape.batch, shape.cell.hidden, need,
                  static_cast<double>(memory) / kGiB, advice(method, shape)));
}

template <class T>
std::unique_ptr<BackwardPass<T>> make(const std::string& backend, const BackwardMethod& method,
                                      const PassShape& shape) {
  if (const auto device = device_of(backend)) {
    if constexpr (std::is_same_v<T, float>) {
      return device->make_fp32(method, shape);
    } else {
      return device->make_fp64(method, shape);
    }
  }
  return backend == "reference" ? make_reference_pass<T>(shape) : make_cpu_pass<T>(method, shape);
}

}  // namespace

const std::vector<std::string>& recurrent_backend_names() {
  static const std::vector<std::string> names = {"reference", "cpu", "cuda", "cudnn"};
  return names;
}

Availability recurrent_availability(const std::string& backend) {
  const auto device = device_of(backend);
  return device ? device->availability() : make_backend(backend)->availability();
}

DeviceFacts recurrent_facts(const std::string& backend) {
  const auto device = device_of(backend);
  return device ? device->facts() : make_backend(backend)->facts();
}

std::string unsupported_pass(const std::string& backend, const BackwardMethod& method, const PassShape& shape) {
  const auto device = device_of(backend);
  require_valid(method, shape);
  const std::string reason = generally_unsupported(backend, method, shape);
  return reason.empty() && device ? device->unsupported(method, shape) : reason;
}

std::uint64_t pass_bytes(const std::string& backend, const BackwardMethod& method, const PassShape& shape,
                         unsigned value_bytes) {
  const auto device = device_of(backend);
  require_valid(method, shape);
  if (value_bytes != sizeof(float) && value_bytes != sizeof(double)) {
    throw std::invalid_argument(fmt::format("numbers of {} bytes, accepted are 4 and 8", value_bytes));
  }
  return device ? device->bytes(method, shape, value_bytes) : cpu_pass_bytes(method, shape, value_bytes);
}

template <class T>
std::unique_ptr<BackwardPass<T>> make_backward_pass(const std::string& backend, const BackwardMethod& method,
                                                    const PassShape& shape) {
  const std::string reason = unsupported_pass(backend, method, shape);
  if (!reason.empty()) throw std::invalid_argument(reason);
  const Availability availability = recurrent_availability(backend);
  if (!availability.available) throw BackendError(fmt::format("{}: {}", backend, availability.reason));
  require_memory(backend, method, shape, sizeof(T));
  try {
    return make<T>(backend, method, shape);
  } catch (const std::bad_alloc&) {
    throw BackendError(fmt::format("{}: the memory of this machine does not suffice for {}; try {}", backend,
                                   to_string(method), advice(method, shape)));
  }
}

template std::unique_ptr<BackwardPass<float>> make_backward_pass<float>(const std::string&, const BackwardMethod&,
                                                                        const PassShape&);
template std::unique_ptr<BackwardPass<double>> make_backward_pass<double>(const std::string&, const BackwardMethod&,
                                                                          const PassShape&);

}  // namespace upsweep

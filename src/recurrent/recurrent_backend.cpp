#include "upsweep/recurrent/recurrent_backend.hpp"

#include <fmt/format.h>

#include <cmath>
#include <new>
#include <stdexcept>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

// Values of a schedule are numbered with 32 bits; it has about two combines per element.
constexpr std::uint64_t kLongestScan = std::uint64_t{1} << 30;

void require_valid(const PassShape& shape) {
  require_valid(shape.cell);
  if (shape.steps > 0 && shape.batch > 0) return;
  throw std::invalid_argument(
      fmt::format("a pass over {} steps of {} samples, accepted is 1 or more", shape.steps, shape.batch));
}

void require_valid(const BackwardMethod& method, const PassShape& shape) {
  require_valid(shape);
  const BlockOptions& blocks = method.blocks;
  if (method.kind == BackwardKind::blocked &&
      (blocks.blocks == 0 || !(blocks.first_block >= 1) || !std::isfinite(blocks.first_block))) {
    throw std::invalid_argument(
        fmt::format("{} blocks, the first {} times as long as the others, accepted is 1 or more", blocks.blocks,
                    blocks.first_block));
  }
}

/// Elements of the array that a levels pass scans: T + 1, unfused 2T + 1. Throws CountOverflow.
std::uint64_t scan_length(const PassShape& shape) {
  return checked_add(1, checked_mul(shape.is_fused ? 1 : 2, shape.steps));
}

/// What no backend of that kind has.
std::string generally_unsupported(const RecurrentBackend& backend, const BackwardMethod& method,
                                  const PassShape& shape) {
  if (!backend.has_scans() && method.kind != BackwardKind::sequential) {
    return fmt::format("{} has no {}, accepted is bptt", backend.name(), to_string(method));
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
void require_memory(const RecurrentBackend& backend, const BackwardMethod& method, const PassShape& shape,
                    unsigned value_bytes) {
  const DeviceFacts facts = backend.facts();
  const std::uint64_t memory = facts.memory_bytes;
  constexpr double kGiB = 0x1p30;
  std::string need = "2^64 bytes or more";
  try {
    const std::uint64_t bytes = backend.bytes(method, shape, value_bytes);
    // A schedule and its plan, which take a few of these per element.
    const std::uint64_t plan =
        method.kind == BackwardKind::levels ? checked_mul(4 * sizeof(Combine), scan_length(shape)) : 0;
    const std::uint64_t total = facts.is_processor ? checked_add(bytes, plan) : bytes;
    if (total <= memory) return;
    need = fmt::format("{:.1f} GiB", static_cast<double>(total) / kGiB);
  } catch (const CountOverflow&) {
    // More than any machine has.
  }
  throw BackendError(
      fmt::format("{}: {} over {} steps of {} samples with {} hidden elements needs {}, there are {:.1f} "
                  "GiB of memory; try {}",
                  backend.name(), to_string(method), shape.steps, shape.batch, shape.cell.hidden, need,
                  static_cast<double>(memory) / kGiB, advice(method, shape)));
}

}  // namespace

void require_available(const std::string& name, const Availability& availability) {
  if (!availability.available) throw BackendError(fmt::format("{}: {}", name, availability.reason));
}

std::string unsupported_pass(const RecurrentBackend& backend, const BackwardMethod& method, const PassShape& shape) {
  require_valid(method, shape);
  const std::string reason = generally_unsupported(backend, method, shape);
  return reason.empty() ? backend.unsupported(method, shape) : reason;
}

std::uint64_t pass_bytes(const RecurrentBackend& backend, const BackwardMethod& method, const PassShape& shape,
                         unsigned value_bytes) {
  require_valid(method, shape);
  if (value_bytes != sizeof(float) && value_bytes != sizeof(double)) {
    throw std::invalid_argument(fmt::format("numbers of {} bytes, accepted are 4 and 8", value_bytes));
  }
  return backend.bytes(method, shape, value_bytes);
}

template <class T>
std::unique_ptr<BackwardPass<T>> make_backward_pass(const RecurrentBackend& backend, const BackwardMethod& method,
                                                    const PassShape& shape) {
  const std::string reason = unsupported_pass(backend, method, shape);
  if (!reason.empty()) throw std::invalid_argument(reason);
  require_available(backend.name(), backend.availability());
  require_memory(backend, method, shape, sizeof(T));
  try {
    return backend.make(method, shape, std::type_identity<T>());
  } catch (const std::bad_alloc&) {
    throw BackendError(fmt::format("{}: the memory of this machine does not suffice for {}; try {}", backend.name(),
                                   to_string(method), advice(method, shape)));
  }
}

template <class T>
std::unique_ptr<ForwardPass<T>> make_forward_pass(const OuterBackend& backend, const PassShape& shape) {
  require_valid(shape);
  const std::string reason = backend.unsupported_forward(shape);
  if (!reason.empty()) throw std::invalid_argument(reason);
  require_available(backend.name(), backend.availability());
  return backend.make_forward(shape, std::type_identity<T>());
}

template <class T>
std::unique_ptr<ParameterPass<T>> make_parameter_pass(const OuterBackend& backend, const PassShape& shape) {
  require_valid(shape);
  require_available(backend.name(), backend.availability());
  return backend.make_parameters(shape, std::type_identity<T>());
}

template std::unique_ptr<BackwardPass<float>> make_backward_pass<float>(const RecurrentBackend&, const BackwardMethod&,
                                                                        const PassShape&);
template std::unique_ptr<BackwardPass<double>> make_backward_pass<double>(const RecurrentBackend&,
                                                                          const BackwardMethod&, const PassShape&);
template std::unique_ptr<ForwardPass<float>> make_forward_pass<float>(const OuterBackend&, const PassShape&);
template std::unique_ptr<ForwardPass<double>> make_forward_pass<double>(const OuterBackend&, const PassShape&);
template std::unique_ptr<ParameterPass<float>> make_parameter_pass<float>(const OuterBackend&, const PassShape&);
template std::unique_ptr<ParameterPass<double>> make_parameter_pass<double>(const OuterBackend&, const PassShape&);

}  // namespace upsweep

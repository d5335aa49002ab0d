#pragma once

#include <cstdint>
#include <memory>

#include "upsweep/recurrent/backward_pass.hpp"

namespace upsweep {

/// "reference": bptt_reference(), one thread.
template <class T>
[[nodiscard]] std::unique_ptr<BackwardPass<T>> make_reference_pass(const PassShape& shape);

/// "cpu": the passes of this library on the threads that there are.
///
/// Takes what unsupported_pass() lets through. Results are written straight to where load() says, fetch() does nothing.
template <class T>
[[nodiscard]] std::unique_ptr<BackwardPass<T>> make_cpu_pass(const BackwardMethod& method, const PassShape& shape);

/// Bytes of the pass that make_cpu_pass() would make, without making it. Throws CountOverflow.
[[nodiscard]] std::uint64_t cpu_pass_bytes(const BackwardMethod& method, const PassShape& shape, unsigned value_bytes);

/// Elements of the array that a levels pass scans: T + 1, unfused 2T + 1. Throws CountOverflow.
[[nodiscard]] std::uint64_t scan_length(const PassShape& shape);

}  // namespace upsweep

#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace upsweep::kernels {

struct DestroyCuda {
  void operator()(cudaStream_t stream) const noexcept { static_cast<void>(cudaStreamDestroy(stream)); }
  void operator()(cudaEvent_t event) const noexcept { static_cast<void>(cudaEventDestroy(event)); }
  void operator()(cudaGraph_t graph) const noexcept { static_cast<void>(cudaGraphDestroy(graph)); }
  void operator()(cudaGraphExec_t graph) const noexcept { static_cast<void>(cudaGraphExecDestroy(graph)); }
  void operator()(std::byte* memory) const noexcept { static_cast<void>(cudaFree(memory)); }
};

using Stream = std::unique_ptr<CUstream_st, DestroyCuda>;
using Event = std::unique_ptr<CUevent_st, DestroyCuda>;
using Graph = std::unique_ptr<CUgraph_st, DestroyCuda>;
using GraphExec = std::unique_ptr<CUgraphExec_st, DestroyCuda>;

/// A stream that does not wait for the default stream. Throws BackendError.
[[nodiscard]] Stream make_stream();

/// An event that orders work but measures no time. Throws BackendError.
[[nodiscard]] Event make_order_event();

/// An event for seconds_between(). Throws BackendError.
[[nodiscard]] Event make_timing_event();

/// Seconds between two events that have happened. Throws BackendError.
[[nodiscard]] double seconds_between(const Event& start, const Event& stop);

/// Device memory; freed with this object.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;

  /// Takes `bytes` of device memory, none for 0. Throws BackendError that names the size.
  explicit DeviceBuffer(std::uint64_t bytes);

  [[nodiscard]] std::byte* data() const { return memory_.get(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  template <class V>
  [[nodiscard]] V* as() const {
    return reinterpret_cast<V*>(memory_.get());
  }

 private:
  std::unique_ptr<std::byte, DestroyCuda> memory_;
  std::uint64_t bytes_ = 0;
};

/// Throws BackendError that states both figures where `needed` bytes exceed `limit` (0: none) or what the device has
/// free. `what` says what the bytes are.
void require_device_memory(std::uint64_t needed, std::uint64_t limit, const char* what);

}  // namespace upsweep::kernels

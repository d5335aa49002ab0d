#include "device_resources.hpp"

#include <fmt/format.h>

#include "cuda_check.hpp"

namespace upsweep::kernels {

Stream make_stream() {
  cudaStream_t stream = nullptr;
  cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return Stream(stream);
}

Event make_order_event() {
  cudaEvent_t event = nullptr;
  cuda_check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  return Event(event);
}

Event make_timing_event() {
  cudaEvent_t event = nullptr;
  cuda_check(cudaEventCreateWithFlags(&event, cudaEventDefault), "cudaEventCreateWithFlags");
  return Event(event);
}

double seconds_between(const Event& start, const Event& stop) {
  float milliseconds = 0;
  cuda_check(cudaEventElapsedTime(&milliseconds, start.get(), stop.get()), "cudaEventElapsedTime");
  return double{milliseconds} / 1000;
}

DeviceBuffer::DeviceBuffer(std::uint64_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  void* memory = nullptr;
  cuda_check(cudaMalloc(&memory, bytes), fmt::format("cudaMalloc of {} bytes", bytes).c_str());
  memory_.reset(static_cast<std::byte*>(memory));
}

void require_device_memory(std::uint64_t needed, std::uint64_t limit, const char* what) {
  if (limit != 0 && needed > limit) {
    throw BackendError(
        fmt::format("{} need {} bytes of device memory, the memory limit is {} bytes", what, needed, limit));
  }
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  if (needed > free_bytes) {
    throw BackendError(fmt::format("{} need {} bytes of device memory, {} of {} bytes are free", what, needed,
                                   free_bytes, total_bytes));
  }
}

}  // namespace upsweep::kernels

#include <algorithm>
#include <limits>

#include "cuda_check.hpp"
#include "device_facts.hpp"
#include "device_resources.hpp"
#include "timed_work.hpp"
#include "upsweep/kernels/backends.hpp"

namespace upsweep {

double cuda_copy_bytes_per_s() {
  constexpr int kRuns = 5;
  constexpr std::uint64_t kCaches = 16;  // far out of the second-level cache, which both halves share
  const std::uint64_t bytes = kCaches * kernels::cuda_facts().cache_bytes;
  const kernels::DeviceBuffer from(bytes);
  const kernels::DeviceBuffer to(bytes);
  kernels::cuda_check(cudaMemset(from.data(), 1, bytes), "cudaMemset");
  kernels::cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize after cudaMemset");
  kernels::TimedWork copy("a copy in device memory", [&](cudaStream_t stream) {
    kernels::cuda_check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, stream),
                        "cudaMemcpyAsync");
  });
  double fastest = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) fastest = std::min(fastest, copy.run());
  return 2 * static_cast<double>(bytes) / fastest;
}

}  // namespace upsweep

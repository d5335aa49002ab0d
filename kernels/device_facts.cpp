#include "device_facts.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "cuda_check.hpp"

namespace upsweep::kernels {
namespace {

constexpr int kMajor = 7;  // compute capability of the oldest kernels in the program
constexpr int kMinor = 5;

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

int attribute(cudaDeviceAttr name) {
  int value = 0;
  cuda_check(cudaDeviceGetAttribute(&value, name, 0), "cudaDeviceGetAttribute");
  return value;
}

}  // namespace

Availability cuda_availability() {
  // A driver runs programs of its own major version, whatever their minor one.
  constexpr int kNeededDriver = CUDART_VERSION / 1000 * 1000;
  const std::string needed = version_text(kNeededDriver);
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    static_cast<void>(cudaGetLastError());
    return {false, fmt::format("no NVIDIA driver was found, needed is one for CUDA {} or newer", needed)};
  }
  if (driver < kNeededDriver) {
    return {false, fmt::format("the NVIDIA driver is for CUDA {}, needed is one for CUDA {} or newer",
                               version_text(driver), needed)};
  }
  int devices = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&devices); status != cudaSuccess || devices == 0) {
    static_cast<void>(cudaGetLastError());
    return {false,
            fmt::format("no CUDA device was found ({}), needed is one of compute capability {}.{} or newer",
                        status == cudaSuccess ? "the driver lists none" : cudaGetErrorString(status), kMajor, kMinor)};
  }
  cudaDeviceProp properties{};
  if (const cudaError_t status = cudaGetDeviceProperties(&properties, 0); status != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return {false, fmt::format("CUDA device 0 does not answer: {}", cudaGetErrorString(status))};
  }
  if (properties.major < kMajor || (properties.major == kMajor && properties.minor < kMinor)) {
    return {false, fmt::format("{} has compute capability {}.{}, needed is {}.{} or newer", properties.name,
                               properties.major, properties.minor, kMajor, kMinor)};
  }
  return {true, ""};
}

DeviceFacts cuda_facts() {
  if (const Availability here = cuda_availability(); !here.available) throw BackendError(here.reason);
  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  int driver = 0;
  int runtime = 0;
  cuda_check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  cuda_check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  DeviceFacts facts;
  facts.device = properties.name;
  facts.driver =
      fmt::format("driver for CUDA {}, runtime {}, compute capability {}.{}, {} multiprocessors", version_text(driver),
                  version_text(runtime), properties.major, properties.minor, properties.multiProcessorCount);
  facts.workers = kDefaultStreams;
  facts.memory_bytes = properties.totalGlobalMem;
  facts.cache_bytes = static_cast<std::uint64_t>(properties.l2CacheSize);
  facts.fill_teams = static_cast<std::uint64_t>(properties.multiProcessorCount) *
                     static_cast<std::uint64_t>(properties.maxThreadsPerMultiProcessor / properties.warpSize);
  facts.team_room = team_room();
  return facts;
}

std::uint64_t shared_memory_limit() {
  return static_cast<std::uint64_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
}

TeamRoom team_room() {
  return {shared_memory_limit(), static_cast<std::uint64_t>(attribute(cudaDevAttrMultiProcessorCount))};
}

}  // namespace upsweep::kernels

#pragma once

#include "row_views.hpp"

/// Teams of row_programs.hpp on a GPU.
namespace upsweep::kernels {

/// What all teams share.
struct DeviceTeam {
  template <class T>
  __device__ static void add(T& target, T value) {
    atomicAdd(&target, value);
  }
  __device__ static void set_bits(std::uint32_t& word, std::uint32_t bits) { atomicOr(&word, bits); }
  __device__ static Index count_bits(std::uint32_t word) { return static_cast<Index>(__popc(word)); }
};

/// kLanes neighbours of a warp, a power of two up to 32; threads are numbered along x.
template <unsigned kLanes>
struct LaneTeam : DeviceTeam {
  __device__ static Index rank() { return threadIdx.x % kLanes; }
  __device__ static constexpr Index size() { return kLanes; }
  __device__ static unsigned mask() {
    if constexpr (kLanes == 32) {
      return ~0U;
    } else {
      return ((1U << kLanes) - 1U) << (threadIdx.x % 32U / kLanes * kLanes);
    }
  }
  __device__ static void sync() { __syncwarp(mask()); }
  template <class T>
  __device__ static T sum(T value) {
    for (unsigned step = kLanes / 2; step > 0; step /= 2)
      value += __shfl_xor_sync(mask(), value, static_cast<int>(step));
    return value;
  }
};

/// A whole block of kThreads threads. It has no sum(): no program for blocks needs it.
template <unsigned kThreads>
struct BlockTeam : DeviceTeam {
  __device__ static Index rank() { return threadIdx.x; }
  __device__ static constexpr Index size() { return kThreads; }
  __device__ static void sync() { __syncthreads(); }
};

}  // namespace upsweep::kernels

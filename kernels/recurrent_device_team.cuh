#pragma once

#include "cuda_check.hpp"
#include "recurrent_sizes.hpp"

/// Teams of recurrent_walk_program.hpp on a GPU, and launches of kernels that give each sample of each item a team.
namespace upsweep::kernels {

/// kThreads neighbours along x: a warp, of which a block may have several, or a whole block of several warps.
template <unsigned kThreads>
struct RecurrentTeam {
  static_assert(kThreads % 32 == 0);
  static constexpr unsigned kSize = kThreads;
  static constexpr unsigned kFirst = 32;

  __device__ static unsigned rank() { return threadIdx.x % kThreads; }
  __device__ static void sync() {
    if constexpr (kThreads == 32) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }
  __device__ static void sync_first() { __syncwarp(); }
  template <unsigned kParts, class T>
  __device__ static void sum_parts(T (&values)[1]) {
#pragma unroll
    for (unsigned step = kParts / 2; step > 0; step /= 2) {
      values[0] += __shfl_xor_sync(~0U, values[0], static_cast<int>(step));
    }
  }
};

/// The number of this thread's team, blocks of kTeams teams of kThreads threads.
template <unsigned kThreads, unsigned kTeams>
__device__ std::uint64_t team_number() {
  return std::uint64_t{blockIdx.x} * kTeams + threadIdx.x / kThreads;
}

/// Blocks of `teams` teams, `per_block` each. Throws BackendError where a grid has no room for so many.
inline unsigned grid_of(std::uint64_t teams, std::uint64_t per_block) {
  const std::uint64_t blocks = (teams + per_block - 1) / per_block;
  if (blocks > kMostBlocks) {
    throw BackendError("a kernel of " + std::to_string(blocks) + " blocks, accepted are at most " +
                       std::to_string(kMostBlocks));
  }
  return static_cast<unsigned>(blocks);
}

/// Lets a kernel have `bytes` of dynamic shared memory. Throws BackendError.
template <class Kernel>
void allow_shared(Kernel* kernel, std::size_t bytes) {
  constexpr std::size_t kWithoutAsking = std::size_t{48} * 1024;
  if (bytes <= kWithoutAsking) return;
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
             "cudaFuncSetAttribute (shared memory)");
}

}  // namespace upsweep::kernels

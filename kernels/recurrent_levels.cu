#include "recurrent_device_team.cuh"
#include "recurrent_launch.hpp"

namespace upsweep::kernels {
namespace {

/// Warps of a block whose teams are warps.
constexpr unsigned kWarps = 4;

template <class Shape>
constexpr unsigned kLevelTeams = Shape::kThreads == 32 ? kWarps : 1;

/// A block per sample.
template <class Shape, class T>
__global__ __launch_bounds__(Shape::kThreads, 1) void fold_kernel(FoldView<T> view) {
  __shared__ FoldScratch<Shape> shared;
  using Team = RecurrentTeam<Shape::kThreads>;
  const Team team;
  FoldProgram<Shape, Team> program(team, view, shared);
  program.run(team_number<Shape::kThreads, 1>());
}

/// A warp per Jacobian.
template <CellKind kKind, class T>
__global__ __launch_bounds__(32 * kWarps) void jacobian_kernel(CellView<T> cell, const std::uint32_t* slots,
                                                               std::uint64_t length, T* matrices) {
  const std::uint64_t team = team_number<32, kWarps>();
  if (team >= (length - 1) * cell.batch) return;
  const std::uint64_t position = 1 + team / cell.batch;
  const std::uint64_t b = team % cell.batch;
  const std::uint32_t slot = slots[position];
  if (slot == ~std::uint32_t{0}) return;
  const std::uint64_t at = (slot * cell.batch + b) * cell.hidden * padded_row(cell.hidden);
  jacobian_program<kKind>(RecurrentTeam<32>(), cell, length - position, b, matrices + at);
}

/// A team per combine and sample.
template <class Shape, class T>
__global__ __launch_bounds__(Shape::kThreads* kLevelTeams<Shape>) void level_kernel(LevelView<T> view) {
  extern __shared__ __align__(16) unsigned char shared[];
  using Scratch = LevelScratch<T, Shape::kHidden>;
  constexpr unsigned kTeams = kLevelTeams<Shape>;
  const std::uint64_t team = team_number<Shape::kThreads, kTeams>();
  if (team >= view.count * view.batch) return;  // a whole team; where a block has several, they are warps
  Scratch& scratch = reinterpret_cast<Scratch*>(shared)[threadIdx.x / Shape::kThreads];
  level_program<Shape>(RecurrentTeam<Shape::kThreads>(), view, view.steps[team / view.batch], team % view.batch,
                       scratch);
}

/// A warp per combine and sample, all of vectors.
template <class T>
__global__ __launch_bounds__(32 * kWarps) void vector_level_kernel(LevelView<T> view) {
  const std::uint64_t team = team_number<32, kWarps>();
  if (team >= view.count * view.batch) return;
  vector_step_program(RecurrentTeam<32>(), view, view.steps[team / view.batch], team % view.batch);
}

}  // namespace

template <class T>
std::uint64_t level_shared_bytes(std::size_t hidden) {
  return with_hidden_class(hidden, [&](auto size) -> std::uint64_t {
    return sizeof(LevelScratch<T, size()>) * kLevelTeams<TileShape<T, size()>>;
  });
}

template <class T>
void launch_fold(const FoldView<T>& view, cudaStream_t stream) {
  if (view.count == 0) return;
  const unsigned blocks = grid_of(view.batch, 1);
  with_hidden_class(view.hidden, [&](auto hidden) {
    using Shape = FoldShape<T, hidden()>;
    fold_kernel<Shape><<<blocks, Shape::kThreads, 0, stream>>>(view);
  });
  cuda_check(cudaGetLastError(), "launch of a kernel over a chain");
}

template <class T>
void launch_jacobians(const CellView<T>& cell, CellKind kind, const std::uint32_t* slots, std::uint64_t length,
                      T* matrices, cudaStream_t stream) {
  const unsigned blocks = grid_of((length - 1) * cell.batch, kWarps);
  with_cell_kind(kind, [&](auto kind_constant) {
    jacobian_kernel<kind_constant()><<<blocks, 32 * kWarps, 0, stream>>>(cell, slots, length, matrices);
  });
  cuda_check(cudaGetLastError(), "launch of a kernel that forms Jacobians");
}

template <class T>
void launch_level(const LevelView<T>& view, bool has_matrices, cudaStream_t stream) {
  if (view.count == 0) return;
  if (!has_matrices) {
    vector_level_kernel<<<grid_of(view.count * view.batch, kWarps), 32 * kWarps, 0, stream>>>(view);
  } else {
    const std::size_t bytes = level_shared_bytes<T>(view.hidden);
    with_hidden_class(view.hidden, [&](auto hidden) {
      using Shape = TileShape<T, hidden()>;
      const auto kernel = level_kernel<Shape, T>;
      allow_shared(kernel, bytes);
      constexpr unsigned kTeams = kLevelTeams<Shape>;
      kernel<<<grid_of(view.count * view.batch, kTeams), Shape::kThreads * kTeams, bytes, stream>>>(view);
    });
  }
  cuda_check(cudaGetLastError(), "launch of a kernel over a level");
}

#define UPSWEEP_INSTANTIATE(T)                                                                                         \
  template std::uint64_t level_shared_bytes<T>(std::size_t);                                                           \
  template void launch_fold(const FoldView<T>&, cudaStream_t);                                                         \
  template void launch_jacobians(const CellView<T>&, CellKind, const std::uint32_t*, std::uint64_t, T*, cudaStream_t); \
  template void launch_level(const LevelView<T>&, bool, cudaStream_t);
UPSWEEP_INSTANTIATE(float)
UPSWEEP_INSTANTIATE(double)
#undef UPSWEEP_INSTANTIATE

}  // namespace upsweep::kernels

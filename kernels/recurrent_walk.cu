#include "recurrent_device_team.cuh"
#include "recurrent_launch.hpp"
#include "recurrent_walk_program.hpp"

namespace upsweep::kernels {
namespace {

constexpr unsigned kWideThreads = 256;

/// A block per range and sample.
template <class Shape, class T>
__global__ __launch_bounds__(Shape::kThreads) void walk_kernel(CellView<T> cell, const StepRange* ranges) {
  __shared__ WalkScratch<Shape> shared;
  const std::uint64_t team = team_number<Shape::kThreads, 1>();
  using Team = RecurrentTeam<Shape::kThreads>;
  const Team threads;
  WalkProgram<Shape, Team> program(threads, cell, shared);
  program.run(team % cell.batch, ranges[team / cell.batch]);
}

template <CellKind kKind, class T>
__global__ __launch_bounds__(kWideThreads, 1) void wide_walk_kernel(CellView<T> cell, const StepRange* ranges) {
  extern __shared__ __align__(16) unsigned char shared[];
  const std::uint64_t team = team_number<kWideThreads, 1>();
  wide_walk_program<kKind>(RecurrentTeam<kWideThreads>(), cell, team % cell.batch, ranges[team / cell.batch],
                           reinterpret_cast<T*>(shared));
}

}  // namespace

template <class T>
void launch_walk(const CellView<T>& cell, CellKind kind, const StepRange* ranges, std::uint64_t count,
                 cudaStream_t stream) {
  if (count == 0) return;
  const unsigned blocks = grid_of(count * cell.batch, 1);
  with_cell_kind(kind, [&](auto kind_constant) {
    if (cell.hidden > kMostSmallHidden) {
      const std::size_t bytes = wide_walk_numbers(cell.hidden, kind) * sizeof(T);
      wide_walk_kernel<kind_constant()><<<blocks, kWideThreads, bytes, stream>>>(cell, ranges);
      return;
    }
    with_hidden_class(cell.hidden, [&](auto hidden) {
      using Shape = WalkShape<T, kind_constant(), hidden()>;
      walk_kernel<Shape><<<blocks, Shape::kThreads, 0, stream>>>(cell, ranges);
    });
  });
  cuda_check(cudaGetLastError(), "launch of a kernel over steps");
}

template void launch_walk(const CellView<float>&, CellKind, const StepRange*, std::uint64_t, cudaStream_t);
template void launch_walk(const CellView<double>&, CellKind, const StepRange*, std::uint64_t, cudaStream_t);

}  // namespace upsweep::kernels

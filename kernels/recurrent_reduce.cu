#include "recurrent_device_team.cuh"
#include "recurrent_launch.hpp"
#include "recurrent_reduce_program.hpp"

namespace upsweep::kernels {
namespace {

/// A block per range and sample.
template <CellKind kKind, class Shape, class T>
__global__ __launch_bounds__(Shape::kThreads) void reduce_kernel(CellView<T> cell, const StepRange* ranges,
                                                                 T* products) {
  extern __shared__ __align__(16) unsigned char shared[];
  using Team = RecurrentTeam<Shape::kThreads>;
  using Program = ReduceProgram<kKind, Shape, Team>;
  const std::uint64_t team = team_number<Shape::kThreads, 1>();
  const Team threads;
  Program program(threads, cell, *reinterpret_cast<typename Program::Scratch*>(shared));
  program.run(team % cell.batch, ranges[team / cell.batch], products + team * cell.hidden * padded_row(cell.hidden));
}

}  // namespace

template <class T>
std::uint64_t reduce_shared_bytes(std::size_t hidden, CellKind kind) {
  return with_cell_kind(kind, [&](auto kind_constant) {
    return with_hidden_class(
        hidden, [&](auto size) -> std::uint64_t { return sizeof(ReduceScratch<T, kind_constant(), size()>); });
  });
}

template <class T>
void launch_reduce(const CellView<T>& cell, CellKind kind, const StepRange* ranges, std::uint64_t count, T* products,
                   cudaStream_t stream) {
  if (count == 0) return;
  const unsigned blocks = grid_of(count * cell.batch, 1);
  const std::size_t bytes = reduce_shared_bytes<T>(cell.hidden, kind);
  with_cell_kind(kind, [&](auto kind_constant) {
    with_hidden_class(cell.hidden, [&](auto hidden) {
      using Shape = TileShape<T, hidden()>;
      const auto kernel = reduce_kernel<kind_constant(), Shape, T>;
      allow_shared(kernel, bytes);
      kernel<<<blocks, Shape::kThreads, bytes, stream>>>(cell, ranges, products);
    });
  });
  cuda_check(cudaGetLastError(), "launch of a kernel that reduces steps");
}

template std::uint64_t reduce_shared_bytes<float>(std::size_t, CellKind);
template std::uint64_t reduce_shared_bytes<double>(std::size_t, CellKind);
template void launch_reduce(const CellView<float>&, CellKind, const StepRange*, std::uint64_t, float*, cudaStream_t);
template void launch_reduce(const CellView<double>&, CellKind, const StepRange*, std::uint64_t, double*, cudaStream_t);

}  // namespace upsweep::kernels

#include "recurrent_device_team.cuh"
#include "recurrent_outer_launch.hpp"
#include "recurrent_outer_program.hpp"

namespace upsweep::kernels {
namespace {

constexpr unsigned kPartThreads = kPartGroups * kPartColumns;

template <CellKind kKind, class T>
__global__ __launch_bounds__(kOuterLanes) void outer_kernel(OuterView<T> view) {
  __shared__ OuterScratch<T> shared;
  using Team = RecurrentTeam<kOuterLanes>;
  const Team threads;
  OuterProgram<kKind, T, Team> program(threads, view, shared);
  program.run(team_number<kOuterLanes, 1>());
}

template <class T>
__global__ __launch_bounds__(kPartThreads) void part_kernel(OuterView<T> view) {
  __shared__ PartScratch shared;
  part_program(RecurrentTeam<kPartThreads>(), view, team_number<kPartThreads, 1>(), shared);
}

}  // namespace

template <class T>
void launch_parameters(const OuterView<T>& view, CellKind kind, cudaStream_t stream) {
  with_cell_kind(kind, [&](auto kind_constant) {
    outer_kernel<kind_constant()><<<grid_of(view.plan.teams, 1), kOuterLanes, 0, stream>>>(view);
  });
  cuda_check(cudaGetLastError(), "launch of a kernel over steps and samples");
  part_kernel<<<grid_of(view.plan.sums, kPartColumns), kPartThreads, 0, stream>>>(view);
  cuda_check(cudaGetLastError(), "launch of a kernel over partial sums");
}

template void launch_parameters(const OuterView<float>&, CellKind, cudaStream_t);
template void launch_parameters(const OuterView<double>&, CellKind, cudaStream_t);

}  // namespace upsweep::kernels

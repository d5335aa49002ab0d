#include "recurrent_device_team.cuh"
#include "recurrent_forward_program.hpp"
#include "recurrent_input_program.hpp"
#include "recurrent_outer_launch.hpp"

namespace upsweep::kernels {
namespace {

constexpr unsigned kWideThreads = 256;

template <CellKind kKind, class T>
__global__ __launch_bounds__(InputShape<T>::kSums) void input_kernel(ForwardView<T> view) {
  __shared__ InputScratch<T> shared;
  input_program<kKind>(RecurrentTeam<InputShape<T>::kSums>(), view, team_number<InputShape<T>::kSums, 1>(), shared);
}

/// A block per sample.
template <class Shape, class T>
__global__ __launch_bounds__(Shape::kThreads) void forward_kernel(ForwardView<T> view) {
  __shared__ ForwardScratch<Shape> shared;
  using Team = RecurrentTeam<Shape::kThreads>;
  const Team threads;
  ForwardProgram<Shape, Team> program(threads, view, shared);
  program.run(team_number<Shape::kThreads, 1>());
}

template <CellKind kKind, class T>
__global__ __launch_bounds__(kWideThreads, 1) void wide_forward_kernel(ForwardView<T> view) {
  extern __shared__ __align__(16) unsigned char shared[];
  wide_forward_program<kKind>(RecurrentTeam<kWideThreads>(), view, team_number<kWideThreads, 1>(),
                              reinterpret_cast<T*>(shared));
}

}  // namespace

template <class T>
void launch_forward(const ForwardView<T>& view, CellKind kind, cudaStream_t stream) {
  const unsigned samples = grid_of(view.batch, 1);
  with_cell_kind(kind, [&](auto kind_constant) {
    const unsigned teams = grid_of(input_row_teams(view) * input_sum_teams<kind_constant()>(view), 1);
    input_kernel<kind_constant()><<<teams, InputShape<T>::kSums, 0, stream>>>(view);
    cuda_check(cudaGetLastError(), "launch of a kernel over inputs");
    if (view.hidden > kMostSmallHidden) {
      const std::size_t bytes = wide_forward_numbers(view.hidden) * sizeof(T);
      wide_forward_kernel<kind_constant()><<<samples, kWideThreads, bytes, stream>>>(view);
      return;
    }
    with_hidden_class(view.hidden, [&](auto hidden) {
      using Shape = ForwardShape<T, kind_constant(), hidden()>;
      forward_kernel<Shape><<<samples, Shape::kThreads, 0, stream>>>(view);
    });
  });
  cuda_check(cudaGetLastError(), "launch of a kernel over steps, forwards");
}

template void launch_forward(const ForwardView<float>&, CellKind, cudaStream_t);
template void launch_forward(const ForwardView<double>&, CellKind, cudaStream_t);

}  // namespace upsweep::kernels

#include "cuda_check.hpp"
#include "device_teams.cuh"
#include "op_launch.hpp"
#include "row_programs.hpp"
#include "sum_programs.hpp"

namespace upsweep::kernels {
namespace {

constexpr unsigned kRowBlockThreads = 256;
/// What a block may have without asking for more.
constexpr std::uint32_t kDefaultSharedBytes = 48 * 1024;

struct VectorRow {
  template <class T, class Team>
  __device__ void operator()(const Team& team, const OperandsView<T>& op, Index row) const {
    vector_program(team, op, row);
  }
};
struct ScaleRowsRow {
  template <class T, class Team>
  __device__ void operator()(const Team& team, const OperandsView<T>& op, Index row) const {
    scale_rows_program(team, op, row);
  }
};
struct ScaleColumnsRow {
  template <class T, class Team>
  __device__ void operator()(const Team& team, const OperandsView<T>& op, Index row) const {
    scale_columns_program(team, op, row);
  }
};

/// A program with kLanes threads per row.
template <class Program, unsigned kLanes, class T>
__global__ __launch_bounds__(kRowBlockThreads) void row_kernel(OperandsView<T> op, Index rows) {
  const std::uint64_t row = (std::uint64_t{blockIdx.x} * kRowBlockThreads + threadIdx.x) / kLanes;
  if (row >= rows) return;  // the whole team: kLanes divides the block
  Program()(LaneTeam<kLanes>(), op, static_cast<Index>(row));
}

template <class Program, unsigned kLanes, class T>
void launch_row_kernel(const DeviceOp<T>& op, cudaStream_t stream) {
  const std::uint64_t rows_per_block = kRowBlockThreads / kLanes;
  const auto blocks = static_cast<unsigned>((op.rows + rows_per_block - 1) / rows_per_block);
  row_kernel<Program, kLanes><<<blocks, kRowBlockThreads, 0, stream>>>(op.operands, op.rows);
  cuda_check(cudaGetLastError(), "launch of a kernel over rows");
}

template <class Program, class T>
void launch_rows(const DeviceOp<T>& op, cudaStream_t stream) {
  if (op.rows == 0) return;
  switch (op.threads_per_row) {
    case 1:
      return launch_row_kernel<Program, 1>(op, stream);
    case 4:
      return launch_row_kernel<Program, 4>(op, stream);
    case 16:
      return launch_row_kernel<Program, 16>(op, stream);
    default:
      return launch_row_kernel<Program, 32>(op, stream);
  }
}

/// A program with a warp or a block per team of rows.
template <class Program, unsigned kThreads, class T>
__global__ __launch_bounds__(kBlockThreads, 8) void team_kernel(OperandsView<T> op, TeamsView teams,
                                                                const Index* team_numbers, Index count,
                                                                std::uint32_t shared_bytes) {
  extern __shared__ __align__(16) unsigned char shared[];
  const unsigned slot = threadIdx.x / kThreads;
  const std::uint64_t position = std::uint64_t{blockIdx.x} * (blockDim.x / kThreads) + slot;
  if (position >= count) return;  // the whole team
  const Index number = team_numbers[position];
  const Index begin = teams.begin[number];
  const RowTeam rows{teams.rows + begin, teams.begin[number + std::uint64_t{1}] - begin};
  using Team = std::conditional_t<kThreads == kWarpThreads, LaneTeam<kWarpThreads>, BlockTeam<kThreads>>;
  run_with_members(Program(), Team(), op, rows, shared + std::size_t{slot} * shared_bytes);
}

template <class Program, unsigned kThreads, class T>
void launch_team_kernel(const DeviceOp<T>& op, const DeviceBin& bin, cudaStream_t stream) {
  const auto kernel = team_kernel<Program, kThreads, T>;
  const std::uint32_t shared_bytes = bin.group.teams_per_block * bin.shared_bytes;
  if (shared_bytes > kDefaultSharedBytes) {
    cuda_check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
        "cudaFuncSetAttribute (shared memory)");
  }
  const std::uint64_t per_block = bin.group.teams_per_block;
  const auto blocks = static_cast<unsigned>((bin.count + per_block - 1) / per_block);
  kernel<<<blocks, bin.group.teams_per_block * kThreads, shared_bytes, stream>>>(op.operands, op.teams, bin.teams,
                                                                                 bin.count, bin.shared_bytes);
  cuda_check(cudaGetLastError(), "launch of a kernel over teams of rows");
}

template <template <SumStorage> class Program, unsigned kThreads, class T>
void launch_bin(const DeviceOp<T>& op, const DeviceBin& bin, cudaStream_t stream) {
  switch (bin.storage) {
    case SumStorage::scratch:
      return launch_team_kernel<Program<SumStorage::scratch>, kThreads>(op, bin, stream);
    case SumStorage::result:
      return launch_team_kernel<Program<SumStorage::result>, kThreads>(op, bin, stream);
    case SumStorage::result_search:
      return launch_team_kernel<Program<SumStorage::result_search>, kThreads>(op, bin, stream);
  }
}

template <template <SumStorage> class Program, class T>
void launch_bins(const DeviceOp<T>& op, cudaStream_t stream) {
  for (const DeviceBin& bin : op.bins) {
    if (bin.count == 0) continue;
    if (bin.group.threads_per_team == kWarpThreads) {
      launch_bin<Program, kWarpThreads>(op, bin, stream);
    } else {
      launch_bin<Program, kBlockThreads>(op, bin, stream);
    }
  }
}

}  // namespace

template <class T>
void launch(const DeviceOp<T>& op, cudaStream_t stream) {
  switch (op.form) {
    case ProductForm::vector:
      return launch_rows<VectorRow>(op, stream);
    case ProductForm::scale_rows:
      return launch_rows<ScaleRowsRow>(op, stream);
    case ProductForm::scale_columns:
      return launch_rows<ScaleColumnsRow>(op, stream);
    case ProductForm::single_columns:
      return launch_bins<SingleColumns>(op, stream);
    case ProductForm::general:
      return launch_bins<General>(op, stream);
  }
}

template void launch(const DeviceOp<float>&, cudaStream_t);
template void launch(const DeviceOp<double>&, cudaStream_t);

}  // namespace upsweep::kernels

#include "cusparse_objects.hpp"

#include <algorithm>
#include <numeric>

#include "cuda_check.hpp"

namespace upsweep::kernels {
namespace {

template <class V>
void copy_in(cudaStream_t stream, V* to, const std::vector<V>& from) {
  if (from.empty()) return;
  cuda_check(cudaMemcpyAsync(to, from.data(), from.size() * sizeof(V), cudaMemcpyHostToDevice, stream),
             "cudaMemcpyAsync to the device");
  cuda_check(cudaStreamSynchronize(stream), "cudaStreamSynchronize after a copy");
}

template <class V>
std::vector<V> copied_out(cudaStream_t stream, const V* from, std::int64_t count) {
  std::vector<V> to(static_cast<std::size_t>(count));
  if (to.empty()) return to;
  cuda_check(cudaMemcpyAsync(to.data(), from, to.size() * sizeof(V), cudaMemcpyDeviceToHost, stream),
             "cudaMemcpyAsync from the device");
  cuda_check(cudaStreamSynchronize(stream), "cudaStreamSynchronize after a copy");
  return to;
}

std::uint64_t bytes_for(std::int64_t count, std::size_t size) { return static_cast<std::uint64_t>(count) * size; }

}  // namespace

template <class T>
CusparseContext<T> make_context(cudaStream_t stream, BufferCache& memory) {
  cusparseHandle_t handle = nullptr;
  cusparse_check(cusparse().create(&handle), "cusparseCreate");
  CusparseContext<T> context{stream, CusparseHandle(handle), &memory};
  cusparse_check(cusparse().set_stream(handle, stream), "cusparseSetStream");
  return context;
}

template <class T>
DeviceValue<T> make_matrix(const CusparseContext<T>& context, std::int64_t rows, std::int64_t cols) {
  DeviceValue<T> matrix;
  matrix.rows = rows;
  matrix.cols = cols;
  matrix.offsets = context.memory->take(bytes_for(rows + 1, sizeof(std::int32_t)), MemoryUse::structure);
  return matrix;
}

template <class T>
void make_room(const CusparseContext<T>& context, DeviceValue<T>& matrix, std::int64_t nnz) {
  require_32_bits(static_cast<std::uint64_t>(nnz), "entries");
  matrix.nnz = nnz;
  matrix.indices = context.memory->take(bytes_for(nnz, sizeof(std::int32_t)), MemoryUse::structure);
  matrix.values = context.memory->take(bytes_for(nnz, sizeof(T)), MemoryUse::values);
}

template <class T>
void make_empty(const CusparseContext<T>& context, DeviceValue<T>& matrix) {
  matrix.nnz = 0;
  cuda_check(cudaMemsetAsync(matrix.offsets.template as<void>(), 0, bytes_for(matrix.rows + 1, sizeof(std::int32_t)),
                             context.stream),
             "cudaMemsetAsync");
}

template <class T>
SparseDescriptor describe(const DeviceValue<T>& matrix) {
  cusparseSpMatDescr_t descriptor = nullptr;
  cusparse_check(
      cusparse().create_csr(&descriptor, matrix.rows, matrix.cols, matrix.nnz, matrix.offsets.template as<void>(),
                            matrix.indices.template as<void>(), matrix.values.template as<void>(), CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CusparseContext<T>::kType),
      "cusparseCreateCsr");
  return SparseDescriptor(descriptor);
}

template <class T>
DeviceValue<T> make_vector(const CusparseContext<T>& context, std::int64_t length) {
  DeviceValue<T> vector;
  vector.rows = length;
  vector.cols = 1;
  vector.nnz = length;
  vector.values = context.memory->take(bytes_for(length, sizeof(T)), MemoryUse::values);
  return vector;
}

template <class T>
DeviceValue<T> upload_matrix(const CusparseContext<T>& context, const HostStructure& structure,
                             const std::vector<T>& values) {
  DeviceValue<T> matrix;
  matrix.rows = structure.rows;
  matrix.cols = structure.cols;
  matrix.nnz = structure.nnz();
  matrix.offsets = context.memory->take(structure.offsets.size() * sizeof(std::int32_t), MemoryUse::structure);
  matrix.indices = context.memory->take(structure.indices.size() * sizeof(std::int32_t), MemoryUse::structure);
  matrix.values = context.memory->take(values.size() * sizeof(T), MemoryUse::inputs);
  copy_in(context.stream, matrix.offsets.template as<std::int32_t>(), structure.offsets);
  copy_in(context.stream, matrix.indices.template as<std::int32_t>(), structure.indices);
  copy_in(context.stream, matrix.values.template as<T>(), values);
  matrix.descriptor = describe(matrix);
  return matrix;
}

template <class T>
DeviceValue<T> upload_vector(const CusparseContext<T>& context, const std::vector<T>& values) {
  DeviceValue<T> vector;
  vector.rows = static_cast<std::int64_t>(values.size());
  vector.cols = 1;
  vector.nnz = vector.rows;
  vector.values = context.memory->take(values.size() * sizeof(T), MemoryUse::inputs);
  copy_in(context.stream, vector.values.template as<T>(), values);
  return vector;
}

template <class T>
HostStructure download_structure(const CusparseContext<T>& context, const DeviceValue<T>& matrix) {
  HostStructure structure{matrix.rows, matrix.cols, {}, {}};
  structure.offsets = copied_out(context.stream, matrix.offsets.template as<std::int32_t>(), matrix.rows + 1);
  structure.indices = copied_out(context.stream, matrix.indices.template as<std::int32_t>(), matrix.nnz);
  return structure;
}

template <class T>
std::vector<double> download_vector(const CusparseContext<T>& context, const DeviceValue<T>& vector) {
  const std::vector<T> numbers = copied_out(context.stream, vector.values.template as<T>(), vector.nnz);
  return {numbers.begin(), numbers.end()};
}

template CusparseContext<float> make_context(cudaStream_t, BufferCache&);
template CusparseContext<double> make_context(cudaStream_t, BufferCache&);
template DeviceValue<float> make_matrix(const CusparseContext<float>&, std::int64_t, std::int64_t);
template DeviceValue<double> make_matrix(const CusparseContext<double>&, std::int64_t, std::int64_t);
template void make_room(const CusparseContext<float>&, DeviceValue<float>&, std::int64_t);
template void make_room(const CusparseContext<double>&, DeviceValue<double>&, std::int64_t);
template void make_empty(const CusparseContext<float>&, DeviceValue<float>&);
template void make_empty(const CusparseContext<double>&, DeviceValue<double>&);
template SparseDescriptor describe(const DeviceValue<float>&);
template SparseDescriptor describe(const DeviceValue<double>&);
template DeviceValue<float> make_vector(const CusparseContext<float>&, std::int64_t);
template DeviceValue<double> make_vector(const CusparseContext<double>&, std::int64_t);
template DeviceValue<float> upload_matrix(const CusparseContext<float>&, const HostStructure&,
                                          const std::vector<float>&);
template DeviceValue<double> upload_matrix(const CusparseContext<double>&, const HostStructure&,
                                           const std::vector<double>&);
template DeviceValue<float> upload_vector(const CusparseContext<float>&, const std::vector<float>&);
template DeviceValue<double> upload_vector(const CusparseContext<double>&, const std::vector<double>&);
template HostStructure download_structure(const CusparseContext<float>&, const DeviceValue<float>&);
template HostStructure download_structure(const CusparseContext<double>&, const DeviceValue<double>&);
template std::vector<double> download_vector(const CusparseContext<float>&, const DeviceValue<float>&);
template std::vector<double> download_vector(const CusparseContext<double>&, const DeviceValue<double>&);

}  // namespace upsweep::kernels

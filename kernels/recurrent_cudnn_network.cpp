#include "recurrent_cudnn_network.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "cuda_check.hpp"

namespace upsweep::kernels {
namespace {

template <class Pointer, class Create>
CudnnObject<Pointer> make_object(Create create, const char* call) {
  Pointer object = nullptr;
  cudnn_check(create(&object), call);
  return CudnnObject<Pointer>(object);
}

cudnnRNNMode_t mode_of(const CellShape& cell) {
  if (cell.kind == CellKind::gru) return CUDNN_GRU;
  return cell.nonlinearity == Nonlinearity::relu ? CUDNN_RNN_RELU : CUDNN_RNN_TANH;
}

/// Sequences of equal length.
void describe_sequences(const CudnnObject<cudnnRNNDataDescriptor_t>& to, const PassShape& shape, cudnnDataType_t type,
                        std::size_t elements) {
  const std::vector<int> lengths(shape.batch, static_cast<int>(shape.steps));
  double fill = 0;  // 8 bytes of zeros are a 0 of either type
  cudnn_check(
      cudnn().set_rnn_data(to.get(), type, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, static_cast<int>(shape.steps),
                           static_cast<int>(shape.batch), static_cast<int>(elements), lengths.data(), &fill),
      "cudnnSetRNNDataDescriptor");
}

/// Where a matrix or bias stands in the weights.
struct WeightPlace {
  void* data = nullptr;
  std::array<int, 3> dims{};
  std::array<int, 3> strides{};
};

WeightPlace place_of(const CudnnObject<cudnnTensorDescriptor_t>& tensor, void* data) {
  if (data == nullptr) throw BackendError("cudnnGetRNNWeightParams: no place for weights of the cell");
  WeightPlace place{data, {}, {}};
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int dimensions = 0;
  cudnn_check(cudnn().get_tensor(tensor.get(), 3, &type, &dimensions, place.dims.data(), place.strides.data()),
              "cudnnGetTensorNdDescriptor");
  return place;
}

/// Copies `rows` × `cols` numbers. Throws BackendError where cuDNN wants another shape.
template <class T>
void copy_matrix(const WeightPlace& to, const T* from, std::size_t rows, std::size_t cols) {
  const bool fits = to.dims[1] == static_cast<int>(rows) && to.dims[2] == static_cast<int>(cols) &&
                    (cols == 1 || to.strides[2] == 1) && to.strides[1] >= static_cast<int>(cols);
  if (!fits) {
    throw BackendError(fmt::format("cuDNN keeps weights as {} x {} with strides {} and {}, accepted is {} x {} by rows",
                                   to.dims[1], to.dims[2], to.strides[1], to.strides[2], rows, cols));
  }
  cuda_check(cudaMemcpy2D(to.data, static_cast<std::size_t>(to.strides[1]) * sizeof(T), from, cols * sizeof(T),
                          cols * sizeof(T), rows, cudaMemcpyHostToDevice),
             "cudaMemcpy2D to the device");
}

}  // namespace

CudnnNetwork::CudnnNetwork(const PassShape& shape, unsigned value_bytes, bool persistent)
    : handle(make_object<cudnnHandle_t>(cudnn().create, "cudnnCreate")),
      dropout(make_object<cudnnDropoutDescriptor_t>(cudnn().create_dropout, "cudnnCreateDropoutDescriptor")),
      rnn(make_object<cudnnRNNDescriptor_t>(cudnn().create_rnn, "cudnnCreateRNNDescriptor")),
      inputs(make_object<cudnnRNNDataDescriptor_t>(cudnn().create_rnn_data, "cudnnCreateRNNDataDescriptor")),
      outputs(make_object<cudnnRNNDataDescriptor_t>(cudnn().create_rnn_data, "cudnnCreateRNNDataDescriptor")),
      hidden(make_object<cudnnTensorDescriptor_t>(cudnn().create_tensor, "cudnnCreateTensorDescriptor")) {
  const CudnnLibrary& library = cudnn();
  const cudnnDataType_t type = value_bytes == sizeof(float) ? CUDNN_DATA_FLOAT : CUDNN_DATA_DOUBLE;
  const int h = static_cast<int>(shape.cell.hidden);
  const int b = static_cast<int>(shape.batch);
  cudnn_check(library.set_dropout(dropout.get(), handle.get(), 0, nullptr, 0, 0), "cudnnSetDropoutDescriptor");
  const cudnnRNNAlgo_t algorithm = persistent ? CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H : CUDNN_RNN_ALGO_STANDARD;
  cudnn_check(library.set_rnn(rnn.get(), algorithm, mode_of(shape.cell), CUDNN_RNN_DOUBLE_BIAS, CUDNN_UNIDIRECTIONAL,
                              CUDNN_LINEAR_INPUT, type, type, CUDNN_FMA_MATH, static_cast<int>(shape.cell.input), h, h,
                              1, dropout.get(), CUDNN_RNN_PADDED_IO_ENABLED),
              "cudnnSetRNNDescriptor_v8");
  describe_sequences(inputs, shape, type, shape.cell.input);
  describe_sequences(outputs, shape, type, shape.cell.hidden);
  const std::array<int, 3> dims = {1, b, h};
  const std::array<int, 3> strides = {b * h, h, 1};
  cudnn_check(library.set_tensor(hidden.get(), type, 3, dims.data(), strides.data()), "cudnnSetTensorNdDescriptor");
  cudnn_check(library.weight_space_size(handle.get(), rnn.get(), &weight_bytes), "cudnnGetRNNWeightSpaceSize");
  cudnn_check(library.temp_space_sizes(handle.get(), rnn.get(), CUDNN_FWD_MODE_TRAINING, inputs.get(), &work_bytes,
                                       &reserve_bytes),
              "cudnnGetRNNTempSpaceSizes");
}

template <class T>
void copy_weights(const CudnnNetwork& network, const CellWeights<T>& weights, const DeviceBuffer& to) {
  const auto matrix = make_object<cudnnTensorDescriptor_t>(cudnn().create_tensor, "cudnnCreateTensorDescriptor");
  const auto bias = make_object<cudnnTensorDescriptor_t>(cudnn().create_tensor, "cudnnCreateTensorDescriptor");
  const std::size_t gates = weights.shape.gates();
  const std::size_t h = weights.shape.hidden;
  // Gates in cuDNN's order: reset, update, new, as PyTorch's; first those of the input, then the recurrent ones.
  for (std::size_t layer = 0; layer < 2 * gates; ++layer) {
    const bool is_input = layer < gates;
    const std::size_t first = layer % gates * h;
    const std::size_t cols = is_input ? weights.shape.input : h;
    void* matrix_data = nullptr;
    void* bias_data = nullptr;
    cudnn_check(
        cudnn().weight_params(network.handle.get(), network.rnn.get(), 0, to.bytes(), to.data(),
                              static_cast<std::int32_t>(layer), matrix.get(), &matrix_data, bias.get(), &bias_data),
        "cudnnGetRNNWeightParams");
    const std::vector<T>& from = is_input ? weights.w_ih : weights.w_hh;
    const std::vector<T>& from_bias = is_input ? weights.b_ih : weights.b_hh;
    copy_matrix(place_of(matrix, matrix_data), from.data() + first * cols, h, cols);
    copy_matrix(place_of(bias, bias_data), from_bias.data() + first, h, 1);
  }
  cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize after copies");
}

template void copy_weights<float>(const CudnnNetwork&, const CellWeights<float>&, const DeviceBuffer&);
template void copy_weights<double>(const CudnnNetwork&, const CellWeights<double>&, const DeviceBuffer&);

}  // namespace upsweep::kernels

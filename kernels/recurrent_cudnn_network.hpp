#pragma once

#include <memory>
#include <type_traits>

#include "device_resources.hpp"
#include "recurrent_cudnn_library.hpp"
#include "upsweep/recurrent/backward_pass.hpp"

namespace upsweep::kernels {

struct DestroyCudnn {
  void operator()(cudnnHandle_t handle) const noexcept { static_cast<void>(cudnn().destroy(handle)); }
  void operator()(cudnnTensorDescriptor_t d) const noexcept { static_cast<void>(cudnn().destroy_tensor(d)); }
  void operator()(cudnnDropoutDescriptor_t d) const noexcept { static_cast<void>(cudnn().destroy_dropout(d)); }
  void operator()(cudnnRNNDataDescriptor_t d) const noexcept { static_cast<void>(cudnn().destroy_rnn_data(d)); }
  void operator()(cudnnRNNDescriptor_t d) const noexcept { static_cast<void>(cudnn().destroy_rnn(d)); }
};
template <class Pointer>
using CudnnObject = std::unique_ptr<std::remove_pointer_t<Pointer>, DestroyCudnn>;

/// A recurrent network of one layer as cuDNN describes it: no memory for numbers.
///
/// Two biases (PyTorch's), no tensor cores: what our kernels are compared with is fp32 or fp64.
struct CudnnNetwork {
  /// `persistent`: one kernel for all steps that keeps the state, else the standard algorithm. Throws BackendError.
  CudnnNetwork(const PassShape& shape, unsigned value_bytes, bool persistent);

  CudnnObject<cudnnHandle_t> handle;
  CudnnObject<cudnnDropoutDescriptor_t> dropout;  ///< of probability 0
  CudnnObject<cudnnRNNDescriptor_t> rnn;
  CudnnObject<cudnnRNNDataDescriptor_t> inputs;   ///< [t][b][input]
  CudnnObject<cudnnRNNDataDescriptor_t> outputs;  ///< [t][b][hidden]
  CudnnObject<cudnnTensorDescriptor_t> hidden;    ///< [1][b][hidden]
  std::size_t weight_bytes = 0;
  std::size_t work_bytes = 0;
  std::size_t reserve_bytes = 0;  ///< what the forward pass leaves for the backward pass
};

/// Copies a cell's weights to where cuDNN keeps them. T is float or double. Throws BackendError.
template <class T>
void copy_weights(const CudnnNetwork& network, const CellWeights<T>& weights, const DeviceBuffer& to);

}  // namespace upsweep::kernels

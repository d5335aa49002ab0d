#pragma once

#include <cudnn.h>

#include <string>

#include "shared_library.hpp"

namespace upsweep::kernels {

/// The functions of cuDNN that are in use, found when the program runs: it starts without the library too.
struct CudnnLibrary {
  decltype(&cudnnGetErrorString) get_error_string;
  decltype(&cudnnGetVersion) get_version;
  decltype(&cudnnAdvVersionCheck) adv_version_check;  ///< null before cuDNN 9
  decltype(&cudnnCreate) create;
  decltype(&cudnnDestroy) destroy;
  decltype(&cudnnSetStream) set_stream;
  decltype(&cudnnCreateTensorDescriptor) create_tensor;
  decltype(&cudnnDestroyTensorDescriptor) destroy_tensor;
  decltype(&cudnnSetTensorNdDescriptor) set_tensor;
  decltype(&cudnnGetTensorNdDescriptor) get_tensor;
  decltype(&cudnnCreateDropoutDescriptor) create_dropout;
  decltype(&cudnnDestroyDropoutDescriptor) destroy_dropout;
  decltype(&cudnnSetDropoutDescriptor) set_dropout;
  decltype(&cudnnCreateRNNDataDescriptor) create_rnn_data;
  decltype(&cudnnDestroyRNNDataDescriptor) destroy_rnn_data;
  decltype(&cudnnSetRNNDataDescriptor) set_rnn_data;
  decltype(&cudnnCreateRNNDescriptor) create_rnn;
  decltype(&cudnnDestroyRNNDescriptor) destroy_rnn;
  decltype(&cudnnSetRNNDescriptor_v8) set_rnn;
  decltype(&cudnnGetRNNWeightSpaceSize) weight_space_size;
  decltype(&cudnnGetRNNWeightParams) weight_params;
  decltype(&cudnnGetRNNTempSpaceSizes) temp_space_sizes;
  decltype(&cudnnRNNForward) forward;
  decltype(&cudnnRNNBackwardData_v8) backward_data;
};

/// Looks for the library at the first call, as libcudnn.so.9, libcudnn.so.8 and libcudnn.so: where the system looks for
/// libraries, in $CUDNN_HOME/lib, in $CUDA_HOME/lib64 and in /usr/local/cuda/lib64. It finds its parts itself, of which
/// the one with recurrent cells is looked for, too. It stays loaded.
[[nodiscard]] const Loaded<CudnnLibrary>& load_cudnn();

/// The library. Throws BackendError with the reason where it was not found.
[[nodiscard]] const CudnnLibrary& cudnn();

/// "9.13.0".
[[nodiscard]] std::string cudnn_version();

/// Throws BackendError with the call and cuDNN's text where `status` is an error.
void cudnn_check(cudnnStatus_t status, const char* call);

}  // namespace upsweep::kernels

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "cuda_check.hpp"
#include "device_facts.hpp"
#include "recurrent_cudnn_network.hpp"
#include "upsweep/kernels/backends.hpp"
#include "upsweep/recurrent/bptt.hpp"
#include "upsweep/recurrent/operands.hpp"

namespace upsweep {
namespace {

using kernels::cuda_check;
using kernels::cudnn_check;
using kernels::DeviceBuffer;

constexpr std::uint64_t kMostExtent = std::numeric_limits<int>::max();

void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  cuda_check(cudaMemcpy(to, from, bytes, kind), "cudaMemcpy");
}

/// Bytes of the arrays of numbers: inputs and outputs with their gradients, h_0 and its gradient.
std::uint64_t array_bytes(const PassShape& shape, unsigned value_bytes) {
  const std::uint64_t steps = shape.steps;
  return (2 * steps * (shape.cell.input + shape.cell.hidden) + 2 * shape.cell.hidden) * shape.batch * value_bytes;
}

std::uint64_t bytes_of(const kernels::CudnnNetwork& network, const PassShape& shape, unsigned value_bytes) {
  return array_bytes(shape, value_bytes) + network.weight_bytes + network.work_bytes + 2 * network.reserve_bytes +
         shape.batch * sizeof(std::int32_t);
}

/// Whether a backward pass has a persistent kernel: PyTorch asks for it up to these sizes (ATen/native/cudnn/RNN.cpp).
bool is_persistent(const PassShape& shape, unsigned value_bytes, CudnnRegime regime) {
  const std::size_t most = shape.cell.kind == CellKind::rnn ? 256 : 128;
  return regime == CudnnRegime::best && value_bytes == sizeof(float) && shape.cell.hidden <= most;
}

/// cudnnRNNBackwardData over what its forward pass left in load(): sequential back-propagation through time, with the
/// gradients of the inputs besides, which it always computes.
///
/// Of the hidden gradients it tells that of h_0 alone. Its forward pass rounds differently from ours, so that the
/// gradients differ by more than the roundings of a backward pass.
template <class T>
class CudnnPass final : public BackwardPass<T> {
 public:
  CudnnPass(const PassShape& shape, CudnnRegime regime)
      : shape_(shape),
        persistent_(is_persistent(shape, sizeof(T), regime)),
        network_(shape, sizeof(T), persistent_),
        inputs_(shape.steps * shape.batch * shape.cell.input * sizeof(T)),
        input_gradients_(inputs_.bytes()),
        outputs_(shape.steps * step_bytes()),
        output_gradients_(outputs_.bytes()),
        first_(step_bytes()),
        first_gradient_(step_bytes()),
        weights_(network_.weight_bytes),
        work_(network_.work_bytes),
        reserve_(network_.reserve_bytes),
        kept_reserve_(network_.reserve_bytes),
        lengths_(shape.batch * sizeof(std::int32_t)),
        stream_(kernels::make_stream()),
        start_(kernels::make_timing_event()),
        stop_(kernels::make_timing_event()) {
    cudnn_check(kernels::cudnn().set_stream(network_.handle.get(), stream_.get()), "cudnnSetStream");
    const std::vector<std::int32_t> lengths(shape.batch, static_cast<std::int32_t>(shape.steps));
    copy(lengths_.data(), lengths.data(), lengths_.bytes(), cudaMemcpyHostToDevice);
  }

  void set_inputs(std::span<const T> inputs) override { from_ = inputs; }

  void load(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
            std::span<T> gradients) override {
    require_backward(weights, states, last, gradients);
    require_planned(weights.shape, states, shape_.cell, shape_.steps, shape_.batch);
    if (from_.size_bytes() != inputs_.bytes()) {
      throw std::invalid_argument(fmt::format("cudnn repeats the forward pass and has {} inputs, accepted are {}",
                                              from_.size(), inputs_.bytes() / sizeof(T)));
    }
    cuda_check(cudaSetDevice(0), "cudaSetDevice");
    cuda_check(cudaMemset(weights_.data(), 0, weights_.bytes()), "cudaMemset");
    kernels::copy_weights(network_, weights, weights_);
    copy(inputs_.data(), from_.data(), inputs_.bytes(), cudaMemcpyHostToDevice);
    copy(first_.data(), states.hidden.data(), first_.bytes(), cudaMemcpyHostToDevice);
    cuda_check(cudaMemset(output_gradients_.data(), 0, output_gradients_.bytes()), "cudaMemset");
    copy(output_gradients_.data() + (output_gradients_.bytes() - step_bytes()), last.data(), step_bytes(),
         cudaMemcpyHostToDevice);
    cuda_check(cudaMemset(first_gradient_.data(), 0xff, first_gradient_.bytes()), "cudaMemset");  // NaN
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize after copies");
    run_forward();
    require_same_start(states);
    last_ = last;
    to_ = gradients;
  }

  ScanTimes run() override {
    cuda_check(cudaSetDevice(0), "cudaSetDevice");
    // The backward pass overwrites what the forward pass left.
    cuda_check(cudaMemcpyAsync(reserve_.data(), kept_reserve_.data(), reserve_.bytes(), cudaMemcpyDeviceToDevice,
                               stream_.get()),
               "cudaMemcpyAsync");
    cuda_check(cudaEventRecord(start_.get(), stream_.get()), "cudaEventRecord");
    cudnn_check(kernels::cudnn().backward_data(network_.handle.get(), network_.rnn.get(), lengths_.as<std::int32_t>(),
                                               network_.outputs.get(), outputs_.data(), output_gradients_.data(),
                                               network_.inputs.get(), input_gradients_.data(), network_.hidden.get(),
                                               first_.data(), nullptr, first_gradient_.data(), network_.hidden.get(),
                                               nullptr, nullptr, nullptr, weights_.bytes(), weights_.data(),
                                               work_.bytes(), work_.data(), reserve_.bytes(), reserve_.data()),
                "cudnnRNNBackwardData_v8");
    cuda_check(cudaEventRecord(stop_.get(), stream_.get()), "cudaEventRecord");
    cuda_check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize after a backward pass");
    ScanTimes times;
    times.down = kernels::seconds_between(start_, stop_);
    return times;
  }

  void fetch() override {
    std::fill(to_.begin(), to_.end(), std::numeric_limits<T>::quiet_NaN());
    copy(to_.data(), first_gradient_.data(), step_bytes(), cudaMemcpyDeviceToHost);
    std::copy(last_.begin(), last_.end(), to_.end() - static_cast<std::ptrdiff_t>(last_.size()));
  }

  [[nodiscard]] bool gives_all() const override { return false; }
  [[nodiscard]] ScanFlops flops() const override {
    ScanFlops flops;
    flops.down = bptt_flops(shape_.cell, shape_.steps, shape_.batch);
    return flops;
  }
  [[nodiscard]] std::uint64_t bytes() const override { return bytes_of(network_, shape_, sizeof(T)); }
  [[nodiscard]] std::vector<std::string> notes() const override {
    return {fmt::format(
        "cuDNN {}, {} without tensor cores: its own forward pass, and in the time the gradients of the inputs; "
        "of the hidden gradients it tells that of h_0 alone",
        kernels::cudnn_version(), persistent_ ? "one persistent kernel for small states" : "standard algorithm")};
  }

 private:
  [[nodiscard]] std::size_t step_bytes() const { return shape_.batch * shape_.cell.hidden * sizeof(T); }

  void run_forward() {
    cudnn_check(kernels::cudnn().forward(
                    network_.handle.get(), network_.rnn.get(), CUDNN_FWD_MODE_TRAINING, lengths_.as<std::int32_t>(),
                    network_.inputs.get(), inputs_.data(), network_.outputs.get(), outputs_.data(),
                    network_.hidden.get(), first_.data(), nullptr, network_.hidden.get(), nullptr, nullptr,
                    weights_.bytes(), weights_.data(), work_.bytes(), work_.data(), reserve_.bytes(), reserve_.data()),
                "cudnnRNNForward");
    cuda_check(cudaMemcpyAsync(kept_reserve_.data(), reserve_.data(), reserve_.bytes(), cudaMemcpyDeviceToDevice,
                               stream_.get()),
               "cudaMemcpyAsync");
    cuda_check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize after a forward pass");
  }

  /// Throws BackendError where h_1 is another than ours: then inputs or weights are not what they should be.
  void require_same_start(const ForwardStates<T>& states) const {
    constexpr double kClose = std::is_same_v<T, float> ? 1e-3 : 1e-9;
    std::vector<T> found(shape_.batch * shape_.cell.hidden);
    copy(found.data(), outputs_.data(), step_bytes(), cudaMemcpyDeviceToHost);
    const std::span<const T> expected = states.at(1);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto wanted = static_cast<double>(expected[i]);
      if (std::fabs(static_cast<double>(found[i]) - wanted) <= kClose * std::max(1.0, std::fabs(wanted))) continue;
      throw BackendError(fmt::format("cuDNN's forward pass: element {} of h_1 is {}, expected {}", i,
                                     static_cast<double>(found[i]), wanted));
    }
  }

  PassShape shape_;
  bool persistent_;
  kernels::CudnnNetwork network_;
  DeviceBuffer inputs_;
  DeviceBuffer input_gradients_;
  DeviceBuffer outputs_;           // h_1 to h_T
  DeviceBuffer output_gradients_;  // 0, but for the last step
  DeviceBuffer first_;             // h_0
  DeviceBuffer first_gradient_;
  DeviceBuffer weights_;
  DeviceBuffer work_;
  DeviceBuffer reserve_;
  DeviceBuffer kept_reserve_;
  DeviceBuffer lengths_;
  kernels::Stream stream_;
  kernels::Event start_;
  kernels::Event stop_;
  std::span<const T> from_;
  std::span<const T> last_;
  std::span<T> to_;
};

Availability cudnn_availability() {
  Availability here = kernels::cuda_availability();
  if (here.available && kernels::load_cudnn().library == nullptr) here = {false, kernels::load_cudnn().reason};
  return here;
}

void require_device() {
  if (const Availability here = cudnn_availability(); !here.available) throw BackendError(here.reason);
  cuda_check(cudaSetDevice(0), "cudaSetDevice");
}

class CudnnRecurrent final : public RecurrentBackend {
 public:
  explicit CudnnRecurrent(CudnnRegime regime) : regime_(regime) {}

  [[nodiscard]] std::string name() const override { return regime_ == CudnnRegime::best ? "cudnn" : "cudnn-standard"; }
  [[nodiscard]] Availability availability() const override { return cudnn_availability(); }
  [[nodiscard]] DeviceFacts facts() const override {
    require_device();
    DeviceFacts facts = kernels::cuda_facts();
    facts.workers = 1;
    facts.driver += fmt::format(", cuDNN {}", kernels::cudnn_version());
    return facts;
  }
  [[nodiscard]] bool has_scans() const override { return false; }
  [[nodiscard]] std::string unsupported(const BackwardMethod& /*method*/, const PassShape& shape) const override {
    const std::uint64_t largest =
        std::max({shape.steps, shape.batch, shape.cell.input, shape.cell.hidden, shape.batch * shape.cell.hidden});
    if (largest <= kMostExtent) return {};
    return fmt::format("cudnn has no extents of {}, accepted are up to {}", largest, kMostExtent);
  }
  [[nodiscard]] std::uint64_t bytes(const BackwardMethod& /*method*/, const PassShape& shape,
                                    unsigned value_bytes) const override {
    require_device();
    const bool persistent = is_persistent(shape, value_bytes, regime_);
    return bytes_of(kernels::CudnnNetwork(shape, value_bytes, persistent), shape, value_bytes);
  }
  [[nodiscard]] std::unique_ptr<BackwardPass<float>> make(const BackwardMethod& method, const PassShape& shape,
                                                          std::type_identity<float>) const override {
    return make_pass<float>(method, shape);
  }
  [[nodiscard]] std::unique_ptr<BackwardPass<double>> make(const BackwardMethod& method, const PassShape& shape,
                                                           std::type_identity<double>) const override {
    return make_pass<double>(method, shape);
  }
  [[nodiscard]] const OuterBackend& outer() const override { return cuda_recurrent_backend().outer(); }

 private:
  template <class T>
  [[nodiscard]] std::unique_ptr<BackwardPass<T>> make_pass(const BackwardMethod& method, const PassShape& shape) const {
    kernels::require_device_memory(bytes(method, shape, sizeof(T)), 0,
                                   "inputs, states and what cuDNN keeps (cuda's bptt needs less)");
    return std::make_unique<CudnnPass<T>>(shape, regime_);
  }

  CudnnRegime regime_;
};

}  // namespace

const RecurrentBackend& cudnn_recurrent_backend(CudnnRegime regime) {
  static const CudnnRecurrent best(CudnnRegime::best);
  static const CudnnRecurrent standard(CudnnRegime::standard);
  return regime == CudnnRegime::best ? best : standard;
}

}  // namespace upsweep

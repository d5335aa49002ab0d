#include <fmt/format.h>

#include <array>
#include <cassert>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "cuda_check.hpp"
#include "device_facts.hpp"
#include "recurrent_operands.hpp"
#include "recurrent_outer_arrays.hpp"
#include "recurrent_outer_launch.hpp"
#include "recurrent_sizes.hpp"
#include "recurrent_work.hpp"
#include "timed_work.hpp"
#include "upsweep/recurrent/operands.hpp"

namespace upsweep::kernels {
namespace {

bool is_relu(const PassShape& shape) {
  return shape.cell.kind == CellKind::rnn && shape.cell.nonlinearity == Nonlinearity::relu;
}

std::size_t kept_numbers(const PassShape& shape) {
  return shape.cell.kind == CellKind::gru ? shape.steps * shape.batch * shape.cell.hidden : 0;
}

/// h_0..h_T and the gates of a gru.
template <class T>
struct StateBuffers {
  explicit StateBuffers(const PassShape& shape)
      : hidden((shape.steps + 1) * shape.batch * shape.cell.hidden * sizeof(T)) {
    for (DeviceBuffer& gate : gates) gate = DeviceBuffer(kept_numbers(shape) * sizeof(T));
  }

  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t sum = hidden.bytes();
    for (const DeviceBuffer& gate : gates) sum += gate.bytes();
    return sum;
  }

  DeviceBuffer hidden;
  std::array<DeviceBuffer, 4> gates;  // r, z, n, m
};

template <class States>
auto gates_of(States& states) {
  return std::array{&states.r, &states.z, &states.n, &states.m};
}

template <class V>
void copy_from_device(const DeviceBuffer& from, std::span<V> to) {
  assert(to.size_bytes() <= from.bytes());
  if (to.empty()) return;
  cuda_check(cudaMemcpy(to.data(), from.data(), to.size_bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy from the device");
}

/// Makes all numbers NaN.
void clear(const DeviceBuffer& buffer) {
  if (buffer.bytes() == 0) return;
  cuda_check(cudaMemset(buffer.data(), 0xff, buffer.bytes()), "cudaMemset");
}

template <class T>
class CudaForward final : public ForwardPass<T> {
 public:
  explicit CudaForward(const PassShape& shape)
      : shape_(shape),
        sums_(shape.cell.gates() * shape.cell.hidden),
        inputs_(shape.steps * shape.batch * shape.cell.input * sizeof(T)),
        w_ih_(sums_ * shape.cell.input * sizeof(T)),
        w_hh_(sums_ * shape.cell.hidden * sizeof(T)),
        bias_(sums_ * sizeof(T)),
        hidden_bias_(shape.cell.kind == CellKind::gru ? shape.cell.hidden * sizeof(T) : 0),
        states_(shape),
        faults_(shape.batch * shape.cell.hidden * sizeof(std::uint64_t)),
        work_("a forward pass",
              [view = view(), kind = shape.cell.kind](cudaStream_t stream) { launch_forward(view, kind, stream); }) {}

  void load(const CellWeights<T>& weights, std::span<const T> inputs, ForwardStates<T>& states) override {
    require_forward(weights, inputs, shape_);
    set_sizes(shape_.cell, shape_.steps, shape_.batch, states);
    cuda_check(cudaSetDevice(0), "cudaSetDevice");
    copy_to_device(inputs, inputs_);
    const ForwardArrays<T> arrays = forward_arrays(weights);
    copy_to_device(std::span(arrays.w_ih), w_ih_);
    copy_to_device(std::span(arrays.w_hh), w_hh_);
    copy_to_device(std::span(arrays.bias), bias_);
    copy_to_device(std::span(arrays.hidden_bias), hidden_bias_);
    // h_0, and NaN behind it, so that nothing stays from before.
    clear(states_.hidden);
    for (const DeviceBuffer& gate : states_.gates) clear(gate);
    cuda_check(cudaMemset(states_.hidden.data(), 0, shape_.batch * shape_.cell.hidden * sizeof(T)), "cudaMemset");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize after copies");
    to_ = &states;
  }

  double run() override {
    assert(to_ != nullptr && "run() before load()");
    return work_.run();
  }

  void fetch() override {
    std::vector<std::uint64_t> faults(shape_.batch * shape_.cell.hidden);
    copy_from_device<std::uint64_t>(faults_, faults);
    require_no_fault(faults, shape_.cell.hidden);
    copy_from_device<T>(states_.hidden, to_->hidden);
    const auto to = gates_of(*to_);
    for (std::size_t gate = 0; gate < to.size(); ++gate) copy_from_device<T>(states_.gates[gate], *to[gate]);
  }

  [[nodiscard]] std::uint64_t bytes() const override {
    std::uint64_t sum = states_.bytes();
    for (const DeviceBuffer* buffer : {&inputs_, &w_ih_, &w_hh_, &bias_, &hidden_bias_, &faults_})
      sum += buffer->bytes();
    return sum;
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> notes = work_.notes();
    if (shape_.cell.hidden > kMostSmallHidden) {
      notes.push_back(
          fmt::format("forward pass of {} hidden elements: kernels for any number, slower than those for up "
                      "to {}",
                      shape_.cell.hidden, kMostSmallHidden));
    }
    return notes;
  }

 private:
  [[nodiscard]] ForwardView<T> view() const {
    const auto& gates = states_.gates;
    ForwardView<T> view;
    view.inputs = inputs_.as<T>();
    view.w_ih = w_ih_.as<T>();
    view.w_hh = w_hh_.as<T>();
    view.bias = bias_.as<T>();
    view.hidden_bias = hidden_bias_.as<T>();
    view.states = states_.hidden.template as<T>();
    view.r = gates[0].template as<T>();
    view.z = gates[1].template as<T>();
    view.n = gates[2].template as<T>();
    view.m = gates[3].template as<T>();
    view.faults = faults_.as<std::uint64_t>();
    view.steps = shape_.steps;
    view.batch = shape_.batch;
    view.input = static_cast<std::uint32_t>(shape_.cell.input);
    view.hidden = static_cast<std::uint32_t>(shape_.cell.hidden);
    view.is_relu = is_relu(shape_);
    return view;
  }

  PassShape shape_;
  std::size_t sums_;
  DeviceBuffer inputs_;
  DeviceBuffer w_ih_;
  DeviceBuffer w_hh_;
  DeviceBuffer bias_;
  DeviceBuffer hidden_bias_;
  StateBuffers<T> states_;
  DeviceBuffer faults_;
  TimedWork work_;
  ForwardStates<T>* to_ = nullptr;
};

template <class T>
class CudaParameters final : public ParameterPass<T> {
 public:
  explicit CudaParameters(const PassShape& shape)
      : shape_(shape),
        plan_(outer_plan(shape)),
        inputs_(shape.steps * shape.batch * shape.cell.input * sizeof(T)),
        states_(shape),
        hidden_gradients_(states_.hidden.bytes()),
        logits_(shape.batch * shape.cell.classes * sizeof(T)),
        partials_(plan_.partials * sizeof(double)),
        result_(plan_.sums * sizeof(T)),
        work_("parameter gradients",
              [view = view(), kind = shape.cell.kind](cudaStream_t stream) { launch_parameters(view, kind, stream); }) {
  }

  void load(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> inputs,
            std::span<const T> hidden_gradients, const HeadResult<T>& head, CellWeights<T>& gradients) override {
    require_planned(weights.shape, states, shape_.cell, shape_.steps, shape_.batch);
    require_parameters(weights, states, inputs, hidden_gradients, head, gradients);
    cuda_check(cudaSetDevice(0), "cudaSetDevice");
    copy_to_device(inputs, inputs_);
    copy_to_device(std::span(states.hidden), states_.hidden);
    const auto from = gates_of(states);
    for (std::size_t gate = 0; gate < from.size(); ++gate) copy_to_device(std::span(*from[gate]), states_.gates[gate]);
    copy_to_device(hidden_gradients, hidden_gradients_);
    copy_to_device(std::span(head.logits_gradient), logits_);
    // NaN, so that nothing stays from before.
    clear(result_);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize after copies");
    to_ = &gradients;
  }

  double run() override {
    assert(to_ != nullptr && "run() before load()");
    return work_.run();
  }

  void fetch() override {
    std::vector<T> sums(plan_.sums);
    copy_from_device<T>(result_, sums);
    write_gradients<T>(plan_, sums, *to_);
  }

  [[nodiscard]] std::uint64_t bytes() const override {
    std::uint64_t sum = states_.bytes();
    for (const DeviceBuffer* buffer : {&inputs_, &hidden_gradients_, &logits_, &partials_, &result_})
      sum += buffer->bytes();
    return sum;
  }

  [[nodiscard]] std::vector<std::string> notes() const override { return work_.notes(); }

 private:
  [[nodiscard]] OuterView<T> view() const {
    const auto& gates = states_.gates;
    OuterView<T> view;
    view.cell.states = states_.hidden.template as<T>();
    view.cell.r = gates[0].template as<T>();
    view.cell.z = gates[1].template as<T>();
    view.cell.n = gates[2].template as<T>();
    view.cell.m = gates[3].template as<T>();
    view.cell.gradients = hidden_gradients_.as<T>();
    view.cell.batch = shape_.batch;
    view.cell.hidden = static_cast<std::uint32_t>(shape_.cell.hidden);
    view.cell.is_relu = is_relu(shape_);
    view.inputs = inputs_.as<T>();
    view.logits = logits_.as<T>();
    view.plan = plan_;
    view.partials = partials_.as<double>();
    view.result = result_.as<T>();
    return view;
  }

  PassShape shape_;
  OuterPlan plan_;
  DeviceBuffer inputs_;
  StateBuffers<T> states_;
  DeviceBuffer hidden_gradients_;
  DeviceBuffer logits_;
  DeviceBuffer partials_;
  DeviceBuffer result_;
  TimedWork work_;
  CellWeights<T>* to_ = nullptr;
};

void require_room(std::uint64_t bytes, const char* what) {
  cuda_check(cudaSetDevice(0), "cudaSetDevice");
  require_device_memory(bytes, 0, what);
}

template <class T>
std::unique_ptr<ForwardPass<T>> forward_pass(const PassShape& shape) {
  require_room(cuda_forward_bytes(shape, sizeof(T)), "inputs and states (a smaller batch needs less)");
  return std::make_unique<CudaForward<T>>(shape);
}

template <class T>
std::unique_ptr<ParameterPass<T>> parameter_pass(const PassShape& shape) {
  require_room(cuda_parameter_bytes(shape, sizeof(T)), "inputs, states and gradients (a smaller batch needs less)");
  return std::make_unique<CudaParameters<T>>(shape);
}

class CudaOuter final : public OuterBackend {
 public:
  [[nodiscard]] std::string name() const override { return "cuda"; }
  [[nodiscard]] Availability availability() const override { return cuda_availability(); }
  [[nodiscard]] std::string unsupported_forward(const PassShape& shape) const override {
    return unsupported_cuda_forward(shape);
  }
  [[nodiscard]] std::unique_ptr<ForwardPass<float>> make_forward(const PassShape& shape,
                                                                 std::type_identity<float>) const override {
    return forward_pass<float>(shape);
  }
  [[nodiscard]] std::unique_ptr<ForwardPass<double>> make_forward(const PassShape& shape,
                                                                  std::type_identity<double>) const override {
    return forward_pass<double>(shape);
  }
  [[nodiscard]] std::unique_ptr<ParameterPass<float>> make_parameters(const PassShape& shape,
                                                                      std::type_identity<float>) const override {
    return parameter_pass<float>(shape);
  }
  [[nodiscard]] std::unique_ptr<ParameterPass<double>> make_parameters(const PassShape& shape,
                                                                       std::type_identity<double>) const override {
    return parameter_pass<double>(shape);
  }
};

}  // namespace

const OuterBackend& cuda_outer_backend() {
  static const CudaOuter backend;
  return backend;
}

}  // namespace upsweep::kernels

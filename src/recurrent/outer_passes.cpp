#include "upsweep/recurrent/outer_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <exception>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "backward_steps.hpp"
#include "outer_operands.hpp"
#include "recurrent_devices.hpp"
#include "upsweep/base/laps.hpp"
#include "upsweep/recurrent/parameter_gradients.hpp"

namespace upsweep {
namespace {

/// run_forward(); keeps the operands where they are.
template <class T>
class CpuForward final : public ForwardPass<T> {
 public:
  explicit CpuForward(const PassShape& shape) : shape_(shape) {}

  void load(const CellWeights<T>& weights, std::span<const T> inputs, ForwardStates<T>& states) override {
    require_forward(weights, inputs, shape_);
    set_sizes(shape_.cell, shape_.steps, shape_.batch, states);
    weights_ = &weights;
    inputs_ = inputs;
    states_ = &states;
  }

  double run() override {
    assert(weights_ != nullptr && "run() before load()");
    fault_.reset();
    Laps laps;
    try {
      run_forward<T>(*weights_, inputs_, shape_.steps, shape_.batch, {}, *states_);
    } catch (const NonFiniteState& error) {
      fault_ = error;
    }
    return laps.lap();
  }

  void fetch() override {
    if (fault_) throw NonFiniteState(*fault_);
  }
  [[nodiscard]] std::uint64_t bytes() const override { return 0; }

 private:
  PassShape shape_;
  const CellWeights<T>* weights_ = nullptr;
  std::span<const T> inputs_;
  ForwardStates<T>* states_ = nullptr;
  std::optional<NonFiniteState> fault_;
};

/// parameter_gradients(), likewise.
template <class T>
class CpuParameters final : public ParameterPass<T> {
 public:
  explicit CpuParameters(const PassShape& shape) : shape_(shape) {}

  void load(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> inputs,
            std::span<const T> hidden_gradients, const HeadResult<T>& head, CellWeights<T>& gradients) override {
    require_planned(weights.shape, states, shape_.cell, shape_.steps, shape_.batch);
    require_parameters(weights, states, inputs, hidden_gradients, head, gradients);
    weights_ = &weights;
    states_ = &states;
    inputs_ = inputs;
    hidden_gradients_ = hidden_gradients;
    head_ = &head;
    gradients_ = &gradients;
  }

  double run() override {
    assert(weights_ != nullptr && "run() before load()");
    Laps laps;
    parameter_gradients<T>(*weights_, *states_, inputs_, hidden_gradients_, *head_, *gradients_);
    return laps.lap();
  }

  void fetch() override {}
  [[nodiscard]] std::uint64_t bytes() const override { return 0; }

 private:
  PassShape shape_;
  const CellWeights<T>* weights_ = nullptr;
  const ForwardStates<T>* states_ = nullptr;
  std::span<const T> inputs_;
  std::span<const T> hidden_gradients_;
  const HeadResult<T>* head_ = nullptr;
  CellWeights<T>* gradients_ = nullptr;
};

/// What runs elsewhere than on this processor.
std::optional<RecurrentDevice> outer_device_of(const std::string& backend) {
  if (outer_backend(backend) == "cuda") return cuda_recurrent_device();
  return std::nullopt;
}

void require_valid(const PassShape& shape) {
  require_valid(shape.cell);
  if (shape.steps > 0 && shape.batch > 0) return;
  throw std::invalid_argument(
      fmt::format("a pass over {} steps of {} samples, accepted is 1 or more", shape.steps, shape.batch));
}

void require_value_bytes(unsigned value_bytes) {
  if (value_bytes == sizeof(float) || value_bytes == sizeof(double)) return;
  throw std::invalid_argument(fmt::format("numbers of {} bytes, accepted are 4 and 8", value_bytes));
}

void require_available(const std::string& backend) {
  const Availability here = recurrent_availability(outer_backend(backend));
  if (!here.available) throw BackendError(fmt::format("{}: {}", outer_backend(backend), here.reason));
}

}  // namespace

std::string outer_backend(const std::string& backend) {
  const std::vector<std::string>& names = recurrent_backend_names();
  if (std::ranges::find(names, backend) == names.end()) static_cast<void>(recurrent_availability(backend));  // throws
  if (backend == "reference") return "cpu";
  return backend == "cudnn" ? "cuda" : backend;
}

std::string unsupported_forward(const std::string& backend, const PassShape& shape) {
  const auto device = outer_device_of(backend);
  require_valid(shape);
  return device ? device->outer.unsupported_forward(shape) : std::string();
}

std::uint64_t forward_pass_bytes(const std::string& backend, const PassShape& shape, unsigned value_bytes) {
  const auto device = outer_device_of(backend);
  require_valid(shape);
  require_value_bytes(value_bytes);
  return device ? device->outer.forward_bytes(shape, value_bytes) : 0;
}

std::uint64_t parameter_pass_bytes(const std::string& backend, const PassShape& shape, unsigned value_bytes) {
  const auto device = outer_device_of(backend);
  require_valid(shape);
  require_value_bytes(value_bytes);
  return device ? device->outer.parameter_bytes(shape, value_bytes) : 0;
}

template <class T>
std::unique_ptr<ForwardPass<T>> make_forward_pass(const std::string& backend, const PassShape& shape) {
  if (const std::string reason = unsupported_forward(backend, shape); !reason.empty())
    throw std::invalid_argument(reason);
  require_available(backend);
  const auto device = outer_device_of(backend);
  if (!device) return std::make_unique<CpuForward<T>>(shape);
  if constexpr (std::is_same_v<T, float>) {
    return device->outer.make_forward_fp32(shape);
  } else {
    return device->outer.make_forward_fp64(shape);
  }
}

template <class T>
std::unique_ptr<ParameterPass<T>> make_parameter_pass(const std::string& backend, const PassShape& shape) {
  const auto device = outer_device_of(backend);
  require_valid(shape);
  require_available(backend);
  if (!device) return std::make_unique<CpuParameters<T>>(shape);
  if constexpr (std::is_same_v<T, float>) {
    return device->outer.make_parameters_fp32(shape);
  } else {
    return device->outer.make_parameters_fp64(shape);
  }
}

template std::unique_ptr<ForwardPass<float>> make_forward_pass<float>(const std::string&, const PassShape&);
template std::unique_ptr<ForwardPass<double>> make_forward_pass<double>(const std::string&, const PassShape&);
template std::unique_ptr<ParameterPass<float>> make_parameter_pass<float>(const std::string&, const PassShape&);
template std::unique_ptr<ParameterPass<double>> make_parameter_pass<double>(const std::string&, const PassShape&);

}  // namespace upsweep

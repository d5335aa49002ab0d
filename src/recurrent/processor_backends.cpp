#include <algorithm>
#include <cassert>
#include <optional>
#include <stdexcept>
#include <utility>

#include "aligned_array.hpp"
#include "upsweep/backend/backends.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/laps.hpp"
#include "upsweep/recurrent/bptt.hpp"
#include "upsweep/recurrent/operands.hpp"
#include "upsweep/recurrent/parameter_gradients.hpp"
#include "upsweep/recurrent/recurrent_backend.hpp"
#include "upsweep/recurrent/unfused_scan.hpp"
#include "upsweep/scan/builders.hpp"

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

/// Keeps the operands; they are read where they are.
template <class T>
class CpuPass : public BackwardPass<T> {
 public:
  explicit CpuPass(const PassShape& shape) : shape_(shape) {}

  void load(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
            std::span<T> gradients) final {
    require_backward(weights, states, last, gradients);
    require_planned(weights.shape, states, shape_.cell, shape_.steps, shape_.batch);
    weights_ = &weights;
    states_ = &states;
    last_ = last;
    gradients_ = gradients;
  }

  ScanTimes run() final {
    assert(weights_ != nullptr && "run() before load()");
    return run_on(*weights_, *states_, last_, gradients_);
  }

  void fetch() final {}

 private:
  virtual ScanTimes run_on(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
                           std::span<T> gradients) = 0;

  PassShape shape_;
  const CellWeights<T>* weights_ = nullptr;
  const ForwardStates<T>* states_ = nullptr;
  std::span<const T> last_;
  std::span<T> gradients_;
};

template <class T>
using SequentialFunction = void (*)(const CellWeights<T>&, const ForwardStates<T>&, std::span<const T>, std::span<T>);

/// Back-propagation through time; holds no memory between runs.
template <class T>
class SequentialPass final : public CpuPass<T> {
 public:
  SequentialPass(const PassShape& shape, SequentialFunction<T> function)
      : CpuPass<T>(shape), shape_(shape), function_(function) {}

  [[nodiscard]] ScanFlops flops() const override {
    ScanFlops flops;
    flops.down = bptt_flops(shape_.cell, shape_.steps, shape_.batch);
    return flops;
  }
  [[nodiscard]] std::uint64_t bytes() const override { return 0; }

 private:
  ScanTimes run_on(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
                   std::span<T> gradients) override {
    ScanTimes times;
    Laps laps;
    function_(weights, states, last, gradients);
    times.down = laps.lap();
    return times;
  }

  PassShape shape_;
  SequentialFunction<T> function_;
};

/// A LevelScan, UnfusedLevelScan or BlockedScan.
template <class T, class Scan>
class ScanPass final : public CpuPass<T> {
 public:
  ScanPass(const PassShape& shape, Scan scan) : CpuPass<T>(shape), scan_(std::move(scan)) {}

  [[nodiscard]] ScanFlops flops() const override { return scan_.flops(); }
  [[nodiscard]] std::uint64_t bytes() const override { return scan_.bytes(); }

 private:
  ScanTimes run_on(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
                   std::span<T> gradients) override {
    return scan_.run(weights, states, last, gradients);
  }

  Scan scan_;
};

template <class T, class Scan>
std::unique_ptr<BackwardPass<T>> make_scan_pass(const PassShape& shape, Scan scan) {
  return std::make_unique<ScanPass<T, Scan>>(shape, std::move(scan));
}

/// All of a schedule's Jacobians but that of step 1, which no result contains; products take the place of an operand.
std::uint64_t level_numbers(const BackwardMethod& method, const PassShape& shape) {
  const std::uint64_t vector = checked_mul(shape.batch, shape.cell.hidden);
  const std::uint64_t matrices = checked_mul(shape.steps - 1, checked_mul(vector, shape.cell.hidden));
  if (shape.is_fused) return matrices;
  // Diagonals and the gradients before the nonlinearity; matrices only where an up-sweep makes some.
  const std::uint64_t vectors = checked_mul(2, checked_mul(shape.steps, vector));
  return checked_add(vectors, method.depth == 0 ? 0 : matrices);
}

std::uint64_t block_numbers(const BlockOptions& options, const PassShape& shape, unsigned value_bytes) {
  const std::uint64_t h = shape.cell.hidden;
  const std::uint64_t width = value_bytes == sizeof(float) ? padded<float>(h) : padded<double>(h);
  const std::uint64_t blocks = std::min(options.blocks, shape.steps);
  const std::uint64_t reduced = blocks > 2 ? blocks - 2 : 0;
  const std::uint64_t products = checked_mul(checked_mul(reduced, shape.batch), checked_mul(h, width));
  if (!options.store_jacobians) return products;
  return checked_add(products, checked_mul(checked_mul(shape.steps, shape.batch), checked_mul(h, h)));
}

class CpuOuter final : public OuterBackend {
 public:
  [[nodiscard]] std::string name() const override { return "cpu"; }
  [[nodiscard]] Availability availability() const override { return {true, ""}; }
  [[nodiscard]] std::string unsupported_forward(const PassShape& /*shape*/) const override { return {}; }
  [[nodiscard]] std::unique_ptr<ForwardPass<float>> make_forward(const PassShape& shape,
                                                                 std::type_identity<float>) const override {
    return std::make_unique<CpuForward<float>>(shape);
  }
  [[nodiscard]] std::unique_ptr<ForwardPass<double>> make_forward(const PassShape& shape,
                                                                  std::type_identity<double>) const override {
    return std::make_unique<CpuForward<double>>(shape);
  }
  [[nodiscard]] std::unique_ptr<ParameterPass<float>> make_parameters(const PassShape& shape,
                                                                      std::type_identity<float>) const override {
    return std::make_unique<CpuParameters<float>>(shape);
  }
  [[nodiscard]] std::unique_ptr<ParameterPass<double>> make_parameters(const PassShape& shape,
                                                                       std::type_identity<double>) const override {
    return std::make_unique<CpuParameters<double>>(shape);
  }
};

/// What reference and cpu have in common.
class ProcessorBackend : public RecurrentBackend {
 public:
  [[nodiscard]] Availability availability() const final { return {true, ""}; }
  [[nodiscard]] std::string unsupported(const BackwardMethod& /*method*/, const PassShape& /*shape*/) const final {
    return {};
  }
  [[nodiscard]] const OuterBackend& outer() const final {
    static const CpuOuter outer;
    return outer;
  }
};

class ReferenceRecurrent final : public ProcessorBackend {
 public:
  [[nodiscard]] std::string name() const override { return "reference"; }
  [[nodiscard]] DeviceFacts facts() const override { return make_reference_backend()->facts(); }
  [[nodiscard]] bool has_scans() const override { return false; }
  [[nodiscard]] std::uint64_t bytes(const BackwardMethod& /*method*/, const PassShape& /*shape*/,
                                    unsigned /*value_bytes*/) const override {
    return 0;
  }
  [[nodiscard]] std::unique_ptr<BackwardPass<float>> make(const BackwardMethod& /*method*/, const PassShape& shape,
                                                          std::type_identity<float>) const override {
    return std::make_unique<SequentialPass<float>>(shape, bptt_reference<float>);
  }
  [[nodiscard]] std::unique_ptr<BackwardPass<double>> make(const BackwardMethod& /*method*/, const PassShape& shape,
                                                           std::type_identity<double>) const override {
    return std::make_unique<SequentialPass<double>>(shape, bptt_reference<double>);
  }
};

class CpuRecurrent final : public ProcessorBackend {
 public:
  [[nodiscard]] std::string name() const override { return "cpu"; }
  [[nodiscard]] DeviceFacts facts() const override { return make_cpu_backend()->facts(); }
  [[nodiscard]] bool has_scans() const override { return true; }
  [[nodiscard]] std::uint64_t bytes(const BackwardMethod& method, const PassShape& shape,
                                    unsigned value_bytes) const override {
    switch (method.kind) {
      case BackwardKind::sequential:
        return 0;
      case BackwardKind::levels:
        return checked_mul(level_numbers(method, shape), value_bytes);
      case BackwardKind::blocked:
        return checked_mul(block_numbers(method.blocks, shape, value_bytes), value_bytes);
    }
    throw std::logic_error("unknown kind of backward method");
  }
  [[nodiscard]] std::unique_ptr<BackwardPass<float>> make(const BackwardMethod& method, const PassShape& shape,
                                                          std::type_identity<float>) const override {
    return make_pass<float>(method, shape);
  }
  [[nodiscard]] std::unique_ptr<BackwardPass<double>> make(const BackwardMethod& method, const PassShape& shape,
                                                           std::type_identity<double>) const override {
    return make_pass<double>(method, shape);
  }

 private:
  template <class T>
  [[nodiscard]] static std::unique_ptr<BackwardPass<T>> make_pass(const BackwardMethod& method,
                                                                  const PassShape& shape) {
    if (method.kind == BackwardKind::sequential) return std::make_unique<SequentialPass<T>>(shape, bptt<T>);
    if (method.kind == BackwardKind::blocked) {
      return make_scan_pass<T>(shape, BlockedScan<T>(shape.cell, shape.steps, shape.batch, method.blocks));
    }
    Schedule schedule = hybrid_schedule((shape.is_fused ? 1 : 2) * shape.steps + 1, method.depth);
    if (shape.is_fused) return make_scan_pass<T>(shape, LevelScan<T>(shape.cell, shape.batch, std::move(schedule)));
    return make_scan_pass<T>(shape, UnfusedLevelScan<T>(shape.cell, shape.batch, std::move(schedule)));
  }
};

}  // namespace

const RecurrentBackend& reference_recurrent_backend() {
  static const ReferenceRecurrent backend;
  return backend;
}

const RecurrentBackend& cpu_recurrent_backend() {
  static const CpuRecurrent backend;
  return backend;
}

}  // namespace upsweep

#include <array>
#include <cassert>
#include <optional>
#include <stdexcept>
#include <utility>

#include "cuda_check.hpp"
#include "device_facts.hpp"
#include "graph_capture.hpp"
#include "recurrent_bytes.hpp"
#include "recurrent_operands.hpp"
#include "recurrent_work.hpp"
#include "upsweep/kernels/backends.hpp"

namespace upsweep {
namespace {

using kernels::PhasedWork;

/// Work on operands that stay on the device, replayed as a CUDA graph.
template <class T>
class CudaPass final : public BackwardPass<T> {
 public:
  CudaPass(const BackwardMethod& method, const PassShape& shape)
      : operands_(shape), work_(make_work(method, shape)), stream_(kernels::make_stream()), notes_(work_.notes) {
    for (kernels::Event& event : events_) event = kernels::make_timing_event();
  }

  void load(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
            std::span<T> gradients) override {
    kernels::cuda_check(cudaSetDevice(0), "cudaSetDevice");
    operands_.load(weights, states, last, gradients);
    is_loaded_ = true;
  }

  ScanTimes run() override {
    assert(is_loaded_ && "run() before load()");
    kernels::cuda_check(cudaSetDevice(0), "cudaSetDevice");
    if (!replay_) {
      // Once as it is: kernels are loaded when they first run, and an error is told from one of the capture.
      enqueue(cudaEventRecordDefault);
      synchronize();
      replay_.emplace(
          stream_.get(), [this](unsigned flags) { enqueue(flags); }, notes_);
    }
    replay_->launch();
    synchronize();
    ScanTimes times;
    times.jacobians = seconds(work_.jacobians, 0);
    times.up = seconds(work_.up, 1);
    times.middle = seconds(work_.middle, 2);
    times.down = seconds(work_.down, 3);
    return times;
  }

  void fetch() override { operands_.fetch(); }
  [[nodiscard]] ScanFlops flops() const override { return work_.flops; }
  [[nodiscard]] std::uint64_t bytes() const override { return operands_.bytes() + work_.bytes; }
  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }

 private:
  [[nodiscard]] PhasedWork make_work(const BackwardMethod& method, const PassShape& shape) const {
    switch (method.kind) {
      case BackwardKind::sequential:
        return kernels::sequential_work(operands_.view(), shape);
      case BackwardKind::levels:
        return kernels::level_work(operands_.view(), shape, method.depth);
      case BackwardKind::blocked:
        return kernels::blocked_work(operands_.view(), shape, method.blocks);
    }
    throw std::logic_error("unknown kind of backward method");
  }

  void enqueue(unsigned flags) const {
    kernels::record(events_[0], stream_.get(), flags);
    std::size_t next = 1;
    for (const PhasedWork::Enqueue* phase : {&work_.jacobians, &work_.up, &work_.middle, &work_.down}) {
      if (*phase) (*phase)(stream_.get());
      kernels::record(events_[next++], stream_.get(), flags);
    }
  }

  void synchronize() const {
    kernels::cuda_check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize after a backward pass");
  }

  [[nodiscard]] double seconds(const PhasedWork::Enqueue& phase, std::size_t number) const {
    return phase ? kernels::seconds_between(events_[number], events_[number + 1]) : 0;
  }

  kernels::RecurrentOperands<T> operands_;
  PhasedWork work_;
  kernels::Stream stream_;
  std::array<kernels::Event, 5> events_;  // where phases begin and end
  std::vector<std::string> notes_;
  std::optional<kernels::Replay> replay_;
  bool is_loaded_ = false;
};

template <class T>
std::unique_ptr<BackwardPass<T>> make_pass(const BackwardMethod& method, const PassShape& shape) {
  kernels::cuda_check(cudaSetDevice(0), "cudaSetDevice");
  kernels::require_device_memory(kernels::cuda_pass_bytes(method, shape, sizeof(T)), 0,
                                 kernels::memory_purpose(method).c_str());
  return std::make_unique<CudaPass<T>>(method, shape);
}

class CudaRecurrent final : public RecurrentBackend {
 public:
  [[nodiscard]] std::string name() const override { return "cuda"; }
  [[nodiscard]] Availability availability() const override { return kernels::cuda_availability(); }
  [[nodiscard]] DeviceFacts facts() const override { return kernels::cuda_facts(); }
  [[nodiscard]] bool has_scans() const override { return true; }
  [[nodiscard]] std::string unsupported(const BackwardMethod& method, const PassShape& shape) const override {
    return kernels::unsupported_cuda_pass(method, shape);
  }
  [[nodiscard]] std::uint64_t bytes(const BackwardMethod& method, const PassShape& shape,
                                    unsigned value_bytes) const override {
    return kernels::cuda_pass_bytes(method, shape, value_bytes);
  }
  [[nodiscard]] std::unique_ptr<BackwardPass<float>> make(const BackwardMethod& method, const PassShape& shape,
                                                          std::type_identity<float>) const override {
    return make_pass<float>(method, shape);
  }
  [[nodiscard]] std::unique_ptr<BackwardPass<double>> make(const BackwardMethod& method, const PassShape& shape,
                                                           std::type_identity<double>) const override {
    return make_pass<double>(method, shape);
  }
  [[nodiscard]] const OuterBackend& outer() const override { return kernels::cuda_outer_backend(); }
};

}  // namespace

const RecurrentBackend& cuda_recurrent_backend() {
  static const CudaRecurrent backend;
  return backend;
}

}  // namespace upsweep

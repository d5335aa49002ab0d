#include <fmt/format.h>

#include <type_traits>

#include "cuda_check.hpp"
#include "cusparse_run.hpp"
#include "device_facts.hpp"
#include "sequence_timing.hpp"
#include "upsweep/backend/fitting.hpp"
#include "upsweep/backend/schedule_plan.hpp"
#include "upsweep/base/laps.hpp"
#include "upsweep/kernels/backends.hpp"

namespace upsweep {
namespace {

Availability cusparse_availability() {
  Availability availability = kernels::cuda_availability();
  if (availability.available && kernels::load_cusparse().library == nullptr) {
    availability = {false, kernels::load_cusparse().reason};
  }
  return availability;
}

/// All steps of cusparseSpGEMM in every iteration; a value goes after its last use.
template <class T>
class WholeProducts : public kernels::CusparseRun<T> {
 public:
  WholeProducts(const Schedule& schedule, const NumericChain<T>& chain, std::uint64_t memory_limit)
      : kernels::CusparseRun<T>(schedule, chain, memory_limit), ways_(schedule.combines.size(), 0) {}

  void run(std::size_t id) override {
    start(id);
    finish(id);
  }

 protected:
  void start(std::size_t id) override {
    const Combine& combine = this->schedule_.combines[id];
    const kernels::DeviceValue<T>& x = this->values_[combine.later];
    const kernels::DeviceValue<T>& y = this->values_[combine.earlier];
    kernels::DeviceValue<T>& result = this->values_[this->schedule_.value_of(id)];
    result = {};  // of the iteration before
    if (!this->is_vector(combine.earlier)) {
      result = multiply(id, x, y);
      return;
    }
    result = kernels::make_vector(this->context_, x.rows);
    kernels::VectorProduct<T>(this->context_, x, y, result).compute(this->context_, x, result);
  }
  void finish(std::size_t id) override { this->drop_after(id); }

 private:
  /// Begins with the way that did last time; where memory is short, goes on with the next.
  kernels::DeviceValue<T> multiply(std::size_t id, const kernels::DeviceValue<T>& x, const kernels::DeviceValue<T>& y) {
    while (true) {
      try {
        return kernels::spgemm(this->context_, x, y, kernels::kSpgemmWays[ways_[id]]);
      } catch (const kernels::NotEnoughMemory& error) {
        if (ways_[id] + 1 == kernels::kSpgemmWays.size()) throw;
        ++ways_[id];
        this->notes_.push_back(fmt::format("combine {}: {} instead of {}, {}", id, kernels::kSpgemmWays[ways_[id]].name,
                                           kernels::kSpgemmWays[ways_[id] - 1].name, error.what()));
      }
    }
  }

  std::vector<std::size_t> ways_;  // by combine: position in kSpgemmWays
};

/// Structure once by cusparseSpGEMMreuse, numbers in every iteration; all values stay.
template <class T>
class ReusedProducts : public kernels::CusparseRun<T> {
 public:
  ReusedProducts(const Schedule& schedule, const NumericChain<T>& chain, std::uint64_t memory_limit)
      : kernels::CusparseRun<T>(schedule, chain, memory_limit),
        matrix_products_(schedule.combines.size()),
        vector_products_(schedule.combines.size()) {}

  void run(std::size_t id) override {
    const Combine& combine = this->schedule_.combines[id];
    const kernels::DeviceValue<T>& x = this->values_[combine.later];
    if (matrix_products_[id]) {
      matrix_products_[id]->compute(this->context_, x, this->values_[combine.earlier]);
    } else {
      vector_products_[id]->compute(this->context_, x, this->values_[this->schedule_.value_of(id)]);
    }
  }

 protected:
  void start(std::size_t id) override {
    const Combine& combine = this->schedule_.combines[id];
    const kernels::DeviceValue<T>& x = this->values_[combine.later];
    const kernels::DeviceValue<T>& y = this->values_[combine.earlier];
    kernels::DeviceValue<T>& result = this->values_[this->schedule_.value_of(id)];
    if (this->is_vector(combine.earlier)) {
      result = kernels::make_vector(this->context_, x.rows);
      vector_products_[id].emplace(this->context_, x, y, result);
    } else {
      matrix_products_[id].emplace(this->context_, x, y, result);
    }
    run(id);
  }
  void finish(std::size_t /*id*/) override {}

 private:
  std::vector<std::optional<kernels::ReusedProduct<T>>> matrix_products_;
  std::vector<std::optional<kernels::VectorProduct<T>>> vector_products_;
};

template <template <class> class Products, class T>
Measurement run_cusparse(const Schedule& schedule, const NumericChain<T>& chain, const RunOptions& options) {
  if (const Availability here = cusparse_availability(); !here.available) throw BackendError(here.reason);
  require_fitting(schedule, chain);
  kernels::cuda_check(cudaSetDevice(0), "cudaSetDevice");
  Laps planning;
  Products<T> products(schedule, chain, options.memory_limit);
  Measurement measurement;
  products.run_and_count(measurement);
  measurement.plan_seconds = planning.lap();
  kernels::measure_sequence(
      schedule, options, products.stream(), [&](std::size_t id) { products.run(id); }, measurement);
  measurement.plan_bytes = products.memory().peak(kernels::MemoryUse::structure);
  measurement.value_bytes = products.memory().peak(kernels::MemoryUse::values);
  measurement.workspace_bytes = products.memory().peak(kernels::MemoryUse::workspace);
  measurement.notes = products.notes();
  if (options.workers > 1) measurement.notes.push_back("cuSPARSE runs one combine after the other, in one stream");
  if (options.keep_results) measurement.results = products.download_results();
  return measurement;
}

/// A backend over one way to use cuSPARSE.
template <template <class> class Products>
class CusparseBackend : public Backend {
 public:
  explicit CusparseBackend(std::string name) : name_(std::move(name)) {}

  std::string name() const override { return name_; }
  Availability availability() const override { return cusparse_availability(); }
  DeviceFacts facts() const override {
    if (const Availability here = availability(); !here.available) throw BackendError(here.reason);
    DeviceFacts facts = kernels::cuda_facts();
    facts.workers = 1;
    facts.driver += ", cuSPARSE " + version();
    return facts;
  }
  Measurement run(const Schedule& schedule, const NumericChain<float>& chain,
                  const RunOptions& options) const override {
    return run_cusparse<Products>(schedule, chain, options);
  }
  Measurement run(const Schedule& schedule, const NumericChain<double>& chain,
                  const RunOptions& options) const override {
    return run_cusparse<Products>(schedule, chain, options);
  }

 private:
  static std::string version() {
    const kernels::Stream stream = kernels::make_stream();
    kernels::BufferCache memory(0);
    const auto context = kernels::make_context<float>(stream.get(), memory);
    int version = 0;
    kernels::cusparse_check(kernels::cusparse().get_version(context.handle.get(), &version), "cusparseGetVersion");
    return fmt::format("{}.{}.{}", version / 1000, version % 1000 / 100, version % 100);
  }

  std::string name_;
};

}  // namespace

std::unique_ptr<Backend> make_cusparse_backend() {
  return std::make_unique<CusparseBackend<WholeProducts>>("cusparse");
}

std::unique_ptr<Backend> make_cusparse_reuse_backend() {
  return std::make_unique<CusparseBackend<ReusedProducts>>("cusparse-reuse");
}

}  // namespace upsweep

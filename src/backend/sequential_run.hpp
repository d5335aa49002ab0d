#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "processor.hpp"
#include "upsweep/backend/backend.hpp"
#include "upsweep/backend/fitting.hpp"
#include "upsweep/backend/iterations.hpp"

namespace upsweep {

/// Executes a schedule one combine after the other with a library's own matrices, for backends without a plan.
///
/// `Library` offers the types Matrix and Vector and, as static functions, matrix(chain, i) and vector(gradient) to make
/// them, multiply(x, y) and apply(x, v) to execute, nnz, products(x, y), digest, bytes of matrices and size, numbers of
/// vectors to count and compare. A matrix is dropped after its last use.
template <class Library, class T>
class SequentialRun {
 public:
  SequentialRun(const Schedule& schedule, const NumericChain<T>& chain)
      : schedule_(schedule), dropped_(dropped_values(schedule)) {
    require_fitting(schedule, chain);
    gradient_ = std::make_unique<Vector>(Library::vector(chain.gradient));
    for (std::size_t i = 0; i < chain.values.size(); ++i) inputs_.push_back(Library::matrix(chain, i));
  }

  [[nodiscard]] Measurement measure(const RunOptions& options) {
    by_level_ = options.execution == Execution::level;
    memory_limit_ = options.memory_limit;
    Measurement measurement;
    measurement.ops.resize(schedule_.combines.size());
    measure_iterations(
        options, [&] { return iterate(measurement.ops); }, measurement);
    measurement.value_bytes = peak_bytes_;
    if (options.keep_results) {
      for (const ValueId result : schedule_.results) {
        measurement.results.emplace_back();
        if (result != kIdentity) measurement.results.back() = Library::numbers(vector(result));
      }
    }
    return measurement;
  }

 private:
  using Matrix = typename Library::Matrix;
  using Vector = typename Library::Vector;

  [[nodiscard]] const Matrix& matrix(ValueId value) const {
    return value < schedule_.length ? inputs_[value - 1] : *matrices_[value];
  }
  [[nodiscard]] const Vector& vector(ValueId value) const { return value == 0 ? *gradient_ : *vectors_[value]; }
  [[nodiscard]] bool is_vector(ValueId value) const { return value == 0 || vectors_[value] != nullptr; }

  /// One pass; counts what it did on the way, outside of the times.
  Iteration iterate(std::vector<OpMeasurement>& ops) {
    matrices_.clear();
    matrices_.resize(schedule_.values());
    vectors_.clear();
    vectors_.resize(schedule_.values());
    Iteration iteration{0, std::vector<double>(ops.size()), std::vector<double>(by_level_ ? schedule_.levels : 0)};
    std::uint64_t live_bytes = 0;
    for (std::size_t id = 0; id < ops.size(); ++id) {
      const Combine& combine = schedule_.combines[id];
      const ValueId target = schedule_.value_of(id);
      const double start = now_seconds();
      if (is_vector(combine.earlier)) {
        vectors_[target] = std::make_unique<Vector>(Library::apply(matrix(combine.later), vector(combine.earlier)));
      } else {
        matrices_[target] = std::make_unique<Matrix>(Library::multiply(matrix(combine.later), matrix(combine.earlier)));
      }
      const double seconds = now_seconds() - start;
      iteration.op_seconds[id] = seconds;
      if (by_level_) iteration.level_seconds[combine.level] += seconds;
      iteration.seconds += seconds;
      if (!counted_) count(combine, target, ops[id]);
      if (matrices_[target]) live_bytes += Library::bytes(*matrices_[target]);
      peak_bytes_ = std::max(peak_bytes_, live_bytes);
      if (memory_limit_ > 0 && live_bytes > memory_limit_) {
        throw BackendError("the values of " + schedule_.name + " need at least " + std::to_string(live_bytes) +
                           " bytes, accepted are at most " + std::to_string(memory_limit_));
      }
      for (const ValueId value : dropped_[id]) {
        if (!matrices_[value]) continue;
        live_bytes -= Library::bytes(*matrices_[value]);
        matrices_[value].reset();
      }
    }
    counted_ = true;
    return iteration;
  }

  void count(const Combine& combine, ValueId target, OpMeasurement& op) const {
    if (is_vector(target)) {
      op.nnz = Library::size(vector(target));
      op.products = Library::nnz(matrix(combine.later));
      return;
    }
    op.nnz = Library::nnz(matrix(target));
    op.products = Library::products(matrix(combine.later), matrix(combine.earlier));
    op.structure_digest = Library::digest(matrix(target));
  }

  const Schedule& schedule_;
  std::vector<std::vector<ValueId>> dropped_;  // by combine: values that no later one reads
  std::vector<Matrix> inputs_;
  std::unique_ptr<Vector> gradient_;
  std::vector<std::unique_ptr<Matrix>> matrices_;  // by value
  std::vector<std::unique_ptr<Vector>> vectors_;   // by value
  std::uint64_t peak_bytes_ = 0;
  std::uint64_t memory_limit_ = 0;
  bool by_level_ = true;
  bool counted_ = false;
};

/// A backend of one thread over SequentialRun, with a library for each number type.
template <template <class T> class Library>
class SequentialBackend final : public Backend {
 public:
  /// `driver`: what the facts say of the library beside the processor.
  SequentialBackend(std::string name, std::string driver) : name_(std::move(name)), driver_(std::move(driver)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] Availability availability() const override { return {true, ""}; }
  [[nodiscard]] DeviceFacts facts() const override {
    DeviceFacts facts = processor_facts(1);
    facts.driver += driver_;
    return facts;
  }
  [[nodiscard]] Measurement run(const Schedule& schedule, const NumericChain<float>& chain,
                                const RunOptions& options) const override {
    return SequentialRun<Library<float>, float>(schedule, chain).measure(options);
  }
  [[nodiscard]] Measurement run(const Schedule& schedule, const NumericChain<double>& chain,
                                const RunOptions& options) const override {
    return SequentialRun<Library<double>, double>(schedule, chain).measure(options);
  }

 private:
  std::string name_;
  std::string driver_;
};

}  // namespace upsweep

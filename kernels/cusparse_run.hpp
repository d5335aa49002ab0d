#pragma once

#include <optional>
#include <vector>

#include "cusparse_products.hpp"
#include "device_resources.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"

namespace upsweep::kernels {

/// What the two cuSPARSE backends have in common: the values of a schedule on the device, and what is known of them on
/// the host. T is float or double.
template <class T>
class CusparseRun {
 public:
  /// Uploads the chain. `schedule` must live as long as this object. Throws BackendError, also where a matrix has more
  /// than 2^31 - 1 rows, columns or entries.
  CusparseRun(const Schedule& schedule, const NumericChain<T>& chain, std::uint64_t memory_limit);
  virtual ~CusparseRun() = default;
  CusparseRun(const CusparseRun&) = delete;
  CusparseRun& operator=(const CusparseRun&) = delete;

  /// Runs all combines once, in order, and counts what they do from the structures that the device has.
  void run_and_count(Measurement& measurement);

  /// Puts a combine into the stream. Throws BackendError.
  virtual void run(std::size_t id) = 0;

  /// The results of the last iteration, by position of the schedule's results.
  [[nodiscard]] std::vector<std::vector<double>> download_results() const;

  [[nodiscard]] cudaStream_t stream() const { return context_.stream; }
  [[nodiscard]] const BufferCache& memory() const { return memory_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 protected:
  /// Computes a combine for the first time.
  virtual void start(std::size_t id) = 0;
  /// Called after start(), when the structure of the value has been read.
  virtual void finish(std::size_t id) = 0;
  /// Frees values that nothing reads after a combine.
  void drop_after(std::size_t id);
  [[nodiscard]] bool is_vector(ValueId value) const { return vectors_[value]; }

  // The order of destruction matters: blocks go back to the cache, descriptors end before the handle.
  const Schedule& schedule_;
  BufferCache memory_;
  Stream stream_;
  CusparseContext<T> context_;
  std::vector<DeviceValue<T>> values_;  // by value; what was dropped has nothing
  std::vector<std::string> notes_;

 private:
  [[nodiscard]] OpMeasurement count(std::size_t id);

  std::vector<bool> vectors_;                             // by value
  std::vector<std::optional<HostStructure>> structures_;  // by value, of matrices that are still read
  std::vector<std::vector<ValueId>> dropped_;             // by combine: values that it is the last to use
};

}  // namespace upsweep::kernels

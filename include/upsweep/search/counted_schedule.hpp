#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/machine/machine.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/sim/complexity.hpp"
#include "upsweep/sim/shared_ops.hpp"

namespace upsweep {

/// A result of a combine that is larger than a limit.
struct LargeProduct {
  std::uint64_t op = 0;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t bytes = 0;  ///< the sum over the inputs
};

/// One schedule over one model, counted: what searches and studies price. Counts are sums over the inputs; every
/// function may throw CountOverflow. Explicit products and closed forms answer the same questions.
class CountedSchedule {
 public:
  /// Sums in a scope, and the most expensive combine.
  struct Sums {
    Totals totals;
    std::uint64_t flops_max = 0;
  };

  CountedSchedule() = default;
  virtual ~CountedSchedule() = default;
  CountedSchedule(const CountedSchedule&) = delete;
  CountedSchedule& operator=(const CountedSchedule&) = delete;

  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::optional<std::uint32_t> depth() const = 0;  ///< of a hybrid
  [[nodiscard]] virtual std::uint64_t inputs() const = 0;
  [[nodiscard]] virtual std::uint64_t levels() const = 0;
  /// Where counts are estimates: the same without one of the groups of sampled rows each (ScheduleProfile::without).
  [[nodiscard]] virtual std::vector<std::unique_ptr<CountedSchedule>> without() const { return {}; }
  /// Without `with_dag` the longest path, which needs a graph, may be 0.
  [[nodiscard]] virtual Sums sums(Scope scope, bool with_dag) const = 0;
  [[nodiscard]] virtual std::uint64_t peak_live_bytes(Scope scope) const = 0;
  /// The first result of more than `limit` bytes (a sum over the inputs).
  [[nodiscard]] virtual std::optional<LargeProduct> product_above(std::uint64_t limit, Scope scope) const = 0;
  /// Throws std::invalid_argument for 0 workers, as all that follow.
  [[nodiscard]] virtual PramProfile pram(std::uint64_t workers, Scope scope, std::uint64_t batch) const = 0;
  /// Makespan under Execution::level, with every combine `batch` times.
  [[nodiscard]] virtual std::uint64_t level_makespan(CostUnit unit, std::uint64_t workers, Scope scope,
                                                     std::uint64_t batch) const = 0;
  /// Makespan in FLOPs under Execution::dag; nothing where its simulation gives up.
  [[nodiscard]] virtual std::optional<std::uint64_t> dag_makespan(std::uint64_t workers, Scope scope) const = 0;
  /// As workers that share ops see it.
  [[nodiscard]] virtual SharedWork shared(Scope scope) const = 0;
  /// Seconds on a machine under Execution::level, with every combine `batch` times.
  [[nodiscard]] virtual double level_seconds(const Machine& machine, std::uint64_t workers, Scope scope,
                                             std::uint64_t batch) const = 0;
  /// The same under Execution::dag, batch 1; nothing where that is not predicted.
  [[nodiscard]] virtual std::optional<double> dag_seconds(const Machine& machine, std::uint64_t workers,
                                                          Scope scope) const = 0;
};

/// A profile, combine by combine, which must outlive it; `value_bytes` (4 or 8) is for seconds.
[[nodiscard]] std::unique_ptr<CountedSchedule> counted(const ScheduleProfile& profile, unsigned value_bytes);

/// Closed forms of a hybrid over a homogeneous chain, which must outlive it.
[[nodiscard]] std::unique_ptr<CountedSchedule> counted(const HomogeneousProfile& profile);

/// Why a schedule does not fit into `limit` bytes (of one input), every combine `batch` times; empty where it does.
/// Peaks and products are means over the inputs.
[[nodiscard]] std::string memory_reason(const CountedSchedule& schedule, Scope scope, std::uint64_t batch,
                                        std::uint64_t limit);

}  // namespace upsweep

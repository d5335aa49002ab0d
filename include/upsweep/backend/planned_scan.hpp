#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "upsweep/base/hidden.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// A schedule over a chain of fixed structure, planned once: from run to run only numbers change, as from sample to
/// sample and from iteration to iteration of a training. T is float or double.
///
/// Dead combines are left out, unlike in Backend::run(), which executes what the paper does. Immutable: several threads
/// may run one plan at the same time, each in a workspace of its own.
template <class T>
class PlannedScan {
 public:
  /// Memory for the values of one run at a time. Its results live until the next run in it.
  class Workspace {
    friend class PlannedScan;
    struct Impl;
    explicit Workspace(Hidden<Impl> impl) : impl_(std::move(impl)) {}
    Hidden<Impl> impl_;
  };

  /// Throws std::invalid_argument where schedule and chain do not fit together, CountOverflow.
  /// Cost: that of plan_schedule() for what is not dead.
  PlannedScan(const Schedule& schedule, const JacobianChain& chain);

  [[nodiscard]] Workspace make_workspace() const;

  /// Whether a run reads the numbers of a[position], position < length of the chain.
  [[nodiscard]] bool reads(std::size_t position) const;

  /// Runs the schedule on the calling thread.
  ///
  /// Shapes: `array` has one entry per position of the scan array: a[0], then the numbers of the Jacobians in the order
  /// of their patterns; what no run reads may be empty. It must live as long as the results are used. `workspace` was
  /// made by this plan. Throws std::invalid_argument for other lengths. The result does not depend on earlier runs.
  void run(std::span<const std::span<const T>> array, Workspace& workspace) const;

  /// The vector at `position` >= 1 of the result of the last run in `workspace`.
  [[nodiscard]] std::span<const T> result(std::size_t position, const Workspace& workspace) const;

  /// FLOPs of a run: two per multiplication that its loops do.
  [[nodiscard]] std::uint64_t flops() const;
  /// Memory of structure and indices.
  [[nodiscard]] std::uint64_t plan_bytes() const;
  /// Memory of one workspace.
  [[nodiscard]] std::uint64_t workspace_bytes() const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace upsweep

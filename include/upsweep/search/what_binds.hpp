#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "upsweep/machine/machine.hpp"
#include "upsweep/search/binding.hpp"
#include "upsweep/search/counted_schedule.hpp"
#include "upsweep/search/point.hpp"

namespace upsweep {

/// The resource of which twice as much helps one schedule most, without a limit on memory: as binding_resource().
/// Nothing where none helps by 1 % or more, or where its seconds are not predicted. Workers count only where the
/// machine has more than `workers`. Throws like predict_time(). Cost: at most five calls of it.
[[nodiscard]] std::optional<Binding> binding_of(const CountedSchedule& schedule, const Machine& machine,
                                                std::uint64_t workers, Execution execution, Scope scope = Scope::all,
                                                std::uint64_t batch = 1);

/// score_point() of one model with another machine and other settings.
using Rescore = std::function<PointFigures(const Machine* machine, const PointSettings& settings)>;

/// The resource of which twice as much helps the scan of a point most; of those within 1 % of each other the first of
/// workers, latency, bandwidth, arithmetic. Where only plain back-propagation was asked for, it stands for the scan.
///
/// Memory where no scan is feasible but one would be without the limit, or one that is not would score better by more
/// than that 1 %. Where scores are FLOPs the resources are
/// workers and arithmetic. Workers count only where the machine has more than the point, and are at most what it has.
/// Throws like `score`. Cost: at most six calls of `score`.
[[nodiscard]] Binding binding_resource(const Rescore& score, const Machine* machine, const PointSettings& settings);

}  // namespace upsweep

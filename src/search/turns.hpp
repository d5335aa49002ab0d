#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/search/crossover.hpp"
#include "upsweep/search/device_search.hpp"
#include "upsweep/search/explanation.hpp"

// What explanations of all kinds of schedules have in common.

namespace upsweep {

/// The most steps or hidden elements that are looked at.
inline constexpr std::uint64_t kMostExtent = kMostOvertakingSteps;

[[nodiscard]] double sum(const std::vector<double>& costs);

/// Whether `mine` is less by more than the roundings of sums in different orders: a tie is turned by nothing.
[[nodiscard]] bool takes_less(double mine, double other);

/// The factor nearest to 1, from 1 / kMostTurn to kMostTurn, with which `wins` answers otherwise than now.
[[nodiscard]] std::optional<double> turning_factor(const std::function<bool(double factor)>& wins);

/// The number from 1 to `most` nearest to `now`, by its ratio, which is that of turning_factor(), with which `wins`
/// answers otherwise.
[[nodiscard]] Turn number_turn(Turn::Of of, std::uint64_t now, std::uint64_t most,
                               const std::function<bool(std::uint64_t number)>& wins);

/// So many workers, of schedules with these makespans in FLOPs; now there are `workers`.
[[nodiscard]] Turn workers_turn(const MakespanOfWorkers& schedule, const MakespanOfWorkers& against,
                                std::uint64_t workers);

/// Whether the schedule takes less on another machine, whose latencies are `latencies` times as long.
using WinsOnMachine = std::function<bool(const Machine& other, double latencies)>;

/// Latencies, bandwidths and arithmetic rates.
[[nodiscard]] std::vector<Turn> machine_turns(const Machine& machine, const WinsOnMachine& wins);

/// Of each level the part of the machine of which twice as much helps it most; `costs` are those of the machine.
[[nodiscard]] std::vector<std::string> machine_binds(
    const Machine& machine, const std::vector<double>& costs,
    const std::function<std::vector<double>(const Machine& better)>& costs_on);

/// Of each level in FLOPs whether it waits for what takes `least`, its largest op or its span, or for workers.
[[nodiscard]] std::vector<std::string> alone_binds(AccountRule rule, const std::vector<double>& costs,
                                                   const std::vector<double>& least);

}  // namespace upsweep

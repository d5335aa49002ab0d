#include "turns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/search/binding.hpp"

namespace upsweep {
namespace {

constexpr std::array kMachineParts = {std::pair{Turn::Of::latency, Binding::latency},
                                      std::pair{Turn::Of::bandwidth, Binding::bandwidth},
                                      std::pair{Turn::Of::arithmetic, Binding::arithmetic}};

}  // namespace

double sum(const std::vector<double>& costs) {
  double total = 0;
  for (const double cost : costs) total += cost;
  return total;
}

bool takes_less(double mine, double other) {
  constexpr double kRoundings = 1e-9;
  return mine < other * (1 - kRoundings);
}

std::optional<double> turning_factor(const std::function<bool(double factor)>& wins) {
  const bool now = wins(1);
  const auto turns = [&](double factor) {
    try {
      return wins(factor) != now;
    } catch (const CountOverflow&) {  // so slow a machine has no times
      return false;
    }
  };
  const double most = std::log2(kMostTurn);
  for (double doublings = 0; doublings < most; ++doublings) {
    std::optional<double> nearest;
    for (const double side : {1.0, -1.0}) {
      double far = side * std::min(doublings + 1, most);
      if (!turns(std::exp2(far))) continue;
      double near = side * doublings;
      for (int halvings = 0; halvings < 20; ++halvings) {
        const double middle = (near + far) / 2;
        (turns(std::exp2(middle)) ? far : near) = middle;
      }
      if (!nearest || std::fabs(far) < std::fabs(*nearest)) nearest = far;
    }
    if (nearest) return std::exp2(*nearest);
  }
  return std::nullopt;
}

Turn number_turn(Turn::Of of, std::uint64_t now, std::uint64_t most,
                 const std::function<bool(std::uint64_t number)>& wins) {
  const auto number = [now, most](double times) {
    const double product = std::round(static_cast<double>(now) * times);
    return product >= static_cast<double>(most) ? most
                                                : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(product));
  };
  const std::optional<double> factor = turning_factor([&](double times) { return wins(number(times)); });
  return {of, factor ? std::optional(static_cast<double>(number(*factor))) : std::nullopt};
}

Turn workers_turn(const MakespanOfWorkers& schedule, const MakespanOfWorkers& against, std::uint64_t workers) {
  const bool wins = schedule(workers) < against(workers);
  const OvertakingWorkers mine = overtaking_workers(std::array{against}, std::array{schedule});
  const OvertakingWorkers other = overtaking_workers(std::array{schedule}, std::array{against});
  Turn turn{Turn::Of::workers, {}, mine.is_known && other.is_known};
  const auto offer = [&](std::uint64_t number) {
    if (number < 1 || (schedule(number) < against(number)) == wins) return;
    const auto distance = [workers](double to) { return std::fabs(std::log(to / static_cast<double>(workers))); };
    const auto to = static_cast<double>(number);
    if (!turn.to || distance(to) < distance(*turn.to)) turn.to = to;
  };
  // Either overtakes the other from a number on: with that and with one less it may be otherwise than now.
  for (const OvertakingWorkers& found : {mine, other}) {
    if (!found.from) continue;
    offer(*found.from);
    offer(*found.from - 1);
  }
  if (turn.to) turn.is_known = true;
  return turn;
}

std::vector<Turn> machine_turns(const Machine& machine, const WinsOnMachine& wins) {
  std::vector<Turn> turns;
  for (const auto& [of, part] : kMachineParts) {
    turns.push_back({of, turning_factor([&, of = of, part = part](double factor) {
                       if (of != Turn::Of::latency) return wins(scaled(machine, part, factor), 1);
                       return wins(scaled(machine, part, 1 / factor), factor);  // more of a latency: less of a machine
                     })});
  }
  return turns;
}

std::vector<std::string> machine_binds(const Machine& machine, const std::vector<double>& costs,
                                       const std::function<std::vector<double>(const Machine& better)>& costs_on) {
  std::vector<std::string> binds(costs.size());
  std::vector<double> least = costs;
  for (const auto& [of, part] : kMachineParts) {
    const std::vector<double> mine = costs_on(scaled(machine, part, 2));
    for (std::size_t level = 0; level < costs.size(); ++level) {
      if (!(mine[level] < least[level])) continue;
      least[level] = mine[level];
      binds[level] = to_string(part);
    }
  }
  return binds;
}

std::vector<std::string> alone_binds(AccountRule rule, const std::vector<double>& costs,
                                     const std::vector<double>& least) {
  constexpr double kNear = 1.05;
  const char* alone = rule == AccountRule::whole ? "largest op" : "span";
  std::vector<std::string> binds;
  for (std::size_t level = 0; level < costs.size(); ++level)
    binds.emplace_back(costs[level] <= 0 ? "" : costs[level] <= kNear * least[level] ? alone : "workers");
  return binds;
}

}  // namespace upsweep

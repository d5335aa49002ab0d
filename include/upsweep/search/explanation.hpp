#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/machine/machine.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/recurrent/device_model.hpp"
#include "upsweep/recurrent/stacked.hpp"
#include "upsweep/search/binding.hpp"

namespace upsweep {

/// By what an account counts; every account has a barrier after each level.
enum class AccountRule : std::uint8_t {
  whole,    ///< FLOPs, each op on one worker
  shared,   ///< FLOPs, ops that workers share
  seconds,  ///< of a machine
};

/// "whole", "shared" or "seconds".
[[nodiscard]] std::string to_string(AccountRule rule);

/// A level of a schedule, or levels alike that are accounted for together. Counts are sums over the inputs.
struct ExplainedLevel {
  std::string phase;
  std::uint64_t repeat = 1;  ///< so many levels
  std::uint64_t ops = 0;     ///< products of all of them
  std::uint64_t flops = 0;   ///< of all of them, additions of blocks included
};

/// What such levels take, and what of it.
struct AccountedLevel {
  double cost = 0;    ///< FLOPs as a mean over the inputs, or seconds
  std::string binds;  ///< "largest op" or "workers"; "span" or "workers"; a resource of a machine; empty at cost 0
};

/// The most that is looked at of a factor, and of steps and hidden elements for each that there is now; the least is
/// one of so many.
inline constexpr double kMostTurn = 1000;

/// What would have to change, and it alone, for the faster of two schedules to become the slower.
struct Turn {
  enum class Of : std::uint8_t {
    workers,     ///< so many of them
    products,    ///< the work of products of matrices, and of what reads them, times so much
    latency,     ///< times of ops and levels, times so much
    bandwidth,   ///< bytes per second, times so much
    arithmetic,  ///< FLOPs per second, times so much
    hidden,      ///< elements of a layer's state, so many
    steps,       ///< of a sequence, so many
  };
  Of of = Of::workers;
  std::optional<double> to;  ///< the number or factor; nothing: within what was tried none does
  bool is_known = true;      ///< false: looking for it was given up
};

/// "workers", "products", "latency", ...
[[nodiscard]] std::string to_string(Turn::Of of);

/// Two schedules by one rule.
struct Account {
  AccountRule rule = AccountRule::whole;
  double total = 0;                    ///< of the schedule, the sum over its levels
  double against = 0;                  ///< of the other
  std::vector<AccountedLevel> levels;  ///< of Explanation::levels
  std::vector<Turn> turns;
};

/// A product of matrices and how it fills in. Counts are sums over the inputs.
struct FillIn {
  std::size_t op = 0;
  std::size_t level = 0;
  std::uint32_t first_link = 0;  ///< that it covers, of the network from its input on; of a chain its elements
  std::uint32_t last_link = 0;
  std::uint64_t operands_nnz = 0;  ///< of both
  std::uint64_t nnz = 0;           ///< of the result
  std::uint64_t flops = 0;

  /// Entries of the result for each of the operands.
  [[nodiscard]] double growth() const { return static_cast<double>(nnz) / static_cast<double>(operands_nnz); }
};

/// Products of dense blocks, which do not fill in.
struct BlockProducts {
  std::uint64_t products = 0;
  std::uint64_t flops = 0;  ///< with the additions of their results
};

/// Why one schedule is faster than another: from the whole to the op.
struct Explanation {
  std::string schedule;  ///< its name
  std::string against;   ///< of the other
  std::uint64_t workers = 1;
  std::uint64_t inputs = 1;
  std::uint64_t flops = 0;  ///< of all its ops, a sum over the inputs
  bool are_plain = false;   ///< both are plain back-propagation by their ops, whatever their names: nothing turns that
  std::vector<ExplainedLevel> levels;
  std::vector<Account> accounts;             ///< without a machine of whole ops and of shared ones, else of its seconds
  bool knows_products = false;               ///< whether `products` lists them
  std::vector<FillIn> products = {};         ///< of matrices, by FLOPs
  std::optional<BlockProducts> blocks = {};  ///< of a stack of layers, instead
};

/// What schedules are compared on.
struct ExplainedOn {
  std::uint64_t workers = 1;
  std::uint64_t batch = 1;           ///< inputs of an iteration
  const Machine* machine = nullptr;  ///< may be null
  unsigned value_bytes = 4;          ///< or 8
};

/// Compares two schedules over one chain, counted over the same inputs, level by level. Factors are looked for up to
/// kMostTurn, workers of FLOPs up to kMostWorkers. Throws std::invalid_argument for schedules of different lengths,
/// CountOverflow. Cost: some hundred predictions.
[[nodiscard]] Explanation explain(const ScheduleProfile& schedule, const ScheduleProfile& against,
                                  const ExplainedOn& on);

/// The same of two ways through one stack of layers, by their stages, in FLOPs: `on` has no machine. What might turn
/// it is the number of workers, of hidden elements and of steps. Throws std::invalid_argument for different stacks,
/// CountOverflow. Cost: some hundred counts.
[[nodiscard]] Explanation explain(const StackedProfile& schedule, const StackedProfile& against, const ExplainedOn& on);

/// A pass over the steps of a recurrent model that a machine is predicted to take.
struct ExplainedPass {
  PassShape shape;
  BackwardMethod method;
  DeviceAssumptions assumptions;
};

/// The same of two passes of one model in seconds of `on.machine`, which is there, by levels where the pass has some,
/// else by phases; its workers and batch are those of the machine and the shape. What might turn it are rates of the
/// machine and the number of steps. Throws like predict_on_device(); CountOverflow. Cost: some hundred predictions.
[[nodiscard]] Explanation explain(const ExplainedPass& schedule, const ExplainedPass& against, const ExplainedOn& on);

}  // namespace upsweep

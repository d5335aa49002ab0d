#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "upsweep/machine/machine.hpp"
#include "upsweep/scan/execution.hpp"

namespace upsweep {

/// Under what a question is asked: the same settings with the same defaults in every command.
struct FrameRequest {
  static constexpr std::uint64_t kMostBatch = 1'000'000;

  /// Default: what the widest level of what is looked at has for the batch, at most the machine's.
  std::optional<std::uint64_t> workers = std::nullopt;
  std::optional<std::string> machine = std::nullopt;  ///< a file: answers are its seconds
  std::optional<LaunchMode> launch = std::nullopt;    ///< of a gpu; graph without
  /// Of a gpu: whose sparse products, or loops over steps, or "roofline"; the first of the machine file's without.
  std::optional<std::string> library = std::nullopt;
  /// Inputs of an iteration. Default: 1; of a recurrent model that is run, or predicted on a machine, its file's.
  std::optional<std::uint64_t> batch = std::nullopt;
  std::optional<Execution> execution = std::nullopt;  ///< default_execution(); level where only that is known
  /// Seconds that a scan takes once (planning, capturing a graph, compiling), to be paid back by what it saves.
  std::optional<double> setup_s = std::nullopt;
};

}  // namespace upsweep

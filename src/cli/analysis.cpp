#include "analysis.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/io/model.hpp"
#include "upsweep/jacobian/chain.hpp"

namespace upsweep::cli {

Model load(const ModelOptions& options) {
  return load(options, pattern_kind(options) == PatternKind::sample ? Numbers::needed : Numbers::structure);
}

Model load(const ModelOptions& options, Numbers numbers) {
  Model model = require_network(load_model(options.model, numbers), "this command");
  try {
    require_pattern_memory(model.network, model.weights, machine_memory());
  } catch (const OperatorError& error) {
    throw model.located(error);
  }
  return model;
}

Analysis analyse_with_progress(const Model& model, PatternKind pattern, std::vector<Schedule> schedules) {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  const auto progress = [&](std::size_t done, std::size_t inputs) {
    if (!terminal) return;
    if (done < inputs) {
      fmt::print(stderr, "\rupsweep: counting products, input {} of {} ...", done + 1, inputs);
    } else {
      fmt::print(stderr, "\r\033[K");
    }
    std::fflush(stderr);
  };
  const NetworkView view{model.network, model.weights, model.sample ? &*model.sample : nullptr, model.value_bytes};
  try {
    return analyse(view, pattern, std::move(schedules), progress);
  } catch (const OperatorError& error) {
    throw model.located(error);
  } catch (const CountOverflow& error) {
    throw InputError(fmt::format("{}: {}, accepted are smaller models", model.file, error.what()));
  }
}

std::optional<Machine> load_machine_of(const ModelOptions& options) {
  if (!options.machine) return std::nullopt;
  return load_machine(*options.machine);
}

std::size_t workers_of(const ModelOptions& options, std::size_t widest, const Machine* machine) {
  const std::size_t most = machine == nullptr ? std::numeric_limits<std::size_t>::max() : machine->workers();
  if (!options.workers) return std::clamp<std::size_t>(widest, 1, most);
  const std::uint64_t workers = parse_positive("--workers", *options.workers);
  if (workers > most) {
    throw InputError(fmt::format("{}: it has {} workers, --workers is {}, accepted is at most that many",
                                 *options.machine, most, workers));
  }
  return workers;
}

}  // namespace upsweep::cli

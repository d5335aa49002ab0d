#include "analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "upsweep/base/error.hpp"

namespace upsweep::cli {

Model load(const ModelOptions& options) { return load_network(options.model, numbers_for(pattern_kind(options))); }

std::optional<Machine> load_machine_of(const ModelOptions& options) {
  return upsweep::load_machine_of(options.machine);
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

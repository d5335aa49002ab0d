#include "chain.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "analysis.hpp"
#include "output.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/chain_file.hpp"
#include "upsweep/report/chain_report.hpp"
#include "upsweep/search/point.hpp"
#include "upsweep/sim/homogeneous_time.hpp"

namespace upsweep::cli {
namespace {

/// The hybrid depth of --schedule. Throws UsageError.
std::uint32_t depth_of(const std::string& schedule) {
  const ScheduleRequest request = schedule_request(schedule);
  if (request.kind != ScheduleKind::hybrid) {
    throw UsageError(
        fmt::format("--schedule is '{}', accepted of a synthetic chain are linear, blelloch and hybrid:L, which have "
                    "closed forms",
                    schedule));
  }
  return static_cast<std::uint32_t>(request.parameter);
}

/// `count` with errors that name the model file.
template <class Count>
int count_chain(const ModelOptions& options, const Count& count) {
  try {
    count();
  } catch (const CountOverflow& error) {
    throw InputError(fmt::format("{}: {}, accepted are smaller models", options.model, error.what()));
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", options.model, error.what()));
  }
  return 0;
}

/// Refuses what a search on a machine does not have. Throws UsageError.
void check_chain_search(const SearchRequest& request) {
  if (request.search.objective != Objective::time ||
      (request.has_execution && request.search.execution != Execution::level)) {
    throw UsageError(
        "--objective or --execution with --machine and a synthetic chain, whose seconds are those of level execution, "
        "accepted are time and level");
  }
  if (request.schemes == "all") {
    throw UsageError(
        "--schemes all with --machine and a synthetic chain, whose seconds are known for hybrids, accepted is hybrid");
  }
}

/// The best of the depths and its margin, by scores that were changed.
void choose_best(HomogeneousSearchResult& result) {
  std::optional<double> second;
  result.best.reset();
  result.margin.reset();
  for (std::size_t i = 0; i < result.candidates.size(); ++i) {
    const HomogeneousCandidate& c = result.candidates[i];
    if (!c.feasible) continue;
    const bool is_better = !result.best || *c.score < *result.candidates[*result.best].score;
    const std::optional<double> loser = !is_better    ? c.score
                                        : result.best ? result.candidates[*result.best].score
                                                      : std::nullopt;
    if (is_better) result.best = i;
    if (loser && (!second || *loser < *second)) second = loser;
  }
  if (result.best && second && *result.candidates[*result.best].score > 0)
    result.margin = *second / *result.candidates[*result.best].score - 1;
  result.best_scheme = result.best;
  result.scheme_margin = result.margin;
}

/// Scores all depths anew, in seconds on the machine.
void score_in_seconds(const ChainModel& model, const Machine& machine, HomogeneousSearchResult& result) {
  PointSettings settings;
  settings.scope = result.options.scope;
  settings.workers = result.workers;
  settings.is_limited_by_machine = false;  // --memory has decided already
  for (HomogeneousCandidate& candidate : result.candidates) {
    settings.schedule = fmt::format("hybrid:{}", *candidate.depth);
    candidate.score = score_point(model.chain, model.value_bytes, &machine, settings).best.value().score;
  }
  result.options.machine = &machine;
  choose_best(result);
}

}  // namespace

bool is_chain(const ModelOptions& model, const RecurrentOptions& options) {
  if (!is_chain_file(model.model)) return false;
  for (const auto& [option, text] :
       {std::pair{"--steps", &options.steps}, std::pair{"--batch", &options.batch},
        std::pair{"--hidden", &options.hidden}, std::pair{"--forward-kernels", &options.forward_kernels},
        std::pair{"--backward-kernels", &options.backward_kernels},
        std::pair{"--host-launch-us", &options.host_launch_us}}) {
    if (*text) {
      throw UsageError(fmt::format("{} is for recurrent models, {} is a synthetic chain with sizes of its own", option,
                                   model.model));
    }
  }
  if (model.pattern != "guaranteed") {
    throw InputError(
        fmt::format("{}: --pattern sample with a synthetic chain, which has no inputs, accepted is "
                    "guaranteed",
                    model.model));
  }
  if (model.db) {
    throw UsageError(
        fmt::format("--db with {}, a synthetic chain, accepted is without: runs of chains are kept by 'upsweep study'",
                    model.model));
  }
  return true;
}

int profile_chain(const ModelOptions& options, const std::string& schedule) {
  const std::uint32_t depth = depth_of(schedule);
  const ChainModel model = load_chain(options.model);
  const std::optional<Machine> machine = load_machine_of(options);
  return count_chain(options, [&] {
    const HomogeneousProfile profile = profile_homogeneous(model.chain, depth, model.value_bytes);
    const std::uint64_t workers = workers_of(options, profile.widest, machine ? &*machine : nullptr);
    const HomogeneousPram pram = homogeneous_pram(profile, workers);
    ChainProfileReport report{model, profile, pram, homogeneous_reference(model.chain, model.value_bytes), schedule};
    if (machine) {
      report.machine = machine->name;
      report.seconds = homogeneous_seconds(profile, *machine, workers, Scope::all);
    }
    print_report(options.format, report);
  });
}

int search_chain(const ModelOptions& options, SearchRequest request) {
  SearchOptions& search = request.search;
  if (options.machine) check_chain_search(request);
  const ChainModel model = load_chain(options.model);
  const std::optional<Machine> machine = load_machine_of(options);
  return count_chain(options, [&] {
    const HomogeneousChain& chain = model.chain;
    PointSettings settings;
    if (options.workers) settings.workers = parse_positive("--workers", *options.workers);
    search.value_bytes = model.value_bytes;
    search.workers = workers_of_point(settings, chain.length(), machine ? &*machine : nullptr);
    if (machine) search.execution = Execution::level;
    const bool with_schemes = !machine && request.schemes != "hybrid";
    const std::uint64_t scheme_elements = with_schemes && chain.is_exact() ? kMostSchemeElements : 0;
    HomogeneousSearchResult result = search_homogeneous(chain, search, scheme_elements);
    if (machine) score_in_seconds(model, *machine, result);
    ChainSearchReport report{model, result};
    if (!machine) report.overtaking = overtaking_workers(chain, search.execution, search.scope, chain.elements);
    if (with_schemes) report.scheme_elements = scheme_elements;
    print_report(options.format, report);
  });
}

}  // namespace upsweep::cli

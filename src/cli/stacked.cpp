#include "stacked.hpp"

#include <fmt/format.h>

#include "output.hpp"
#include "upsweep/app/pass_records.hpp"
#include "upsweep/app/storing.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/report/stacked_report.hpp"

namespace upsweep::cli {
namespace {

StackedShape shape_of(const RecurrentModel& model) { return {model.layers, model.steps, model.shape.hidden}; }

StackedObjective objective_of(Objective objective) {
  switch (objective) {
    case Objective::time:
      return StackedObjective::time;
    case Objective::critical_flops:
      return StackedObjective::critical_flops;
    case Objective::work_flops:
      break;
  }
  return StackedObjective::work_flops;
}

void refuse_machine(const ModelOptions& options) {
  if (options.machine) {
    throw InputError(fmt::format(
        "{}: --machine with a stack of layers, accepted is none: stacks are counted in FLOPs, not predicted in seconds",
        options.model));
  }
}

PassRecord record_of(const Invocation& invocation, const StackedReport& report) {
  const StackedSearchResult& result = report.result;
  PassRecord record = pass_record(invocation, report.is_profile ? "profile" : "search", report.model);
  record.network = fmt::format("{}, {} layers", record.network, report.model.layers);
  record.workers = result.workers;
  for (std::size_t i = 0; i < result.candidates.size(); ++i) {
    const StackedCandidate& candidate = result.candidates[i];
    PassRow row{to_string(candidate.profile.method)};
    row.best = result.best == i;
    if (!candidate.feasible) row.failure = candidate.reason;
    row.flops = static_cast<double>(candidate.profile.flops);
    row.bytes = static_cast<double>(candidate.profile.memory_bytes);
    row.critical_path_flops = static_cast<double>(candidate.profile.critical_path_flops);
    row.makespan_flops = static_cast<double>(candidate.makespan.flops);
    record.passes.push_back(std::move(row));
  }
  return record;
}

void compare(const ModelOptions& options, const RecurrentModel& model, const std::vector<StackedMethod>& methods,
             StackedSearchOptions search, bool is_profile, const Invocation& invocation) {
  search.value_bytes = model.value_bytes;
  if (options.workers) search.workers = parse_positive("--workers", *options.workers);
  const auto store = open_store(options.db);
  const StackedSearchResult result = compare_stacked(shape_of(model), methods, search);
  const StackedReport report{model, result, overtaking_wavefront(result), is_profile};
  if (store) report_stored(options.db, {store->save(record_of(invocation, report))});
  print_report(options.format, report);
}

}  // namespace

void profile_stack(const ModelOptions& options, const RecurrentModel& model, std::uint32_t depth,
                   const Invocation& invocation) {
  refuse_machine(options);
  compare(options, model, stacked_methods(shape_of(model), depth), {}, true, invocation);
}

void search_stack(const ModelOptions& options, const RecurrentModel& model, const SearchOptions& search,
                  bool has_execution, const Invocation& invocation) {
  refuse_machine(options);
  if (has_execution && search.execution != Execution::level) {
    throw InputError(fmt::format("{}: --execution dag with a stack of layers, accepted is level: a barrier after each",
                                 options.model));
  }
  const StackedSearchOptions stacked{objective_of(search.objective), {}, search.memory_limit, model.value_bytes};
  compare(options, model, stacked_methods(shape_of(model)), stacked, false, invocation);
}

}  // namespace upsweep::cli

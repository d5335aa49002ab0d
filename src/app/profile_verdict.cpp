#include "profile_verdict.hpp"

#include <utility>

#include "upsweep/report/search_report.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/sim/homogeneous.hpp"

namespace upsweep {
namespace {

SearchResult two_candidates(const std::string& schedule, bool is_plain, double score, double linear) {
  SearchResult result;
  result.candidates.resize(is_plain ? 1 : 2);
  result.candidates[0].schedule = is_plain ? schedule : "linear";
  result.candidates[0].is_plain = true;
  result.candidates[0].score = linear;
  if (is_plain) return result;
  result.candidates[1].schedule = schedule;
  result.candidates[1].score = score;
  return result;
}

template <class Found>
void add_counts(const Totals& totals, const Found& found, std::uint64_t linear_flops, SearchResult& result) {
  Candidate& candidate = result.candidates.back();
  candidate.totals = totals;
  candidate.pram = found.pram;
  PramProfile& plain = result.candidates.front().pram;  // op by op on any number of workers
  plain.shared_flops = found.linear_shared_flops;
  plain.level.flops = linear_flops;
  plain.dag = plain.level;
  result.overtakes = found.overtakes;
}

}  // namespace

Verdict verdict_of(const Model& model, PatternKind pattern, const CountedNetworkProfile& found,
                   const Machine* machine) {
  const NetworkProfile& network = found.analysis.network;
  const auto inputs = static_cast<double>(network.inputs);
  const ScheduleProfile& profile = found.analysis.schedules.front();
  const std::string& schedule = profile.schedule.name;
  const bool is_dag = default_execution(machine) == Execution::dag;
  SearchResult result = two_candidates(schedule, is_plain_schedule(schedule),
                                       found.times ? (is_dag ? found.times->dag_s.value() : found.times->level.seconds)
                                                   : static_cast<double>(found.pram.dag->flops) / inputs,
                                       found.linear_s.value_or(static_cast<double>(network.linear_flops) / inputs));
  add_counts(totals(profile, Scope::all), found, network.linear_flops, result);
  result.options.machine = machine;
  result.options.value_bytes = model.value_bytes;
  result.options.execution = default_execution(machine);
  result.inputs = network.inputs;
  result.workers = found.pram.workers;
  SearchReport report{model.name, "network", "", result, to_string(pattern)};
  report.baseline_flops = network.baseline_flops;
  report.network = &model.network;
  report.network_profile = &network;
  return profile_verdict(report);
}

Execution execution_of(const CountedChainProfile& found, const Machine* machine) {
  return machine == nullptr && found.pram.dag ? Execution::dag : Execution::level;
}

Verdict verdict_of(const AnyModel& model, const CountedChainProfile& found, const Machine* machine,
                   std::optional<double> linear_s) {
  const bool is_dag = execution_of(found, machine) == Execution::dag;
  const Makespan& makespan = is_dag ? *found.pram.dag : found.pram.level;
  SearchResult result = two_candidates(found.profile.schedule, found.profile.depth == 0U,
                                       found.seconds.value_or(static_cast<double>(makespan.flops)),
                                       linear_s.value_or(static_cast<double>(found.reference.linear_flops)));
  add_counts(totals(found.profile, Scope::all), found, found.reference.linear_flops, result);
  result.options.execution = execution_of(found, machine);
  result.options.machine = machine;
  result.workers = found.pram.workers;
  if (const auto* chain = std::get_if<ChainModel>(&model)) return profile_verdict({chain->name, "chain", "", result});
  const auto& recurrent = std::get<RecurrentModel>(model);
  SearchReport report{recurrent.name, "recurrent", "", result};
  report.batch = "one sequence";
  return profile_verdict(report);
}

Verdict verdict_of(const ProfileOutcome& outcome, const PassShape& shape, const BackwardMethod& method) {
  const auto& model = std::get<RecurrentModel>(outcome.model);
  SearchResult result = two_candidates(outcome.schedule, !is_scan(method), outcome.prediction->hidden_s(),
                                       outcome.prediction->sequential.seconds());
  if (model.is_fused) {  // as in a search: the sequential pass in one kernel is no scan either
    const BackwardMethod one_kernel{
        BackwardKind::blocked, 0, {.blocks = 1, .first_block = 1, .store_jacobians = false}};
    Candidate block;
    block.schedule = to_string(one_kernel);
    block.is_plain = true;
    block.score =
        predict_on_device(*outcome.machine, shape, one_kernel, model.value_bytes, outcome.assumptions).hidden_s();
    result.candidates.push_back(std::move(block));
  }
  for (Candidate& candidate : result.candidates) candidate.is_counted = false;
  result.options.machine = outcome.machine.get();
  result.options.execution = Execution::level;
  result.workers = outcome.machine->workers();
  SearchReport report{model.name, "recurrent", "", result};
  report.plain = "the sequential pass";
  report.batch = sequences_text(model.batch);
  report.priced_by = outcome.machine->kind == MachineKind::pram ? "pram" : "kernels";
  return profile_verdict(report);
}

}  // namespace upsweep

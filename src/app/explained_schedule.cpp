#include "explained_schedule.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/profile/homogeneous_schedule.hpp"
#include "upsweep/report/stored_explanation.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/search/best_ways.hpp"
#include "upsweep/search/chain_search.hpp"

namespace upsweep {
namespace {

/// The candidate of that name.
std::size_t place_of(const SearchResult& result, const std::string& schedule) {
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result.at(i).schedule == schedule) return i;
  }
  throw std::invalid_argument("no candidate has this name");
}

ExplainedSchedule compared_at(const SearchOutcome& outcome, std::size_t place) {
  if (const auto* passes = std::get_if<DeviceSearchResult>(&outcome.result)) {
    return explained_pass(std::get<RecurrentModel>(outcome.model), passes->passes[place].method, outcome.assumptions);
  }
  if (const auto* ways = std::get_if<StackedSearchResult>(&outcome.result)) return ways->profiles[place];
  if (outcome.analysis) return outcome.analysis->schedules[place];
  return explicit_profile(outcome.model, std::get<SearchResult>(outcome.result).at(place).schedule);
}

bool is_small(const ExplainedSchedule& schedule) {
  const auto* profile = std::get_if<ScheduleProfile>(&schedule);
  return profile == nullptr || profile->ops.size() <= kMostExplainedOps;
}

/// As SearchReport::kind.
const char* kind_of(const AnyModel& model) {
  if (std::holds_alternative<Model>(model)) return "network";
  if (std::holds_alternative<ChainModel>(model)) return "chain";
  return std::get<RecurrentModel>(model).layers > 1 ? "stack" : "recurrent";
}

const std::string& name_of(const AnyModel& model) {
  if (const auto* network = std::get_if<Model>(&model)) return network->name;
  if (const auto* chain = std::get_if<ChainModel>(&model)) return chain->name;
  return std::get<RecurrentModel>(model).name;
}

}  // namespace

Explanation explain_compared(const ExplainedSchedule& schedule, const ExplainedSchedule& against,
                             const ExplainedOn& on) {
  return std::visit(
      [&](const auto& mine) { return explain(mine, std::get<std::decay_t<decltype(mine)>>(against), on); }, schedule);
}

ScheduleProfile explicit_profile(const AnyModel& model, const std::string& schedule) {
  const auto* recurrent = std::get_if<RecurrentModel>(&model);
  const HomogeneousChain chain = recurrent != nullptr ? chain_of(*recurrent) : std::get<ChainModel>(model).chain;
  if (chain.length() - 1 > kMostSchemeElements) {
    throw RequestError("", fmt::format("{} has {} elements, accepted are up to {}, which are explained combine by "
                                       "combine",
                                       recurrent != nullptr ? recurrent->file : std::get<ChainModel>(model).file,
                                       chain.length() - 1, kMostSchemeElements));
  }
  return profile_homogeneous_schedule(schedule_over(schedule_request(schedule), chain.length(), {}), chain,
                                      value_bytes_of(model));
}

ExplainedPass explained_pass(const RecurrentModel& model, const BackwardMethod& method,
                             const DeviceAssumptions& assumptions) {
  return {{model.shape, model.steps, model.batch, model.is_fused}, method, assumptions};
}

std::vector<std::string> link_names(const AnyModel& model) {
  std::vector<std::string> names;
  const auto* loaded = std::get_if<Model>(&model);
  if (loaded == nullptr) return names;
  const Network& network = loaded->network;
  for (std::size_t i = 0; i < network.links().size(); ++i) {
    const std::vector<std::size_t>& operators = network.link(i).operators;
    const std::string& first = network.operators()[operators.front()].name;
    names.push_back(operators.size() == 1 ? first : first + " .. " + network.operators()[operators.back()].name);
  }
  return names;
}

unsigned value_bytes_of(const AnyModel& model) {
  if (const auto* network = std::get_if<Model>(&model)) return network->value_bytes;
  if (const auto* chain = std::get_if<ChainModel>(&model)) return chain->value_bytes;
  return std::get<RecurrentModel>(model).value_bytes;
}

ExplainReport explain_report(const AnyModel& model, PatternKind pattern, const Verdict& verdict,
                             const Explanation& explanation, std::vector<std::string> links) {
  VerdictFrame frame = verdict.frame.value_or(VerdictFrame());
  frame.execution = to_string(Execution::level);
  // Of passes the whole machine is meant.
  if (frame.priced_by != "kernels") frame.workers = explanation.workers;
  return {name_of(model), kind_of(model), to_string(pattern), std::move(frame), explanation, std::move(links)};
}

std::optional<std::string> kept_explanation(const SearchOutcome& outcome) {
  const SearchResult& result =
      std::visit([](const SearchResult& found) -> const SearchResult& { return found; }, outcome.result);
  const std::vector<Baseline>& baselines = outcome.verdict.baselines;
  if (result.options.objective != Objective::time || result.options.scope != Scope::all) return std::nullopt;
  if (baselines.empty() || baselines.front().best_scan.empty()) return std::nullopt;
  try {
    const ExplainedSchedule scan = compared_at(outcome, place_of(result, baselines.front().best_scan));
    const ExplainedSchedule plain = compared_at(outcome, plain_place(result));
    if (!is_small(scan) || !is_small(plain)) return std::nullopt;
    const Explanation explanation = explain_compared(
        scan, plain, {result.workers, result.options.batch, result.options.machine, result.options.value_bytes});
    return kept_explanation(
        explain_report(outcome.model, outcome.pattern, outcome.verdict, explanation, link_names(outcome.model)));
  } catch (const std::invalid_argument&) {  // a machine without times of such levels
    return std::nullopt;
  } catch (const CountOverflow&) {
    return std::nullopt;
  } catch (const RequestError&) {  // too long a chain
    return std::nullopt;
  }
}

}  // namespace upsweep

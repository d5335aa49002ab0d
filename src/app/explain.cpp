#include "upsweep/app/explain.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "upsweep/profile/homogeneous_schedule.hpp"
#include "upsweep/report/explain_report.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/search/chain_search.hpp"

namespace upsweep {
namespace {

/// The schedule of a profile, combine by combine.
ScheduleProfile explicit_profile(const ProfileOutcome& profile, const std::string& model) {
  if (const auto* network = std::get_if<CountedNetworkProfile>(&profile.counted)) return network->profile();
  const auto* recurrent = std::get_if<RecurrentModel>(&profile.model);
  if (!std::holds_alternative<CountedChainProfile>(profile.counted)) {
    throw RequestError("", fmt::format("{} is a stack of layers or a pass by blocks, accepted are models whose levels "
                                       "a schedule over one chain has",
                                       model));
  }
  const HomogeneousChain chain =
      recurrent != nullptr ? chain_of(*recurrent) : std::get<ChainModel>(profile.model).chain;
  if (chain.length() - 1 > kMostSchemeElements) {
    throw RequestError("", fmt::format("{} has {} elements, accepted are up to {}, which are explained combine by "
                                       "combine",
                                       model, chain.length() - 1, kMostSchemeElements));
  }
  const unsigned value_bytes =
      recurrent != nullptr ? recurrent->value_bytes : std::get<ChainModel>(profile.model).value_bytes;
  return profile_homogeneous_schedule(make_schedule(schedule_request(profile.schedule), chain.length()), chain,
                                      value_bytes);
}

/// Whether `against` is plain back-propagation. Throws RequestError about it.
bool reads_linear(const std::string& against) {
  try {
    const ScheduleRequest request = parse_schedule(against);
    return request.scheme->is_hybrid && request.parameter == 0;
  } catch (const std::invalid_argument&) {
    throw RequestError("against", fmt::format("is '{}', accepted are {}", against, accepted_schedules()));
  }
}

std::uint64_t workers_of(const ProfileOutcome& profile) {
  if (const auto* network = std::get_if<CountedNetworkProfile>(&profile.counted)) return network->compared.workers;
  return std::get<CountedChainProfile>(profile.counted).compared.workers;
}

/// "conv1", or "relu1 .. add3" of a block.
std::vector<std::string> link_names(const Network& network) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < network.links().size(); ++i) {
    const std::vector<std::size_t>& operators = network.link(i).operators;
    const std::string& first = network.operators()[operators.front()].name;
    names.push_back(operators.size() == 1 ? first : first + " .. " + network.operators()[operators.back()].name);
  }
  return names;
}

/// Of its accounts, which are by levels.
VerdictFrame frame_of(const ExplainOutcome& outcome) {
  VerdictFrame frame = outcome.profile.verdict.frame.value_or(VerdictFrame());
  frame.workers = outcome.explanation.workers;
  frame.execution = to_string(Execution::level);
  return frame;
}

ExplainReport report_of(const ExplainOutcome& outcome) {
  const ProfileOutcome& profile = outcome.profile;
  ExplainReport report{"",
                       "network",
                       to_string(profile.pattern),
                       frame_of(outcome),
                       outcome.explanation,
                       outcome.schedule,
                       outcome.against,
                       profile.verdict,
                       outcome.links};
  if (const auto* network = std::get_if<Model>(&profile.model)) {
    report.model = network->name;
  } else if (const auto* chain = std::get_if<ChainModel>(&profile.model)) {
    report.model = chain->name;
    report.kind = "chain";
  } else {
    report.model = std::get<RecurrentModel>(profile.model).name;
    report.kind = "recurrent";
  }
  return report;
}

}  // namespace

Document document(const ExplainOutcome& outcome) {
  Document document = upsweep::document(report_of(outcome));
  return std::move(document.facts([&outcome] { return Json{{"launch", launch_json(outcome.profile.machine.get())}}; }));
}

ExplainOutcome run(const ExplainRequest& request, const Caller& caller, const Watch& watch) {
  const bool is_linear = reads_linear(request.against);
  ExplainOutcome outcome{run(request.profile, caller, watch), {}, {}, {}, {}};
  const ProfileOutcome& profile = outcome.profile;
  if (profile.prediction) {
    throw RequestError("machine",
                       "with a recurrent model, whose seconds are those of passes and not of levels, "
                       "accepted is without");
  }
  outcome.schedule = explicit_profile(profile, request.profile.model);
  const auto* network = std::get_if<CountedNetworkProfile>(&profile.counted);
  if (network != nullptr && is_linear) {
    outcome.against = network->analysis.schedules.front();
  } else {
    ProfileRequest other = request.profile;
    other.schedule = request.against;
    other.db.reset();
    outcome.against = explicit_profile(run(other, caller, watch), other.model);
  }
  unsigned value_bytes = 4;
  if (const auto* model = std::get_if<Model>(&profile.model)) {
    value_bytes = model->value_bytes;
    outcome.links = link_names(model->network);
  } else if (const auto* chain = std::get_if<ChainModel>(&profile.model)) {
    value_bytes = chain->value_bytes;
  }
  outcome.explanation =
      explain(outcome.schedule, outcome.against,
              {workers_of(profile), request.profile.batch.value_or(1), profile.machine.get(), value_bytes});
  return outcome;
}

}  // namespace upsweep

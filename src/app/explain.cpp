#include "upsweep/app/explain.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "upsweep/app/search.hpp"
#include "upsweep/profile/homogeneous_schedule.hpp"
#include "upsweep/report/explain_report.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/search/chain_search.hpp"

namespace upsweep {
namespace {

/// A schedule as it is compared.
using Compared = std::variant<ScheduleProfile, StackedProfile, ExplainedPass>;

/// Whether it is the name of a way through a stack of layers: "wavefront", "layer-by-layer/hybrid:2", ...
bool names_way(const std::string& schedule) {
  return schedule == to_string(StackedMethod{}) || schedule.find('/') != std::string::npos;
}

/// Plain back-propagation, of a stack of layers the wavefront.
bool is_linear(const std::string& schedule) {
  if (names_way(schedule)) return schedule == to_string(StackedMethod{});
  if (schedule.starts_with("blocked:")) return false;
  const ScheduleRequest request = parse_schedule(schedule);
  return request.scheme->is_hybrid && request.parameter == 0;
}

/// What a profile of the ways with that one is asked for.
std::string schedule_of_way(const std::string& way) {
  const std::string scan = way.substr(way.find('/') + 1);
  try {
    if (parse_schedule(scan).scheme->is_hybrid) return scan;
  } catch (const std::invalid_argument&) {  // way_of() says so
  }
  return "blelloch";  // has the wavefront and Kogge-Stone beside it, too
}

/// The way of that name; of a schedule the wavefront where it is plain back-propagation, else the best that scans.
const StackedProfile& way_of(const StackedSearchResult& ways, const Verdict& verdict, const std::string& schedule) {
  if (is_linear(schedule)) return ways.wavefront();
  const std::string& name = names_way(schedule) ? schedule : verdict.baselines.front().best_scan;
  for (const StackedProfile& profile : ways.profiles) {
    if (to_string(profile.method) == name) return profile;
  }
  throw RequestError("schedule",
                     fmt::format("is '{}', accepted of a stack of layers are {} and linear, blelloch, hybrid:L or "
                                 "kogge-stone behind layers-then-time/, layer-by-layer/ or products-ahead/",
                                 schedule, to_string(StackedMethod{})));
}

/// A chain combine by combine.
ScheduleProfile explicit_profile(const AnyModel& any, const std::string& schedule) {
  const auto* recurrent = std::get_if<RecurrentModel>(&any);
  const HomogeneousChain chain = recurrent != nullptr ? chain_of(*recurrent) : std::get<ChainModel>(any).chain;
  if (chain.length() - 1 > kMostSchemeElements) {
    throw RequestError("", fmt::format("{} has {} elements, accepted are up to {}, which are explained combine by "
                                       "combine",
                                       recurrent != nullptr ? recurrent->file : std::get<ChainModel>(any).name,
                                       chain.length() - 1, kMostSchemeElements));
  }
  const unsigned value_bytes = recurrent != nullptr ? recurrent->value_bytes : std::get<ChainModel>(any).value_bytes;
  return profile_homogeneous_schedule(make_schedule(schedule_request(schedule), chain.length()), chain, value_bytes);
}

/// The schedule of a profile; `asked` is its name in the request.
Compared compared_of(const ProfileOutcome& profile, const std::string& asked) {
  if (const auto* network = std::get_if<CountedNetworkProfile>(&profile.counted)) return network->profile();
  if (const auto* ways = std::get_if<StackedSearchResult>(&profile.counted))
    return way_of(*ways, profile.verdict, asked);
  if (!profile.prediction) return explicit_profile(profile.model, profile.schedule);
  const auto& model = std::get<RecurrentModel>(profile.model);
  return ExplainedPass{{model.shape, model.steps, model.batch, model.is_fused},
                       parse_backward_method(profile.schedule),
                       profile.assumptions};
}

/// Plain back-propagation beside the schedule of a profile.
Compared plain_of(const ProfileOutcome& profile, const Compared& schedule) {
  if (const auto* network = std::get_if<CountedNetworkProfile>(&profile.counted))
    return network->analysis.schedules.front();
  if (const auto* ways = std::get_if<StackedSearchResult>(&profile.counted)) return ways->wavefront();
  if (!profile.prediction) return explicit_profile(profile.model, "linear");
  auto pass = std::get<ExplainedPass>(schedule);
  pass.method = {};
  return pass;
}

/// The best scan of a search under the settings of a profile, and the workers that it has.
struct BestScan {
  std::string schedule;
  std::optional<std::uint64_t> workers;  ///< where they may be told to a profile
};

BestScan best_scan_of(const ProfileRequest& profile, const Caller& caller, const Watch& watch) {
  SearchRequest request;
  static_cast<FrameRequest&>(request) = profile;
  static_cast<CountingRequest&>(request) = profile;
  request.model = profile.model;
  request.pattern = profile.pattern;
  request.sizes = profile.sizes;
  request.assumptions = profile.assumptions;
  request.onnx = profile.onnx;
  const ModelFile file(request.model, request.onnx);
  const bool is_recurrent = file.holds<RecurrentModel>();
  // Other schemes are explained where somebody asks for them, of networks alone.
  const bool has_schemes =
      !is_recurrent || load_recurrent_with(file, request.sizes, request.batch, Layers::any).layers == 1;
  if (has_schemes && !(is_recurrent && request.machine)) request.schemes = false;
  const SearchOutcome outcome = run(request, caller, watch);
  const Verdict& verdict = outcome.verdict;
  if (verdict.baselines.empty() || verdict.baselines.front().best_scan.empty()) {
    throw RequestError("schedule",
                       fmt::format("is {}, and {} has no scan to compare it with, accepted is with `against`",
                                   profile.schedule, profile.model));
  }
  BestScan best{verdict.baselines.front().best_scan, {}};
  if (!std::holds_alternative<DeviceSearchResult>(outcome.result)) {
    best.workers = std::visit([](const auto& result) { return result.workers; }, outcome.result);
  }
  return best;
}

std::uint64_t workers_of(const ProfileOutcome& profile) {
  if (const auto* network = std::get_if<CountedNetworkProfile>(&profile.counted)) return network->compared.workers;
  if (const auto* ways = std::get_if<StackedSearchResult>(&profile.counted)) return ways->workers;
  if (profile.prediction) return profile.machine->workers();
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
  if (outcome.profile.prediction) return frame;
  frame.workers = outcome.explanation.workers;
  frame.execution = to_string(Execution::level);
  return frame;
}

ExplainReport report_of(const ExplainOutcome& outcome) {
  const ProfileOutcome& profile = outcome.profile;
  ExplainReport report{"",           "network", to_string(profile.pattern), frame_of(outcome), outcome.explanation,
                       outcome.links};
  if (const auto* network = std::get_if<Model>(&profile.model)) {
    report.model = network->name;
  } else if (const auto* chain = std::get_if<ChainModel>(&profile.model)) {
    report.model = chain->name;
    report.kind = "chain";
  } else {
    const auto& recurrent = std::get<RecurrentModel>(profile.model);
    report.model = recurrent.name;
    report.kind = recurrent.layers > 1 ? "stack" : "recurrent";
  }
  return report;
}

unsigned value_bytes_of(const AnyModel& model) {
  if (const auto* network = std::get_if<Model>(&model)) return network->value_bytes;
  if (const auto* chain = std::get_if<ChainModel>(&model)) return chain->value_bytes;
  return std::get<RecurrentModel>(model).value_bytes;
}

/// A profile of what a request names, be it a way through a stack of layers.
ProfileOutcome run_profile(ProfileRequest request, const Caller& caller, const Watch& watch) {
  if (names_way(request.schedule)) request.schedule = schedule_of_way(request.schedule);
  return run(request, caller, watch);
}

/// The other schedule, and its verdict beside plain back-propagation.
struct Other {
  Compared compared;
  Verdict verdict;
};

/// Errors are about `against`.
Other other_of(const ExplainRequest& request, const Caller& caller, const Watch& watch) {
  ProfileRequest other = request.profile;
  other.schedule = *request.against;
  other.is_default_schedule = false;
  other.db.reset();
  try {
    ProfileOutcome profile = run_profile(other, caller, watch);
    Compared compared = compared_of(profile, *request.against);
    return {std::move(compared), std::move(profile.verdict)};
  } catch (const RequestError& error) {
    throw RequestError(error.field() == "schedule" ? "against" : error.field(), error.what());
  }
}

/// Throws RequestError, before anything is counted, for what no model accepts, and for names of ways of other models.
void check_schedules(const ExplainRequest& request) {
  const auto check = [&](const std::string& setting, const std::string& schedule) {
    if (!names_way(schedule)) return check_schedule(setting, schedule);
    const ModelFile file(request.profile.model, request.profile.onnx);
    const bool is_stack =
        file.holds<RecurrentModel>() &&
        load_recurrent_with(file, request.profile.sizes, request.profile.batch, Layers::any).layers > 1;
    if (!is_stack) {
      throw RequestError(setting, fmt::format("is '{}', a way through a stack of layers, accepted of {} are {}",
                                              schedule, request.profile.model, accepted_schedules()));
    }
  };
  check("schedule", request.profile.schedule);
  if (request.against) check("against", *request.against);
}

}  // namespace

Document document(const ExplainOutcome& outcome) {
  Document document = upsweep::document(report_of(outcome));
  add_verdict(document, outcome.profile.verdict);
  return std::move(document.facts([&outcome] { return Json{{"launch", launch_json(outcome.profile.machine.get())}}; }));
}

ExplainOutcome run(const ExplainRequest& asked, const Caller& caller, const Watch& watch) {
  check_schedules(asked);
  ExplainRequest request = asked;
  const std::string& schedule = request.profile.schedule;
  const bool is_plain = is_linear(schedule);
  if (!request.against) {
    request.against = "linear";
    if (is_plain) {
      BestScan best = best_scan_of(request.profile, caller, watch);
      request.against = std::move(best.schedule);
      if (!request.profile.workers) request.profile.workers = best.workers;
    }
  }
  ExplainOutcome outcome{run_profile(request.profile, caller, watch), {}, {}};
  ProfileOutcome& profile = outcome.profile;
  const Compared mine = compared_of(profile, schedule);
  Compared against;
  if (is_linear(*request.against)) {
    against = plain_of(profile, mine);
  } else {
    Other other = other_of(request, caller, watch);
    against = std::move(other.compared);
    if (is_plain) profile.verdict = std::move(other.verdict);  // has the scan that is compared
  }
  if (const auto* model = std::get_if<Model>(&profile.model)) outcome.links = link_names(model->network);
  const ExplainedOn on{workers_of(profile), request.profile.batch.value_or(1), profile.machine.get(),
                       value_bytes_of(profile.model)};
  outcome.explanation = std::visit(
      [&](const auto& own) { return explain(own, std::get<std::decay_t<decltype(own)>>(against), on); }, mine);
  return outcome;
}

}  // namespace upsweep

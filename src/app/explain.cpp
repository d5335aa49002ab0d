#include "upsweep/app/explain.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "explained_schedule.hpp"
#include "upsweep/app/search.hpp"
#include "upsweep/report/explain_report.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/scan/product_order.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep {
namespace {

/// Whether it is the name of a way through a stack of layers: "wavefront", "layer-by-layer/hybrid:2", ...
bool names_way(const std::string& schedule) {
  if (is_order_name(schedule)) return false;
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

/// The schedule of a profile; `asked` is its name in the request.
ExplainedSchedule compared_of(const ProfileOutcome& profile, const std::string& asked) {
  if (const auto* network = std::get_if<CountedNetworkProfile>(&profile.counted)) return network->profile();
  if (const auto* ways = std::get_if<StackedSearchResult>(&profile.counted))
    return way_of(*ways, profile.verdict, asked);
  if (!profile.prediction) return explicit_profile(profile.model, profile.schedule);
  const auto& model = std::get<RecurrentModel>(profile.model);
  return explained_pass(model, parse_backward_method(profile.schedule), profile.assumptions);
}

/// Plain back-propagation beside the schedule of a profile.
ExplainedSchedule plain_of(const ProfileOutcome& profile, const ExplainedSchedule& schedule) {
  if (const auto* network = std::get_if<CountedNetworkProfile>(&profile.counted))
    return network->analysis.schedules.front();
  if (const auto* ways = std::get_if<StackedSearchResult>(&profile.counted)) return ways->wavefront();
  if (!profile.prediction) return explicit_profile(profile.model, "linear");
  // One after the other, be it with kernels for each step or one for all.
  auto pass = std::get<ExplainedPass>(schedule);
  const auto seconds = [&](const BackwardMethod& method) {
    return predict_on_device(*profile.machine, pass.shape, method, value_bytes_of(profile.model), pass.assumptions)
        .hidden_s();
  };
  pass.method = seconds(kOneBlock) < seconds({}) ? kOneBlock : BackwardMethod{};
  return pass;
}

/// The best scan of a search under the settings of a profile, empty where it has none, and the workers that it has.
struct BestScan {
  std::string schedule;
  std::optional<std::uint64_t> workers;  ///< where they may be told to a profile
};

BestScan best_scan_of(const ProfileRequest& profile, const Caller& caller, const Watch& watch) {
  SearchRequest request;
  static_cast<FrameRequest&>(request) = static_cast<const FrameRequest&>(profile);
  static_cast<CountingRequest&>(request) = static_cast<const CountingRequest&>(profile);
  request.model = profile.model;
  request.pattern = profile.pattern;
  request.sizes = profile.sizes;
  request.assumptions = profile.assumptions;
  request.onnx = profile.onnx;
  // Schemes of chains and of the steps of recurrent models have no profile; passes and ways have no schemes.
  const ModelFile file(request.model, request.onnx);
  const bool has_schemes =
      file.holds<RecurrentModel>()
          ? !request.machine && load_recurrent_with(file, request.sizes, request.batch, Layers::any).layers == 1
          : file.holds<ChainModel>();
  if (has_schemes) request.schemes = SchemeChoice::hybrid;
  const SearchOutcome outcome = run(request, caller, watch);
  const std::vector<Baseline>& baselines = outcome.verdict.baselines;
  if (baselines.empty()) return {};
  BestScan best{baselines.front().best_scan, {}};
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

/// Whether other schemes were no candidates, see best_scan_of().
bool searches_hybrids_alone(const ProfileOutcome& profile) {
  return std::holds_alternative<CountedChainProfile>(profile.counted) && !profile.prediction;
}

ExplainReport report_of(const ExplainOutcome& outcome) {
  const ProfileOutcome& profile = outcome.profile;
  return explain_report(profile.model, profile.pattern, profile.verdict, outcome.explanation, outcome.links);
}

/// A profile of what a request names, be it a way through a stack of layers.
ProfileOutcome run_profile(ProfileRequest request, const Caller& caller, const Watch& watch) {
  if (names_way(request.schedule)) request.schedule = schedule_of_way(request.schedule);
  return run(request, caller, watch);
}

/// The other schedule, and its verdict beside plain back-propagation.
struct Other {
  ExplainedSchedule compared;
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
    ExplainedSchedule compared = compared_of(profile, *request.against);
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
  if (outcome.is_found_by_search) {
    document.say(fmt::format("{} is the best scan that `search` finds with these settings{}.\n",
                             outcome.explanation.schedule,
                             searches_hybrids_alone(outcome.profile) ? " among hybrids" : ""));
  }
  add_verdict(document, outcome.profile.verdict);
  return std::move(document.facts([&outcome] {
    return Json{{"launch", launch_json(outcome.profile.machine.get())},
                {"found_by_search", outcome.is_found_by_search}};
  }));
}

ExplainOutcome run(const ExplainRequest& asked, const Caller& caller, const Watch& watch) {
  check_schedules(asked);
  ExplainRequest request = asked;
  const std::string& schedule = request.profile.schedule;
  const bool is_default = request.profile.is_default_schedule;
  const bool is_plain = !is_default && is_linear(schedule);
  bool is_found = false;
  if (is_default || (is_plain && !request.against)) {
    BestScan best = best_scan_of(request.profile, caller, watch);
    is_found = is_default && !best.schedule.empty();
    if (!request.profile.workers) request.profile.workers = best.workers;
    if (is_found) {
      request.profile.schedule = std::move(best.schedule);
      request.profile.is_default_schedule = false;
      if (request.against == schedule) {
        throw RequestError("against",
                           fmt::format("is {}, which is the best scan that a search finds, accepted is another "
                                       "schedule, or `schedule` with it",
                                       schedule));
      }
    } else if (is_plain && best.schedule.empty()) {
      throw RequestError(
          "schedule", fmt::format("is {}, and {} has no scan to compare it with, accepted is with `against`", schedule,
                                  request.profile.model));
    } else if (is_plain) {
      request.against = std::move(best.schedule);
    }
  }
  if (!request.against) request.against = "linear";
  ExplainOutcome outcome{run_profile(request.profile, caller, watch), {}, {}, is_found};
  ProfileOutcome& profile = outcome.profile;
  const ExplainedSchedule mine = compared_of(profile, schedule);
  ExplainedSchedule against;
  if (is_linear(*request.against)) {
    against = plain_of(profile, mine);
  } else {
    Other other = other_of(request, caller, watch);
    against = std::move(other.compared);
    if (is_plain) profile.verdict = std::move(other.verdict);  // has the scan that is compared
  }
  outcome.links = link_names(profile.model);
  const ExplainedOn on{workers_of(profile), request.profile.batch.value_or(1), profile.machine.get(),
                       value_bytes_of(profile.model)};
  outcome.explanation = explain_compared(mine, against, on);
  return outcome;
}

}  // namespace upsweep

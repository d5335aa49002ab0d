#include "upsweep/figure/stored_figures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "run_context.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/figure/anchors_figure.hpp"
#include "upsweep/figure/run_figures.hpp"
#include "upsweep/figure/study_figures.hpp"
#include "upsweep/report/replayed_run.hpp"
#include "upsweep/report/stored_title.hpp"

namespace upsweep {
namespace {

std::vector<Figure> listed(std::optional<Figure> figure) {
  std::vector<Figure> list;
  if (figure) list.push_back(*std::move(figure));
  return list;
}

std::vector<Figure> depth_figures(const StoreReader& store, const RunDetails& details) {
  if (!details.search) return {};
  return listed(depth_figure(*details.search, store.runs_of(details.run.command_id),
                             details.machine ? details.machine->name : ""));
}

std::vector<Figure> measured_figures(const StoreReader& store, const RunDetails& details) {
  return listed(measured_figure(details_of_command(store, details.run.command_id)));
}

std::vector<Figure> crossover_figures(const StoreReader& store, const RunDetails& details) {
  if (details.search) return listed(crossover_figure(details_of_command(store, details.run.command_id)));
  if (details.run.command != "profile") return {};
  const std::optional<RunDetails> plain = store.plain_of(details.run);
  return plain ? listed(crossover_figure(details, *plain)) : std::vector<Figure>();
}

using RunMaker = std::vector<Figure> (*)(const StoreReader& store, const RunDetails& details);
using PassesMaker = std::vector<Figure> (*)(const StoredPasses& passes);
using TrainingMaker = std::vector<Figure> (*)(const StoredTraining& training);
using AnchorsMaker = std::vector<Figure> (*)(const StoredAnchors& anchors);
using StudyMaker = std::vector<Figure> (*)(const StoredStudy& study, std::span<const StudyPointRow> points);

template <std::optional<Figure> (*make)(const RunDetails&)>
std::vector<Figure> of_details(const StoreReader&, const RunDetails& details) {
  return listed(make(details));
}

template <class Stored, std::optional<Figure> (*make)(const Stored&)>
std::vector<Figure> of_stored(const Stored& stored) {
  return listed(make(stored));
}

template <std::optional<Figure> (*make)(const StoredStudy&, std::span<const StudyPointRow>)>
std::vector<Figure> of_points(const StoredStudy& study, std::span<const StudyPointRow> points) {
  return listed(make(study, points));
}

std::vector<Figure> spy_figures(const StoreReader& store, const RunDetails& details) {
  return listed(spy_figure(store.pictures(details.run.model_hash, details.run.pattern), runs_context(details)));
}

const std::map<std::string, RunMaker> run_makers = {{"op-flops", of_details<op_flops_figure>},
                                                    {"schedule", of_details<schedule_figure>},
                                                    {"fill-in", of_details<fill_in_figure>},
                                                    {"timeline", of_details<timeline_figure>},
                                                    {"predicted", of_details<predicted_figure>},
                                                    {"residuals", of_details<residuals_figure>},
                                                    {"crossover", crossover_figures},
                                                    {"depth", depth_figures},
                                                    {"measured", measured_figures},
                                                    {"spy", spy_figures}};
const std::map<std::string, PassesMaker> passes_makers = {{"crossover", of_stored<StoredPasses, crossover_figure>},
                                                          {"passes", of_stored<StoredPasses, passes_figure>},
                                                          {"losses", of_stored<StoredPasses, losses_figure>}};
const std::map<std::string, TrainingMaker> training_makers = {
    {"variants", of_stored<StoredTraining, variants_figure>},
    {"step-timeline", of_stored<StoredTraining, step_timeline_figure>}};
const std::map<std::string, AnchorsMaker> anchors_makers = {
    {"anchors", [](const StoredAnchors& anchors) { return listed(anchors_figure(anchors.record.report)); }}};
const std::map<std::string, StudyMaker> study_makers = {{"study-lines", study_line_figures},
                                                        {"study-map", of_points<study_map_figure>},
                                                        {"study-front", of_points<study_front_figure>}};

/// The names of what is in a map: "a, b, c".
template <class Makers>
std::string kind_names(const Makers& makers) {
  std::string names;
  for (const auto& [kind, make] : makers) names += fmt::format("{}{}", names.empty() ? "" : ", ", kind);
  return names;
}

/// The kinds of a map that `is_there` says of its makers are there.
template <class Makers, class IsThere>
std::vector<std::string> kinds_there(const Makers& makers, IsThere&& is_there) {
  std::vector<std::string> kinds;
  for (const auto& [kind, make] : makers)
    if (is_there(make)) kinds.push_back(kind);
  return kinds;
}

InputError no_such(const StoreReader& store, const char* what, std::int64_t id) {
  return InputError(
      fmt::format("{}: there is no {} {}, accepted is an id that 'upsweep runs' lists", store.file(), what, id));
}

/// The figures, which must be some: otherwise the error says which kinds there are.
std::vector<Figure> some_of(std::vector<Figure> figures, const StoreReader& store, const std::string& title,
                            const std::string& kind, const auto& kinds) {
  if (!figures.empty()) return figures;
  const std::vector<std::string> there = kinds();
  if (there.empty()) throw InputError(fmt::format("{}: {} has nothing to show in figures", store.file(), title));
  throw InputError(fmt::format("{}: {} has nothing to show as {}, accepted are {}", store.file(), title, kind,
                               fmt::join(there, ", ")));
}

/// What a maker of the map of this kind of run gives; nothing where it has none for this kind of figure.
template <class Makers, class... Arguments>
std::vector<Figure> made(const Makers& makers, const std::string& kind, const Arguments&... arguments) {
  const auto found = makers.find(kind);
  return found == makers.end() ? std::vector<Figure>() : found->second(arguments...);
}

/// Throws InputError where a figure is missing for another reason than that there is nothing to show in it.
void require_fit(const StoreReader& store, const RunDetails& details) {
  try {
    static_cast<void>(replayed_run(details));
  } catch (const std::invalid_argument& error) {
    throw unfit_run(store.file(), details.run, error.what());
  }
}

std::vector<Figure> figures_of_details(const StoreReader& store, const RunDetails& details, const std::string& kind) {
  std::vector<Figure> figures = made(run_makers, kind, store, details);
  if (figures.empty() && !details.ops.empty() && (kind == "schedule" || kind == "timeline"))
    require_fit(store, details);
  return some_of(std::move(figures), store, stored_title(details.run), kind,
                 [&] { return kinds_of_run(store, details.run.id); });
}

}  // namespace

std::vector<Figure> figures_of_run(const StoreReader& store, std::int64_t run, const std::string& kind) {
  if (!run_makers.contains(kind) && !passes_makers.contains(kind) && !training_makers.contains(kind) &&
      !anchors_makers.contains(kind)) {
    throw std::invalid_argument(
        fmt::format("'{}' is no figure of a run; those of studies are {}", kind, kind_names(study_makers)));
  }
  const auto kinds = [&] { return kinds_of_run(store, run); };
  if (const std::optional<RunDetails> details = store.details(run)) return figures_of_details(store, *details, kind);
  if (const std::optional<StoredPasses> passes = store.passes(run))
    return some_of(made(passes_makers, kind, *passes), store, stored_title(*passes), kind, kinds);
  if (const std::optional<StoredTraining> training = store.training(run))
    return some_of(made(training_makers, kind, *training), store, stored_title(*training), kind, kinds);
  if (const std::optional<StoredAnchors> anchors = store.anchors(run))
    return some_of(made(anchors_makers, kind, *anchors), store, stored_title(*anchors), kind, kinds);
  throw no_such(store, "run", run);
}

std::vector<Figure> figures_of_study(const StoreReader& store, std::int64_t id, const std::string& kind) {
  if (!study_makers.contains(kind)) {
    throw std::invalid_argument(
        fmt::format("'{}' is no figure of a study, accepted are {}", kind, kind_names(study_makers)));
  }
  const std::optional<StoredStudy> study = store.study(id);
  if (!study) throw no_such(store, "study", id);
  const std::vector<StudyPointRow> points = points_of_study(store, id);
  return some_of(made(study_makers, kind, *study, points), store, stored_title(*study), kind, [&] {
    return kinds_there(study_makers, [&](const StudyMaker make) { return !make(*study, points).empty(); });
  });
}

std::vector<std::string> kinds_of_run(const StoreReader& store, std::int64_t run) {
  if (const std::optional<RunDetails> details = store.details(run))
    return kinds_there(run_makers, [&](const RunMaker make) { return !make(store, *details).empty(); });
  if (const std::optional<StoredPasses> passes = store.passes(run))
    return kinds_there(passes_makers, [&](const PassesMaker make) { return !make(*passes).empty(); });
  if (const std::optional<StoredTraining> training = store.training(run))
    return kinds_there(training_makers, [&](const TrainingMaker make) { return !make(*training).empty(); });
  if (const std::optional<StoredAnchors> anchors = store.anchors(run))
    return kinds_there(anchors_makers, [&](const AnchorsMaker make) { return !make(*anchors).empty(); });
  return {};
}

std::vector<RunDetails> details_of_command(const StoreReader& store, std::int64_t command) {
  std::vector<RunDetails> all;
  for (const StoredRun& run : store.runs_of(command)) {
    if (std::optional<RunDetails> details = store.details(run.id)) all.push_back(*std::move(details));
  }
  return all;
}

std::vector<StudyPointRow> points_of_study(const StoreReader& store, std::int64_t study) {
  std::vector<StudyPointRow> points;
  store.each_point(study, [&](const StudyPointRow& point) { points.push_back(point); });
  return points;
}

}  // namespace upsweep

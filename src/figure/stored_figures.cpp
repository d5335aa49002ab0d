#include "upsweep/figure/stored_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "upsweep/base/error.hpp"
#include "upsweep/figure/run_figures.hpp"
#include "upsweep/figure/study_figures.hpp"

namespace upsweep {
namespace {

std::vector<Figure> listed(std::optional<Figure> figure) {
  std::vector<Figure> list;
  if (figure) list.push_back(*std::move(figure));
  return list;
}

/// The runs that one command wrote: of one search, else of one validation.
std::vector<StoredRun> written_together(const StoreReader& store, const StoredRun& run) {
  std::vector<StoredRun> together;
  for (StoredRun& other : store.runs()) {
    const bool is_of_search = run.search && other.search == run.search;
    const bool is_of_command = !run.search && !other.search && other.command == run.command &&
                               other.parameters == run.parameters && other.created_utc == run.created_utc;
    if (is_of_search || is_of_command) together.push_back(std::move(other));
  }
  std::sort(together.begin(), together.end(), [](const StoredRun& a, const StoredRun& b) { return a.id < b.id; });
  return together;
}

std::vector<Figure> depth_figures(const StoreReader& store, const RunDetails& details) {
  if (!details.search) return {};
  return listed(depth_figure(*details.search, written_together(store, details.run)));
}

std::vector<Figure> measured_figures(const StoreReader& store, const RunDetails& details) {
  std::vector<RunDetails> all;
  for (const StoredRun& run : written_together(store, details.run)) {
    if (std::optional<RunDetails> other = store.details(run.id)) all.push_back(*std::move(other));
  }
  return listed(measured_figure(all));
}

using RunMaker = std::vector<Figure> (*)(const StoreReader& store, const RunDetails& details);
using PassesMaker = std::optional<Figure> (*)(const StoredPasses& passes);
using TrainingMaker = std::optional<Figure> (*)(const StoredTraining& training);

template <std::optional<Figure> (*make)(const RunDetails&)>
std::vector<Figure> of_details(const StoreReader&, const RunDetails& details) {
  return listed(make(details));
}

std::vector<Figure> spy_figures(const StoreReader& store, const RunDetails& details) {
  return listed(spy_figure(store.pictures(details.run.model_hash, details.run.pattern)));
}

const std::map<std::string, RunMaker> kRunMakers = {{"op-flops", of_details<op_flops_figure>},
                                                    {"schedule", of_details<schedule_figure>},
                                                    {"fill-in", of_details<fill_in_figure>},
                                                    {"timeline", of_details<timeline_figure>},
                                                    {"predicted", of_details<predicted_figure>},
                                                    {"residuals", of_details<residuals_figure>},
                                                    {"depth", depth_figures},
                                                    {"measured", measured_figures},
                                                    {"spy", spy_figures}};
const std::map<std::string, PassesMaker> kPassesMakers = {{"passes", passes_figure}, {"losses", losses_figure}};
const std::map<std::string, TrainingMaker> kTrainingMakers = {{"variants", variants_figure},
                                                              {"step-timeline", step_timeline_figure}};
constexpr const char* kStudyKinds = "study-lines, study-map, study-front";

}  // namespace

std::vector<Figure> figures_of_run(const StoreReader& store, std::int64_t run, const std::string& kind) {
  const auto of_run = kRunMakers.find(kind);
  const auto of_passes = kPassesMakers.find(kind);
  const auto of_training = kTrainingMakers.find(kind);
  if (of_run == kRunMakers.end() && of_passes == kPassesMakers.end() && of_training == kTrainingMakers.end())
    throw std::invalid_argument(fmt::format("'{}' is no figure of a run; those of studies are {}", kind, kStudyKinds));
  if (const std::optional<RunDetails> details = store.details(run))
    return of_run == kRunMakers.end() ? std::vector<Figure>() : of_run->second(store, *details);
  if (const std::optional<StoredPasses> passes = store.passes(run))
    return of_passes == kPassesMakers.end() ? std::vector<Figure>() : listed(of_passes->second(*passes));
  if (const std::optional<StoredTraining> training = store.training(run))
    return of_training == kTrainingMakers.end() ? std::vector<Figure>() : listed(of_training->second(*training));
  throw InputError(
      fmt::format("{}: there is no run {}, accepted is an id that 'upsweep runs' lists", store.file(), run));
}

std::vector<Figure> figures_of_study(const StoreReader& store, std::int64_t id, const std::string& kind) {
  if (!kind.starts_with("study-") || !std::count(figure_kinds().begin(), figure_kinds().end(), kind))
    throw std::invalid_argument(fmt::format("'{}' is no figure of a study, accepted are {}", kind, kStudyKinds));
  const std::optional<StoredStudy> study = store.study(id);
  if (!study) {
    throw InputError(
        fmt::format("{}: there is no study {}, accepted is an id that 'upsweep runs' lists", store.file(), id));
  }
  const std::vector<StudyPointRow> points = points_of_study(store, id);
  if (kind == "study-lines") return study_line_figures(*study, points);
  return listed(kind == "study-map" ? study_map_figure(*study, points) : study_front_figure(*study, points));
}

std::vector<StudyPointRow> points_of_study(const StoreReader& store, std::int64_t study) {
  std::vector<StudyPointRow> points;
  store.each_point(study, [&](const StudyPointRow& point) { points.push_back(point); });
  return points;
}

}  // namespace upsweep

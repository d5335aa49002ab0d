#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>

#include "plot_axis.hpp"
#include "run_context.hpp"
#include "run_parts.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/figure/run_figures.hpp"
#include "upsweep/report/replayed_run.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/scan/scheme.hpp"
#include "upsweep/search/counted_schedule.hpp"
#include "upsweep/search/overtaking.hpp"

namespace upsweep {
namespace {

/// Ops that are simulated, of all schedules at all numbers of workers: about a second.
constexpr std::uint64_t kMostSimulatedOps = std::uint64_t{1} << 22;

/// A schedule of the search as it is stored, counted.
struct StoredSchedule {
  explicit StoredSchedule(const RunDetails& run)
      : profile(stored_profile(run)), is_plain(is_plain_schedule(profile.schedule.name)), counts(counted(profile, 4)) {}

  ScheduleProfile profile;
  bool is_plain;
  std::unique_ptr<CountedSchedule> counts;
};

/// A mark of a line: the least makespan, a mean over the inputs in FLOPs, and the schedule that has it.
struct LeastMakespan {
  double flops = std::numeric_limits<double>::infinity();
  const std::string* schedule = nullptr;
};

/// Plain back-propagation and scans of a search by number of workers.
class WorkersLines {
 public:
  static constexpr std::array kRules = {Ops::whole, Ops::shared};

  /// `runs`: what the search compared and fits, plain back-propagation first. Throws std::invalid_argument where their
  /// ops are not those of their schedules or have no spans, and where there is nothing to compare.
  explicit WorkersLines(std::span<const RunDetails* const> runs) : workers_(runs.front()->run.workers) {
    const StoredSearch& search = *runs.front()->search;
    options_.execution = search.execution == to_string(Execution::level) ? Execution::level : Execution::dag;
    options_.scope = search.scope == "live" ? Scope::live : Scope::all;
    OvertakingSearch overtaking(options_);
    for (const RunDetails* run : runs) {
      schedules_.push_back(std::make_unique<StoredSchedule>(*run));
      const CountedSchedule& counts = *schedules_.back()->counts;
      overtaking.add(counts, counts.sums(options_.scope, true).totals, schedules_.back()->is_plain);
      works_.push_back(counts.shared(options_.scope));
    }
    const std::optional<Overtakes> overtakes = overtaking.result();
    if (!overtakes) throw std::invalid_argument("there are no scans, or is no plain back-propagation");
    overtakes_ = *overtakes;
    choose_workers();
  }

  [[nodiscard]] const std::vector<std::uint64_t>& workers() const { return places_; }
  [[nodiscard]] Execution execution() const { return options_.execution; }
  [[nodiscard]] const Overtakes& overtakes() const { return overtakes_; }
  [[nodiscard]] const OvertakingWorkers& overtaking(Ops rule) const {
    return rule == Ops::whole ? overtakes_.whole : overtakes_.shared;
  }

  [[nodiscard]] LeastMakespan least(Ops rule, bool is_scan, std::uint64_t workers) const {
    LeastMakespan least;
    for (std::size_t i = 0; i < schedules_.size(); ++i) {
      const StoredSchedule& schedule = *schedules_[i];
      if (schedule.is_plain == is_scan) continue;
      const double flops =
          static_cast<double>(makespan(rule, i, workers)) / static_cast<double>(schedule.profile.inputs);
      if (flops < least.flops) least = {flops, &schedule.profile.schedule.name};
    }
    return least;
  }

 private:
  [[nodiscard]] std::uint64_t makespan(Ops rule, std::size_t schedule, std::uint64_t workers) const {
    if (rule == Ops::shared) return shared_makespan(works_[schedule], workers);
    const CountedSchedule& counts = *schedules_[schedule]->counts;
    return options_.execution == Execution::level ? counts.level_makespan(CostUnit::flops, workers, options_.scope, 1)
                                                  : counts.dag_makespan(workers, options_.scope).value();
  }

  /// Powers of two up to where more workers change nothing, the search's own number and the crossovers; fewer powers
  /// where there is much to simulate.
  void choose_workers() {
    std::uint64_t ops = 0;
    for (const auto& schedule : schedules_) ops += schedule->profile.ops.size();
    std::set<std::uint64_t> places = {1, workers_};
    for (const Ops rule : kRules) {
      if (const std::optional<std::uint64_t> from = overtaking(rule).from)
        places.merge(std::set{*from, std::max<std::uint64_t>(*from, 2) - 1});
    }
    const auto is_enough = [&](std::uint64_t workers) {
      return workers >= ops && std::ranges::all_of(works_, [&](const SharedWork& work) {
               return shared_makespan(work, workers) == shared_makespan(work, kMostWorkers);
             });
    };
    std::uint64_t end = 2;
    while (end < kMostWorkers && (end < *places.rbegin() || !is_enough(end))) end *= 2;
    std::uint64_t doublings = 1;
    while (doublings < 16 && ops * (std::bit_width(end) / doublings) > kMostSimulatedOps) doublings *= 2;
    for (std::uint64_t workers = 1; workers <= end; workers <<= doublings) places.insert(workers);
    places.insert(end);
    places_.assign(places.begin(), places.end());
  }

  std::uint64_t workers_;
  SearchOptions options_;
  std::vector<std::unique_ptr<StoredSchedule>> schedules_;
  std::vector<SharedWork> works_;  // by schedule
  Overtakes overtakes_;
  std::vector<std::uint64_t> places_;  // ascending
};

std::string rule_text(Ops rule) { return fmt::format("{} ops", to_string(rule)); }

std::string about_mark(Ops rule, bool is_scan, std::uint64_t workers, const LeastMakespan& least) {
  return fmt::format("{}, {}: {} FLOPs on {}{}", is_scan ? "best scan" : "plain back-propagation", rule_text(rule),
                     short_count(least.flops), workers_text(workers),
                     is_scan ? fmt::format(", {}", short_text(*least.schedule)) : "");
}

/// A row per mark; line 2 · rule + method, as series and method have it: rules are series, methods plain and scan.
FigureData points_of(const WorkersLines& lines, const PlotAxis& x, std::vector<double>& makespans) {
  FigureData table = figure_table({"line", "series", "method", "x", "y", "about"});
  for (std::size_t rule = 0; rule < WorkersLines::kRules.size(); ++rule) {
    for (const bool is_scan : {false, true}) {
      for (const std::uint64_t workers : lines.workers()) {
        const LeastMakespan least = lines.least(WorkersLines::kRules[rule], is_scan, workers);
        makespans.push_back(least.flops);
        table["rows"].push_back({2 * rule + (is_scan ? 1 : 0), rule, is_scan ? 1 : 0,
                                 x.coordinate(static_cast<double>(workers)), least.flops,
                                 about_mark(WorkersLines::kRules[rule], is_scan, workers, least)});
      }
    }
  }
  return table;
}

FigureData crossings_of_rules(const WorkersLines& lines, const PlotAxis& x) {
  FigureData table = figure_table({"x", "series", "row", "label", "about"});
  for (std::size_t rule = 0; rule < WorkersLines::kRules.size(); ++rule) {
    const OvertakingWorkers& found = lines.overtaking(WorkersLines::kRules[rule]);
    if (!found.from) continue;
    table["rows"].push_back({x.coordinate(static_cast<double>(*found.from)), rule, table["rows"].size(),
                             fmt::format("from {}", *found.from),
                             fmt::format("with {} a scan is faster than plain back-propagation from {} on",
                                         rule_text(WorkersLines::kRules[rule]), workers_text(*found.from))});
  }
  return table;
}

/// What the search compared, as OvertakingSearch takes it: plain back-propagation first; empty where it is not known or
/// does not fit, or the search was in the seconds of a device or of something else than time.
std::vector<const RunDetails*> compared_runs(std::span<const RunDetails> runs) {
  std::vector<const RunDetails*> compared;
  for (const RunDetails& run : runs) {
    if (!run.search || run.search->objective != to_string(Objective::time)) return {};
    if (run.machine && run.machine->kind != "pram") return {};
    if (run.run.feasible.value_or(false)) compared.push_back(&run);
  }
  const auto linear = std::ranges::find(compared, std::optional<std::uint32_t>(0),
                                        [](const RunDetails* run) { return run->run.depth; });
  if (linear == compared.end()) return {};
  std::rotate(compared.begin(), linear, std::next(linear));
  return compared;
}

Figure figure_of_lines(const WorkersLines& lines, const StoredRun& run) {
  Figure figure;
  figure.kind = "crossover";
  figure.context = runs_context(run);
  figure.title = "Makespan by the number of workers, with whole and with shared ops";
  std::vector<double> workers(lines.workers().begin(), lines.workers().end());
  const PlotAxis x(workers, AxisUnit::number, PlotAxis::Kind::logarithmic);
  std::vector<double> makespans;
  FigureData points = points_of(lines, x, makespans);
  const PlotAxis y(makespans, AxisUnit::number, PlotAxis::Kind::logarithmic);
  for (FigureData& row : points["rows"]) row[4] = y.coordinate(row[4].get<double>());
  figure.tables["points"] = std::move(points);
  figure.tables["crossings"] = crossings_of_rules(lines, x);
  x.set_signals(figure.signals, "x");
  y.set_signals(figure.signals, "y");
  figure.signals["is_ordinal"] = false;
  figure.signals["x_title"] = "workers";
  figure.signals["y_title"] = "makespan (FLOPs)";
  figure.signals["bands"] = figure.tables["crossings"]["rows"].size();
  figure.signals["series_title"] = "ops";
  figure.signals["series_labels"] = FigureData::array({"whole", "shared"});
  figure.signals["series_values"] = FigureData::array({0, 1});
  figure.signals["series_longest"] = 6;
  figure.caption = fmt::format(
      "Plain back-propagation and the best of the scans that were compared, under {} execution where each op is one "
      "worker's (whole), with a barrier after each level where workers share ops. {}",
      to_string(lines.execution()), overtaking_text(lines.overtakes(), "plain BP"));
  return figure;
}

}  // namespace

std::optional<Figure> crossover_figure(std::span<const RunDetails> runs) {
  const std::vector<const RunDetails*> compared = compared_runs(runs);
  if (compared.empty()) return std::nullopt;
  try {
    return figure_of_lines(WorkersLines(compared), compared.front()->run);
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // of an older version, or edited
  } catch (const CountOverflow&) {
    return std::nullopt;
  }
}

}  // namespace upsweep

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

#include "compared_schedules.hpp"
#include "plot_axis.hpp"
#include "run_context.hpp"
#include "run_parts.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/figure/run_figures.hpp"
#include "upsweep/figure/study_figures.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

/// Ops that are simulated, of all schedules at all numbers of workers: about a second.
constexpr std::uint64_t kMostSimulatedOps = std::uint64_t{1} << 22;

/// A mark of a line: the least makespan, a mean over the inputs in FLOPs, and the schedule that has it.
struct LeastMakespan {
  double flops = std::numeric_limits<double>::infinity();
  const std::string* schedule = nullptr;
};

/// Plain back-propagation and scans by number of workers.
class WorkersLines {
 public:
  static constexpr std::array kRules = {Ops::whole, Ops::shared};

  explicit WorkersLines(ComparedSchedules compared) : compared_(std::move(compared)) { choose_workers(); }

  [[nodiscard]] const std::vector<std::uint64_t>& workers() const { return places_; }
  [[nodiscard]] const ComparedSchedules& compared() const { return compared_; }
  [[nodiscard]] const OvertakingWorkers& overtaking(Ops rule) const {
    return rule == Ops::whole ? compared_.overtakes.whole : compared_.overtakes.shared;
  }

  [[nodiscard]] LeastMakespan least(Ops rule, bool is_scan, std::uint64_t workers) const {
    LeastMakespan least;
    for (const ComparedSchedule& schedule : compared_.schedules) {
      if (schedule.is_plain == is_scan) continue;
      const std::uint64_t sum =
          rule == Ops::shared ? shared_makespan(schedule.shared, workers) : schedule.whole(workers);
      const double flops = static_cast<double>(sum) / static_cast<double>(schedule.inputs);
      if (flops < least.flops) least = {flops, &schedule.name};
    }
    return least;
  }

 private:
  /// Powers of two up to where more workers change nothing, the command's own number and the crossovers; fewer powers
  /// where there is much to simulate.
  void choose_workers() {
    std::uint64_t ops = 0;
    std::uint64_t effort = 0;
    for (const ComparedSchedule& schedule : compared_.schedules) {
      ops += schedule.ops;
      effort += schedule.effort;
    }
    std::set<std::uint64_t> places = {1, compared_.workers};
    for (const Ops rule : kRules) {
      if (const std::optional<std::uint64_t> from = overtaking(rule).from)
        places.merge(std::set{*from, std::max<std::uint64_t>(*from, 2) - 1});
    }
    const auto is_enough = [&](std::uint64_t workers) {
      return workers >= ops && std::ranges::all_of(compared_.schedules, [&](const ComparedSchedule& schedule) {
               return shared_makespan(schedule.shared, workers) == shared_makespan(schedule.shared, kMostWorkers);
             });
    };
    std::uint64_t end = 2;
    while (end < kMostWorkers && (end < *places.rbegin() || !is_enough(end))) end *= 2;
    std::uint64_t doublings = 1;
    while (doublings < 16 && effort * (std::bit_width(end) / doublings) > kMostSimulatedOps) doublings *= 2;
    for (std::uint64_t workers = 1; workers <= end; workers <<= doublings) places.insert(workers);
    places.insert(end);
    places_.assign(places.begin(), places.end());
  }

  ComparedSchedules compared_;
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

Figure figure_of_lines(const WorkersLines& lines, std::string context) {
  Figure figure;
  figure.kind = "crossover";
  figure.context = std::move(context);
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
      to_string(lines.compared().execution),
      overtaking_text(lines.compared().overtakes, lines.compared().plain, lines.compared().scan));
  return figure;
}

/// Of what `compare` finds; nothing where it is not known or none of these.
std::optional<Figure> figure_of(const auto& compare, const auto& context) {
  try {
    std::optional<ComparedSchedules> compared = compare();
    if (!compared) return std::nullopt;
    return figure_of_lines(WorkersLines(*std::move(compared)), context());
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // of an older version, or edited
  } catch (const CountOverflow&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<Figure> crossover_figure(std::span<const RunDetails> runs) {
  return figure_of([&] { return compared_schedules(runs); }, [&] { return runs_context(runs.front()); });
}

std::optional<Figure> crossover_figure(const RunDetails& run, const RunDetails& plain) {
  return figure_of([&] { return compared_schedules(run, plain); }, [&] { return run_context(run); });
}

std::optional<Figure> crossover_figure(const StoredPasses& passes) {
  return figure_of([&] { return compared_schedules(passes.record); }, [&] { return passes_context(passes.record); });
}

}  // namespace upsweep

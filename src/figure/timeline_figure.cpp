#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "run_context.hpp"
#include "run_parts.hpp"
#include "simulated_run.hpp"
#include "upsweep/document/json.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/document/value.hpp"
#include "upsweep/figure/run_figures.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostRows = 32;
constexpr std::size_t kMostTimeSlices = 200;

/// Workers to rows of the picture: one each, or groups of equal size.
struct WorkerRows {
  std::size_t per_row = 1;
  std::size_t rows = 1;
  std::size_t workers = 1;

  explicit WorkerRows(std::size_t used)
      : per_row((used + kMostRows - 1) / kMostRows), rows((used + per_row - 1) / per_row), workers(used) {}

  [[nodiscard]] std::size_t size(std::size_t row) const { return std::min(per_row, workers - row * per_row); }
  [[nodiscard]] std::string label(std::size_t row) const {
    const std::size_t first = row * per_row;
    return size(row) == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + size(row) - 1);
  }
};

/// Equal slices of the time.
class Slices {
 public:
  Slices(double end, std::size_t count) : width_(end / static_cast<double>(count)), count_(count) {}

  [[nodiscard]] double start(std::size_t slice) const { return width_ * static_cast<double>(slice); }
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] std::size_t count() const { return count_; }

  /// Calls take(slice, time of it in [start, end)).
  template <class Take>
  void each(double start, double end, Take&& take) const {
    const auto first = std::min(count_ - 1, static_cast<std::size_t>(start / width_));
    for (std::size_t slice = first; slice < count_ && this->start(slice) < end; ++slice) {
      const double inside = std::min(end, this->start(slice + 1)) - std::max(start, this->start(slice));
      if (inside > 0) take(slice, inside);
    }
  }

 private:
  double width_;
  std::size_t count_;
};

struct TimelineParts {
  const RunDetails& run;
  const SimulatedRun& simulated;
  WorkerRows rows;
  std::vector<bool> is_on_chain;  // by op: the run's longest chain

  TimelineParts(const RunDetails& run_details, const SimulatedRun& again)
      : run(run_details), simulated(again), rows(again.workers), is_on_chain(run_details.ops.size(), false) {
    for (const std::size_t id : waited_for(simulated)) is_on_chain[id] = true;
  }
  [[nodiscard]] double makespan() const { return simulated.mean(simulated.timeline.makespan); }
  [[nodiscard]] bool fits() const { return simulated.timeline.entries.size() <= kMostMarks && rows.per_row == 1; }
};

FigureData op_bars(const TimelineParts& parts) {
  FigureData table = figure_table({"row", "start", "end", "class", "share", "chain", "dead", "about"});
  const OpTexts texts(parts.run);
  const std::uint64_t inputs = parts.simulated.inputs;
  for (const TimelineEntry& entry : parts.simulated.timeline.entries) {
    if (entry.end == entry.start) continue;
    const StoredOp& op = parts.run.ops[entry.id];
    const bool is_on_chain = parts.is_on_chain[entry.id];
    table["rows"].push_back({parts.rows.label(entry.worker), Value::mean(entry.start, inputs).json(),
                             Value::mean(entry.end, inputs).json(), op.is_mv ? "mv" : "mm", 1, is_on_chain ? 1 : 0,
                             op.is_dead,
                             fmt::format("worker {}, from {} to {}: {}{}", entry.worker,
                                         short_count(entry.start, inputs), short_count(entry.end, inputs),
                                         texts.about(op, false), is_on_chain ? ", on the run's longest chain" : "")});
  }
  return table;
}

/// Busy times of a row in a slice.
struct BusyCell {
  double mm = 0;
  double mv = 0;
  double chain = 0;
  std::size_t ops = 0;
};

std::vector<BusyCell> busy_cells(const TimelineParts& parts, const Slices& slices) {
  std::vector<BusyCell> cells(parts.rows.rows * slices.count());
  for (const TimelineEntry& entry : parts.simulated.timeline.entries) {
    const std::size_t row = entry.worker / parts.rows.per_row;
    const SimulatedRun& simulated = parts.simulated;
    slices.each(simulated.mean(entry.start), simulated.mean(entry.end), [&](std::size_t slice, double time) {
      BusyCell& cell = cells[row * slices.count() + slice];
      (parts.run.ops[entry.id].is_mv ? cell.mv : cell.mm) += time;
      if (parts.is_on_chain[entry.id]) cell.chain += time;
      ++cell.ops;
    });
  }
  return cells;
}

FigureData slice_bars(const TimelineParts& parts, std::size_t& count) {
  count = std::min(kMostTimeSlices, kMostMarks / parts.rows.rows);
  const Slices slices(parts.makespan(), count);
  const std::vector<BusyCell> cells = busy_cells(parts, slices);
  FigureData table = figure_table({"row", "start", "end", "class", "share", "chain", "dead", "about"});
  for (std::size_t row = 0; row < parts.rows.rows; ++row) {
    for (std::size_t slice = 0; slice < count; ++slice) {
      const BusyCell& cell = cells[row * count + slice];
      const double time = slices.width() * static_cast<double>(parts.rows.size(row));
      const double share = std::min(1.0, (cell.mm + cell.mv) / time);
      if (cell.ops == 0) continue;
      const double chain = std::min(1.0, cell.chain / slices.width());
      table["rows"].push_back(
          {parts.rows.label(row), slices.start(slice), slices.start(slice + 1), cell.mv > cell.mm ? "mv" : "mm", share,
           chain, false,
           fmt::format("{} {}, from {} to {}: busy {} of the time with {} ({} of it mv), on the run's longest chain {}",
                       parts.rows.size(row) == 1 ? "worker" : "workers", parts.rows.label(row),
                       short_count(slices.start(slice)), short_count(slices.start(slice + 1)), percent(share),
                       counted(cell.ops, "op"), percent(cell.mv / (cell.mm + cell.mv)), percent(chain))});
    }
  }
  return table;
}

/// How many workers are busy from each time on.
std::map<std::uint64_t, std::int64_t> busy_workers(const Timeline& timeline) {
  std::map<std::uint64_t, std::int64_t> changes;
  for (const TimelineEntry& entry : timeline.entries) {
    if (entry.start == entry.end) continue;
    ++changes[entry.start];
    --changes[entry.end];
  }
  std::int64_t busy = 0;
  for (auto& [time, change] : changes) change = busy += change;
  return changes;
}

FigureData busy_steps(const TimelineParts& parts, bool& is_mean) {
  FigureData table = figure_table({"start", "end", "share", "about"});
  const auto workers = static_cast<double>(parts.run.run.workers);
  const auto add = [&](double start, double end, double share) {
    table["rows"].push_back({start, end, share,
                             fmt::format("from {} to {}: {} of {} busy", short_count(start), short_count(end),
                                         percent(share), counted(parts.run.run.workers, "worker"))});
  };
  const auto busy = busy_workers(parts.simulated.timeline);
  is_mean = busy.size() > kMostMarks / 2;
  const Slices slices(parts.makespan(), kMostTimeSlices);
  std::vector<double> times(kMostTimeSlices, 0);
  for (auto at = busy.begin(); at != busy.end() && std::next(at) != busy.end(); ++at) {
    const double start = parts.simulated.mean(at->first);
    const double end = parts.simulated.mean(std::next(at)->first);
    const auto share = static_cast<double>(at->second) / workers;
    if (is_mean) {
      slices.each(start, end, [&](std::size_t slice, double time) { times[slice] += time * share; });
    } else {
      add(start, end, share);
    }
  }
  for (std::size_t slice = 0; is_mean && slice < kMostTimeSlices; ++slice)
    add(slices.start(slice), slices.start(slice + 1), times[slice] / slices.width());
  return table;
}

std::string workers_caption(const TimelineParts& parts, std::size_t slices, bool is_mean) {
  const SimulatedRun& simulated = parts.simulated;
  double work = 0;
  for (const TimelineEntry& entry : simulated.timeline.entries) work += simulated.mean(entry.end - entry.start);
  const std::uint64_t all = parts.run.run.workers;
  std::string caption = fmt::format(
      "Simulated under {} execution: {} FLOPs of one worker after the start the last op ends. {}, busy {} of that "
      "time on average (upper part). {}: the run's longest chain; each of its ops waits for the one before, for its "
      "result, its worker or its level, and the end for the last.",
      to_string(simulated.execution), short_count(parts.makespan()), counted(all, "worker"),
      percent(work / parts.makespan() / static_cast<double>(all)), slices > 0 ? "Underlined" : "Outlined");
  if (parts.run.machine) caption += " Time is counted in FLOPs: the rates of the machine are not in it.";
  if (parts.run.run.inputs > 1) caption += " FLOPs are means over the inputs.";
  if (simulated.workers < all) {
    const bool is_one = all - simulated.workers == 1;
    caption += fmt::format(" {} of them never {} not drawn.", short_count(static_cast<double>(all - simulated.workers)),
                           is_one ? "works and is" : "work and are");
  }
  const bool has_dead = std::any_of(simulated.timeline.entries.begin(), simulated.timeline.entries.end(),
                                    [&](const TimelineEntry& entry) { return parts.run.ops[entry.id].is_dead; });
  if (has_dead && slices == 0) caption += " Pale: dead ops, on whose value no result depends.";
  if (std::find(simulated.runs.begin(), simulated.runs.end(), false) != simulated.runs.end())
    caption += " Live ops only: dead ops are left out, as in the search.";
  if (slices > 0) {
    caption += fmt::format(
        " {} in {} equal slices of time: the darker, the larger the share of it in which the {} busy.",
        counted(simulated.timeline.entries.size(), "op"), slices,
        parts.rows.per_row == 1 ? "worker is" : fmt::format("{} workers of a group are", parts.rows.per_row));
  }
  if (is_mean) caption += fmt::format(" The upper part shows means over {} slices.", kMostTimeSlices);
  return caption;
}

}  // namespace

std::optional<Figure> timeline_figure(const RunDetails& run) {
  const std::optional<SimulatedRun> simulated = simulated_run(run);
  if (!simulated) return std::nullopt;
  const TimelineParts parts(run, *simulated);
  Figure figure;
  figure.kind = "timeline";
  figure.context = run_context(run);
  figure.title =
      fmt::format("What {} do under the schedule {}", counted(run.run.workers, "worker"), short_text(run.run.schedule));
  std::size_t slices = 0;
  figure.tables["bars"] = parts.fits() ? op_bars(parts) : slice_bars(parts, slices);
  bool is_mean = false;
  figure.tables["busy"] = busy_steps(parts, is_mean);
  figure.caption = workers_caption(parts, slices, is_mean);
  std::vector<std::string> rows;
  for (std::size_t row = 0; row < parts.rows.rows; ++row) rows.push_back(parts.rows.label(row));
  const std::size_t row_height = rows.size() <= 8 ? 26 : (rows.size() <= 16 ? 20 : 14);
  figure.signals["rows"] = rows;
  figure.signals["height"] = 90 + row_height * rows.size();
  figure.signals["makespan"] = Value::mean(simulated->timeline.makespan, simulated->inputs).json();
  figure.signals["row_title"] = parts.rows.per_row == 1 ? "worker" : "workers";
  figure.signals["is_sliced"] = slices > 0;
  return figure;
}

}  // namespace upsweep

#include "upsweep/training/multi_region.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "cost_checks.hpp"

namespace upsweep {
namespace {

using Ticks = std::vector<std::uint64_t>;

void check_lists(const MultiRegion& step) {
  const std::size_t layers = step.layers();
  if (layers == 0) throw std::invalid_argument("0 layers, accepted is at least 1");
  check_costs("F", step.forward, layers, CostSign::positive);
  check_costs("W", step.weight_gradient, layers, CostSign::positive);
  check_output_gradients(step.output_gradient, layers);
  if (step.co_run.size() != layers || step.speedup_percent.size() != layers)
    throw std::invalid_argument("T_sub or speedup_percent lacks kernels, accepted is an entry per layer");
  for (std::size_t layer = 1; layer < layers; ++layer) {
    const std::string kernel = fmt::format("{}", layer + 1);
    check_costs("T_sub of kernel " + kernel, step.co_run[layer], step.regions(), CostSign::positive, "region");
    if (step.speedup_percent[layer].size() != step.regions()) {
      throw std::invalid_argument(fmt::format("speedup_percent of kernel {} has {} entries, accepted are {}", kernel,
                                              step.speedup_percent[layer].size(), step.regions()));
    }
  }
  check_costs("hold", step.hold, layers, CostSign::not_negative);
  if (!(std::isfinite(step.base_memory) && step.base_memory >= 0 && std::isfinite(step.memory_limit)))
    throw std::invalid_argument("base and memory_limit are not finite, or base is negative");
}

/// O(L)..O(2), W(1), F(1)..F(L).
std::vector<StepOp> expected_main_stream(std::size_t layers) {
  std::vector<StepOp> stream;
  for (std::size_t layer = layers; layer-- > 1;)
    stream.push_back({StepOpKind::output_gradient, static_cast<std::uint32_t>(layer), 0});
  stream.push_back({StepOpKind::weight_gradient, 0, 0});
  for (std::uint32_t layer = 0; layer < layers; ++layer) stream.push_back({StepOpKind::forward, layer, 0});
  return stream;
}

std::string op_name(const StepOp& op) { return fmt::format("{}{}", letter(op.kind), op.layer + 1); }

void check_main_stream(const MultiRegion& step) {
  const std::vector<StepOp> expected = expected_main_stream(step.layers());
  std::size_t place = 0;
  for (const std::vector<StepOp>& region : step.main_stream) {
    if (region.empty()) throw std::invalid_argument("main_stream has an empty region, accepted is at least one op");
    for (const StepOp& op : region) {
      const bool is_there = place < expected.size();
      if (is_there && op == expected[place]) {
        ++place;
        continue;
      }
      throw std::invalid_argument(fmt::format("main_stream has {} at place {}, accepted is {}", op_name(op), place + 1,
                                              is_there ? op_name(expected[place]) : "its end"));
    }
  }
  if (place < expected.size())
    throw std::invalid_argument(fmt::format("main_stream ends before {}", op_name(expected[place])));
}

/// Algorithm 1 at work.
class Placement {
 public:
  Placement(const MultiRegion& step, RegionTimes times) : step_(step), times_(std::move(times)) {
    now_.assign(step.regions(), 0);
    is_open_.assign(step.regions(), true);
    begin_.assign(step.layers(), 0);
    length_.assign(step.layers(), 0);
    schedule_.kernels.resize(step.regions());
    for (std::size_t layer = step.layers(); layer-- > 1;) unplaced_.push_back(layer);
    co_run_.assign(step.layers() * step.regions(), 0);
    for (std::size_t layer = 1; layer < step.layers(); ++layer) {
      for (std::size_t region = 0; region < step.regions(); ++region)
        co_run_[layer * step.regions() + region] = times_.scale.ticks({step.co_run[layer][region]});
    }
  }

  RegionSchedule run(std::size_t pre_regions) {
    for (std::size_t region = 0; region < std::min(pre_regions, step_.regions()); ++region) fill(region);
    while (!unplaced_.empty() && std::ranges::find(is_open_, true) != is_open_.end()) {
      if (!place_fastest()) move_earliest_clock();
    }
    place_overflow();
    return finish();
  }

 private:
  [[nodiscard]] std::uint64_t clock(std::size_t region) const { return times_.start[region] + now_[region]; }
  [[nodiscard]] std::uint64_t co_run(std::size_t layer, std::size_t region) const {
    return co_run_[layer * step_.regions() + region];
  }
  [[nodiscard]] bool meets_deadline(std::size_t layer, std::size_t region, std::uint64_t time) const {
    return time + co_run(layer, region) <= times_.deadline[layer];
  }
  [[nodiscard]] bool fits(std::size_t layer, std::size_t region) const {
    return times_.available[layer] <= clock(region) && meets_deadline(layer, region, clock(region));
  }

  void place(std::size_t layer, std::size_t region) {
    schedule_.kernels[region].push_back(layer);
    begin_[layer] = clock(region);
    length_[layer] = co_run(layer, region);
    now_[region] += length_[layer];
    if (now_[region] >= times_.main[region]) is_open_[region] = false;
    std::erase(unplaced_, layer);
  }

  /// Places the kernel and region of the largest speed-up; ties go to the smaller region, then to the larger layer.
  bool place_fastest() {
    std::optional<std::pair<std::size_t, std::size_t>> best;  // layer, region
    for (std::size_t region = 0; region < step_.regions(); ++region) {
      if (!is_open_[region]) continue;
      for (const std::size_t layer : unplaced_) {
        if (!fits(layer, region)) continue;
        if (best && step_.speedup_percent[layer][region] <= step_.speedup_percent[best->first][best->second]) continue;
        best = {layer, region};
      }
    }
    if (best) place(best->first, best->second);
    return best.has_value();
  }

  /// Moves a region's clock to where a kernel becomes available that would then fit; false where there is none.
  bool move_clock(std::size_t region) {
    std::optional<std::uint64_t> next;
    for (const std::size_t layer : unplaced_) {
      const std::uint64_t time = times_.available[layer];
      if (time <= clock(region) || time >= times_.start[region] + times_.main[region]) continue;
      if (meets_deadline(layer, region, time)) next = std::min(next.value_or(time), time);
    }
    if (next) now_[region] = *next - times_.start[region];
    return next.has_value();
  }

  void move_earliest_clock() {
    std::optional<std::size_t> earliest;
    for (std::size_t region = 0; region < step_.regions(); ++region) {
      if (is_open_[region] && (!earliest || clock(region) < clock(*earliest))) earliest = region;
    }
    if (!move_clock(*earliest)) is_open_[*earliest] = false;
  }

  /// Pre-scheduling: kernels as soon as they are available.
  void fill(std::size_t region) {
    while (now_[region] < times_.main[region]) {
      std::optional<std::size_t> first;
      for (const std::size_t layer : unplaced_) {
        if (fits(layer, region) && (!first || times_.available[layer] < times_.available[*first])) first = layer;
      }
      if (first) {
        place(*first, region);
      } else if (!move_clock(region)) {
        break;
      }
    }
    is_open_[region] = false;
  }

  void place_overflow() {
    if (unplaced_.empty()) return;
    const std::size_t last = times_.backward_regions - 1;
    schedule_.overflow = unplaced_;  // descending
    for (const std::size_t layer : schedule_.overflow) place(layer, last);
  }

  /// base + the largest total of what kernels hold from when they are available to their estimated end.
  [[nodiscard]] double peak_memory() const {
    struct Change {
      std::uint64_t time;
      bool holds;
      std::uint64_t amount;
    };
    std::vector<double> amounts = {step_.base_memory};
    amounts.insert(amounts.end(), step_.hold.begin(), step_.hold.end());
    const TickScale scale = TickScale::of_sums(amounts);
    std::vector<Change> changes;
    for (std::size_t layer = 1; layer < step_.layers(); ++layer) {
      const std::uint64_t end = begin_[layer] + length_[layer];
      if (end <= times_.available[layer]) continue;
      changes.push_back({times_.available[layer], true, scale.ticks({step_.hold[layer]})});
      changes.push_back({end, false, scale.ticks({step_.hold[layer]})});
    }
    std::ranges::sort(changes, [](const Change& a, const Change& b) {
      return a.time != b.time ? a.time < b.time : a.holds < b.holds;
    });
    std::uint64_t held = 0;
    std::uint64_t peak = 0;
    for (const Change& change : changes) {
      held = change.holds ? held + change.amount : held - change.amount;
      peak = std::max(peak, held);
    }
    return scale.units(scale.ticks({step_.base_memory}) + peak);
  }

  RegionSchedule finish() {
    std::uint64_t estimate = 0;
    for (std::size_t region = 0; region < step_.regions(); ++region) {
      estimate += std::max(times_.main[region], now_[region]);
      schedule_.now.push_back(times_.scale.units(now_[region]));
    }
    for (std::size_t layer = 0; layer < step_.layers(); ++layer) {
      schedule_.begin.push_back(times_.scale.units(begin_[layer]));
      schedule_.length.push_back(times_.scale.units(length_[layer]));
    }
    schedule_.estimate = times_.scale.units(estimate);
    schedule_.peak_memory = peak_memory();
    return std::move(schedule_);
  }

  const MultiRegion& step_;
  RegionTimes times_;
  Ticks now_;
  std::vector<bool> is_open_;
  Ticks begin_, length_;               // by layer
  Ticks co_run_;                       // by layer and region
  std::vector<std::size_t> unplaced_;  // layers, descending
  RegionSchedule schedule_;
};

}  // namespace

double MultiRegion::cost(const StepOp& op) const { return listed_cost(*this, op, true); }

RegionTimes region_times(const MultiRegion& step) {
  check_lists(step);
  check_main_stream(step);
  std::vector<double> all;
  const auto add = [&](const std::vector<double>& list) { all.insert(all.end(), list.begin(), list.end()); };
  for (const auto* list : {&step.forward, &step.output_gradient, &step.weight_gradient}) add(*list);
  for (std::size_t layer = 1; layer < step.layers(); ++layer) add(step.co_run[layer]);
  RegionTimes times{TickScale::of_sums(all), {}, {}, Ticks(step.layers()), Ticks(step.layers()), 0};
  std::uint64_t now = 0;
  for (const std::vector<StepOp>& region : step.main_stream) {
    times.start.push_back(now);
    if (region.front().kind != StepOpKind::forward) ++times.backward_regions;
    for (const StepOp& op : region) {
      if (op.kind == StepOpKind::forward) times.deadline[op.layer] = now;
      now += times.scale.ticks({step.cost(op)});
      if (op.kind == StepOpKind::output_gradient) times.available[op.layer - 1] = now;
    }
    times.main.push_back(now - times.start.back());
  }
  return times;
}

RegionSchedule schedule_regions(const MultiRegion& step, std::size_t pre_regions) {
  return Placement(step, region_times(step)).run(pre_regions);
}

RegionFallback schedule_regions_in_memory(const MultiRegion& step) {
  RegionFallback fallback;
  const std::size_t most = region_times(step).backward_regions;
  for (std::size_t pre_regions = 0; pre_regions <= most && !fallback.fits; ++pre_regions) {
    fallback.schedule = schedule_regions(step, pre_regions);
    fallback.pre_regions = pre_regions;
    fallback.peaks.push_back(fallback.schedule.peak_memory);
    fallback.fits = fallback.schedule.peak_memory < step.memory_limit;
  }
  return fallback;
}

double one_stream_makespan(const MultiRegion& step) {
  const RegionTimes times = region_times(step);
  std::uint64_t total = 0;
  for (const std::uint64_t time : times.main) total += time;
  for (std::size_t layer = 1; layer < step.layers(); ++layer) total += times.scale.ticks({step.weight_gradient[layer]});
  return times.scale.units(total);
}

}  // namespace upsweep

#include "upsweep/search/crossover.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

/// Where one of some falling functions falls below all of some others.
class WinningRange {
 public:
  WinningRange(std::span<const MakespanOfWorkers> plain, std::span<const MakespanOfWorkers> scans,
               std::uint64_t most_evaluations)
      : plain_(plain), scans_(scans), left_(most_evaluations) {}

  /// The first of low..high with which a scan wins.
  [[nodiscard]] std::optional<std::uint64_t> first_win(std::uint64_t low, std::uint64_t high) {
    if (is_given_up() || !may_win(low, high)) return std::nullopt;
    if (wins(low, low)) return low;
    if (low == high) return std::nullopt;
    const std::uint64_t middle = between(low, high);
    if (middle > low) {
      if (const auto found = first_win(low + 1, middle)) return found;
    }
    return first_win(middle + 1, high);
  }
  /// The last of low..high with which none does.
  [[nodiscard]] std::optional<std::uint64_t> last_loss(std::uint64_t low, std::uint64_t high) {
    if (is_given_up() || wins(low, high)) return std::nullopt;
    if (!may_win(high, high)) return high;
    if (low == high) return std::nullopt;
    const std::uint64_t middle = between(low, high);
    if (middle + 1 < high) {
      if (const auto found = last_loss(middle + 1, high - 1)) return found;
    }
    return last_loss(low, middle);
  }
  [[nodiscard]] bool is_given_up() const { return left_ == 0; }

 private:
  /// The geometric mean, below `high`.
  static std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    const double mean = std::sqrt(static_cast<double>(low) * static_cast<double>(high));
    return std::clamp(static_cast<std::uint64_t>(mean), low, high - 1);
  }
  std::uint64_t ask(const MakespanOfWorkers& makespan, std::uint64_t workers) {
    if (left_ > 0) --left_;
    return makespan(workers);
  }
  std::uint64_t least_plain(std::uint64_t workers) {
    std::uint64_t least = ask(plain_.front(), workers);
    for (const MakespanOfWorkers& plain : plain_.subspan(1)) least = std::min(least, ask(plain, workers));
    return least;
  }
  /// Whether one scan is faster with `low` workers than back-propagation with `high`: then it wins all between.
  bool wins(std::uint64_t low, std::uint64_t high) {
    const std::uint64_t plain = least_plain(high);
    return std::ranges::any_of(scans_, [&](const MakespanOfWorkers& scan) { return ask(scan, low) < plain; });
  }
  /// Whether one is faster with `high` workers than back-propagation with `low`: else none wins between.
  bool may_win(std::uint64_t low, std::uint64_t high) { return wins(high, low); }

  std::span<const MakespanOfWorkers> plain_;
  std::span<const MakespanOfWorkers> scans_;
  std::uint64_t left_;
};

/// Equal levels once, sorted.
std::vector<SharedLevel> merged(std::vector<SharedLevel> levels) {
  const auto key = [](const SharedLevel& level) { return std::pair(level.flops, level.span); };
  std::ranges::sort(levels, {}, key);
  std::vector<SharedLevel> once;
  for (const SharedLevel& level : levels) {
    if (!once.empty() && key(once.back()) == key(level)) {
      once.back().times += level.times;
    } else {
      once.push_back(level);
    }
  }
  return once;
}

/// Levels that all have are of no account for which is faster: without them, ranges are decided sooner.
void leave_out_common(std::vector<SharedWork>& works) {
  std::vector<SharedLevel> common = works.front().levels;
  for (const SharedWork& work : works) {
    std::vector<SharedLevel> both;
    for (const SharedLevel& level : common) {
      const auto other = std::ranges::find_if(
          work.levels, [&](const SharedLevel& l) { return l.flops == level.flops && l.span == level.span; });
      if (other != work.levels.end()) both.push_back({std::min(level.times, other->times), level.flops, level.span});
    }
    common = std::move(both);
  }
  for (SharedWork& work : works) {
    for (const SharedLevel& level : common) {
      std::ranges::find_if(work.levels, [&](const SharedLevel& l) {
        return l.flops == level.flops && l.span == level.span;
      })->times -= level.times;
    }
    std::erase_if(work.levels, [](const SharedLevel& level) { return level.times == 0; });
  }
}

/// Whether `scan` has every level of `plain`, so that it is never faster.
bool has_all_levels(const SharedWork& scan, const SharedWork& plain) {
  return std::ranges::all_of(plain.levels, [&](const SharedLevel& level) {
    return std::ranges::any_of(scan.levels, [&](const SharedLevel& l) {
      return l.flops == level.flops && l.span == level.span && l.times >= level.times;
    });
  });
}

/// With more workers no level gets shorter.
std::uint64_t workers_in_use(const std::vector<SharedWork>& works, std::uint64_t batch) {
  std::uint64_t most = 1;
  for (const SharedWork& work : works) {
    for (const SharedLevel& level : work.levels) {
      const std::uint64_t least = std::max<std::uint64_t>(1, level.span / work.inputs);  // whole FLOPs of a mean
      most = std::max(most, ceil_div(checked_mul(level.flops, batch), checked_mul(least, work.inputs)));
    }
  }
  return std::min(most, kMostWorkers);
}

}  // namespace

OvertakingWorkers overtaking_workers(std::span<const MakespanOfWorkers> plain, std::span<const MakespanOfWorkers> scans,
                                     std::span<const std::string> names, std::uint64_t most_workers,
                                     std::uint64_t most_evaluations) {
  OvertakingWorkers overtaking;
  if (plain.empty() || scans.empty()) return overtaking;
  WinningRange range(plain, scans, most_evaluations);
  overtaking.from = range.first_win(1, most_workers);
  if (range.is_given_up()) return {.is_known = false};
  if (!overtaking.from) return overtaking;
  if (!names.empty()) {
    const auto fastest = std::ranges::min_element(scans, {}, [&](const auto& scan) { return scan(*overtaking.from); });
    overtaking.scan = names[static_cast<std::size_t>(fastest - scans.begin())];
  }
  const std::uint64_t loss = range.last_loss(*overtaking.from, most_workers).value_or(*overtaking.from - 1);
  if (range.is_given_up()) return overtaking;
  overtaking.is_followed = true;
  if (loss < most_workers) overtaking.always_from = loss + 1;
  return overtaking;
}

OvertakingWorkers shared_overtaking(std::span<const SharedWork> plain, std::span<const SharedWork> scans,
                                    std::uint64_t batch, std::span<const std::string> names) {
  if (plain.empty() || scans.empty()) return {};
  std::vector<SharedWork> works(plain.begin(), plain.end());
  for (SharedWork& work : works) work.levels = merged(std::move(work.levels));
  std::vector<std::string> left;  // names of the scans that do not always lose
  for (std::size_t i = 0; i < scans.size(); ++i) {
    SharedWork scan = scans[i];
    scan.levels = merged(std::move(scan.levels));
    const auto first = std::span(works).first(plain.size());
    if (std::ranges::any_of(first, [&](const SharedWork& one) { return has_all_levels(scan, one); })) continue;
    works.push_back(std::move(scan));
    if (!names.empty()) left.push_back(names[i]);
  }
  leave_out_common(works);
  std::vector<MakespanOfWorkers> makespans;
  for (const SharedWork& work : works)
    makespans.emplace_back([&work, batch](std::uint64_t workers) { return shared_makespan(work, workers, batch); });
  return overtaking_workers(std::span(makespans).first(plain.size()), std::span(makespans).subspan(plain.size()), left,
                            workers_in_use(works, batch));
}

}  // namespace upsweep

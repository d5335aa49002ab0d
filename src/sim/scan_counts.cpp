#include "scan_counts.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace upsweep {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};

/// Inner combines of a level that are ready or further, when `done` of the level below are done.
std::uint64_t available(std::uint64_t done) { return done == 0 ? 0 : (done - 1) / 2; }

}  // namespace

ScanCounts::ScanCounts(const HomogeneousProfile& profile, const HomogeneousCost& cost, Scope scope)
    : depth_(profile.depth),
      elements_(profile.chain.elements),
      blocks_(elements_ >> depth_),
      costs_(5 * std::size_t{depth_} + 1, 1),
      ready_(costs_.size(), 0),
      inner_ops_(depth_, 0),
      done_(depth_, 0),
      first_done_(depth_, false),
      first_offered_(depth_, false),
      gated_(depth_ + 1, kNone) {
  read_costs(profile, cost, scope);
  if (depth_ == 0) return;
  first_offered_[0] = true;
  ready_[first(0)] = 1;
  ready_[inner(0)] = inner_ops_[0];
  offer_last();
}

void ScanCounts::read_costs(const HomogeneousProfile& profile, const HomogeneousCost& cost, Scope scope) {
  for (std::uint32_t d = 0; d < depth_; ++d) {
    for (const OpRun& run : profile.runs[d].cycle.front().runs) {
      if (run.is_mv) {
        costs_[first(d)] = cost(Phase::up, d, run);
      } else if (!run.dead) {
        costs_[inner(d)] = cost(Phase::up, d, run);
        inner_ops_[d] = run.count;
      } else if (scope == Scope::all) {
        costs_[last(d)] = cost(Phase::up, d, run);
        last_levels_.push_back(d);
      }
    }
  }
  if (blocks_ > 1) costs_[middle()] = cost(Phase::middle, depth_, profile.runs[depth_].cycle.front().runs.front());
  for (std::uint32_t d = 0; d < depth_; ++d) {
    const HomogeneousLevel& level = profile.runs[profile.runs.size() - 1 - d].cycle.front();
    if (level.profile.phase != Phase::down) break;  // all renames
    costs_[down(d)] = costs_[down_last(d)] = cost(Phase::down, d, level.runs.front());
  }
}

bool ScanCounts::is_fit() const {
  for (std::uint32_t d = 1; d < depth_; ++d) {
    if (inner_ops_[d] > 0 && costs_[inner(d)] < costs_[inner(d - 1)]) return false;
  }
  return std::ranges::all_of(costs_, [](std::uint64_t cost) { return cost > 0; });
}

void ScanCounts::start(std::size_t op_class, std::uint64_t count) {
  ready_[op_class] -= count;
  const bool is_once = op_class < middle() ? op_class % 3 != 1 : op_class > middle() && (op_class - middle()) % 2 == 0;
  disturbed_ = disturbed_ || is_once;
}

void ScanCounts::finish(std::size_t op_class, std::uint64_t count) {
  if (op_class < middle()) {
    const auto d = static_cast<std::uint32_t>(op_class / 3);
    if (op_class == inner(d)) return finish_inner(d, count);
    disturbed_ = true;
    if (op_class == first(d)) return finish_first(d);
    ++last_done_;
    return offer_last();
  }
  if (op_class == middle()) return finish_middle();
  const auto d = static_cast<std::uint32_t>(depth_ - 1 - (op_class - middle() - 1) / 2);
  if (op_class == down_last(d)) return finish_last_vector(d, false);
  for (std::uint32_t below = 0; below < d; ++below) ready_[down(below)] += count;
}

bool ScanCounts::take_disturbed() { return std::exchange(disturbed_, false); }

void ScanCounts::offer_once(std::size_t op_class) {
  ++ready_[op_class];
  disturbed_ = true;
}

void ScanCounts::finish_first(std::uint32_t d) {
  first_done_[d] = true;
  const std::uint32_t e = d + 1;
  if (e == depth_ && blocks_ == 1) {
    finish_last_vector(e, true);
  } else {
    finish_vector(e, true);
  }
  offer_gated(e);
  if (e == depth_) return offer_middle();
  if (done_[d] >= 1) {
    first_offered_[e] = true;
    offer_once(first(e));
  }
}

void ScanCounts::finish_inner(std::uint32_t d, std::uint64_t count) {
  const std::uint64_t before = done_[d];
  done_[d] += count;
  if (d + 2 <= depth_ && before < 2) offer_gated(d + 2);
  if (d + 1 == depth_) return offer_middle();
  ready_[inner(d + 1)] += available(done_[d]) - available(before);
  if (first_done_[d] && !first_offered_[d + 1]) {
    first_offered_[d + 1] = true;
    offer_once(first(d + 1));
  }
  if (done_[d] == inner_ops_[d]) offer_last();
}

void ScanCounts::finish_middle() {
  ++middle_done_;
  if (middle_done_ == blocks_ - 1) {
    finish_last_vector(depth_, false);
  } else {
    finish_vector(depth_, false);
  }
  offer_middle();
}

void ScanCounts::offer_middle() {
  if (!first_done_[depth_ - 1] || middle_offered_ != middle_done_ || middle_offered_ + 1 >= blocks_) return;
  if (done_[depth_ - 1] <= middle_offered_) return;  // the block is not there
  ++middle_offered_;
  ++ready_[middle()];
}

/// The next dead combine needs the one before and the last block that ends before a[n].
void ScanCounts::offer_last() {
  if (last_offered_ == last_levels_.size() || last_offered_ != last_done_) return;
  const std::uint32_t d = last_levels_[last_offered_];
  if (d > 0 && done_[d - 1] < inner_ops_[d - 1]) return;
  ++last_offered_;
  offer_once(last(d));
}

/// The down combine (e - 1, 2^e), once its vector and its matrix are there.
void ScanCounts::offer_gated(std::uint32_t e) {
  if (gated_[e] == kNone || (e >= 2 && done_[e - 2] < 2)) return;
  offer_once(std::exchange(gated_[e], kNone));
}

void ScanCounts::finish_vector(std::uint32_t e, bool is_gated) {
  const std::uint32_t free = is_gated ? e - 1 : e;
  for (std::uint32_t d = 0; d < free; ++d) ++ready_[down(d)];
  if (is_gated) gated_[e] = down(e - 1);
}

void ScanCounts::finish_last_vector(std::uint32_t e, bool is_gated) {
  disturbed_ = true;
  const std::uint64_t rest = elements_ & ((std::uint64_t{1} << e) - 1);
  if (rest == 0) return;
  const auto next = static_cast<std::uint32_t>(std::bit_width(rest)) - 1;
  for (std::uint32_t d = 0; d < next; ++d) ++ready_[down(d)];
  if (is_gated && next + 1 == e) {
    gated_[e] = down_last(next);
  } else {
    ++ready_[down_last(next)];
  }
}

std::uint64_t ScanCounts::repeats(const Snapshot& then, const std::vector<std::uint64_t>& lowest) const {
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const auto limit = [&](std::uint64_t left, std::uint64_t step) {
    if (step == 0) return;
    const std::uint64_t times = left / step;
    most = std::min(most, times < 3 ? 0 : times - 2);
  };
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    if (ready_[i] == then.ready[i]) continue;
    if (lowest[i] == 0) return 0;
    if (ready_[i] < then.ready[i]) limit(lowest[i], then.ready[i] - ready_[i]);
  }
  for (std::uint32_t d = 0; d < depth_; ++d) {
    const std::uint64_t step = done_[d] - then.done[d];
    if (step % 2 != 0 || (step > 0 && then.done[d] == 0)) return 0;  // level d + 1 gets one for two after the first
    limit(inner_ops_[d] - done_[d], step);
  }
  // The middle meets blocks that are still made: rare and short, so not worth a leap.
  const std::uint64_t middle_step = middle_done_ - then.middle_done;
  const bool middle_waits = middle_offered_ == middle_done_ && middle_done_ + 1 < blocks_;
  if (done_.back() > then.done.back() && (middle_step > 0 || (middle_waits && first_done_.back()))) return 0;
  if (middle_step > 0) limit(done_.back() - middle_offered_, middle_step);
  return most;
}

void ScanCounts::repeat(const Snapshot& then, std::uint64_t times) {
  for (std::size_t i = 0; i < ready_.size(); ++i) ready_[i] += times * (ready_[i] - then.ready[i]);  // wraps, both ways
  for (std::uint32_t d = 0; d < depth_; ++d) done_[d] += times * (done_[d] - then.done[d]);
  const std::uint64_t middle_step = middle_done_ - then.middle_done;
  middle_done_ += times * middle_step;
  middle_offered_ += times * middle_step;
}

}  // namespace upsweep

#include <algorithm>
#include <vector>

#include "block_counts.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

/// Cost until what the up-sweep makes of level d is there.
struct UpFinish {
  std::uint64_t first = 0;  // block 0, a vector
  std::uint64_t inner = 0;  // a later block that ends before a[n]
  std::uint64_t last = 0;   // the block that ends with a[n]; dead
};

/// Paths of hybrid_schedule(), where cost(phase, d, op) says what a combine costs.
template <class Cost>
class Paths {
 public:
  Paths(const BlockCounts& counts, std::uint64_t elements, std::uint32_t depth, const Cost& cost)
      : counts_(counts), elements_(elements), depth_(depth), cost_(cost), up_(up_finishes()) {}

  // The prefix that ends before x = j · 2^D + Σ of the set bits d < D of x takes the middle to block j, then one down
  // combine per set bit; for j = 0 the first of them is the up-sweep's block 0. A down combine never waits for its
  // matrix, which is older than any vector that reaches it. So the longest path ends at the x <= n with the largest
  // sum.
  [[nodiscard]] InScopes longest() const {
    const std::uint64_t blocks = elements_ >> depth_;
    const std::uint64_t rest = elements_ - (blocks << depth_);
    std::uint64_t below = 0;  // Σ over the levels below d: all lower bits set
    std::uint64_t most = 0;   // largest sum over the bits below d whose number is at most that of n
    for (std::uint32_t d = 0; d < depth_; ++d) {
      const std::uint64_t down = down_cost(d);
      if ((rest >> d & 1) != 0) most = std::max(below, checked_add(down, most));
      below = checked_add(below, down);
    }
    std::uint64_t longest = checked_add(after_middle(blocks), most);
    if (blocks > 1) {
      longest = std::max(longest, checked_add(after_middle(blocks - 1), below));
    } else if (depth_ > 0) {
      longest = std::max(longest, checked_add(up_[depth_ - 1].first, below - down_cost(depth_ - 1)));
    }
    return {.all = std::max(longest, up_[depth_].last), .live = longest};
  }

 private:
  /// After up levels 0 .. d - 1, for d = 0 .. depth; length depth + 1.
  [[nodiscard]] std::vector<UpFinish> up_finishes() const {
    std::vector<UpFinish> finishes;
    finishes.reserve(std::size_t{depth_} + 1);
    finishes.emplace_back();
    for (std::uint32_t d = 0; d < depth_; ++d) {
      const auto cost = [&](const OpRun& op) { return cost_(Phase::up, d, op); };
      const UpFinish& now = finishes.back();
      UpFinish next = now;
      next.first = checked_add(std::max(now.first, now.inner), cost(counts_.first_op(d)));
      const bool has_last = counts_.has_last_op(d);
      if (counts_.pairs(d) > (has_last ? 2U : 1U)) next.inner = checked_add(now.inner, cost(counts_.inner_ops(1, d)));
      if (has_last) next.last = checked_add(std::max(now.inner, now.last), cost(counts_.last_op(d)));
      finishes.push_back(next);
    }
    return finishes;
  }

  [[nodiscard]] std::uint64_t down_cost(std::uint32_t d) const {
    return cost_(Phase::down, d, counts_.vector_ops(1, std::uint64_t{2} << d, (std::uint64_t{3} << d) - 1));
  }

  /// The prefix of block >= 1.
  [[nodiscard]] std::uint64_t after_middle(std::uint64_t block) const {
    const std::uint64_t steps = block - 1;
    std::uint64_t sum = steps > 0 ? std::max(up_[depth_].first, up_[depth_].inner) : up_[depth_].first;
    const auto add = [&](std::uint64_t times, std::uint64_t place) {
      add_to(sum, checked_mul(times, cost_(Phase::middle, depth_, counts_.middle_op(place, depth_))));
    };
    if (steps > 0) add((steps + 1) / 2, 1);
    if (steps > 1) add(steps / 2, 2);
    return sum;
  }

  const BlockCounts& counts_;
  std::uint64_t elements_;
  std::uint32_t depth_;
  const Cost& cost_;
  std::vector<UpFinish> up_;
};

}  // namespace

InScopes longest_homogeneous_path(const BlockCounts& counts, std::uint64_t elements, std::uint32_t depth,
                                  std::uint64_t OpRun::*cost) {
  const auto member = [cost](Phase, std::uint32_t, const OpRun& run) { return run.*cost; };
  return Paths(counts, elements, depth, member).longest();
}

InScopes longest_path(const HomogeneousProfile& profile, const HomogeneousCost& cost) {
  const BlockCounts counts(profile.chain, profile.value_bytes);
  return Paths(counts, profile.chain.elements, profile.depth, cost).longest();
}

namespace {

/// Bytes that are live in the levels at which the peak may stand: the up levels, the first and the last of the middle
/// (each step of the middle frees a matrix for a vector; which of the two is larger is the same all along: only
/// products of uniform chains are ever smaller than a vector, and those of the middle are equal), the down levels.
class LiveBytes {
 public:
  explicit LiveBytes(std::uint32_t depth) : depth_(depth), enters_(2 * depth + 3, 0), leaves_(2 * depth + 3, 0) {}

  [[nodiscard]] std::size_t up(std::uint32_t d) const { return d; }
  [[nodiscard]] std::size_t middle() const { return depth_; }
  [[nodiscard]] std::size_t last_middle() const { return std::size_t{depth_} + 1; }
  [[nodiscard]] std::size_t down(std::uint32_t d) const { return end() - d; }
  [[nodiscard]] std::size_t end() const { return 2 * std::size_t{depth_} + 1; }

  /// `count` values live from column `first` to column `last`.
  void add(std::uint64_t count, std::uint64_t bytes, std::size_t first, std::size_t last) {
    add_to(enters_[first], checked_mul(count, bytes));
    add_to(leaves_[last + 1], checked_mul(count, bytes));
  }

  [[nodiscard]] std::uint64_t peak() const {
    std::uint64_t live = 0;
    std::uint64_t peak = 0;
    for (std::size_t column = 0; column <= end(); ++column) {
      live = checked_add(live - leaves_[column], enters_[column]);
      peak = std::max(peak, live);
    }
    return peak;
  }

 private:
  std::uint32_t depth_;
  std::vector<std::uint64_t> enters_;
  std::vector<std::uint64_t> leaves_;
};

/// The values that cover a[n]: each lives until the next dead combine reads it, the last one in its own level.
void add_dead_values(const BlockCounts& counts, std::uint64_t elements, std::uint32_t depth, LiveBytes& live) {
  std::uint64_t bytes = counts.bytes(counts.structure(elements, elements));
  std::size_t since = 0;
  bool is_used = false;
  for (std::uint32_t d = 0; d < depth; ++d) {
    if (!counts.has_last_op(d)) continue;
    const OpRun op = counts.last_op(d);
    live.add(1, bytes, since, live.up(d));
    bytes = op.bytes;
    since = live.up(d);
    is_used = true;
  }
  if (is_used) live.add(1, bytes, since, since);
}

}  // namespace

InScopes homogeneous_peak_bytes(const BlockCounts& counts, std::uint64_t elements, std::uint32_t depth) {
  const std::uint64_t vector = counts.vector_bytes();
  if (elements == 1) return {vector, vector};  // no level
  LiveBytes live(depth);
  const std::uint64_t blocks = elements >> depth;
  live.add(1, vector, 0, live.end());  // a[0]; every vector is a result
  for (std::uint32_t d = 0; d < depth; ++d) {
    const std::size_t since = d == 0 ? 0 : live.up(d - 1);
    const std::uint64_t inner = (elements >> d) - 1;  // blocks 1.. that end before a[n]
    const auto bytes = [&](std::uint64_t block) {
      return counts.bytes(counts.structure(block << d, ((block + 1) << d) - 1));
    };
    live.add(inner - inner / 2, bytes(1), since, live.up(d));
    if (inner / 2 > 0) live.add(inner / 2, bytes(2), since, live.down(d));
    live.add(1, vector, live.up(d), live.end());
    live.add(inner / 2, vector, live.down(d), live.end());
  }
  const std::size_t since = depth == 0 ? 0 : live.up(depth - 1);
  if (blocks > 1) {
    for (const std::uint64_t block : {1U, 2U}) {  // the odd and the even ones
      const std::uint64_t count = (blocks - 1 + block % 2) / 2;
      if (count == 0) continue;
      const std::uint64_t bytes = counts.bytes(counts.structure(block << depth, ((block + 1) << depth) - 1));
      const bool has_last = (blocks - 1) % 2 == block % 2;
      live.add(count - (has_last ? 1 : 0), bytes, since, live.middle());
      if (has_last) live.add(1, bytes, since, live.last_middle());
    }
    live.add(1, vector, live.middle(), live.end());
    live.add(blocks - 2, vector, live.last_middle(), live.end());
  }
  InScopes peak;
  peak.live = live.peak();
  add_dead_values(counts, elements, depth, live);
  peak.all = live.peak();
  return peak;
}

}  // namespace upsweep

#pragma once

#include <cstdint>
#include <vector>

#include "upsweep/sim/homogeneous.hpp"

namespace upsweep {

/// How many combines of hybrid_schedule() over a homogeneous chain are ready, by class of equal combines, while a
/// list scheduler takes ready ones by class and hands them back done. The classes stand in the order of ids, so that
/// "smallest id first" is "first class first".
///
/// Why numbers are enough:
/// - The inner combines of an up level cost the same, become ready in order and so end in order: j of level d needs
///   2j and 2j + 1 of level d - 1, however they were spread over the workers.
/// - A vector that ends before position i = j · 2^e, j odd (below 2^D: one of the up-sweep's first combines for j = 1)
///   makes one combine of each down level d < e ready, whichever it is; these cost the same within a level. Only the
///   vector that ends before n with its lower e bits cleared meets the end of the array; the combines on the way to it
///   are the last of their levels and have a class of their own after the others of the level.
/// - As inner combines cost no less in higher up levels, all of level d - 2 is done and all of d - 1 has started when
///   the first of level d starts. So down combines and the middle wait for vectors alone, except for the down combine
///   (e - 1, 2^e), which may wait for combine 2 of up level e - 2, and for the middle's wait for blocks of level D.
class ScanCounts {
 public:
  ScanCounts(const HomogeneousProfile& profile, const HomogeneousCost& cost, Scope scope);

  /// Whether inner combines cost no less in higher up levels, without which numbers are not enough, and all something.
  [[nodiscard]] bool is_fit() const;
  [[nodiscard]] std::size_t classes() const { return ready_.size(); }
  [[nodiscard]] std::uint64_t cost(std::size_t op_class) const { return costs_[op_class]; }
  [[nodiscard]] std::uint64_t ready(std::size_t op_class) const { return ready_[op_class]; }

  /// Takes ready combines out of the queue.
  void start(std::size_t op_class, std::uint64_t count);
  /// Ends combines that have started; others become ready.
  void finish(std::size_t op_class, std::uint64_t count);

  /// True once after something that happens once: it does not repeat in the next period.
  [[nodiscard]] bool take_disturbed();

  /// The counters, for comparing instants.
  struct Snapshot {
    std::vector<std::uint64_t> ready;  ///< by class
    std::vector<std::uint64_t> done;   ///< inner combines by up level
    std::uint64_t middle_done = 0;
  };
  [[nodiscard]] Snapshot snapshot() const { return {ready_, done_, middle_done_}; }

  /// How often what changed since `then` may happen again without a class or level near its end; 0 where the step from
  /// `then` does not repeat. `lowest`: by class, the least that was left ready since then, 0 where nothing was.
  [[nodiscard]] std::uint64_t repeats(const Snapshot& then, const std::vector<std::uint64_t>& lowest) const;
  /// Repeats it.
  void repeat(const Snapshot& then, std::uint64_t times);

 private:
  [[nodiscard]] std::size_t first(std::uint32_t d) const { return 3 * std::size_t{d}; }
  [[nodiscard]] std::size_t inner(std::uint32_t d) const { return 3 * std::size_t{d} + 1; }
  [[nodiscard]] std::size_t last(std::uint32_t d) const { return 3 * std::size_t{d} + 2; }
  [[nodiscard]] std::size_t middle() const { return 3 * std::size_t{depth_}; }
  [[nodiscard]] std::size_t down(std::uint32_t d) const { return middle() + 1 + 2 * std::size_t{depth_ - 1 - d}; }
  [[nodiscard]] std::size_t down_last(std::uint32_t d) const { return down(d) + 1; }

  void read_costs(const HomogeneousProfile& profile, const HomogeneousCost& cost, Scope scope);
  void finish_first(std::uint32_t d);
  void finish_inner(std::uint32_t d, std::uint64_t count);
  void finish_middle();
  void offer_once(std::size_t op_class);
  void offer_last();
  void offer_middle();
  void offer_gated(std::uint32_t e);
  void finish_vector(std::uint32_t e, bool is_gated);
  void finish_last_vector(std::uint32_t e, bool is_gated);

  std::uint32_t depth_;
  std::uint64_t elements_;
  std::uint64_t blocks_;  // of level D that the middle reads: floor(n / 2^D)
  std::vector<std::uint64_t> costs_;
  std::vector<std::uint64_t> ready_;
  std::vector<std::uint64_t> inner_ops_;    // by up level
  std::vector<std::uint64_t> done_;         // inner combines by up level
  std::vector<bool> first_done_;            // by up level
  std::vector<bool> first_offered_;         // by up level
  std::vector<std::size_t> gated_;          // by e: class of the combine (e - 1, 2^e) that waits, or kNone
  std::vector<std::uint32_t> last_levels_;  // up levels with a dead combine
  std::size_t last_offered_ = 0;            // of those
  std::size_t last_done_ = 0;
  std::uint64_t middle_offered_ = 0;
  std::uint64_t middle_done_ = 0;
  bool disturbed_ = true;
};

}  // namespace upsweep

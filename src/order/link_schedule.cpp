#include "upsweep/order/link_schedule.hpp"

#include <algorithm>
#include <numeric>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

/// Operations by rank: those with the longest way to the end first.
class ScheduleSearch {
 public:
  ScheduleSearch(const LinkTree& tree, std::size_t machines, std::uint64_t below, const std::function<bool()>& is_over)
      : machines_(machines), best_(below), is_over_(is_over), op_of_(tree.size()) {
    const std::vector<std::size_t> parents = needed_by(tree);
    std::vector<std::uint64_t> ways(tree.size());
    for (std::size_t op = tree.size(); op-- > 0;)
      ways[op] = checked_add(tree[op].cost, parents[op] == op ? 0 : ways[parents[op]]);
    std::iota(op_of_.begin(), op_of_.end(), std::size_t{0});
    std::ranges::stable_sort(op_of_, std::ranges::greater(), [&](std::size_t op) { return ways[op]; });
    std::vector<std::size_t> ranks(tree.size());
    for (std::size_t rank = 0; rank < op_of_.size(); ++rank) ranks[op_of_[rank]] = rank;
    for (const std::size_t op : op_of_) {
      const std::size_t needs = needs_of(tree[op].step);
      ops_.push_back({tree[op].cost, ways[op], ranks[parents[op]], needs, needs == 0 ? State::ready : State::waiting});
      work_left_ = checked_add(work_left_, tree[op].cost);
    }
  }

  [[nodiscard]] FoundSchedule run() {
    begin(0, 0);
    if (best_starts_.empty()) return {std::nullopt, !stopped_};
    LinkSchedule schedule{std::vector<std::uint64_t>(ops_.size()), std::vector<std::size_t>(ops_.size()), best_};
    std::vector<std::size_t> by_start(ops_.size());
    std::iota(by_start.begin(), by_start.end(), std::size_t{0});
    std::ranges::stable_sort(by_start, {}, [&](std::size_t rank) { return best_starts_[rank]; });
    std::vector<std::uint64_t> free(std::min(machines_, ops_.size()));
    for (const std::size_t rank : by_start) {
      const auto machine = std::ranges::find_if(free, [&](std::uint64_t at) { return at <= best_starts_[rank]; });
      *machine = best_starts_[rank] + ops_[rank].cost;
      schedule.starts[op_of_[rank]] = best_starts_[rank];
      schedule.machines[op_of_[rank]] = static_cast<std::size_t>(machine - free.begin());
    }
    return {std::move(schedule), !stopped_};
  }

 private:
  enum class State : std::uint8_t { waiting, ready, running, done };
  struct Op {
    std::uint64_t cost = 0;
    std::uint64_t way = 0;  ///< to the end of the last operation, its own cost included
    std::size_t parent = 0;
    std::size_t missing = 0;  ///< of what it needs
    State state = State::waiting;
    std::uint64_t start = 0;
  };

  [[nodiscard]] bool is_stopped() {
    constexpr std::size_t kNodesBetween = 256;
    if (best_ == UINT64_MAX) return false;  // the first schedule is soon there
    if (++nodes_ % kNodesBetween == 0 && is_over_()) stopped_ = true;
    return stopped_;
  }

  /// Whether nothing that goes on from here can end before the best one does. `work_left_` is of operations that have
  /// not begun.
  [[nodiscard]] bool is_hopeless(std::uint64_t now) const {
    std::uint64_t work = work_left_;
    for (const Op& op : ops_) {
      if (op.state == State::ready && now + op.way >= best_) return true;
      if (op.state != State::running) continue;
      if (op.start + op.way >= best_) return true;
      work += op.start + op.cost - now;
    }
    return now + ceil_div(work, machines_) >= best_;
  }

  /// Begins operations at this time, on all machines that are free or as many as there are operations.
  void begin(std::uint64_t now, std::size_t running) {
    if (is_stopped() || is_hopeless(now)) return;
    const auto ready = static_cast<std::size_t>(std::ranges::count(ops_, State::ready, &Op::state));
    choose(now, 0, std::min(machines_ - running, ready), ready, running);
  }

  /// Begins `count` of the `ready` operations that have a rank of at least `from`.
  void choose(std::uint64_t now, std::size_t from, std::size_t count, std::size_t ready, std::size_t running) {
    if (count == 0) {
      end(now, running);
      return;
    }
    for (std::size_t rank = from; ready >= count && !stopped_; ++rank) {
      Op& op = ops_[rank];
      if (op.state != State::ready) continue;
      op.state = State::running;
      op.start = now;
      work_left_ -= op.cost;
      choose(now, rank + 1, count - 1, --ready, running + 1);
      op.state = State::ready;
      work_left_ += op.cost;
    }
  }

  /// Goes to the next time at which an operation ends, and from there on.
  void end(std::uint64_t now, std::size_t running) {
    if (running == 0) {
      best_ = now;
      best_starts_.clear();
      for (const Op& op : ops_) best_starts_.push_back(op.start);
      return;
    }
    std::uint64_t next = UINT64_MAX;
    for (const Op& op : ops_)
      if (op.state == State::running) next = std::min(next, op.start + op.cost);
    std::vector<std::size_t> ended;
    for (std::size_t rank = 0; rank < ops_.size(); ++rank)
      if (ops_[rank].state == State::running && ops_[rank].start + ops_[rank].cost == next) ended.push_back(rank);
    for (const std::size_t rank : ended) {
      ops_[rank].state = State::done;
      Op& parent = ops_[ops_[rank].parent];
      if (&parent != &ops_[rank] && --parent.missing == 0) parent.state = State::ready;
    }
    begin(next, running - ended.size());
    for (const std::size_t rank : ended) {
      ops_[rank].state = State::running;
      Op& parent = ops_[ops_[rank].parent];
      if (&parent == &ops_[rank]) continue;
      ++parent.missing;
      parent.state = State::waiting;
    }
  }

  std::size_t machines_;
  std::uint64_t best_;  // no schedule counts that does not end before
  const std::function<bool()>& is_over_;
  std::vector<std::size_t> op_of_;  // by rank
  std::vector<Op> ops_;             // by rank
  std::uint64_t work_left_ = 0;
  std::vector<std::uint64_t> best_starts_;
  std::size_t nodes_ = 0;
  bool stopped_ = false;
};

}  // namespace

std::uint64_t makespan_bound(const LinkTree& tree, std::size_t machines) {
  struct Part {
    std::uint64_t work = 0, bound = 0;
  };
  std::vector<Part> parts;
  for (const LinkOp& op : tree) {
    Part whole;
    for (std::size_t n = needs_of(op.step); n > 0; --n) {
      add_to(whole.work, parts.back().work);
      whole.bound = std::max(whole.bound, parts.back().bound);
      parts.pop_back();
    }
    whole.bound = checked_add(std::max(whole.bound, ceil_div(whole.work, machines)), op.cost);
    add_to(whole.work, op.cost);
    parts.push_back(whole);
  }
  return parts.empty() ? 0 : parts.back().bound;
}

FoundSchedule best_schedule(const LinkTree& tree, std::size_t machines, std::uint64_t below,
                            const std::function<bool()>& is_over) {
  return ScheduleSearch(tree, machines, below, is_over).run();
}

}  // namespace upsweep

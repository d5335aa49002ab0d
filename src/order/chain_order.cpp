#include "upsweep/order/chain_order.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

/// Of all trees of an interval, or of one that is partly known: the least work, and the least makespan_bound().
struct Least {
  std::uint64_t work = 0;
  std::uint64_t bound = 0;
};

class OrderSearch {
 public:
  OrderSearch(const LinkChain& chain, std::size_t machines, const std::function<bool()>& is_over)
      : chain_(chain), machines_(machines), is_over_(is_over), least_(chain.length() * chain.length()) {
    for (std::size_t length = 1; length <= chain.length(); ++length) {
      for (std::size_t first = 1; first + length - 1 <= chain.length(); ++first) {
        Least& least = least_of(first, first + length - 1);
        least = {UINT64_MAX, UINT64_MAX};
        for (const LinkOp& op : ways_to(first, first + length - 1)) {
          const Least whole = behind(op, parts_of(op));
          least = {std::min(least.work, whole.work), std::min(least.bound, whole.bound)};
        }
      }
    }
  }

  [[nodiscard]] ChainOrder run() {
    best_.schedule.makespan = UINT64_MAX;
    add_interval(1, chain_.length());
    grow();
    best_.bound = std::min(bound_left_, best_.schedule.makespan);
    return std::move(best_);
  }

 private:
  /// An interval of links in the tree that grows, with how its Jacobian comes about or, where it is open, not yet.
  struct Node {
    LinkOp op;
    bool is_open = true;
    std::size_t needs[2] = {0, 0};
  };

  Least& least_of(std::size_t first, std::size_t last) { return least_[(first - 1) * chain_.length() + last - 1]; }

  [[nodiscard]] std::vector<LinkOp> ways_to(std::size_t first, std::size_t last) const {
    std::vector<LinkOp> ways;
    if (first == last) {
      ways.push_back({LinkStep::accumulate, first, last});
    } else {
      for (std::size_t split = first; split < last; ++split) ways.push_back({LinkStep::multiply, first, last, split});
      ways.push_back({LinkStep::tangent, first, last});
      ways.push_back({LinkStep::adjoint, first, last});
    }
    for (LinkOp& op : ways) op.cost = cost_of(chain_, op);
    return ways;
  }

  [[nodiscard]] static std::vector<std::pair<std::size_t, std::size_t>> intervals_of(const LinkOp& op) {
    switch (op.step) {
      case LinkStep::multiply:
        return {{op.first, op.split}, {op.split + 1, op.last}};
      case LinkStep::tangent:
        return {{op.first, op.last - 1}};
      case LinkStep::adjoint:
        return {{op.first + 1, op.last}};
      case LinkStep::accumulate:
        break;
    }
    return {};
  }

  /// What an operation needs: the work of all of it, and the largest bound.
  [[nodiscard]] Least parts_of(const LinkOp& op) {
    Least parts;
    for (const auto& [first, last] : intervals_of(op)) {
      add_to(parts.work, least_of(first, last).work);
      parts.bound = std::max(parts.bound, least_of(first, last).bound);
    }
    return parts;
  }

  [[nodiscard]] Least behind(const LinkOp& op, const Least& parts) const {
    return {checked_add(parts.work, op.cost),
            checked_add(std::max(parts.bound, ceil_div(parts.work, machines_)), op.cost)};
  }

  std::size_t add_interval(std::size_t first, std::size_t last) {
    nodes_.push_back({{LinkStep::accumulate, first, last}, first != last});
    if (first == last) nodes_.back().op = ways_to(first, last).front();
    return nodes_.size() - 1;
  }

  void close(std::size_t at, const LinkOp& op) {
    std::size_t n = 0;
    for (const auto& [first, last] : intervals_of(op)) {
      const std::size_t part = add_interval(first, last);
      nodes_[at].needs[n++] = part;
    }
    nodes_[at].op = op;
    nodes_[at].is_open = false;
  }

  void open(std::size_t at, std::size_t nodes) {
    nodes_.resize(nodes);
    nodes_[at].is_open = true;
  }

  [[nodiscard]] Least least_from(std::size_t at) {
    const Node& node = nodes_[at];
    if (node.is_open) return least_of(node.op.first, node.op.last);
    Least parts;
    for (std::size_t n = 0; n < needs_of(node.op.step); ++n) {
      const Least part = least_from(node.needs[n]);
      add_to(parts.work, part.work);
      parts.bound = std::max(parts.bound, part.bound);
    }
    return behind(node.op, parts);
  }

  void collect(std::size_t at, LinkTree& tree) const {
    for (std::size_t n = 0; n < needs_of(nodes_[at].op.step); ++n) collect(nodes_[at].needs[n], tree);
    tree.push_back(nodes_[at].op);
  }

  /// Tries all that the longest open interval may come from, the most promising first.
  void grow() {
    const auto longest = std::ranges::max_element(
        nodes_, {}, [](const Node& node) { return node.is_open ? node.op.last - node.op.first : 0; });
    if (!longest->is_open) {
      try_schedule();
      return;
    }
    const auto at = static_cast<std::size_t>(longest - nodes_.begin());
    const std::size_t nodes = nodes_.size();
    std::vector<std::pair<Least, LinkOp>> ways;
    for (const LinkOp& op : ways_to(longest->op.first, longest->op.last)) {
      close(at, op);
      ways.emplace_back(least_from(0), op);
      open(at, nodes);
    }
    std::ranges::stable_sort(ways, {}, [](const auto& way) { return std::pair(way.first.bound, way.first.work); });
    for (const auto& [least, op] : ways) {
      if (least.bound >= best_.schedule.makespan) return;
      if (is_stopped()) {
        bound_left_ = std::min(bound_left_, least.bound);
        return;
      }
      close(at, op);
      grow();
      open(at, nodes);
    }
  }

  void try_schedule() {
    LinkTree tree;
    collect(0, tree);
    FoundSchedule found = best_schedule(tree, machines_, best_.schedule.makespan, is_over_);
    if (!found.is_complete) bound_left_ = std::min(bound_left_, makespan_bound(tree, machines_));
    if (found.best) best_ = {std::move(tree), std::move(*found.best)};
  }

  /// Not before there is an order at all.
  [[nodiscard]] bool is_stopped() {
    constexpr std::size_t kNodesBetween = 64;
    if (best_.tree.empty()) return false;
    if (++asked_ % kNodesBetween == 0 && is_over_()) stopped_ = true;
    return stopped_;
  }

  const LinkChain& chain_;
  std::size_t machines_;
  const std::function<bool()>& is_over_;
  std::vector<Least> least_;
  std::vector<Node> nodes_;  // the whole chain first
  ChainOrder best_;
  std::uint64_t bound_left_ = UINT64_MAX;  // the least of what was not tried
  std::size_t asked_ = 0;
  bool stopped_ = false;
};

}  // namespace

ChainOrder shortest_order(const LinkChain& chain, std::size_t machines, const std::function<bool()>& is_over) {
  return OrderSearch(chain, machines, is_over).run();
}

}  // namespace upsweep

#include "upsweep/order/chain_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace upsweep {
namespace {

bool never() { return false; }

/// The description again, by exhaustion: any operation that could run may begin at any time at which one ends, machines
/// may wait, and how a link's Jacobian is used is decided as late as possible.
class Exhaustion {
 public:
  Exhaustion(const LinkChain& chain, std::size_t machines) : chain_(chain), machines_(machines) {}

  std::uint64_t shortest() {
    std::vector<Part> parts;
    for (std::size_t link = 1; link <= chain_.length(); ++link) parts.push_back({link, link, false, 0});
    go_on(parts, 0);
    return best_;
  }

 private:
  /// An interval that is a link's program, a Jacobian, or a Jacobian that is there from `end` on.
  struct Part {
    std::size_t first, last;
    bool is_jacobian;
    std::uint64_t end;
  };

  void go_on(const std::vector<Part>& parts, std::uint64_t now) {
    std::uint64_t last = now;
    for (const Part& part : parts) last = std::max(last, part.end);
    if (last >= best_) return;
    if (parts.size() == 1 && parts.front().is_jacobian) {
      best_ = last;
      return;
    }
    const auto running = std::ranges::count_if(parts, [&](const Part& part) { return part.end > now; });
    if (static_cast<std::size_t>(running) < machines_) begin(parts, now);
    std::uint64_t next = UINT64_MAX;
    for (const Part& part : parts)
      if (part.end > now) next = std::min(next, part.end);
    if (next != UINT64_MAX) go_on(parts, next);
  }

  void begin(const std::vector<Part>& parts, std::uint64_t now) {
    const auto is_link = [&](std::size_t p) { return !parts[p].is_jacobian; };
    const auto is_there = [&](std::size_t p) { return parts[p].is_jacobian && parts[p].end <= now; };
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const std::uint64_t inputs = chain_.sizes[parts[p].first - 1];
      const std::uint64_t outputs = chain_.sizes[parts[p].last];
      if (is_link(p)) replace(parts, p, 1, now, std::min(inputs, outputs) * chain_.edges[parts[p].first - 1]);
      if (p + 1 == parts.size()) continue;
      const std::uint64_t all_outputs = chain_.sizes[parts[p + 1].last];
      if (is_there(p) && is_there(p + 1)) replace(parts, p, 2, now, inputs * outputs * all_outputs);
      if (is_there(p) && is_link(p + 1)) replace(parts, p, 2, now, inputs * chain_.edges[parts[p + 1].last - 1]);
      if (is_link(p) && is_there(p + 1)) replace(parts, p, 2, now, all_outputs * chain_.edges[parts[p].first - 1]);
    }
  }

  void replace(std::vector<Part> parts, std::size_t p, std::size_t count, std::uint64_t now, std::uint64_t cost) {
    parts[p] = {parts[p].first, parts[p + count - 1].last, true, now + cost};
    if (count == 2) parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(p) + 1);
    go_on(parts, now);
  }

  const LinkChain& chain_;
  std::size_t machines_;
  std::uint64_t best_ = UINT64_MAX;
};

/// Fails unless the order is one of the chain on so many machines, with the makespan that it states.
void check(const LinkChain& chain, std::size_t machines, const ChainOrder& order) {
  const LinkTree& tree = order.tree;
  const LinkSchedule& schedule = order.schedule;
  ASSERT_EQ(schedule.starts.size(), tree.size());
  ASSERT_EQ(schedule.machines.size(), tree.size());
  std::vector<std::size_t> waiting;
  std::map<std::size_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> busy;
  const auto end_of = [&](std::size_t op) { return schedule.starts[op] + tree[op].cost; };
  for (std::size_t o = 0; o < tree.size(); ++o) {
    const LinkOp& op = tree[o];
    EXPECT_EQ(op.cost, cost_of(chain, op));
    ASSERT_GE(waiting.size(), needs_of(op.step));
    std::vector<std::size_t> needs(waiting.end() - static_cast<std::ptrdiff_t>(needs_of(op.step)), waiting.end());
    waiting.resize(waiting.size() - needs.size());
    for (const std::size_t need : needs) EXPECT_LE(end_of(need), schedule.starts[o]);
    using Links = std::pair<std::size_t, std::size_t>;
    std::vector<Links> needed;
    for (const std::size_t need : needs) needed.emplace_back(tree[need].first, tree[need].last);
    switch (op.step) {
      case LinkStep::accumulate:
        EXPECT_EQ(op.first, op.last);
        break;
      case LinkStep::multiply:
        EXPECT_EQ(needed, (std::vector<Links>{{op.first, op.split}, {op.split + 1, op.last}}));
        break;
      case LinkStep::tangent:
        EXPECT_EQ(needed, (std::vector<Links>{{op.first, op.last - 1}}));
        break;
      case LinkStep::adjoint:
        EXPECT_EQ(needed, (std::vector<Links>{{op.first + 1, op.last}}));
        break;
    }
    waiting.push_back(o);
    ASSERT_LT(schedule.machines[o], machines);
    busy[schedule.machines[o]].emplace_back(schedule.starts[o], end_of(o));
  }
  ASSERT_EQ(waiting.size(), 1U);
  EXPECT_EQ(std::pair(tree.back().first, tree.back().last), std::pair(std::size_t{1}, chain.length()));
  EXPECT_EQ(end_of(tree.size() - 1), schedule.makespan);
  for (auto& [machine, times] : busy) {
    std::ranges::sort(times);
    for (std::size_t t = 1; t < times.size(); ++t) EXPECT_LE(times[t - 1].second, times[t].first) << machine;
  }
}

LinkChain random_chain(std::mt19937_64& random, std::size_t length, std::uint64_t most_size, std::uint64_t most_edges) {
  LinkChain chain;
  for (std::size_t i = 0; i <= length; ++i) chain.sizes.push_back(1 + random() % most_size);
  for (std::size_t i = 0; i < length; ++i) chain.edges.push_back(1 + random() % most_edges);
  return chain;
}

TEST(ChainOrder, IsTheShortestThatExhaustionFinds) {
  constexpr std::uint64_t kSeed = 20261127;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  for (int n = 0; n < 60; ++n) {
    const std::size_t length = 1 + random() % 4;
    // Small numbers, so that many operations end at the same time.
    const LinkChain chain = n % 2 == 0 ? random_chain(random, length, 4, 9) : random_chain(random, length, 50, 9000);
    for (std::size_t machines = 1; machines <= length; ++machines) {
      const ChainOrder order = shortest_order(chain, machines, never);
      check(chain, machines, order);
      EXPECT_TRUE(order.is_proven());
      EXPECT_EQ(order.schedule.makespan, Exhaustion(chain, machines).shortest()) << length << " on " << machines;
    }
  }
}

// Rows 4,0 and 4,1 of the published tables, each makespan proven there. Source: S. Maertens, U. Naumann, "Scheduled
// Jacobian Chaining", arXiv 2505.06056, data of doi 10.5281/zenodo.15373160.
TEST(ChainOrder, HasThePublishedMakespans) {
  const LinkChain first = {{12, 20, 8, 45, 12}, {3444, 7564, 9724, 3694}};
  const LinkChain second = {{32, 37, 31, 47, 33}, {8758, 2789, 4068, 6845}};
  const std::vector<std::pair<const LinkChain*, std::vector<std::uint64_t>>> published = {
      {&first, {196560, 108496, 88536, 83264}}, {&second, {707173, 390693, 333434, 322344}}};
  for (const auto& [chain, makespans] : published) {
    for (std::size_t m = 0; m < makespans.size(); ++m)
      EXPECT_EQ(shortest_order(*chain, m + 1, never).schedule.makespan, makespans[m]) << m + 1;
  }
  EXPECT_EQ(shortest_order(first, 9, never).schedule.makespan, 83264U) << "machines without work";
  EXPECT_EQ(tree_text(shortest_order(first, 2, never).tree), "((1<2) (3>4))");
}

TEST(ChainOrder, OfASearchThatEndsHasABound) {
  constexpr std::uint64_t kSeed = 3;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  const LinkChain chain = random_chain(random, 40, 50, 9000);
  const ChainOrder order = shortest_order(chain, 3, [] { return true; });
  check(chain, 3, order);
  EXPECT_FALSE(order.is_proven());
  EXPECT_LE(order.bound, order.schedule.makespan);
  EXPECT_GT(order.bound, 0U);
  const ChainOrder longer = shortest_order(chain, 3, [asked = 0]() mutable { return ++asked > 200; });
  check(chain, 3, longer);
  EXPECT_LE(longer.schedule.makespan, order.schedule.makespan);
  EXPECT_GE(longer.schedule.makespan, order.bound);
  EXPECT_GE(order.schedule.makespan, longer.bound);
}

TEST(ChainOrder, OfALongChainIsThereWhenTheSearchEndsAtOnce) {
  std::mt19937_64 random(5);
  LinkChain chain = random_chain(random, 200, 1, 1000000);
  chain.sizes.assign(201, 10);
  check(chain, 16, shortest_order(chain, 16, [] { return true; }));
}

TEST(ChainOrder, OfOneLinkIsItsCheaperDirection) {
  const ChainOrder order = shortest_order({{7, 3}, {100}}, 2, never);
  EXPECT_EQ(order.schedule.makespan, 300U);
  EXPECT_EQ(tree_text(order.tree), "1");
}

TEST(LinkSchedule, WaitsForNothingAndIsBoundedBelow) {
  // On two machines, the short one of two that are left must go before the longer one.
  const LinkTree tree = {{LinkStep::accumulate, 1, 1, 0, 6},
                         {LinkStep::accumulate, 2, 2, 0, 2},
                         {LinkStep::multiply, 1, 2, 1, 1},
                         {LinkStep::accumulate, 3, 3, 0, 5},
                         {LinkStep::multiply, 1, 3, 2, 1}};
  const FoundSchedule found = best_schedule(tree, 2, UINT64_MAX, never);
  ASSERT_TRUE(found.best.has_value());
  EXPECT_TRUE(found.is_complete);
  EXPECT_EQ(found.best->makespan, 8U) << "9 with the longest way first";
  EXPECT_LE(makespan_bound(tree, 2), 8U);
  EXPECT_EQ(makespan_bound(tree, 1), 15U);
  EXPECT_FALSE(best_schedule(tree, 2, 8, never).best.has_value()) << "none ends before";
}

}  // namespace
}  // namespace upsweep

#include "row_depths.hpp"

#include <algorithm>
#include <map>

namespace upsweep {
namespace {

constexpr std::size_t kLookBits = 6;
constexpr std::size_t kRowLooks = std::size_t{1} << kLookBits;
constexpr Index kManyWalks = 16 * kRowLooks;

/// Numbers below kRowLooks so that the first few are spread evenly, too.
std::size_t spread(std::size_t i) {
  std::size_t place = 0;
  for (std::size_t b = 0; b < kLookBits; ++b) place |= (i >> b & 1) << (kLookBits - 1 - b);
  return place;
}

/// What rows that were looked at took, by stage.
struct Looks {
  std::vector<double> steps;
  std::size_t rows = 0;

  /// Of all `of` rows down to a stage.
  [[nodiscard]] double expected(std::size_t stage, Index of) const {
    double sum = 0;
    for (std::size_t s = 0; s <= stage; ++s) sum += steps[s];
    return sum / static_cast<double>(rows) * of;
  }
};

std::uint64_t left_of(const ProductPlan::Spent& spent, std::uint64_t most) {
  return most - std::min(most, spent.pairs);
}

}  // namespace

std::vector<RowDepth> row_depths(const RowStages& stages, const ProductPlan& plan,
                                 const std::vector<ProductPlan::Spent>& spent) {
  std::map<std::size_t, RowDepth> depths;
  const auto need = [&](const std::vector<std::size_t>& users, std::uint32_t first, ValueRange range) {
    for (const std::size_t user : users) {
      if (spent[user].refusal) continue;
      const auto [known, is_new] = depths.emplace(user, RowDepth{user, first, range});
      if (!is_new && first < known->second.first) known->second = {user, first, range};
    }
  };
  for (const RowStage& stage : stages.stages) {
    for (const RangeJob& job : stage.ranges) {
      for (const std::size_t s : plan.splits_of()[job.number]) need(plan.splits()[s].users, stage.position, job.range);
    }
    for (const SplitJob& job : stage.splits) {
      const ProductPlan::Split& split = plan.splits()[job.number];
      need(split.users, stage.position, split.range);
    }
  }
  std::vector<RowDepth> list;
  for (const auto& entry : depths) list.push_back(entry.second);
  return list;
}

void refuse_too_deep(const WalkedChain& chain, const RowGroup& group, const RowStages& stages, const ProductPlan& plan,
                     std::uint64_t most_steps, WorkMeter& meter, std::vector<ProductPlan::Spent>& spent) {
  constexpr double kSurely = 8;
  const Index numbers = chain[group.base - 1].numbers();
  if (most_steps == WorkMeter::kNoLimit || numbers < kManyWalks) return;
  RowWalk walk(chain);
  Looks looks{std::vector<double>(stages.stages.size()), 0};
  for (std::size_t i = 0; i < kRowLooks; ++i) {
    const std::vector<RowDepth> depths = row_depths(stages, plan, spent);
    if (depths.empty()) return;
    std::uint32_t last = group.base;
    std::uint64_t left = 0;
    for (const RowDepth& depth : depths) {
      last = std::min(last, depth.first);
      left = std::max(left, left_of(spent[depth.user], most_steps));
    }
    ++looks.rows;
    const Index row = group.row_of(static_cast<Index>((2 * std::uint64_t{spread(i)} + 1) * numbers / (2 * kRowLooks)));
    std::uint64_t before = 0;
    if (row != RowReader::kNone) walk.start(group.base - 1, row);
    for (std::size_t s = 0; row != RowReader::kNone; ++s) {
      looks.steps[s] += static_cast<double>(walk.steps() - before);
      before = walk.steps();
      // Enough where this row alone makes the rest too much.
      const bool is_much = static_cast<double>(before) * numbers > 2 * kSurely * kRowLooks * static_cast<double>(left);
      if (group.base - s == last || walk.count() == 0 || is_much) break;
      walk.step();
    }
    meter.add(before);
    if ((looks.rows & (looks.rows - 1)) != 0) continue;
    const double factor = looks.rows == kRowLooks ? 1 : kSurely;
    for (const RowDepth& depth : depths) {
      const double expected = looks.expected(group.base - depth.first, numbers);
      if (expected <= factor * static_cast<double>(left_of(spent[depth.user], most_steps))) continue;
      constexpr double kMost = 0x1p62;
      spent[depth.user].refusal =
          RefusedProduct(depth.range, false, static_cast<std::uint64_t>(std::min(kMost, expected)));
    }
  }
}

}  // namespace upsweep

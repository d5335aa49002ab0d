#include "row_sample.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "upsweep/base/parallel.hpp"
#include "upsweep/network/random.hpp"
#include "upsweep/sparse/product_steps.hpp"

namespace upsweep {

void SampledItem::add(const SampledItem& other, double weight) {
  main += weight * other.main;
  rows += weight * other.rows;
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] += weight * other.steps[i];
}

void SampledItem::add(double mine, double my_rows, const ProductSteps& my_steps, double weight) {
  main += weight * mine;
  rows += weight * my_rows;
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] += weight * static_cast<double>(my_steps.*kStepCounts[i]);
}

ProductSteps SampledItem::rounded_steps() const {
  ProductSteps whole;
  for (std::size_t i = 0; i < steps.size(); ++i)
    whole.*kStepCounts[i] = static_cast<std::uint64_t>(std::llround(std::max(0., steps[i])));
  return whole;
}

/// A thread's walks: of rows that are drawn, and of columns of these.
struct RowSample::Walker {
  explicit Walker(const WalkedChain& chain) : row(chain), side(chain) {}

  RowWalk row;
  RowWalk side;
};

/// One sample in the making.
struct RowSample::Drawn {
  Drawn(std::size_t count, UniformStream numbers) : items(count), longest(count), random(numbers) {}

  [[nodiscard]] std::uint64_t below(std::uint64_t bound) {
    const auto drawn = static_cast<std::uint64_t>(random(next++) * static_cast<double>(bound));
    return std::min(drawn, bound - 1);
  }

  std::vector<SampledItem> items;
  std::vector<std::uint64_t> longest;
  UniformStream random;
  std::uint64_t next = 0;
  std::uint64_t steps = 0;
};

RowSample::RowSample(const WalkedChain& chain, const RowGroup& group, RowStages stages)
    : chain_(&chain),
      group_(&group),
      stages_(std::move(stages)),
      sums_(kSampleGroups, std::vector<SampledItem>(stages_.ranges + stages_.splits)),
      longest_(stages_.ranges + stages_.splits) {
  for (const RowStage& stage : stages_.stages) {
    std::vector<std::size_t>& unknown = unknown_.emplace_back();
    for (std::size_t e = 0; e < stage.earlier.size(); ++e) {
      if (!stage.earlier[e].is_identity && stage.earlier[e].lengths == nullptr) unknown.push_back(e);
    }
    std::ranges::sort(unknown, std::greater<>(), [&](std::size_t e) { return stage.earlier[e].range.first; });
  }
  sort_rows();
}

/// By how often products have them, then by the lengths of the base's rows: neighbours are alike.
void RowSample::sort_rows() {
  constexpr std::uint64_t kMostUses = 15;
  std::vector<const RowEnd*> ends;
  for (const RowStage& stage : stages_.stages) {
    for (const RangeJob& job : stage.ranges) ends.push_back(job.end);
    for (const SplitJob& job : stage.splits) ends.push_back(job.end);
  }
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  const RowReader& base = (*chain_)[group_->base - 1];
  std::vector<std::pair<std::uint64_t, Index>> rows;
  for (Index number = 0; number < base.numbers(); ++number) {
    const Index row = group_->row_of(number);
    if (row == RowReader::kNone || base.length(row) == 0) continue;
    std::uint64_t uses = 0;
    for (const RowEnd* end : ends) uses = uses << 4 | std::min<std::uint64_t>(kMostUses, end->uses_of(number));
    if (uses != 0) rows.emplace_back(uses << 32 | base.length(row), number);
  }
  std::ranges::sort(rows);
  for (const auto& row : rows) order_.push_back(row.second);
}

double RowSample::steps_per_walk() const {
  const auto walks = static_cast<double>(std::max<std::size_t>(1, strata_ * kSampleGroups));
  return std::max(1., static_cast<double>(steps_) / walks);
}

/// Matched pairs of the row with the earlier operands of a stage. Those of operands whose lengths are not known come
/// from one column that is drawn.
std::vector<MatchedPairs> RowSample::pairs(std::size_t s, Walker& walker, Drawn& drawn) const {
  const RowStage& stage = stages_.stages[s];
  RowWalk& row = walker.row;
  RowWalk& side = walker.side;
  std::vector<MatchedPairs> pairs;
  for (const EarlierJob& earlier : stage.earlier)
    pairs.push_back(earlier.is_identity || earlier.lengths != nullptr ? earlier.pairs_of(row) : MatchedPairs{});
  if (unknown_[s].empty()) return pairs;
  side.start(stage.position - 2, row.column(drawn.below(row.count())));
  for (const std::size_t e : unknown_[s]) {
    while (side.element() + 1 > stage.earlier[e].range.first && side.count() > 0) side.step();
    const std::uint64_t all = row.count() * side.count();
    pairs[e] = {all, side.is_run() ? all : 0};
  }
  drawn.steps += side.steps();
  return pairs;
}

void RowSample::walk(Index number, double weight, Walker& walker, Drawn& drawn) const {
  RowWalk& row = walker.row;
  row.start(group_->base - 1, group_->row_of(number));
  for (std::size_t s = 0;; ++s) {
    const RowStage& stage = stages_.stages[s];
    const std::uint64_t entries = row.count();
    if (entries == 0) break;
    for (std::size_t i = 0; i < stage.ranges.size(); ++i) {
      const std::uint32_t uses = stage.ranges[i].end->uses_of(number);
      if (uses == 0) continue;
      const std::size_t item = stage.first_range + i;
      ProductSteps steps;
      TeamSteps(uses).add_vector(entries, steps);
      drawn.items[item].add(static_cast<double>(entries) * uses, uses, steps, weight);
      drawn.longest[item] = std::max(drawn.longest[item], entries);
    }
    if (!stage.splits.empty()) {
      const std::vector<MatchedPairs> of_earlier = pairs(s, walker, drawn);
      for (std::size_t i = 0; i < stage.splits.size(); ++i) {
        const SplitJob& job = stage.splits[i];
        const std::uint32_t uses = job.end->uses_of(number);
        if (uses == 0) continue;
        const std::size_t item = stages_.ranges + stage.first_split + i;
        ProductSteps steps;
        TeamSteps(uses).add_product(entries, of_earlier[job.earlier], stage.earlier[job.earlier].walks, steps);
        drawn.items[item].add(static_cast<double>(of_earlier[job.earlier].all) * uses, uses, steps, weight);
        drawn.longest[item] = std::max(drawn.longest[item], entries);
      }
    }
    if (s + 1 == stages_.stages.size()) break;
    row.step();
  }
  drawn.steps += row.steps();
}

void RowSample::draw(std::size_t strata, std::uint64_t seed, const std::string& stream, WorkMeter& meter) {
  if (order_.empty()) {
    strata_ = 1;  // nothing is all there is
    return;
  }
  std::vector<std::optional<Drawn>> samples(kSampleGroups);
  std::vector<std::unique_ptr<Walker>> walkers(parallel_slots());
  parallel_chunks(kSampleGroups, 1, [&](std::size_t begin, std::size_t end, std::size_t slot) {
    if (!walkers[slot]) walkers[slot] = std::make_unique<Walker>(*chain_);
    for (std::size_t g = begin; g < end; ++g) {
      samples[g].emplace(longest_.size(), UniformStream(seed, stream + " " + std::to_string(g)));
      StepTally tally(&meter);
      for (std::size_t i = 0; i < strata; ++i) {
        const std::size_t first = i * order_.size() / strata;
        const std::size_t size = (i + 1) * order_.size() / strata - first;
        const std::uint64_t before = samples[g]->steps;
        walk(order_[first + samples[g]->below(size)], static_cast<double>(size), *walkers[slot], *samples[g]);
        tally.add(samples[g]->steps - before);
      }
      tally.flush();
    }
  });
  for (std::size_t g = 0; g < kSampleGroups; ++g) {
    for (std::size_t i = 0; i < longest_.size(); ++i) {
      sums_[g][i].add(samples[g]->items[i], static_cast<double>(strata));
      longest_[i] = std::max(longest_[i], samples[g]->longest[i]);
    }
    steps_ += samples[g]->steps;
  }
  strata_ += strata;
}

SampledItem RowSample::value(std::size_t item, std::size_t sample) const {
  SampledItem value;
  if (strata_ > 0) value.add(sums_[sample][item], 1 / static_cast<double>(strata_));
  return value;
}

SampledItem RowSample::mean(std::size_t item) const {
  SampledItem mean;
  for (std::size_t g = 0; g < kSampleGroups; ++g) mean.add(value(item, g), 1 / static_cast<double>(kSampleGroups));
  return mean;
}

SampledItem RowSample::without(std::size_t item, std::size_t sample) const {
  SampledItem mean;
  for (std::size_t g = 0; g < kSampleGroups; ++g) {
    if (g != sample) mean.add(value(item, g), 1 / static_cast<double>(kSampleGroups - 1));
  }
  return mean;
}

}  // namespace upsweep

#include "row_products.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>

#include "row_depths.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/sparse/product_steps.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kWalksPerChunk = 16;
constexpr std::uint64_t kNotSummed = ~std::uint64_t{0};

struct RangeTally {
  std::uint64_t nnz = 0;
  std::uint64_t longest = 0;
  ProductSteps vector_steps;

  void add(std::uint64_t entries, std::uint64_t uses) {
    if (entries == 0) return;
    upsweep::add_to(nnz, entries * uses);
    longest = std::max(longest, entries);
    TeamSteps(uses).add_vector(entries, vector_steps);
  }
  void add(const RangeTally& other) {
    upsweep::add_to(nnz, other.nnz);
    longest = std::max(longest, other.longest);
    upsweep::add_to(vector_steps, other.vector_steps);
  }
};

struct SplitTally {
  std::uint64_t products = 0;
  std::uint64_t rows = 0;     // of the later operand, with entries
  std::uint64_t entries = 0;  // of the later operand
  std::uint64_t longest = 0;
  ProductSteps steps;

  void add(std::uint64_t mine, const MatchedPairs& pairs, std::uint64_t uses, bool walks) {
    if (mine == 0) return;
    upsweep::add_to(products, checked_mul(pairs.all, uses));
    rows += uses;
    upsweep::add_to(entries, mine * uses);
    longest = std::max(longest, mine);
    TeamSteps(uses).add_product(mine, pairs, walks, steps);
  }
  void add(const SplitTally& other) {
    upsweep::add_to(products, other.products);
    rows += other.rows;
    upsweep::add_to(entries, other.entries);
    longest = std::max(longest, other.longest);
    upsweep::add_to(steps, other.steps);
  }
  /// The counts of the product with an earlier operand.
  [[nodiscard]] ProductCounts counts(bool earlier_is_identity) const {
    if (earlier_is_identity) return {entries, longest, {.teams = rows, .scaled_columns = entries}};
    if (longest <= 1) return {products, longest, {.teams = rows, .scaled_rows = products}};
    return {products, longest, steps};
  }
};

/// Who asks for a range, of the schedules that go on.
bool is_asked_for(const ProductPlan& plan, std::size_t split, const std::vector<ProductPlan::Spent>& spent) {
  return std::ranges::any_of(plan.splits()[split].users, [&](std::size_t user) { return !spent[user].refusal; });
}

bool is_range_asked_for(const ProductPlan& plan, std::size_t range, const std::vector<ProductPlan::Spent>& spent) {
  return std::ranges::any_of(plan.splits_of()[range], [&](std::size_t s) { return is_asked_for(plan, s, spent); });
}

}  // namespace

/// What all walks of a group came to.
struct RowProducts::Walked {
  std::vector<RangeTally> ranges;                   // by job
  std::vector<SplitTally> splits;                   // by job
  std::vector<std::uint64_t> steps;                 // by stage
  std::vector<std::vector<std::uint32_t>> lengths;  // by stage, by number of a row; empty: not asked for
  std::vector<std::vector<std::uint8_t>> runs;      // likewise: whether the row is a run
  std::vector<HeldMemory> held;

  explicit Walked(const RowStages& stages)
      : ranges(stages.ranges), splits(stages.splits), steps(stages.stages.size()) {}

  void add(const Walked& other) {
    for (std::size_t i = 0; i < ranges.size(); ++i) ranges[i].add(other.ranges[i]);
    for (std::size_t i = 0; i < splits.size(); ++i) splits[i].add(other.splits[i]);
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] += other.steps[i];
  }
};

RowProducts::RowProducts(const JacobianChain& chain, const ProductPlan& plan, bool keeps_lengths)
    : plan_(plan), chain_(chain.jacobians), groups_(row_groups(chain_, plan)), lengths_(chain_, plan, keeps_lengths) {}

std::uint64_t RowProducts::longest_row(ValueRange range, const ProductPlan::Counts& counts) const {
  if (range.first == range.last) return chain_[range.first - 1].pattern().max_row_nnz();
  return counts.max_row_nnz[plan_.range_number(range)];
}

RowStages RowProducts::wanted(const RowGroup& group, const std::vector<ProductPlan::Spent>& spent,
                              const ProductPlan::Counts& counts) const {
  return row_stages(
      group, lengths_, [&](std::size_t range) { return is_range_asked_for(plan_, range, spent); },
      [&](std::size_t number) {
        // Two elements of the array are there whatever was refused: their count makes the schedule's bound larger.
        const ProductPlan::Split& split = plan_.splits()[number];
        return split.range.last == split.range.first + 1 || is_asked_for(plan_, number, spent);
      },
      [&](ValueRange range) { return longest_row(range, counts); });
}

/// Walks rows of a group for all workers at a time.
class RowProducts::Walker {
 public:
  Walker(const RowProducts& owner, const RowGroup& group, const RowStages& stages)
      : group_(group), stages_(stages), all_(stages) {
    const Index numbers = owner.chain_[group.base - 1].numbers();
    all_.lengths.resize(stages.stages.size());
    all_.runs.resize(stages.stages.size());
    for (std::size_t s = 0; s < stages.stages.size(); ++s) {
      const RowStage& stage = stages.stages[s];
      saturated_sums_.emplace_back(stage.earlier.size());
      for (SaturatedSum& sum : saturated_sums_.back()) sum.all = kNotSummed;
      if (std::ranges::none_of(stage.ranges, [&](const RangeJob& job) { return owner.lengths_.is_asked(job.range); }))
        continue;
      all_.held.emplace_back().add(numbers * (sizeof(std::uint32_t) + 1));
      all_.lengths[s].assign(numbers, 0);
      all_.runs[s].assign(numbers, 0);
    }
    for (std::size_t w = 0; w < parallel_slots(); ++w)
      workers_.push_back(std::make_unique<Worker>(Worker{RowWalk(owner.chain_), Walked(stages)}));
  }

  /// Walks a row of the base, by its number, on the worker of `slot`; the steps that it took.
  std::uint64_t walk_row(Index number, std::size_t slot) {
    Worker& worker = *workers_[slot];
    RowWalk& row = worker.walk;
    row.start(group_.base - 1, group_.row_of(number));
    std::uint64_t before = 0;
    for (std::size_t s = 0;; ++s) {
      worker.sums.steps[s] += row.steps() - before;
      before = row.steps();
      if (row.count() == 0) return before;
      if (!all_.lengths[s].empty()) {
        all_.lengths[s][number] = static_cast<std::uint32_t>(row.count());
        all_.runs[s][number] = row.is_run() ? 1 : 0;
      }
      add_stage(s, number, worker);
      if (s + 1 == stages_.stages.size()) return before;
      row.step();
    }
  }

  /// What all workers came to; ends the walker.
  Walked take() {
    for (const std::unique_ptr<Worker>& worker : workers_) all_.add(worker->sums);
    return std::move(all_);
  }

 private:
  struct Worker {
    RowWalk walk;
    Walked sums;
    std::vector<MatchedPairs> of_earlier = {};
  };
  struct SaturatedSum {
    std::atomic<std::uint64_t> all = kNotSummed;  // written last
    std::atomic<std::uint64_t> at_runs = 0;
  };

  MatchedPairs sum_of(const RowWalk& row, std::size_t s, std::size_t e) {
    const EarlierJob& earlier = stages_.stages[s].earlier[e];
    if (!row.is_saturated()) return earlier.pairs_of(row);
    SaturatedSum& known = saturated_sums_[s][e];
    if (const std::uint64_t all = known.all; all != kNotSummed) return {all, known.at_runs};
    const MatchedPairs sum = earlier.pairs_of(row);
    known.at_runs = sum.at_runs;
    known.all = sum.all;
    return sum;
  }

  /// What the row, as it stands, adds to the ranges and splits of a stage.
  void add_stage(std::size_t s, Index number, Worker& worker) {
    const RowStage& stage = stages_.stages[s];
    const std::uint64_t entries = worker.walk.count();
    for (std::size_t i = 0; i < stage.ranges.size(); ++i) {
      const std::uint32_t uses = stage.ranges[i].end->uses_of(number);
      if (uses > 0) worker.sums.ranges[stage.first_range + i].add(entries, uses);
    }
    std::vector<MatchedPairs>& sums = worker.of_earlier;
    sums.clear();
    for (std::size_t e = 0; e < stage.earlier.size(); ++e) sums.push_back(sum_of(worker.walk, s, e));
    for (std::size_t i = 0; i < stage.splits.size(); ++i) {
      const SplitJob& job = stage.splits[i];
      const std::uint32_t uses = job.end->uses_of(number);
      if (uses == 0) continue;
      SplitTally& split = worker.sums.splits[stage.first_split + i];
      split.add(entries, sums[job.earlier], uses, stage.earlier[job.earlier].walks);
    }
  }

  const RowGroup& group_;
  const RowStages& stages_;
  Walked all_;
  // Rows that have all columns that there are have one sum.
  std::vector<std::vector<SaturatedSum>> saturated_sums_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

RowProducts::Walked RowProducts::walk(const RowGroup& group, const RowStages& stages, WorkMeter& meter) const {
  Walker walker(*this, group, stages);
  parallel_chunks(chain_[group.base - 1].numbers(), kWalksPerChunk,
                  [&](std::size_t begin, std::size_t end, std::size_t slot) {
                    StepTally tally(&meter);
                    for (std::size_t number = begin; number < end; ++number) {
                      const auto mine = static_cast<Index>(number);
                      const auto is_end = [&](const RowEnd& e) { return e.uses_of(mine) > 0; };
                      if (group.row_of(mine) != RowReader::kNone && std::ranges::any_of(group.ends, is_end))
                        tally.add(walker.walk_row(mine, slot));
                    }
                    tally.flush();
                  });
  return walker.take();
}

void RowProducts::keep_lengths(const RowGroup& group, const RangeJob& job, const std::vector<std::uint32_t>& by_number,
                               const std::vector<std::uint8_t>& is_run) {
  const RowReader& base = chain_[group.base - 1];
  const Index rows = chain_[job.range.last - 1].rows();
  std::vector<std::uint32_t> lengths(bitmap_words(rows) * 64, 0);
  std::vector<std::uint32_t> runs;
  for (Index r = 0; r < rows; ++r) {
    const Index source = job.end->source.empty() ? r : job.end->source[r];
    if (source == RowReader::kNone) continue;
    lengths[r] = by_number[base.number(source)];
    if (is_run[base.number(source)] == 0) continue;
    if (runs.empty()) runs.resize(lengths.size());
    runs[r] = lengths[r];
  }
  lengths_.keep(job.range, std::move(lengths), std::move(runs));
}

/// The sums of a product are those of its result, whichever split it came from.
void RowProducts::share_sums(std::size_t range, ProductPlan::Counts& counts) const {
  for (const std::size_t s : plan_.splits_of()[range]) {
    ProductSteps& steps = counts.products[s].steps;
    steps.single_sums = steps.scaled() == 0 ? counts.vector_steps[range].single_steps : 0;
    steps.team_sums = steps.scaled() == 0 ? counts.vector_steps[range].team_steps : 0;
  }
}

void RowProducts::take_over(const RowGroup& group, const RowStages& stages, Walked walked,
                            const std::vector<ProductPlan::Spent>& spent, ProductPlan::Counts& counts) {
  for (const auto& stage : stages.stages) {
    for (std::size_t i = 0; i < stage.splits.size(); ++i) {
      const std::size_t number = stage.splits[i].number;
      const EarlierJob& earlier = stage.earlier[stage.splits[i].earlier];
      counts.products[number] = walked.splits[stage.first_split + i].counts(earlier.is_identity);
      counts.is_split_known[number] = true;
    }
  }
  for (std::size_t s = 0; s < stages.stages.size(); ++s) {
    const RowStage& stage = stages.stages[s];
    for (std::size_t i = 0; i < stage.ranges.size(); ++i) {
      const RangeJob& job = stage.ranges[i];
      if (!is_range_asked_for(plan_, job.number, spent)) continue;
      const RangeTally& tally = walked.ranges[stage.first_range + i];
      counts.nnz[job.number] = tally.nnz;
      counts.max_row_nnz[job.number] = tally.longest;
      counts.vector_steps[job.number] = tally.vector_steps;
      counts.is_range_known[job.number] = true;
      share_sums(job.number, counts);
      if (lengths_.is_asked(job.range)) keep_lengths(group, job, walked.lengths[s], walked.runs[s]);
    }
    walked.lengths[s] = {};
    walked.runs[s] = {};
  }
}

void RowProducts::count_walks(const RowGroup& group, const CountLimits& limits, std::vector<ProductPlan::Spent>& spent,
                              ProductPlan::Counts& counts) {
  const auto left_of = [&](std::size_t user) { return limits.pairs - std::min(limits.pairs, spent[user].pairs); };
  const auto most_left = [&](const std::vector<RowDepth>& depths) {
    std::uint64_t left = 0;
    for (const RowDepth& depth : depths) left = std::max(left, left_of(depth.user));
    return left;
  };
  WorkMeter looking(WorkMeter::kNoLimit, limits.stop);
  refuse_too_deep(chain_, group, wanted(group, spent, counts), plan_, limits.pairs, looking, spent);
  for (;;) {
    const RowStages stages = wanted(group, spent, counts);
    if (stages.stages.empty()) return;
    const std::vector<RowDepth> depths = row_depths(stages, plan_, spent);
    WorkMeter meter(depths.empty() ? WorkMeter::kNoLimit : most_left(depths), limits.stop);
    const auto refuse_deepest = [&](bool is_memory, std::uint64_t amount) {
      const std::uint32_t deepest = std::ranges::min_element(depths, {}, &RowDepth::first)->first;
      for (const RowDepth& depth : depths) {
        if (depth.first == deepest) spent[depth.user].refusal = RefusedProduct(depth.range, is_memory, amount);
      }
    };
    try {
      Walked walked = walk(group, stages, meter);
      const std::vector<std::uint64_t> steps = walked.steps;
      take_over(group, stages, std::move(walked), spent, counts);
      for (const RowDepth& depth : depths) {
        for (std::size_t s = 0; s <= group.base - depth.first; ++s) add_to(spent[depth.user].pairs, steps[s]);
      }
      return;
    } catch (const WorkLimitReached& limit) {
      refuse_deepest(false, limit.steps());
    } catch (const OutOfRoom& room) {
      if (depths.empty()) throw;
      refuse_deepest(true, room.held());
    }
  }
}

/// Products whose rows have an entry at most, and those whose later operand has.
void RowProducts::count_selections(const RowGroup& group, const RowEnd& end, ProductPlan::Counts& counts) {
  if (end.selected_ranges.empty() && end.selected_splits.empty()) return;
  const Index rows = chain_[end.position - 1].rows();
  std::vector<Index> at(rows);  // the row of the present element that each row selects
  for (Index r = 0; r < rows; ++r) at[r] = r;
  const auto count_range = [&](std::size_t number, std::uint32_t first) {
    const RowReader& reader = chain_[first - 1];
    std::vector<std::uint32_t> uses(reader.numbers(), 0);
    for (const Index r : at) {
      if (r != RowReader::kNone && reader.target(r) != RowReader::kNone) ++uses[reader.number(r)];
    }
    RangeTally tally;
    for (const std::uint32_t mine : uses) {
      if (mine > 0) tally.add(1, mine);
    }
    counts.nnz[number] = tally.nnz;
    counts.max_row_nnz[number] = tally.longest;
    counts.vector_steps[number] = tally.vector_steps;
    counts.is_range_known[number] = true;
  };
  const auto count_split = [&](std::size_t number, ValueRange earlier) {
    const bool is_identity = lengths_.is_identity(earlier);
    const std::uint32_t* lengths = lengths_.of(earlier);
    if (!is_identity && lengths == nullptr) return;
    SplitTally tally;
    for (const Index r : at) {
      if (r == RowReader::kNone) continue;
      ++tally.rows;
      tally.products += is_identity ? 1 : lengths[r];
    }
    tally.entries = tally.rows;
    tally.longest = tally.rows > 0 ? 1 : 0;
    counts.products[number] = tally.counts(is_identity);
    counts.is_split_known[number] = true;
  };
  for (std::uint32_t position = end.position; position > group.base; --position) {
    const RowReader& reader = chain_[position - 1];
    for (const EndRange& range : end.selected_ranges) {
      if (range.first == position) count_range(range.number, position);
    }
    for (Index& r : at) {
      if (r != RowReader::kNone) r = reader.target(r);
    }
    for (const EndRange& range : end.selected_ranges) {
      const ValueRange whole{range.first, end.position};
      if (range.first != position || !lengths_.is_asked(whole)) continue;
      std::vector<std::uint32_t> lengths(bitmap_words(rows) * 64, 0);
      for (Index r = 0; r < rows; ++r) lengths[r] = at[r] == RowReader::kNone ? 0 : 1;
      lengths_.keep(whole, std::move(lengths));
    }
    for (const EndSplit& split : end.selected_splits) {
      if (split.split + 1 == position) count_split(split.number, {split.first, split.split});
    }
  }
}

void RowProducts::count_selected(ProductPlan::Counts& counts) {
  for (const RowGroup& group : groups_) {
    for (const RowEnd& end : group.ends) count_selections(group, end, counts);
  }
}

void RowProducts::count(const CountLimits& limits, std::vector<ProductPlan::Spent>& spent,
                        ProductPlan::Counts& counts) {
  std::size_t done = 0;
  for (const RowGroup& group : groups_) {
    for (const RowEnd& end : group.ends) done += end.ranges.size() + end.selected_ranges.size();
    if (limits.progress) limits.progress(done, plan_.splits_of().size());
    if (group.base > 0) count_walks(group, limits, spent, counts);
    for (const RowEnd& end : group.ends) count_selections(group, end, counts);
    for (const RowEnd& end : group.ends) {
      for (const std::vector<EndSplit>* splits : {&end.splits, &end.selected_splits}) {
        for (const EndSplit& split : *splits) lengths_.release({split.first, split.split});
      }
      for (const EndRange& range : end.selected_ranges) share_sums(range.number, counts);
      for (const EndRange& range : end.ranges) share_sums(range.number, counts);
    }
  }
}

}  // namespace upsweep

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "row_stages.hpp"
#include "upsweep/base/work_meter.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/sparse/row_walk.hpp"

namespace upsweep {

/// What a range or a split comes to, as rows that were drawn tell.
struct SampledItem {
  double main = 0;  ///< entries of a range, matched pairs of a split
  double rows = 0;  ///< of a split: rows of the later operand with entries
  std::array<double, kStepCounts.size()> steps{};

  void add(const SampledItem& other, double weight);
  void add(double mine, double my_rows, const ProductSteps& my_steps, double weight);
  [[nodiscard]] ProductSteps rounded_steps() const;
};

/// Rows of a group that were drawn, in kSampleGroups samples, each of them one row of each stratum.
class RowSample {
 public:
  /// Refers to the arguments. Items are the ranges of the stages, then the splits.
  RowSample(const WalkedChain& chain, const RowGroup& group, RowStages stages);

  [[nodiscard]] std::uint32_t base() const { return group_->base; }
  /// Rows that some product has.
  [[nodiscard]] std::size_t size() const { return order_.size(); }
  /// Strata of each sample, drawn so far.
  [[nodiscard]] std::size_t strata() const { return strata_; }
  /// Mean steps of a row, at least 1.
  [[nodiscard]] double steps_per_walk() const;

  /// Draws a row of each of `strata` strata more, for all samples. Nothing changes where the meter's limit is reached:
  /// throws WorkLimitReached, Interrupted.
  void draw(std::size_t strata, std::uint64_t seed, const std::string& stream, WorkMeter& meter);

  /// As one of the samples tells; its mean over all, and over all but one.
  [[nodiscard]] SampledItem value(std::size_t item, std::size_t sample) const;
  [[nodiscard]] SampledItem mean(std::size_t item) const;
  [[nodiscard]] SampledItem without(std::size_t item, std::size_t sample) const;
  /// The most entries in a row of a range, or of the later operand of a split, of those drawn.
  [[nodiscard]] std::uint64_t longest(std::size_t item) const { return longest_[item]; }

  /// Calls visit(item, is_range, number of the range or split).
  template <class Visit>
  void for_each_item(const Visit& visit) const {
    for (const RowStage& stage : stages_.stages) {
      for (std::size_t i = 0; i < stage.ranges.size(); ++i) visit(stage.first_range + i, true, stage.ranges[i].number);
      for (std::size_t i = 0; i < stage.splits.size(); ++i)
        visit(stages_.ranges + stage.first_split + i, false, stage.splits[i].number);
    }
  }

 private:
  struct Walker;
  struct Drawn;

  void sort_rows();
  void walk(Index number, double weight, Walker& walker, Drawn& drawn) const;
  [[nodiscard]] std::vector<MatchedPairs> pairs(std::size_t stage, Walker& walker, Drawn& drawn) const;

  const WalkedChain* chain_;
  const RowGroup* group_;
  RowStages stages_;
  std::vector<std::vector<std::size_t>> unknown_;  // by stage: earlier operands without lengths, by falling first
  std::vector<Index> order_;                       // numbers of rows
  std::size_t strata_ = 0;
  std::vector<std::vector<SampledItem>> sums_;  // by sample and item, times the strata
  std::vector<std::uint64_t> longest_;          // by item
  std::uint64_t steps_ = 0;
};

}  // namespace upsweep

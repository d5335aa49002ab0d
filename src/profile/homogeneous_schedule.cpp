#include "upsweep/profile/homogeneous_schedule.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "block_counts.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

/// Steps of products of h × h matrices, as count_products() and steps_with_dense_vector() find them: all rows of a
/// dense matrix share their columns, those of a diagonal none. A dense matrix of one entry is a diagonal.
class KindSteps {
 public:
  explicit KindSteps(std::uint64_t size) : size_(size), teams_((size + kTeamRows - 1) / kTeamRows) {}

  [[nodiscard]] ProductSteps with_vector(ElementKind matrix) const {
    ProductSteps steps;
    steps.teams = is_diagonal(matrix) ? size_ : teams_;
    (is_diagonal(matrix) ? steps.single_steps : steps.team_steps) =
        is_diagonal(matrix) ? size_ : checked_mul(size_, teams_);
    return steps;
  }

  /// `results` is the number of entries of the product.
  [[nodiscard]] ProductSteps with_matrix(ElementKind earlier, ElementKind later, std::uint64_t results) const {
    ProductSteps steps;
    if (is_diagonal(earlier) || is_diagonal(later)) {
      steps.teams = size_;
      (is_diagonal(earlier) ? steps.scaled_columns : steps.scaled_rows) = results;
      return steps;
    }
    steps.teams = teams_;
    steps.passes = checked_mul(size_, teams_);
    steps.team_steps = checked_mul(size_, steps.passes);
    steps.team_sums = steps.passes;
    return steps;
  }

 private:
  [[nodiscard]] bool is_diagonal(ElementKind kind) const { return kind == ElementKind::diagonal || size_ == 1; }

  std::uint64_t size_;
  std::uint64_t teams_;
};

/// Counts combines and values by the ranges they cover.
class CombineCounts {
 public:
  CombineCounts(const HomogeneousChain& chain, unsigned value_bytes)
      : counts_(chain, value_bytes), steps_(chain.size), size_(chain.size) {}

  [[nodiscard]] std::uint64_t nnz(ValueRange range) const {
    return range.first == 0 ? size_ : counts_.nnz(counts_.kind(range.first, range.last));
  }
  [[nodiscard]] std::uint64_t bytes(ValueRange range) const {
    return range.first == 0 ? counts_.vector_bytes() : counts_.bytes(counts_.kind(range.first, range.last));
  }

  [[nodiscard]] OpProfile combine(ValueRange earlier, ValueRange later) const {
    const bool is_mv = earlier.first == 0;
    const OpRun run = is_mv ? counts_.vector_ops(1, later.first, later.last)
                            : counts_.matrix_ops(1, earlier.first, earlier.last, later.last);
    OpProfile op;
    op.m = size_;
    op.k = size_;
    op.n = is_mv ? 1 : size_;
    op.is_mv = is_mv;
    op.left_nnz = nnz(earlier);
    op.right_nnz = nnz(later);
    op.nnz = run.nnz;
    op.products = run.flops / 2;  // exact: flops_of_products() doubles them
    op.flops = run.flops;
    op.bytes = run.bytes;
    op.left_bytes = bytes(earlier);
    op.right_bytes = bytes(later);
    const ElementKind kind = counts_.kind(later.first, later.last);
    op.steps =
        is_mv ? steps_.with_vector(kind) : steps_.with_matrix(counts_.kind(earlier.first, earlier.last), kind, run.nnz);
    return op;
  }

 private:
  BlockCounts counts_;
  KindSteps steps_;
  std::uint64_t size_;
};

}  // namespace

ScheduleProfile profile_homogeneous_schedule(Schedule schedule, const HomogeneousChain& chain, unsigned value_bytes) {
  const CombineCounts counts(chain, value_bytes);
  if (schedule.length != chain.length()) {
    throw std::invalid_argument(fmt::format("a schedule over {} elements and a chain of {}, expected the same length",
                                            schedule.length, chain.length()));
  }
  const std::vector<ValueRange> ranges = value_ranges(schedule);
  const std::vector<bool> dead = dead_combines(schedule);
  ScheduleProfile profile;
  profile.value_bytes.reserve(schedule.values());
  for (const ValueRange range : ranges) profile.value_bytes.push_back(counts.bytes(range));
  profile.ops.reserve(schedule.combines.size());
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    profile.ops.push_back(counts.combine(ranges[combine.earlier], ranges[combine.later]));
    profile.ops.back().dead = dead[id];
  }
  profile.schedule = std::move(schedule);
  profile.levels = level_profiles(profile);
  return profile;
}

}  // namespace upsweep

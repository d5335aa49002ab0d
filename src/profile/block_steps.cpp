#include "block_steps.hpp"

#include <algorithm>

#include "block_structure.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/sparse/runs.hpp"

namespace upsweep {
namespace {

/// Rows of a Jacobian that share their columns; 0 where a row would only share them with itself.
std::uint64_t shared_rows(const HomogeneousChain& chain) {
  std::uint64_t rows = chain.size;
  if (chain.kinds.front() == ElementKind::uniform) rows = 0;
  if (chain.kinds.front() == ElementKind::banded) {
    // Rows h - 1 - b .. b; their number, without going below 0.
    const std::uint64_t beyond = chain.size - 1 - chain.half_bandwidth;
    rows = chain.half_bandwidth >= beyond ? chain.half_bandwidth - beyond + 1 : 0;
  }
  return rows < 2 ? 0 : rows;
}

}  // namespace

BlockSteps::BlockSteps(const HomogeneousChain& chain)
    : size_(chain.size), shared_(shared_rows(chain)), shared_teams_((shared_ + kTeamRows - 1) / kTeamRows) {}

bool BlockSteps::is_diagonal(const BlockStructure& matrix) const {
  return matrix.kind == ElementKind::diagonal || size_ == 1 ||
         (matrix.kind == ElementKind::banded && matrix.half_bandwidth == 0);
}

std::uint64_t BlockSteps::teams(const BlockStructure& matrix) const {
  return structure_rows(matrix, size_) - shared_ + shared_teams_;
}

ProductSteps BlockSteps::with_vector(const BlockStructure& matrix, std::uint64_t nnz) const {
  ProductSteps steps;
  if (is_diagonal(matrix)) {
    steps.teams = structure_rows(matrix, size_);
    steps.single_steps = nnz;
    return steps;
  }
  steps.teams = teams(matrix);
  // A shared row is clipped at both ends of a band, or one of a dense matrix: it has every column.
  steps.single_steps = nnz - shared_ * size_;
  steps.team_steps = checked_mul(shared_teams_, size_);
  return steps;
}

ProductSteps BlockSteps::with_matrix(const BlockStructure& earlier, const BlockStructure& later,
                                     const Counts& counts) const {
  ProductSteps steps;
  if (is_diagonal(earlier) || is_diagonal(later)) {
    steps.teams = structure_rows(later, size_);
    (is_diagonal(earlier) ? steps.scaled_columns : steps.scaled_rows) = counts.results;
    return steps;
  }
  const std::uint64_t shared_nnz = shared_ * size_;
  const std::uint64_t team_nnz = checked_mul(shared_teams_, size_);
  steps.teams = teams(later);
  steps.passes = checked_add(counts.later_nnz - shared_nnz, team_nnz);
  // A row with every column meets every entry of the earlier matrix.
  steps.single_steps = counts.products - shared_ * counts.earlier_nnz;
  steps.team_steps = checked_mul(shared_teams_, counts.earlier_nnz);
  steps.single_sums = counts.results - shared_nnz;
  steps.team_sums = team_nnz;
  add_runs(earlier, later, counts, steps);
  return steps;
}

/// Rows of a band and of a dense matrix are consecutive columns, but some at the ends of a narrow band are short.
void BlockSteps::add_runs(const BlockStructure& earlier, const BlockStructure& later, const Counts& counts,
                          ProductSteps& steps) const {
  const bool is_full = counts.earlier_nnz == checked_mul(size_, size_);
  const bool is_band = earlier.kind == ElementKind::banded && 2 * earlier.half_bandwidth + 1 > kShortRun;
  if (size_ <= kShortRun || !(is_full || is_band)) return;
  std::uint64_t alone = 0;  // pairs at short rows, of rows that are alone
  std::uint64_t each = 0;   // and of each row with every column
  if (!is_full) {
    const auto length = [this](const BlockStructure& band, std::uint64_t k) {
      return std::min(k, band.half_bandwidth) + std::min(size_ - 1 - k, band.half_bandwidth) + 1;
    };
    for (std::uint64_t k = 0; k < size_; ++k) {
      if (k == kShortRun && size_ > 2 * kShortRun) k = size_ - kShortRun;  // those between are as long as any
      const std::uint64_t mine = length(earlier, k);
      if (mine > kShortRun) continue;
      alone += mine * (length(later, k) - shared_);
      each += mine;
    }
  }
  steps.single_run_steps = steps.single_steps - alone;
  steps.team_run_steps = steps.team_steps - shared_teams_ * each;
}

}  // namespace upsweep

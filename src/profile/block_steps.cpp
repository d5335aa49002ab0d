#include "block_steps.hpp"

#include "block_structure.hpp"
#include "upsweep/base/checked.hpp"

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
  return steps;
}

}  // namespace upsweep

#include "upsweep/solve/backward_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

// Fewer entries than this are not worth waking another thread.
constexpr std::uint64_t kEntriesPerChunk = 1 << 14;

template <class T>
void check_values(const NumericChain<T>& chain) {
  const JacobianChain& structure = chain.structure;
  if (chain.gradient.size() != structure.gradient_length || chain.values.size() != structure.jacobians.size()) {
    throw std::invalid_argument(
        fmt::format("the backward system: {} numbers of the loss gradient and {} of the Jacobians, expected {} and {}",
                    chain.gradient.size(), chain.values.size(), structure.gradient_length, structure.jacobians.size()));
  }
  for (std::size_t i = 0; i + 1 < chain.values.size(); ++i) {  // a[n] is not used
    if (chain.values[i].size() == structure.jacobians[i]->nnz()) continue;
    throw std::invalid_argument(fmt::format("the backward system: a[{}] has {} values, expected {}", i + 1,
                                            chain.values[i].size(), structure.jacobians[i]->nnz()));
  }
}

template <class T>
std::shared_ptr<const Coupling<T>> make_coupling(const std::shared_ptr<const Pattern>& pattern, std::vector<T> values) {
  auto coupling = std::make_shared<Coupling<T>>();
  coupling->begin.resize(std::size_t{pattern->rows()} + 1);
  for (Index r = 0; r < pattern->rows(); ++r)
    coupling->begin[r + std::size_t{1}] = coupling->begin[r] + pattern->row(r).nnz();
  coupling->pattern = pattern;
  coupling->values = std::move(values);
  return coupling;
}

/// f' of one elementwise operator, element by element; 0 where the pattern has no entry.
template <class T>
std::vector<T> diagonal_of(const Pattern& pattern, const std::vector<T>& values) {
  std::vector<T> diagonal(pattern.rows(), T{0});
  std::size_t at = 0;
  for (Index r = 0; r < pattern.rows(); ++r) {
    if (pattern.row(r).nnz() > 0) diagonal[r] = values[at++];
  }
  return diagonal;
}

}  // namespace

template <class T>
BackwardSystem<T>::BackwardSystem(NumericChain<T> chain, SystemForm form)
    : form_(form), shape_(system_shape(chain.structure, form)) {
  check_values(chain);
  offsets_.push_back(0);
  for (const BlockShape& block : shape_.blocks) offsets_.push_back(offsets_.back() + block.size);
  set_diagonal(chain);
  for (std::size_t k = 0; k < couplings(); ++k) {
    const std::size_t link = *shape_.blocks[k].link;
    couplings_.push_back(make_coupling(chain.structure.jacobians[link], std::move(chain.values[link])));
  }
}

template <class T>
void BackwardSystem<T>::set_diagonal(const NumericChain<T>& chain) {
  scales_.assign(blocks(), {});
  for (std::size_t k = 0; k < blocks(); ++k) {
    std::vector<T>& scale = scales_[k];
    for (const std::size_t link : shape_.blocks[k].scaling) {
      std::vector<T> diagonal = diagonal_of(*chain.structure.jacobians[link], chain.values[link]);
      if (scale.empty()) {
        scale = std::move(diagonal);
      } else {
        for (std::size_t r = 0; r < scale.size(); ++r) scale[r] *= diagonal[r];
      }
    }
  }
  right_side_ = chain.gradient;
  const std::vector<T>& last = scales_.back();
  for (std::size_t r = 0; r < last.size(); ++r) right_side_[r] *= last[r];
}

template <class T>
BackwardSystem<T> BackwardSystem<T>::shifted(const NumericChain<T>& chain) const {
  check_values(chain);
  BackwardSystem other;
  other.form_ = form_;
  other.shape_ = system_shape(chain.structure, form_);
  const auto refuse = [](std::size_t link, const char* what) {
    return std::invalid_argument(
        fmt::format("the samples of shifted systems: a[{}] differs in {}, accepted are differences in diagonals and in "
                    "the loss gradient",
                    link + 1, what));
  };
  for (std::size_t k = 0; k < std::min(couplings(), other.couplings()); ++k) {
    // From the loss on, as a scan counts.
    const BlockShape& mine = shape_.blocks[couplings() - 1 - k];
    const BlockShape& its = other.shape_.blocks[other.couplings() - 1 - k];
    const Coupling<T>& coupling = *couplings_[couplings() - 1 - k];
    if (mine.link != its.link) throw refuse(std::min(*mine.link, *its.link), "being one");
    if (!(*coupling.pattern == *chain.structure.jacobians[*its.link])) throw refuse(*its.link, "structure");
    if (coupling.values != chain.values[*its.link]) throw refuse(*its.link, "values");
  }
  if (blocks() != other.blocks() || shape_.blocks.back().size != other.shape_.blocks.back().size) {
    throw std::invalid_argument(
        fmt::format("the samples of shifted systems: {} blocks and a loss gradient of {}, expected {} and {}",
                    other.blocks(), other.shape_.blocks.back().size, blocks(), shape_.blocks.back().size));
  }
  other.offsets_ = offsets_;
  other.couplings_ = couplings_;
  other.set_diagonal(chain);
  return other;
}

template <class T>
std::vector<T> BackwardSystem<T>::right_side() const {
  std::vector<T> c(unknowns(), T{0});
  std::ranges::copy(right_side_, block(std::span<T>(c), couplings()).begin());
  return c;
}

template <class T>
void BackwardSystem<T>::solve_row(std::size_t k, std::span<const T> next, std::span<T> row) const {
  assert(row.size() == shape_.blocks[k].size);
  if (k == couplings()) {
    std::ranges::copy(right_side_, row.begin());
    return;
  }
  const Coupling<T>& coupling = *couplings_[k];
  assert(next.size() == coupling.pattern->cols());
  const std::vector<T>& scale = scales_[k];
  const std::uint64_t nnz = std::max<std::uint64_t>(1, coupling.values.size());
  const std::uint64_t grain = std::max<std::uint64_t>(1, kEntriesPerChunk * row.size() / nnz);
  parallel_chunks(row.size(), grain, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t r = begin; r < end; ++r) {
      const T* value = coupling.values.data() + coupling.begin[r];
      T sum{0};
      coupling.pattern->row(static_cast<Index>(r)).for_each([&](Index column) { sum += *value++ * next[column]; });
      row[r] = scale.empty() ? sum : scale[r] * sum;
    }
  });
}

template <class T>
std::vector<T> substitute(const BackwardSystem<T>& system) {
  std::vector<T> solution = system.right_side();
  const std::span<T> v(solution);
  for (std::size_t k = system.couplings(); k > 0; --k)
    system.solve_row(k - 1, system.block(v, k), system.block(v, k - 1));
  return solution;
}

template <class T>
void jacobi_sweep(const BackwardSystem<T>& system, std::span<const T> v, std::span<T> next) {
  assert(v.size() == system.unknowns() && next.size() == system.unknowns() && v.data() != next.data());
  for (std::size_t k = 0; k < system.couplings(); ++k)
    system.solve_row(k, system.block(v, k + 1), system.block(next, k));
  system.solve_row(system.couplings(), {}, system.block(next, system.couplings()));
}

template class BackwardSystem<float>;
template class BackwardSystem<double>;
template class BackwardSystem<std::uint64_t>;
template std::vector<float> substitute(const BackwardSystem<float>&);
template std::vector<double> substitute(const BackwardSystem<double>&);
template std::vector<std::uint64_t> substitute(const BackwardSystem<std::uint64_t>&);
template void jacobi_sweep(const BackwardSystem<float>&, std::span<const float>, std::span<float>);
template void jacobi_sweep(const BackwardSystem<double>&, std::span<const double>, std::span<double>);
template void jacobi_sweep(const BackwardSystem<std::uint64_t>&, std::span<const std::uint64_t>,
                           std::span<std::uint64_t>);

}  // namespace upsweep

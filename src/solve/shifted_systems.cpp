#include "upsweep/solve/shifted_systems.hpp"

#include <algorithm>
#include <cassert>

#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

// Fewer products than this are not worth waking another thread.
constexpr std::uint64_t kProductsPerChunk = 1 << 14;

}  // namespace

template <class T>
ShiftedSystems<T>::ShiftedSystems(NumericChain<T> first) {
  systems_.emplace_back(std::move(first), SystemForm::scaled);
}

template <class T>
void ShiftedSystems<T>::add(const NumericChain<T>& sample) {
  systems_.push_back(systems_.front().shifted(sample));
}

template <class T>
void ShiftedSystems<T>::solve_rows(std::size_t k, std::span<const T> v, std::span<T> next) const {
  const BackwardSystem<T>& first = systems_.front();
  const Coupling<T>& coupling = first.coupling(k);
  const std::size_t rows = coupling.pattern->rows();
  const std::size_t from = first.offset(k + 1);
  const std::size_t to = first.offset(k);
  const std::uint64_t products = std::max<std::uint64_t>(1, coupling.values.size() * samples());
  parallel_chunks(rows, std::max<std::uint64_t>(1, kProductsPerChunk * rows / products),
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    std::vector<T> sums(samples());
                    for (std::size_t r = begin; r < end; ++r) {
                      std::ranges::fill(sums, T{0});
                      const T* value = coupling.values.data() + coupling.begin[r];
                      coupling.pattern->row(static_cast<Index>(r)).for_each([&](Index column) {
                        const T entry = *value++;
                        for (std::size_t s = 0; s < sums.size(); ++s)
                          sums[s] += entry * v[s * unknowns() + from + column];
                      });
                      for (std::size_t s = 0; s < sums.size(); ++s) {
                        const std::vector<T>& scale = systems_[s].scale(k);
                        next[s * unknowns() + to + r] = scale.empty() ? sums[s] : scale[r] * sums[s];
                      }
                    }
                  });
}

template <class T>
std::vector<T> ShiftedSystems<T>::substitute() const {
  std::vector<T> solutions;
  for (const BackwardSystem<T>& system : systems_) {
    const std::vector<T> c = system.right_side();
    solutions.insert(solutions.end(), c.begin(), c.end());
  }
  for (std::size_t k = systems_.front().couplings(); k > 0; --k) solve_rows(k - 1, solutions, solutions);
  return solutions;
}

template <class T>
void ShiftedSystems<T>::sweep(std::span<const T> v, std::span<T> next) const {
  assert(v.size() == samples() * unknowns() && next.size() == v.size() && v.data() != next.data());
  for (std::size_t k = 0; k < systems_.front().couplings(); ++k) solve_rows(k, v, next);
  for (std::size_t s = 0; s < samples(); ++s) {
    const BackwardSystem<T>& system = systems_[s];
    system.solve_row(system.couplings(), {},
                     system.block(next.subspan(s * unknowns(), unknowns()), system.couplings()));
  }
}

template class ShiftedSystems<float>;
template class ShiftedSystems<double>;
template class ShiftedSystems<std::uint64_t>;

}  // namespace upsweep

#include "upsweep/solve/residual.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <type_traits>

#include "upsweep/base/parallel.hpp"
#include "upsweep/base/rounding.hpp"

namespace upsweep {
namespace {

// Fewer entries than this are not worth waking another thread.
constexpr std::uint64_t kResidualEntriesPerChunk = 1 << 14;

/// One element of the residual, and what rounding may leave there.
struct Element {
  double value = 0;
  double level = 0;
};

/// A type with more digits than T, where there is one.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;

template <class T>
Element element_of(const BackwardSystem<T>& system, std::size_t k, std::size_t r, std::span<const T> next, T v) {
  const Coupling<T>& coupling = system.coupling(k);
  const Row row = coupling.pattern->row(static_cast<Index>(r));
  const T* value = coupling.values.data() + coupling.begin[r];
  Wide<T> sum = 0;
  Wide<T> magnitude = 0;
  row.for_each([&](Index column) {
    const Wide<T> term = static_cast<Wide<T>>(*value++) * static_cast<Wide<T>>(next[column]);
    sum += term;
    magnitude += std::abs(term);
  });
  const Wide<T> scale = system.scale(k).empty() ? Wide<T>{1} : static_cast<Wide<T>>(system.scale(k)[r]);
  const double roundings = row.nnz() + 2.0;
  const double gamma = worst_rounding(roundings, kUnitRoundoff<T>);
  const double underflows =
      roundings * static_cast<double>(std::numeric_limits<T>::denorm_min()) * std::max(1.0, std::fabs(double(scale)));
  return {static_cast<double>(scale * sum - static_cast<Wide<T>>(v)),
          gamma * static_cast<double>(std::abs(scale) * magnitude) + underflows};
}

/// Maximum that keeps a NaN.
double larger_or_nan(double a, double b) { return std::isnan(b) || b > a ? b : a; }

double euclidean(long double squares) { return static_cast<double>(std::sqrt(squares)); }

}  // namespace

double Residual::relative() const {
  if (whole.two == 0) return 0;
  return whole.two / right_side;
}

template <class T>
Residual residual(const BackwardSystem<T>& system, std::span<const T> v) {
  assert(v.size() == system.unknowns());
  Residual result;
  result.blocks.resize(system.blocks());
  long double all_squares = 0;
  std::vector<Element> elements;
  for (std::size_t k = 0; k < system.blocks(); ++k) {
    const std::span<const T> own = system.block(v, k);
    elements.assign(own.size(), {});
    if (k == system.couplings()) {
      for (std::size_t r = 0; r < own.size(); ++r)
        elements[r].value = static_cast<double>(system.last_right_side()[r]) - static_cast<double>(own[r]);
    } else {
      const std::span<const T> next = system.block(v, k + 1);
      const std::uint64_t nnz = std::max<std::uint64_t>(1, system.coupling(k).values.size());
      parallel_chunks(own.size(), std::max<std::uint64_t>(1, kResidualEntriesPerChunk * own.size() / nnz),
                      [&](std::size_t begin, std::size_t end, std::size_t) {
                        for (std::size_t r = begin; r < end; ++r) elements[r] = element_of(system, k, r, next, own[r]);
                      });
    }
    long double squares = 0;
    ResidualNorms& norms = result.blocks[k];
    for (const Element& element : elements) {
      norms.max = larger_or_nan(norms.max, std::fabs(element.value));
      norms.level = std::max(norms.level, element.level);
      squares += static_cast<long double>(element.value) * static_cast<long double>(element.value);
    }
    norms.two = euclidean(squares);
    all_squares += squares;
    result.whole.max = larger_or_nan(result.whole.max, norms.max);
    result.whole.level = std::max(result.whole.level, norms.level);
  }
  result.whole.two = euclidean(all_squares);
  long double right_side = 0;
  for (const T c : system.last_right_side()) right_side += static_cast<long double>(c) * static_cast<long double>(c);
  result.right_side = euclidean(right_side);
  return result;
}

template Residual residual(const BackwardSystem<float>&, std::span<const float>);
template Residual residual(const BackwardSystem<double>&, std::span<const double>);

}  // namespace upsweep

#include "dense_rate.hpp"

#include <cblas.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "upsweep/base/measuring.hpp"
#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

/// Large enough for products to run from the near caches at the pace of arithmetic, small enough for milliseconds.
constexpr int kSide = 512;

template <class T>
void multiply(const T* a, const T* b, T* c) {
  if constexpr (std::is_same_v<T, double>) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kSide, kSide, kSide, 1, a, kSide, b, kSide, 0, c, kSide);
  } else {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kSide, kSide, kSide, 1, a, kSide, b, kSide, 0, c, kSide);
  }
}

}  // namespace

template <class T>
double dense_flops_per_s(std::size_t workers) {
  constexpr std::size_t kNumbers = std::size_t{kSide} * kSide;
  const ThreadLimit limit(workers);
  const int before = openblas_get_num_threads();
  openblas_set_num_threads(1);  // the threads are ours
  const std::vector<T> left(kNumbers, T{0.5});
  const std::vector<T> right(kNumbers, T{0.25});
  std::vector<T> results(kNumbers * workers);
  const std::vector<double> seconds = repeat({5}, [&] {
    return seconds_of([&] {
      parallel_chunks(workers, 1, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t worker = begin; worker < end; ++worker)
          multiply(left.data(), right.data(), results.data() + worker * kNumbers);
      });
    });
  });
  openblas_set_num_threads(before);
  const double flops = 2.0 * kSide * static_cast<double>(kNumbers) * static_cast<double>(workers);
  return flops / *std::min_element(seconds.begin(), seconds.end());
}

template double dense_flops_per_s<float>(std::size_t);
template double dense_flops_per_s<double>(std::size_t);

}  // namespace upsweep

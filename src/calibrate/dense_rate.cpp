#include "dense_rate.hpp"

#include <algorithm>
#include <vector>

#include "blas.hpp"
#include "upsweep/base/measuring.hpp"
#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

/// Large enough for products to run from the near caches at the pace of arithmetic, small enough for milliseconds.
constexpr std::size_t kSide = 512;

}  // namespace

template <class T>
double dense_flops_per_s(std::size_t workers) {
  constexpr std::size_t kNumbers = kSide * kSide;
  const ThreadLimit limit(workers);
  const BlasThreads blas(1);  // the threads are ours
  const std::vector<T> left(kNumbers, T{0.5});
  const std::vector<T> right(kNumbers, T{0.25});
  std::vector<T> results(kNumbers * workers);
  const std::vector<double> seconds = repeat({5}, [&] {
    return seconds_of([&] {
      parallel_chunks(workers, 1, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t worker = begin; worker < end; ++worker) {
          multiply_dense<T>(kSide, kSide, kSide, {left.data(), kSide}, {right.data(), kSide},
                            results.data() + worker * kNumbers);
        }
      });
    });
  });
  const double flops = 2.0 * static_cast<double>(kSide) * static_cast<double>(kNumbers) * static_cast<double>(workers);
  return flops / *std::min_element(seconds.begin(), seconds.end());
}

template double dense_flops_per_s<float>(std::size_t);
template double dense_flops_per_s<double>(std::size_t);

}  // namespace upsweep

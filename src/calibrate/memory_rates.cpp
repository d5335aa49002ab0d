#include "memory_rates.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "upsweep/base/measuring.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/calibrate/fit.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"

namespace upsweep {
namespace {

/// The least seconds that `work` took of `times` times, after one that does not count.
template <class Work>
double least_seconds(std::size_t times, const Work& work) {
  const std::vector<double> runs = repeat({times}, [&] { return seconds_of(work); });
  return *std::min_element(runs.begin(), runs.end());
}

/// A sum that no compiler leaves out, in as many parts as hide the latency of an addition.
double sum_of(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  constexpr std::size_t kParts = 16;
  double parts[kParts] = {};
  for (std::size_t i = begin; i + kParts <= end; i += kParts) {
    for (std::size_t j = 0; j < kParts; ++j) parts[j] += values[i + j];
  }
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

/// Seconds per byte of reading an array of `bytes`, each worker its own part, until 2^28 bytes went by.
double time_to_read(std::size_t workers, std::uint64_t bytes) {
  const std::size_t part = bytes / sizeof(double) / workers;
  const std::size_t rounds = std::max<std::size_t>(1, (std::size_t{1} << 28) / bytes);
  const std::vector<double> values(part * workers, 1.0);
  std::vector<double> sums(workers);
  const double seconds = least_seconds(3, [&] {
    parallel_chunks(workers, 1, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t worker = begin; worker < end; ++worker) {
        for (std::size_t round = 0; round < rounds; ++round) {
          sums[worker] += sum_of(values, worker * part, (worker + 1) * part);
        }
      }
    });
  });
  if (!(sums.front() > 0)) return INFINITY;  // also keeps the sums
  return seconds / static_cast<double>(rounds) / static_cast<double>(part * workers * sizeof(double));
}

/// Seconds to write the Jacobian of an operator that keeps one of about `kept_of` weights, the best of three, with its
/// work.
struct BuildTime {
  double seconds = 0;
  double values = 0;
  double rows = 0;
  double weights = 0;
  double misses = 0;
};
template <class T>
BuildTime time_to_build(const OperatorKind& kind, const Shape& in, std::size_t kept_of = 1) {
  const Operator op{"synthetic", kind, in, infer_shape(kind, in)};
  OperatorWeights weights;
  if (const std::optional<Shape> shape = weight_shape(kind, in)) {
    weights.values.assign(elements(*shape), 0.5);
    weights.kept.assign(weights.values.size(), 0);
    std::mt19937 random;  // a processor learns regular gaps
    for (std::uint8_t& kept : weights.kept) kept = random() % kept_of == 0 ? 1 : 0;
  }
  const Pattern pattern = guaranteed_pattern(op, weights);
  const std::vector<double> x(elements(in), 1.0);
  std::vector<T> numbers(pattern.nnz());
  const double seconds = least_seconds(3, [&] { fill_jacobian_values<T>(op, weights, x, pattern, numbers); });
  const auto values = static_cast<double>(pattern.nnz());
  return {seconds, values, static_cast<double>(pattern.rows()), static_cast<double>(weights.values.size()),
          misses_per_value(op) * values};
}

/// Seconds for each of these counts.
template <class... Counts>
std::vector<double> fitted(const std::vector<BuildTime>& times, Counts... counts) {
  std::vector<TimePoint> points;
  for (const BuildTime& time : times) points.push_back({{time.*counts...}, time.seconds});
  return fit_times(points);
}

}  // namespace

std::uint64_t usable_cache_bytes(std::uint64_t least_bytes, std::uint64_t cache_bytes,
                                 const ReadTime& seconds_per_byte) {
  std::vector<std::pair<std::uint64_t, double>> times;  // from large to small
  for (double bytes = 4.0 * static_cast<double>(cache_bytes); bytes >= static_cast<double>(least_bytes);
       bytes /= std::numbers::sqrt2) {
    const auto size = static_cast<std::uint64_t>(std::llround(bytes));
    times.emplace_back(size, seconds_per_byte(size));
  }
  if (times.size() < 2) return cache_bytes;
  const double far = times.front().second;
  const double near = std::ranges::min_element(times, {}, &std::pair<std::uint64_t, double>::second)->second;
  if (!(far >= 1.2 * near) || !std::isfinite(far)) return cache_bytes;
  const double edge = near + (far - near) / 8;
  // The largest that takes no longer: where a smaller one does, something else disturbed it.
  const auto fast = std::find_if(times.begin(), times.end(), [edge](const auto& time) { return time.second <= edge; });
  const double slow = std::prev(fast)->second;
  const double part = (edge - fast->second) / (slow - fast->second);
  const double usable = static_cast<double>(fast->first) * std::pow(std::numbers::sqrt2, part);
  return std::min(static_cast<std::uint64_t>(std::llround(usable)), cache_bytes);
}

std::uint64_t measured_cache_bytes(std::size_t workers, std::uint64_t near_bytes, std::uint64_t cache_bytes) {
  const ThreadLimit limit(workers);
  const std::uint64_t least = std::max<std::uint64_t>(near_bytes * workers * 2, std::uint64_t{1} << 20);
  return usable_cache_bytes(least, cache_bytes, [&](std::uint64_t bytes) { return time_to_read(workers, bytes); });
}

double copy_bytes_per_s(std::size_t workers, std::uint64_t cache_bytes) {
  const ThreadLimit limit(workers);
  const std::size_t count = 4 * cache_bytes / sizeof(double);
  const std::vector<double> from(count, 1.0);
  std::vector<double> to(count, 0.0);
  const double seconds = least_seconds(4, [&] {
    parallel_chunks(count, count / workers + 1, [&](std::size_t begin, std::size_t end, std::size_t) {
      std::copy(from.begin() + static_cast<std::ptrdiff_t>(begin), from.begin() + static_cast<std::ptrdiff_t>(end),
                to.begin() + static_cast<std::ptrdiff_t>(begin));
    });
  });
  return 2.0 * static_cast<double>(count * sizeof(double)) / seconds;
}

template <class T>
void measure_build(std::size_t workers, TypeRates& rates) {
  const ThreadLimit limit(workers);
  const Shape image{64, 32, 32};
  std::vector<BuildTime> convolutions;
  std::vector<BuildTime> linears;
  for (const std::size_t kept_of : {1, 37}) {
    // As many weights as rows, about, and far more: there most of them reach off the image.
    for (const Shape& in : {image, {256, 4, 4}, {512, 2, 2}})
      convolutions.push_back(time_to_build<T>(Conv2d{in[0], {3, 3}, {1, 1}, {1, 1}}, in, kept_of));
    linears.push_back(time_to_build<T>(Linear{1024}, {2048}, kept_of));
  }
  BuildRates& rate = rates.build;
  const std::vector<double> of_convolutions =
      fitted(convolutions, &BuildTime::values, &BuildTime::rows, &BuildTime::weights, &BuildTime::misses);
  rate.value_s = of_convolutions[0];
  rate.row_s = of_convolutions[1];
  rate.weight_s = of_convolutions[2];
  rate.miss_s = of_convolutions[3];
  const std::vector<double> of_linears = fitted(linears, &BuildTime::values, &BuildTime::weights);
  rate.linear_value_s = of_linears[0];
  rate.linear_weight_s = of_linears[1];
  const BuildTime relu = time_to_build<T>(Relu{}, image);
  const BuildTime pooling = time_to_build<T>(MaxPool2d{{2, 2}, {2, 2}}, image);
  rate.other_value_s = (relu.seconds + pooling.seconds) / (relu.values + pooling.values);
}

template void measure_build<float>(std::size_t, TypeRates&);
template void measure_build<double>(std::size_t, TypeRates&);

}  // namespace upsweep

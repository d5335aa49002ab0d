#include "memory_rates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <span>
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

/// Weights of an operator of which one of about `kept_of` is kept, each with the same chance: a processor learns
/// regular gaps. None where the operator has none.
OperatorWeights synthetic_weights(const OperatorKind& kind, const Shape& in, std::size_t kept_of) {
  OperatorWeights weights;
  const std::optional<Shape> shape = weight_shape(kind, in);
  if (!shape) return weights;
  weights.values.assign(elements(*shape), 0.5);
  if (kept_of > 1) weights.kept.resize(weights.values.size());
  std::mt19937 random;
  for (std::uint8_t& is_kept : weights.kept) is_kept = random() % kept_of == 0 ? 1 : 0;
  return weights;
}

/// A Jacobian to write, with its numbers and its work.
template <class T>
struct BuildSample {
  BuildSample(const OperatorKind& kind, const Shape& in, std::size_t kept_of = 1)
      : op{"synthetic", kind, in, infer_shape(kind, in)},
        weights(synthetic_weights(kind, in, kept_of)),
        x(elements(in), 1.0),
        pattern(guaranteed_pattern(op, weights)),
        numbers(pattern.nnz()),
        values(static_cast<double>(pattern.nnz())),
        rows(static_cast<double>(pattern.rows())),
        all(static_cast<double>(weights.values.size())),
        kept(static_cast<double>(std::ranges::count(weights.kept, 1))),
        misses(misses_per_value(op) * values) {}

  Operator op;
  OperatorWeights weights;
  std::vector<double> x;
  Pattern pattern;
  std::vector<T> numbers;
  double values;
  double rows;
  double all;  // weights
  double kept;
  double misses;
  double seconds = INFINITY;  // the least
};

/// Times the samples in turns, so that each finds its numbers where those of a chain are: pushed out by the others.
template <class T>
void time_to_build(const std::vector<std::span<BuildSample<T>>>& groups) {
  for (int round = 0; round < 4; ++round) {
    for (const std::span<BuildSample<T>> group : groups) {
      for (BuildSample<T>& one : group) {
        const double seconds = seconds_of(
            [&] { fill_jacobian_values<T>(one.op, one.weights, one.x, one.pattern, std::span(one.numbers)); });
        if (round > 0) one.seconds = std::min(one.seconds, seconds);
      }
    }
  }
}

/// Seconds for each of these counts.
template <class T, class... Counts>
std::vector<double> fitted(const std::vector<BuildSample<T>>& samples, Counts... counts) {
  std::vector<TimePoint> points;
  for (const BuildSample<T>& sample : samples) points.push_back({{sample.*counts...}, sample.seconds});
  return fit_times(points);
}

}  // namespace

CacheEdge cache_edge(const std::vector<ReadTime>& times) {
  if (times.size() < 3) return {};
  std::array<double, 3> largest_s{};
  std::ranges::transform(times.end() - 3, times.end(), largest_s.begin(), &ReadTime::byte_s);
  std::ranges::sort(largest_s);
  const double far = largest_s[1];
  const double near = std::ranges::min_element(times, {}, &ReadTime::byte_s)->byte_s;
  if (!(far >= 1.2 * near)) return {};
  std::vector<double> churns = {0};
  for (double churn = 1e8; churn < 1e11; churn *= 1.1) churns.push_back(churn);
  constexpr double kStep = 1.05;
  const auto largest = static_cast<double>(times.back().bytes);
  struct Candidate {
    CacheEdge edge;
    double off = INFINITY;
  };
  std::vector<Candidate> best(churns.size());  // of each churn
  Machine tried;
  for (auto inside = static_cast<double>(times.front().bytes); inside * kStep <= largest; inside *= kStep) {
    for (double outside = inside * kStep; outside <= std::min(largest, kEdgeWidth * inside); outside *= kStep) {
      tried.cache_bytes = static_cast<std::uint64_t>(inside);
      tried.from_memory_bytes = static_cast<std::uint64_t>(outside);
      for (std::size_t i = 0; i < churns.size(); ++i) {
        double off = 0;
        for (const ReadTime& time : times) {
          const auto moved = time.bytes + static_cast<std::uint64_t>(churns[i] * time.iteration_s);
          off += std::fabs(std::log((near + (far - near) * uncached_share(tried, moved)) / time.byte_s));
        }
        if (off < best[i].off) best[i] = {{tried.cache_bytes, tried.from_memory_bytes, churns[i], 0}, off};
      }
    }
  }
  const double least = std::ranges::min_element(best, {}, &Candidate::off)->off;
  const auto count = static_cast<double>(times.size());
  const double as_well = least + std::min(0.2 * least, 0.01 * count);
  Candidate found = *std::ranges::find_if(best, [&](const Candidate& one) { return one.off <= as_well; });
  found.edge.error = found.off / count;
  return found.edge;
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
  using Sample = BuildSample<T>;
  const ThreadLimit limit(workers);
  std::vector<Sample> dense, pruned, linear, pooling, other;
  // As many weights as rows, about, and far more: there most of them reach off the image.
  for (const Shape& in : {Shape{32, 32, 32}, Shape{128, 8, 8}, Shape{256, 4, 4}, Shape{512, 2, 2}}) {
    const Conv2d convolution{in[0], {3, 3}, {1, 1}, {1, 1}};
    dense.emplace_back(convolution, in);
    for (const std::size_t kept_of : {5, 37}) pruned.emplace_back(convolution, in, kept_of);
    pooling.emplace_back(MaxPool2d{{2, 2}, {2, 2}}, in);
    pooling.emplace_back(MaxPool2d{{3, 3}, {1, 1}, {1, 1}}, in);
    other.emplace_back(Relu{}, in);
  }
  for (const std::size_t kept_of : {1, 5, 37}) linear.emplace_back(Linear{1024}, Shape{2048}, kept_of);
  time_to_build<T>({dense, pruned, linear, pooling, other});
  std::vector<Sample> cached;
  for (const std::size_t kept_of : {1, 5, 37}) cached.emplace_back(Linear{512}, Shape{512}, kept_of);
  for (Sample& one : cached) time_to_build<T>({std::span(&one, 1)});
  BuildRates& rate = rates.build;
  const auto keep = [](const std::vector<double>& seconds, auto&... into) {
    std::size_t next = 0;
    ((into = seconds[next++]), ...);
  };
  keep(fitted(dense, &Sample::values, &Sample::rows, &Sample::all), rate.value_s, rate.row_s, rate.weight_s);
  keep(fitted(pruned, &Sample::values, &Sample::rows, &Sample::all, &Sample::kept, &Sample::misses),
       rate.pruned_value_s, rate.pruned_row_s, rate.pruned_weight_s, rate.kept_s, rate.miss_s);
  keep(fitted(linear, &Sample::values, &Sample::all), rate.linear_value_s, rate.linear_weight_s);
  keep(fitted(cached, &Sample::values, &Sample::all), rate.linear_cached_value_s, rate.linear_cached_weight_s);
  keep(fitted(pooling, &Sample::rows, &Sample::values), rate.pooling_row_s, rate.pooling_value_s);
  keep(fitted(other, &Sample::values), rate.other_value_s);
}

template void measure_build<float>(std::size_t, TypeRates&);
template void measure_build<double>(std::size_t, TypeRates&);

}  // namespace upsweep

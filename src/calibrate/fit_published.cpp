#include "upsweep/calibrate/fit_published.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace upsweep {
namespace {

/// Linear between order statistics, so that `share` of n + 1 equal gaps lies below. Sorted values, not empty.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() + 1) - 1;
  const auto last = static_cast<double>(sorted.size() - 1);
  const double low = std::floor(std::clamp(at, 0.0, last));
  const auto i = static_cast<std::size_t>(low);
  const double next = i + 1 < sorted.size() ? sorted[i + 1] : sorted[i];
  return sorted[i] + std::clamp(at - low, 0.0, 1.0) * (next - sorted[i]);
}

TimeFactors interval_of(const std::vector<double>& predicted, const std::vector<PublishedSample>& samples) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < samples.size(); ++i) logs.push_back(std::log(samples[i].point.seconds / predicted[i]));
  std::ranges::sort(logs);
  const double tail = (1 - kIntervalShare) / 2;
  return {std::min(1.0, std::exp(quantile(logs, tail))), std::max(1.0, std::exp(quantile(logs, 1 - tail)))};
}

ErrorFigures errors_of(const std::vector<double>& predicted, const std::vector<PublishedSample>& samples) {
  std::vector<double> measured;
  for (const PublishedSample& sample : samples) measured.push_back(sample.point.seconds);
  return error_figures(predicted, measured);
}

std::map<std::string, std::vector<std::size_t>> structures_of(const std::vector<PublishedSample>& samples) {
  std::map<std::string, std::vector<std::size_t>> structures;
  for (std::size_t i = 0; i < samples.size(); ++i) structures[samples[i].structure].push_back(i);
  return structures;
}

std::vector<double> costs_without(const std::vector<PublishedSample>& samples, const std::string* structure) {
  std::vector<TimePoint> points;
  for (const PublishedSample& sample : samples) {
    if (structure == nullptr || sample.structure != *structure) points.push_back(sample.point);
  }
  return fit_robustly(points);
}

PublishedRates rates_of(PublishedKind kind, std::vector<double> costs) {
  PublishedRates rates;
  rates.kind = kind;
  rates.unit_s = std::move(costs);
  return rates;
}

}  // namespace

std::vector<PublishedRates> left_out_rates(PublishedKind kind, const std::vector<PublishedSample>& samples) {
  const auto structures = structures_of(samples);
  const bool leaves = structures.size() >= kFewestStructures;
  std::vector<PublishedRates> rates(samples.size());
  PublishedRates all;
  if (!leaves) all = rates_of(kind, costs_without(samples, nullptr));
  for (const auto& [structure, members] : structures) {
    const PublishedRates mine = leaves ? rates_of(kind, costs_without(samples, &structure)) : all;
    for (const std::size_t i : members) rates[i] = mine;
  }
  return rates;
}

PublishedRates fit_published(PublishedKind kind, const std::vector<PublishedSample>& samples) {
  PublishedRates rates = rates_of(kind, costs_without(samples, nullptr));
  std::vector<double> fitted;
  for (const PublishedSample& sample : samples) {
    fitted.push_back(published_seconds(rates, sample.point.counts));
    rates.from.rows.push_back(sample.key);
  }
  std::ranges::sort(rates.from.rows);
  rates.from.structures = structures_of(samples).size();
  rates.from.in_sample = errors_of(fitted, samples);
  if (rates.from.structures < kFewestStructures) {
    rates.interval = interval_of(fitted, samples);
    rates.interval.low /= kUnprovenFactor;
    rates.interval.high *= kUnprovenFactor;
    return rates;
  }
  std::vector<double> left_out;
  const std::vector<PublishedRates> others = left_out_rates(kind, samples);
  for (std::size_t i = 0; i < samples.size(); ++i)
    left_out.push_back(published_seconds(others[i], samples[i].point.counts));
  rates.from.left_out = errors_of(left_out, samples);
  rates.interval = interval_of(left_out, samples);
  return rates;
}

}  // namespace upsweep

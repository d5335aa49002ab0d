#include "upsweep/learning/sequence_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

#include "upsweep/learning/batch_order.hpp"

namespace upsweep::sequence_data_test {
namespace {

constexpr std::uint64_t kSeed = 3;

struct Filled {
  std::vector<float> inputs;
  std::vector<std::uint32_t> labels;
};

Filled fill(const SequenceData& data, const std::vector<std::size_t>& samples) {
  Filled filled{std::vector<float>(samples.size() * data.shape().steps * data.shape().input),
                std::vector<std::uint32_t>(samples.size())};
  data.fill<float>(samples, filled.inputs, filled.labels);
  return filled;
}

/// One sequence, [t][input].
std::vector<float> sequence(const SequenceData& data, std::size_t sample) { return fill(data, {sample}).inputs; }

std::vector<std::size_t> first(std::size_t count) {
  std::vector<std::size_t> samples(count);
  std::iota(samples.begin(), samples.end(), std::size_t{0});
  return samples;
}

TEST(SequenceData, ShareOfOnesTellsTheClass) {
  const std::size_t steps = 2000;
  const SequenceData data = SequenceData::bitstream({60, steps, 1, 10}, kSeed);
  std::set<std::uint32_t> seen;
  for (std::size_t k = 0; k < 60; ++k) {
    const std::vector<float> bits = sequence(data, k);
    const double ones = std::accumulate(bits.begin(), bits.end(), 0.0) / steps;
    // Five standard deviations, at most 1/2 / sqrt(steps) each.
    EXPECT_NEAR(ones, 0.05 + 0.1 * data.label(k), 2.5 / std::sqrt(steps)) << "sample " << k << ", seed " << kSeed;
    EXPECT_TRUE(std::ranges::all_of(bits, [](float bit) { return bit == 0 || bit == 1; }));
    seen.insert(data.label(k));
  }
  EXPECT_EQ(seen.size(), 10U) << "every class is there";
}

TEST(SequenceData, SamplesDoNotDependOnOthersNorOnTheLength) {
  const SequenceData data = SequenceData::bitstream({100, 50, 1, 10}, kSeed);
  const SequenceData longer = SequenceData::bitstream({100'000, 80, 1, 10}, kSeed);
  const std::vector<float> bits = sequence(data, 7);
  const std::vector<float> more = sequence(longer, 7);
  EXPECT_TRUE(std::equal(bits.begin(), bits.end(), more.begin()));
  EXPECT_EQ(data.label(7), longer.label(7));
  EXPECT_NE(bits, sequence(SequenceData::bitstream({100, 50, 1, 10}, kSeed + 1), 7)) << "another seed";
  EXPECT_NE(bits, sequence(data, 8));
}

TEST(SequenceData, BatchIsTimeMajor) {
  for (const bool is_stored : {false, true}) {
    const SequenceShape shape{5, 4, 3, 2};
    std::vector<float> numbers(shape.samples * shape.steps * shape.input);
    std::iota(numbers.begin(), numbers.end(), 0.0F);
    const SequenceData data = is_stored ? SequenceData::stored(shape, {numbers.begin(), numbers.end()}, {0, 1, 0, 1, 1})
                                        : SequenceData::synthetic_features(shape, kSeed);
    const std::vector<std::size_t> samples = {4, 1};
    const Filled batch = fill(data, samples);
    for (std::size_t b = 0; b < samples.size(); ++b) {
      const std::vector<float> alone = sequence(data, samples[b]);
      EXPECT_EQ(batch.labels[b], data.label(samples[b]));
      for (std::size_t t = 0; t < shape.steps; ++t) {
        for (std::size_t i = 0; i < shape.input; ++i)
          EXPECT_EQ(batch.inputs[(t * samples.size() + b) * shape.input + i], alone[t * shape.input + i]);
      }
    }
  }
}

TEST(SequenceData, MadeFeaturesAreNormalizedAndTellTheirClass) {
  const SequenceShape shape{40, 64, 3, 2};
  const SequenceData data = SequenceData::synthetic_features(shape, kSeed);
  std::vector<std::vector<double>> means(2, std::vector<double>(shape.steps * shape.input));
  for (std::size_t k = 0; k < shape.samples; ++k) {
    const std::vector<float> values = sequence(data, k);
    for (std::size_t i = 0; i < shape.input; ++i) {
      double sum = 0;
      double squares = 0;
      for (std::size_t at = i; at < values.size(); at += shape.input) {
        sum += static_cast<double>(values[at]);
        squares += static_cast<double>(values[at]) * static_cast<double>(values[at]);
      }
      EXPECT_NEAR(sum / 64, 0, 1e-6);
      EXPECT_NEAR(squares / 64, 1, 1e-5);
    }
    for (std::size_t at = 0; at < values.size(); ++at)
      means[data.label(k)][at] += static_cast<double>(values[at]) / static_cast<double>(shape.samples / 2);
  }
  double apart = 0;
  for (std::size_t at = 0; at < means[0].size(); ++at) apart = std::max(apart, std::fabs(means[0][at] - means[1][at]));
  EXPECT_GT(apart, 1) << "means of the classes, in standard deviations of a coefficient";
}

TEST(SequenceData, NormalizingIsByCoefficient) {
  std::vector<float> values = {1, 5, 3, 5, 5, 5};
  normalize_along_steps(std::span(values), 2);
  const auto root = static_cast<float>(std::sqrt(1.5));
  EXPECT_EQ(values, (std::vector<float>{-root, 0, 0, 0, root, 0})) << "the constant one becomes 0";
  EXPECT_THROW(normalize_along_steps(std::span(values), 4), std::invalid_argument);
  EXPECT_THROW(normalize_along_steps(std::span(values), 0), std::invalid_argument);
}

TEST(SequenceData, RefusesWhatDoesNotFit) {
  EXPECT_THROW((void)SequenceData::bitstream({0, 1, 1, 1}, 0), std::invalid_argument);
  EXPECT_THROW((void)SequenceData::bitstream({1, 1, 2, 1}, 0), std::invalid_argument);
  EXPECT_THROW((void)SequenceData::stored({1, 2, 1, 2}, {0}, {0}), std::invalid_argument);
  EXPECT_THROW((void)SequenceData::stored({1, 2, 1, 2}, {0, 0}, {2}), std::invalid_argument);
  const SequenceData data = SequenceData::bitstream({3, 2, 1, 2}, 0);
  std::vector<float> inputs(2);
  std::vector<std::uint32_t> labels(1);
  EXPECT_THROW(data.fill<float>(std::vector<std::size_t>{3}, inputs, labels), std::invalid_argument);
  EXPECT_THROW(data.fill<float>(std::vector<std::size_t>{0, 1}, inputs, labels), std::invalid_argument);
}

TEST(BatchOrder, EveryEpochTakesEachSampleOnce) {
  BatchOrder order(20, 5, kSeed);
  std::vector<std::vector<std::size_t>> epochs;
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < order.batches_per_epoch(); ++i) {
      const auto batch = order.at(epoch * 4 + i);
      all.insert(all.end(), batch.begin(), batch.end());
    }
    epochs.push_back(all);
    std::ranges::sort(all);
    EXPECT_EQ(all, first(20));
  }
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_NE(epochs[0], first(20)) << "it is shuffled";
}

TEST(BatchOrder, DependsOnTheSeedAndNotOnTheIterationsBefore) {
  const auto batch = [](BatchOrder order, std::size_t at) {
    const auto samples = order.at(at);
    return std::vector<std::size_t>(samples.begin(), samples.end());
  };
  BatchOrder used(11, 4, kSeed);
  for (std::size_t i = 0; i < 7; ++i) (void)used.at(i);
  EXPECT_EQ(batch(used, 3), batch(BatchOrder(11, 4, kSeed), 3));
  EXPECT_NE(batch(BatchOrder(100, 4, kSeed), 0), batch(BatchOrder(100, 4, kSeed + 1), 0));
  EXPECT_EQ(used.batches_per_epoch(), 2U) << "3 of 11 are left over";
}

TEST(BatchOrder, RefusesBatchesThatAreNone) {
  EXPECT_THROW(BatchOrder(3, 4, 0), std::invalid_argument);
  EXPECT_THROW(BatchOrder(3, 0, 0), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::sequence_data_test

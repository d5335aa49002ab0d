#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "support/files.hpp"
#include "support/refusal.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/recurrent_file.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;
using testing::npy;
using testing::TemporaryFolder;

std::vector<float> counted(std::size_t count) {
  std::vector<float> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 1.0F);
  return numbers;
}

/// A gru of 2 inputs, 3 hidden elements and 4 classes, with weights and sequences in files.
class RecurrentArrays : public ::testing::Test {
 protected:
  RecurrentArrays() {
    write("w/weight_ih_l0.npy", "(9, 2)", 18);
    write("w/weight_hh_l0.npy", "(9, 3)", 27);
    write("w/bias_hh_l0.npy", "(9,)", 9);
    write("w/head.npy", "(4, 3)", 12);
    write("x.npy", "(5, 6, 2)", 60);
    static_cast<void>(folder_.write("y.npy", npy<std::int64_t>("<i8", "(5,)", {0, 1, 2, 3, 0})));
  }

  void write(const std::string& name, const std::string& shape, std::size_t count) const {
    static_cast<void>(folder_.write(name, npy("<f4", shape, counted(count))));
  }

  [[nodiscard]] RecurrentModel load(std::size_t steps = 4, std::size_t batch = 2) const {
    return load_recurrent(read_yaml(folder_.write(
        "net.yaml", "name: net\nrecurrent: {cell: gru, input_size: 2, hidden_size: 3, steps: " + std::to_string(steps) +
                        ", batch: " + std::to_string(batch) +
                        "}\nhead: {out_features: 4}\nweights: {values: w}\nsample: {inputs: x.npy, labels: y.npy}\n")));
  }

  [[nodiscard]] std::string refusal(std::size_t steps = 4, std::size_t batch = 2) const {
    return testing::refusal_of([&] { return recurrent_batch<float>(load(steps, batch), 0); });
  }

  const TemporaryFolder folder_;
};

TEST_F(RecurrentArrays, WeightsAreThoseOfTheFilesAndMissingBiasesAreZero) {
  const CellWeights<float> weights = recurrent_weights<float>(load());
  EXPECT_EQ(weights.w_ih, counted(18));
  EXPECT_EQ(weights.w_hh, counted(27));
  EXPECT_EQ(weights.b_ih, std::vector<float>(9));
  EXPECT_EQ(weights.b_hh, counted(9));
  EXPECT_EQ(weights.w_head, counted(12));
  EXPECT_EQ(weights.b_head, std::vector<float>(4));
}

TEST_F(RecurrentArrays, ABatchIsTheFirstStepsOfTheFirstSequences) {
  const SequenceBatch<double> batch = recurrent_batch<double>(load(3, 2), 0);
  EXPECT_EQ(batch.steps, 3U);
  EXPECT_EQ(batch.labels, (std::vector<std::uint32_t>{0, 1}));
  // [t][b][input]; sequence b of the file starts at 12 b + 1.
  EXPECT_EQ(batch.inputs, (std::vector<double>{1, 2, 13, 14, 3, 4, 15, 16, 5, 6, 17, 18}));
}

TEST_F(RecurrentArrays, ShorterSequencesThanAskedAreRefusedWithBothLengths) {
  EXPECT_EQ(refusal(6, 5), "accepted");
  EXPECT_THAT(refusal(7), HasSubstr("sample has 5 sequences of 6 steps, accepted are at least the 2 of 7 steps"));
  EXPECT_THAT(refusal(4, 6), HasSubstr("accepted are at least the 6 of 4 steps"));
}

TEST_F(RecurrentArrays, WrongFilesAreNamedWithTheirPlace) {
  write("w/weight_hh_l0.npy", "(3, 9)", 27);
  EXPECT_THAT(refusal(), HasSubstr("net.yaml:4: "));
  EXPECT_THAT(refusal(), HasSubstr("weight_hh_l0.npy has shape [3, 9], accepted is [9, 3]"));
  write("w/weight_hh_l0.npy", "(9, 3)", 27);
  write("x.npy", "(5, 6, 3)", 90);
  EXPECT_THAT(refusal(), HasSubstr("net.yaml:5: inputs have shape [5, 6, 3], accepted is [samples, steps, 2]"));
  write("x.npy", "(5, 6, 2)", 60);
  static_cast<void>(folder_.write("y.npy", npy<std::int64_t>("<i8", "(5,)", {0, 1, 4, 3, 0})));
  EXPECT_THAT(refusal(), HasSubstr("label 4 of sequence 2, accepted are the integers 0 to 3"));
  std::filesystem::remove(folder_.path("w/head.npy"));
  EXPECT_THAT(refusal(), HasSubstr("head.npy"));
}

TEST_F(RecurrentArrays, NumbersThatTheModelCannotHoldAreRefused) {
  std::vector<double> large(60, 1);
  large[3] = 1e39;
  static_cast<void>(folder_.write("x.npy", npy("<f8", "(5, 6, 2)", large)));
  EXPECT_THAT(refusal(), HasSubstr("an input is 1e+39, accepted are numbers that fp32 holds"));
}

TEST_F(RecurrentArrays, ArraysAreHashed) {
  const std::string hash = load().content_hash;
  EXPECT_EQ(load().content_hash, hash);
  std::vector<float> other = counted(12);
  other[5] = 0;
  static_cast<void>(folder_.write("w/head.npy", npy("<f4", "(4, 3)", other)));
  EXPECT_NE(load().content_hash, hash);
}

}  // namespace
}  // namespace upsweep

#include "upsweep/io/recurrent_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "support/refusal.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::recurrent_file_test {
namespace {

using ::testing::HasSubstr;

const std::string kFile =
    "name: net\n"
    "dtype: fp64\n"
    "recurrent: {cell: rnn, input_size: 3, hidden_size: 20, steps: 1000, batch: 16, nonlinearity: relu, fused: false}\n"
    "head: {out_features: 10}\n"
    "weights: {seed: 7}\n";

RecurrentModel parse(const std::string& text) {
  std::istringstream in(text);
  return load_recurrent(parse_yaml(in, "net.yaml"));
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

std::string refusal(const std::string& from, const std::string& to) {
  return testing::refusal_of([&] { return parse(with(kFile, from, to)); });
}

TEST(RecurrentFile, SaysEverythingOfTheNetwork) {
  const RecurrentModel model = parse(kFile);
  EXPECT_EQ(model.name, "net");
  EXPECT_EQ(model.value_bytes, 8U);
  EXPECT_EQ(model.shape, (CellShape{CellKind::rnn, Nonlinearity::relu, 3, 20, 10}));
  EXPECT_EQ(model.steps, 1000U);
  EXPECT_EQ(model.batch, 16U);
  EXPECT_FALSE(model.is_fused);
  EXPECT_EQ(model.seed, 7U);
}

TEST(RecurrentFile, HasDefaults) {
  const RecurrentModel model = parse(
      "name: net\nrecurrent: {cell: gru, input_size: 1, hidden_size: 2, steps: 100000000}\nhead: {out_features: 2}\n");
  EXPECT_EQ(model.value_bytes, 4U);
  EXPECT_EQ(model.shape.kind, CellKind::gru);
  EXPECT_EQ(model.batch, 1U);
  EXPECT_TRUE(model.is_fused);
  EXPECT_EQ(model.steps, 100'000'000U);
}

TEST(RecurrentFile, IsHashedByItsContentButNotItsName) {
  const std::string hash = parse(kFile).content_hash;
  EXPECT_EQ(parse(with(kFile, "name: net", "name: other")).content_hash, hash);
  EXPECT_NE(parse(with(kFile, "steps: 1000", "steps: 1001")).content_hash, hash);
  EXPECT_NE(parse(with(kFile, "seed: 7", "seed: 8")).content_hash, hash);
}

TEST(RecurrentFile, SaysWhatIsWrong) {
  EXPECT_THAT(refusal("steps: 1000", "steps: 1"), HasSubstr("net.yaml:3: steps of recurrent is '1'"));
  EXPECT_THAT(refusal("steps: 1000", "steps: 0"), HasSubstr("steps of recurrent"));
  EXPECT_THAT(refusal("hidden_size: 20", "hidden_size: 0"), HasSubstr("hidden_size of recurrent"));
  EXPECT_THAT(refusal("cell: rnn", "cell: lstm"), HasSubstr("cell of recurrent is 'lstm', accepted are rnn, gru"));
  EXPECT_THAT(refusal("nonlinearity: relu", "nonlinearity: gelu"),
              HasSubstr("is 'gelu': did you mean relu?, accepted are tanh, relu"));
  EXPECT_THAT(refusal("cell: rnn", "cell: gru"), HasSubstr("nonlinearity of recurrent of a gru"));
  EXPECT_THAT(refusal("cell: rnn, ", "cell: rnn, layers: 2, "), HasSubstr("layers of recurrent is 2, accepted is 1"));
  EXPECT_THAT(refusal("head: {out_features: 10}\n", ""), HasSubstr("has no key 'head'"));
  EXPECT_THAT(refusal("dtype: fp64", "dtype: fp16"), HasSubstr("accepted are fp32, fp64"));
}

}  // namespace
}  // namespace upsweep::recurrent_file_test

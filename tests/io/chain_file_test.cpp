#include "upsweep/io/chain_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "support/refusal.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/model.hpp"

namespace upsweep::chain_file_test {
namespace {

using ::testing::HasSubstr;

YamlDocument document(const std::string& text) {
  std::istringstream in(text);
  return parse_yaml(in, "models/long.yaml");
}

ChainModel chain(const std::string& settings, const std::string& rest = "") {
  return read_chain(document(rest + "chain: {" + settings + "}\n"));
}

std::string refusal(const std::string& settings, const std::string& rest = "") {
  return testing::refusal_of([&] { return chain(settings, rest); });
}

TEST(ChainFile, SaysEverythingOfTheChain) {
  const ChainModel model = chain("length: 1000, size: 20, kind: dense", "name: rnn-like\ndtype: fp64\n");
  EXPECT_EQ(model.file, "models/long.yaml");
  EXPECT_EQ(model.name, "rnn-like");
  EXPECT_EQ(model.value_bytes, 8U);
  EXPECT_EQ(model.batch, 1U);
  EXPECT_EQ(model.chain, (HomogeneousChain{20, 1000, {ElementKind::dense}, 0, 0}));
}

TEST(ChainFile, HasDefaults) {
  const ChainModel model = chain("length: 1, size: 1, kind: diagonal");
  EXPECT_EQ(model.name, "long");
  EXPECT_EQ(model.value_bytes, 4U);
  EXPECT_EQ(model.chain.kinds.front(), ElementKind::diagonal);
}

TEST(ChainFile, ABandHasHalfItsWidthOnEitherSide) {
  const ChainModel model = chain("length: 9, size: 20, kind: banded, nnz_per_row: 5");
  EXPECT_EQ(model.chain, (HomogeneousChain{20, 9, {ElementKind::banded}, 2, 0}));
  EXPECT_EQ(chain("length: 9, size: 3, kind: banded, nnz_per_row: 1").chain.half_bandwidth, 0U);
  EXPECT_EQ(chain("length: 9, size: 3, kind: banded, nnz_per_row: 3").chain.half_bandwidth, 1U);
}

TEST(ChainFile, AUniformChainHasADensityOneWayOrTheOther) {
  EXPECT_EQ(chain("length: 9, size: 20, kind: uniform, density: 0.1").chain,
            (HomogeneousChain{20, 9, {ElementKind::uniform}, 0, 0.1}));
  EXPECT_EQ(chain("length: 9, size: 20, kind: uniform, nnz_per_row: 5").chain.density, 0.25);
  EXPECT_EQ(chain("length: 9, size: 20, kind: uniform, density: 1").chain.density, 1.0);
  EXPECT_FALSE(chain("length: 9, size: 20, kind: uniform, density: 1").chain.is_exact());
}

TEST(ChainFile, HoldsTheLongestChain) {
  EXPECT_EQ(chain("length: 1099511627776, size: 2147483647, kind: dense").chain.elements, std::uint64_t{1} << 40U);
}

TEST(ChainFile, SaysWhatIsWrongWithSizes) {
  EXPECT_THAT(refusal("length: 0, size: 20, kind: dense"),
              HasSubstr("models/long.yaml:1: length of chain is '0', accepted is an integer from 1 to 1099511627776"));
  EXPECT_THAT(refusal("length: 1099511627777, size: 20, kind: dense"), HasSubstr("length of chain"));
  EXPECT_THAT(refusal("length: 5, size: 0, kind: dense"), HasSubstr("size of chain is '0'"));
  EXPECT_THAT(refusal("length: 5, size: 2147483648, kind: dense"), HasSubstr("size of chain is '2147483648'"));
  EXPECT_THAT(refusal("size: 5, kind: dense"), HasSubstr("chain has no key 'length'"));
  EXPECT_THAT(refusal("length: 5, kind: dense"), HasSubstr("chain has no key 'size'"));
  EXPECT_THAT(refusal("length: 5, size: 5"), HasSubstr("chain has no key 'kind'"));
}

TEST(ChainFile, SaysWhatIsWrongWithKeys) {
  EXPECT_THAT(refusal("length: 5, size: 5, kind: sparse"),
              HasSubstr("kind of chain is 'sparse', accepted are dense, diagonal, banded, uniform"));
  EXPECT_THAT(refusal("length: 5, size: 5, kind: dence"),
              HasSubstr("kind of chain is 'dence': did you mean dense?, accepted are dense, "));
  EXPECT_THAT(refusal("lenght: 5, size: 5, kind: dense"),
              HasSubstr("chain has no key 'length', but 'lenght': did you mean length?, found are lenght, size"));
  EXPECT_THAT(refusal("lenght: 5, length: 5, size: 5, kind: dense"), HasSubstr("did you mean length?"));
  EXPECT_THAT(refusal("length: 5, size: 5, kind: dense", "dtype: fp16\n"),
              HasSubstr("dtype is 'fp16', accepted are fp32, fp64"));
  EXPECT_THAT(refusal("length: 5, size: 5, kind: dense", "input: [3]\n"), HasSubstr("unknown key 'input'"));
  EXPECT_THAT(refusal("length: 5, size: 5, kind: dense, density: 0.5"),
              HasSubstr("density stands in a chain of kind dense, accepted is neither"));
  EXPECT_THAT(refusal("length: 5, size: 5, kind: diagonal, nnz_per_row: 1"),
              HasSubstr("nnz_per_row stands in a chain of kind diagonal"));
}

TEST(ChainFile, SaysWhatIsWrongWithABand) {
  EXPECT_THAT(refusal("length: 5, size: 5, kind: banded"), HasSubstr("chain has no key 'nnz_per_row'"));
  EXPECT_THAT(
      refusal("length: 5, size: 5, kind: banded, nnz_per_row: 2"),
      HasSubstr("nnz_per_row of chain is 2 of a banded chain, accepted is an odd number of at most its size 5"));
  EXPECT_THAT(refusal("length: 5, size: 5, kind: banded, nnz_per_row: 7"), HasSubstr("is 7 of a banded chain"));
  EXPECT_THAT(refusal("length: 5, size: 5, kind: banded, nnz_per_row: 0"), HasSubstr("nnz_per_row of chain is '0'"));
  EXPECT_THAT(refusal("length: 5, size: 5, kind: banded, nnz_per_row: 3, density: 0.5"),
              HasSubstr("density stands in a chain of kind banded, accepted is nnz_per_row"));
}

TEST(ChainFile, SaysWhatIsWrongWithADensity) {
  const std::string uniform = "length: 5, size: 5, kind: uniform";
  EXPECT_THAT(refusal(uniform), HasSubstr("a uniform chain has neither density and nnz_per_row"));
  EXPECT_THAT(refusal(uniform + ", density: 0.5, nnz_per_row: 1"), HasSubstr("has both density and nnz_per_row"));
  EXPECT_THAT(refusal(uniform + ", density: 0"),
              HasSubstr("density of chain is '0', accepted is a number above 0 and at most 1"));
  EXPECT_THAT(refusal(uniform + ", density: 1.5"), HasSubstr("density of chain is '1.5'"));
  EXPECT_THAT(refusal(uniform + ", density: .nan"), HasSubstr("density of chain is '.nan'"));
  EXPECT_THAT(refusal(uniform + ", nnz_per_row: 6"), HasSubstr("at most 5, the size"));
  EXPECT_THAT(refusal(uniform + ", nnz_per_row: 0"), HasSubstr("nnz_per_row of chain is '0'"));
}

TEST(ChainFile, IsHashedByItsContentButNotItsName) {
  const std::string plain = "length: 5, size: 7, kind: dense";
  const std::string hash = chain(plain).content_hash;
  EXPECT_EQ(chain("kind: dense,  size: 7, length: 5", "# a comment\nname: other\ndtype: fp32\n").content_hash, hash);
  const std::set<std::string> hashes = {hash,
                                        chain(plain, "dtype: fp64\n").content_hash,
                                        chain("length: 6, size: 7, kind: dense").content_hash,
                                        chain("length: 5, size: 8, kind: dense").content_hash,
                                        chain("length: 7, size: 5, kind: dense").content_hash,
                                        chain("length: 5, size: 7, kind: diagonal").content_hash,
                                        chain("length: 5, size: 7, kind: banded, nnz_per_row: 1").content_hash,
                                        chain("length: 5, size: 7, kind: banded, nnz_per_row: 3").content_hash,
                                        chain("length: 5, size: 7, kind: uniform, density: 0.5").content_hash,
                                        chain("length: 5, size: 7, kind: uniform, density: 0.50000001").content_hash};
  EXPECT_EQ(hashes.size(), 10U);
}

TEST(ChainFile, IsToldFromOtherModels) {
  EXPECT_TRUE(ModelFile(document("chain: 3\n")).holds<ChainModel>());
  EXPECT_FALSE(ModelFile(document("recurrent: {}\n")).holds<ChainModel>());
  EXPECT_FALSE(ModelFile(document("- chain\n")).holds<ChainModel>());
}

const std::string kRecurrent =
    "name: net\n"
    "dtype: fp64\n"
    "recurrent: {cell: rnn, input_size: 3, hidden_size: 20, steps: 1000, batch: 16, fused: true}\n"
    "head: {out_features: 10}\n";

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(ChainFile, ARecurrentNetworkIsAChainOfItsSteps) {
  const ChainModel fused = recurrent_chain(document(kRecurrent));
  EXPECT_EQ(fused.chain, fused_chain(20, 1000));
  EXPECT_EQ(fused.batch, 16U);
  EXPECT_EQ(fused.value_bytes, 8U);
  EXPECT_EQ(fused.name, "net");
  EXPECT_EQ(recurrent_chain(document(with(kRecurrent, "fused: true", "fused: false"))).chain, unfused_chain(20, 1000));
  EXPECT_NE(recurrent_chain(document(with(kRecurrent, "steps: 1000", "steps: 1001"))).content_hash, fused.content_hash);
}

TEST(ChainFile, AStackOfLayersIsNoChain) {
  try {
    static_cast<void>(recurrent_chain(document(with(kRecurrent, "cell: rnn", "cell: rnn, layers: 4"))));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("models/long.yaml:3: layers of recurrent is 4, accepted is 1"));
  }
}

}  // namespace
}  // namespace upsweep::chain_file_test

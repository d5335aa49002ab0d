#include "upsweep/io/yaml_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "support/random.hpp"
#include "support/refusal.hpp"

namespace upsweep::yaml_path_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kModel =
    "name: net\n"
    "input: [3, 32, 32]\n"
    "weights: {seed: 1, prune: {method: magnitude_global, sparsity: 0.9}}\n"
    "operators:\n"
    "  - conv2d: {name: conv1, out_channels: 64, kernel: 3}\n"
    "  - relu\n"
    "  - conv2d: {name: block.0.conv, out_channels: 128, kernel: [3, 5]}\n"
    "  - relu:\n"
    "  - linear: {out_features: 10}\n";

YamlDocument parse(const std::string& text) {
  std::istringstream in(text);
  return parse_yaml(in, "net.yaml");
}

/// Texts of the scalars at a path.
std::vector<std::string> texts_at(const YamlDocument& document, const std::string& path) {
  std::vector<std::string> texts;
  for (const YamlNode* node : yaml_at(document, path)) texts.push_back(node->text);
  return texts;
}

std::string refusal(const std::string& path) {
  return testing::refusal_of<std::invalid_argument>([&] { return yaml_with(parse(kModel), path, "1"); });
}

TEST(YamlPath, LeadsThroughKeysAndPositions) {
  const YamlDocument model = parse(kModel);
  EXPECT_THAT(texts_at(model, "name"), ElementsAre("net"));
  EXPECT_THAT(texts_at(model, "input[1]"), ElementsAre("32"));
  EXPECT_THAT(texts_at(model, "weights.prune.sparsity"), ElementsAre("0.9"));
  EXPECT_THAT(texts_at(model, "operators[0].conv2d.out_channels"), ElementsAre("64"));
  EXPECT_THAT(texts_at(model, "operators[2].conv2d.kernel[1]"), ElementsAre("5"));
  EXPECT_THAT(texts_at(model, "operators[1]"), ElementsAre("relu"));
}

TEST(YamlPath, LeadsNowhereWhereNothingStands) {
  const YamlDocument model = parse(kModel);
  for (const char* path : {"nam", "input[3]", "input.x", "name.x", "name[0]", "operators.conv9.kernel", "operators[5]",
                           "operators.conv1", "weights[0]"})
    EXPECT_THAT(yaml_at(model, path), IsEmpty()) << path;
}

TEST(YamlPath, AStarPassesOverWhatHasNoSuchKey) {
  const YamlDocument model = parse(kModel);
  EXPECT_THAT(texts_at(model, "operators[*].conv2d.out_channels"), ElementsAre("64", "128"));
  const YamlDocument wide = yaml_with(model, "operators[*].conv2d.out_channels", "7");
  EXPECT_THAT(texts_at(wide, "operators[*].conv2d.out_channels"), ElementsAre("7", "7"));
  EXPECT_THAT(texts_at(wide, "operators[4].linear.out_features"), ElementsAre("10"));
}

TEST(YamlPath, AnOperatorGoesByItsName) {
  const YamlDocument model = parse(kModel);
  EXPECT_THAT(texts_at(model, "operators.conv1.out_channels"), ElementsAre("64"));
  EXPECT_THAT(texts_at(model, "operators.block.0.conv.kernel[0]"), ElementsAre("3"));
  // Without a name its reader makes one of kind and position.
  EXPECT_THAT(texts_at(model, "operators.linear5.out_features"), ElementsAre("10"));
  EXPECT_THAT(texts_at(yaml_with(model, "operators.conv1.out_channels", "9"), "operators[*].conv2d.out_channels"),
              ElementsAre("9", "128"));
}

TEST(YamlPath, ReplacesWhateverStoodThere) {
  const YamlDocument model = parse(kModel);
  EXPECT_EQ(yaml_at(yaml_with(model, "input", "5"), "input").front()->kind, YamlNode::Kind::scalar);
  EXPECT_THAT(texts_at(yaml_with(model, "weights", "none"), "weights"), ElementsAre("none"));
  EXPECT_THAT(texts_at(yaml_with(model, "operators[1]", "gelu"), "operators[1]"), ElementsAre("gelu"));
}

TEST(YamlPath, MakesTheLastKeyOnly) {
  const YamlDocument model = parse(kModel);
  EXPECT_THAT(texts_at(yaml_with(model, "dtype", "fp64"), "dtype"), ElementsAre("fp64"));
  EXPECT_THAT(texts_at(yaml_with(model, "operators.conv1.padding", "1"), "operators[0].conv2d.padding"),
              ElementsAre("1"));
  EXPECT_THAT(refusal("sample.count.x"), HasSubstr("path 'sample.count.x' does not exist"));
}

TEST(YamlPath, ABareOperatorGetsSettings) {
  const YamlDocument model = parse(kModel);
  const std::vector<const char*> paths = {"operators[1].relu.inplace", "operators[3].relu.inplace",
                                          "operators.relu2.inplace", "operators.relu4.inplace"};
  for (const char* path : paths) {
    const YamlDocument changed = yaml_with(model, path, "true");
    EXPECT_THAT(texts_at(changed, path), ElementsAre("true")) << path;
    EXPECT_THAT(texts_at(changed, "operators[*].relu.inplace"), ElementsAre("true")) << path;
  }
  EXPECT_THAT(texts_at(yaml_with(model, "operators[*].relu.inplace", "true"), "operators[*].relu.inplace"),
              ElementsAre("true", "true"));
}

TEST(YamlPath, AQuantityStandsForItsValue) {
  const YamlDocument machine = parse("memory_GiB: {value: 16, source: \"datasheet\"}\nrates:\n  - workers: 4\n");
  EXPECT_THAT(texts_at(machine, "memory_GiB"), ElementsAre("16"));
  const YamlDocument changed = yaml_with(machine, "memory_GiB", "32");
  EXPECT_THAT(texts_at(changed, "memory_GiB"), ElementsAre("32"));
  EXPECT_THAT(texts_at(changed, "memory_GiB.source"), ElementsAre("datasheet"));
}

TEST(YamlPath, KeepsTheDocumentAndSharesWhatIsTheSame) {
  const YamlDocument model = parse(kModel);
  const YamlDocument changed = yaml_with(model, "weights.seed", "2");
  EXPECT_THAT(texts_at(model, "weights.seed"), ElementsAre("1"));
  EXPECT_EQ(changed.file, "net.yaml");
  EXPECT_EQ(yaml_at(changed, "operators").front(), yaml_at(model, "operators").front());
  EXPECT_EQ(yaml_at(changed, "weights.prune").front(), yaml_at(model, "weights.prune").front());
}

TEST(YamlPath, KeepsLines) {
  const YamlDocument model = parse(kModel);
  EXPECT_EQ(yaml_at(yaml_with(model, "operators.block.0.conv.out_channels", "2"), "operators[2].conv2d.out_channels")
                .front()
                ->line,
            7);
  EXPECT_EQ(yaml_at(yaml_with(model, "operators[1].relu.inplace", "2"), "operators[1].relu.inplace").front()->line, 6);
}

TEST(YamlPath, TheNearestOneIsNamed) {
  EXPECT_EQ(nearest_path(parse(kModel), "weights.prune.sparsty"), "weights.prune.sparsity");
  EXPECT_EQ(nearest_path(parse(kModel), "inputs"), "input");
  EXPECT_EQ(nearest_path(parse(kModel), "input[7]"), "input[0]");
  EXPECT_EQ(nearest_path(parse(kModel), "operators.conv1.out_chanels"), "operators.conv1.out_channels");
  EXPECT_EQ(nearest_path(parse(kModel), "operators[*].conv2d.outchannels"), "operators[*].conv2d.out_channels");
  EXPECT_THAT(refusal("weight.prune.sparsity"),
              HasSubstr("does not exist, the nearest that does is 'weights.prune.sparsity'"));
}

TEST(YamlPath, BadSyntaxIsNamedWithItsPlace) {
  EXPECT_THAT(refusal(""), HasSubstr("'' is no path, nothing is there"));
  EXPECT_THAT(refusal("a..b"), HasSubstr("a key is empty at character 3"));
  EXPECT_THAT(refusal(".a"), HasSubstr("a key is empty at character 1"));
  EXPECT_THAT(refusal("a."), HasSubstr("a key is empty at character 2"));
  EXPECT_THAT(refusal("a[1"), HasSubstr("a bracket is not closed at character 2"));
  EXPECT_THAT(refusal("a]"), HasSubstr("a bracket is not opened"));
  EXPECT_THAT(refusal("a[]"), HasSubstr("brackets hold neither a position from 0 nor * at character 2"));
  EXPECT_THAT(refusal("a[-1]"), HasSubstr("brackets hold neither"));
  EXPECT_THAT(refusal("a[99999999999]"), HasSubstr("brackets hold neither"));
  EXPECT_THAT(refusal("a[1]b"), HasSubstr("a point is missing at character 5"));
  EXPECT_THAT(refusal("a.[1]"), HasSubstr("a key is empty"));
}

class YamlPathOfAnyText : public testing::SeededTest {};

TEST_F(YamlPathOfAnyText, IsSetOrRefusedInASentence) {
  const YamlDocument model = parse(kModel);
  const std::vector<std::string> parts = {"operators", "[0]",     "[*]",   ".",     "conv2d", "relu",  "kernel", "[",
                                          "]",         "weights", "conv1", "input", "[1]",    "prune", "x",      "-"};
  for (int repeat = 0; repeat < 500; ++repeat) {
    std::string path;
    for (std::uint64_t i = between(1, 7); i > 0; --i) path += parts[between(0, parts.size() - 1)];
    try {
      const YamlDocument changed = yaml_with(model, path, "changed");
      const std::vector<std::string> texts = texts_at(changed, path);
      EXPECT_NE(std::count(texts.begin(), texts.end(), "changed"), 0) << path;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr(path));
    }
  }
}

}  // namespace
}  // namespace upsweep::yaml_path_test

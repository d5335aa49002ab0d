#include "upsweep/io/yaml.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "support/refusal.hpp"

namespace upsweep::yaml_test {
namespace {

YamlDocument parse(const std::string& text) {
  std::istringstream in(text);
  return parse_yaml(in, "f.yaml");
}

std::string refusal(const std::string& text) {
  return testing::refusal_of([&] { return parse(text); });
}

TEST(ParseYaml, KeepsLinesAndKinds) {
  const YamlDocument document = parse("a: 1\nb:\n  - x\n  - {c: 'y'}\nd:\n");
  const YamlNode& root = *document.root;
  ASSERT_EQ(root.children.size(), 6U);
  EXPECT_EQ(root.children[3]->kind, YamlNode::Kind::sequence);
  EXPECT_EQ(root.children[3]->children[0]->line, 3);
  EXPECT_EQ(root.children[3]->children[1]->line, 4);
  EXPECT_TRUE(root.children[3]->children[1]->children[1]->quoted);
  EXPECT_EQ(root.children[5]->kind, YamlNode::Kind::null);
}

TEST(ParseYaml, ReadsJson) { EXPECT_EQ(parse("{\"a\": [1, 2.5, true, null]}").root->children[1]->children.size(), 4U); }

TEST(ParseYaml, RefusesWhatOnlyLooksLikeOneDocument) {
  EXPECT_EQ(refusal(""), "f.yaml:1: the file is empty, accepted is a YAML mapping");
  EXPECT_EQ(refusal("a: 1\nb: 2\na: 3\n"), "f.yaml:3: key 'a' stands here for the second time, accepted is once");
  EXPECT_EQ(refusal("a: 1\n---\nb: 2\n"), "f.yaml:3: a second document starts here, accepted is one");
  EXPECT_EQ(refusal("? [a]\n: 1\n"), "f.yaml:1: a key is a list of 1, accepted is text");
  EXPECT_NE(refusal("a: [1, 2\nb: 3\n").find("f.yaml:"), std::string::npos);
  EXPECT_NE(refusal("\tb: 1\n").find("bad YAML syntax"), std::string::npos);
}

TEST(ParseYaml, SharesAliasesAndRefusesBombs) {
  const YamlDocument document = parse("a: &x [1, 2]\nb: *x\n");
  EXPECT_EQ(document.root->children[1], document.root->children[3]);
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) bomb += std::string(i > 0 ? ", " : "") + "*" + static_cast<char>(c - 1);
    bomb += "]\n";
  }
  EXPECT_NE(refusal(bomb).find("aliases expand the document by more than 1000000 values"), std::string::npos);
  EXPECT_EQ(refusal("a: &a [*a]\n"),
            "f.yaml:1: an alias to a value that contains it, accepted are aliases to finished values");
  EXPECT_NE(refusal(std::string(100, '[') + std::string(100, ']')).find("nest deeper than 64"), std::string::npos);
  EXPECT_NE(refusal(std::string(100000, '[')).find("f.yaml:"), std::string::npos);
}

TEST(YamlScalars, AreStrictAboutTypes) {
  const YamlDocument document = parse("[7, -7, 7.5, '7', 1e3, .nan, true, yes, text, 18446744073709551616, ~]");
  const auto& nodes = document.root->children;
  EXPECT_EQ(yaml_integer(document, *nodes[0], "x"), 7U);
  for (const std::size_t i : {1U, 2U, 3U, 4U, 5U, 6U, 8U, 9U, 10U})
    EXPECT_THROW(static_cast<void>(yaml_integer(document, *nodes[i], "x")), InputError) << i;
  EXPECT_EQ(yaml_number(document, *nodes[1], "x"), -7);
  EXPECT_EQ(yaml_number(document, *nodes[4], "x"), 1000);
  for (const std::size_t i : {3U, 5U, 6U, 8U, 10U})
    EXPECT_THROW(static_cast<void>(yaml_number(document, *nodes[i], "x")), InputError) << i;
  EXPECT_TRUE(yaml_boolean(document, *nodes[6], "x"));
  EXPECT_THROW(static_cast<void>(yaml_boolean(document, *nodes[7], "x")), InputError) << "yes is text in YAML 1.2";
  try {
    static_cast<void>(yaml_integer(document, *nodes[0], "kernel of conv2d 'c'", 8, 9));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "f.yaml:1: kernel of conv2d 'c' is '7', accepted is an integer from 8 to 9");
  }
}

TEST(YamlScalars, TextsThatNobodyReadsAreRefused) {
  EXPECT_EQ(yaml_text(parse(std::string(65536, 'a')), *parse(std::string(65536, 'a')).root, "name").size(), 65536U);
  const YamlDocument document = parse(std::string(10'000'000, 'a'));
  try {
    static_cast<void>(yaml_text(document, *document.root, "name"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "f.yaml:1: name is a text of 10000000 bytes, accepted are at most 65536");
  }
}

TEST(YamlMap, NamesUnknownAndMissingKeysAndTheNearest) {
  const YamlDocument document = parse("out_chanels: 3\n");
  YamlMap map(document, *document.root, "conv2d 'c'");
  static_cast<void>(map.find("out_channels"));
  static_cast<void>(map.find("kernel"));
  try {
    map.finish();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "f.yaml:1: unknown key 'out_chanels' in conv2d 'c': did you mean out_channels?, accepted are "
                 "out_channels, kernel");
  }
  EXPECT_THROW(static_cast<void>(map.require("kernel")), InputError);
  const YamlDocument list = parse("[1]");
  EXPECT_THROW(YamlMap(list, *list.root, "x"), InputError);
}

}  // namespace
}  // namespace upsweep::yaml_test

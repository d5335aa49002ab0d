#include <gmock/gmock.h>

#include <map>
#include <set>

#include "support/command_line.hpp"
#include "support/files.hpp"

// The same names for every kind of model: what is written for one can be read for all.

namespace upsweep::testing::cli_names_test {
namespace {

const std::string kModels = std::string(UPSWEEP_SOURCE_DIR) + "/models/";
const std::string kGpu = std::string(UPSWEEP_SOURCE_DIR) + "/configs/machines/v100-sxm2-32gb.yaml";

std::set<std::string> names(const Json& object) {
  std::set<std::string> all;
  for (const auto& [name, value] : object.items()) all.insert(name);
  return all;
}

/// Names that one object has and another lacks.
std::set<std::string> lacking(const Json& whole, const Json& other) {
  std::set<std::string> missing;
  for (const std::string& name : names(whole)) {
    if (!other.contains(name)) missing.insert(name);
  }
  return missing;
}

/// A command on every kind of model, by kind.
std::map<std::string, Json> of_every_kind(const TemporaryFolder& folder, const std::string& command) {
  const std::string chain = folder.write("chain.yaml", "name: made\nchain: {length: 100, size: 4, kind: dense}\n");
  return {{"network", json_of({command, kModels + "lenet5.yaml"})},
          {"chain", json_of({command, chain})},
          {"recurrent", json_of({command, kModels + "rnn-bitstream.yaml"})},
          {"recurrent on a machine", json_of({command, kModels + "rnn-bitstream.yaml", "--machine", kGpu})},
          {"stack", json_of({command, kModels + "rnn-stacked.yaml"})}};
}

TEST(Names, OfSearchAreThoseOfANetworkForEveryKindOfModel) {
  const TemporaryFolder folder;
  const std::map<std::string, Json> all = of_every_kind(folder, "search");
  const Json& network = all.at("network");
  EXPECT_GE(names(network).size(), 20U);
  for (const auto& [kind, found] : all) {
    EXPECT_EQ(lacking(network, found), std::set<std::string>{}) << kind;
    EXPECT_EQ(found["kind"], kind == "recurrent on a machine" ? "recurrent" : kind);
    ASSERT_TRUE(found["candidates"].is_array() && !found["candidates"].empty()) << kind;
    for (const Json& candidate : found["candidates"])
      EXPECT_EQ(lacking(network["candidates"][0], candidate), std::set<std::string>{}) << kind;
    EXPECT_EQ(lacking(network["best"], found["best"]), std::set<std::string>{}) << kind;
  }
}

TEST(Names, OfProfileAreThoseOfAChainForEveryKindOfModel) {
  const TemporaryFolder folder;
  const std::map<std::string, Json> all = of_every_kind(folder, "profile");
  const Json& chain = all.at("chain");
  EXPECT_GE(names(chain).size(), 12U);
  for (const auto& [kind, found] : all) {
    EXPECT_EQ(lacking(chain, found), std::set<std::string>{}) << kind;
    EXPECT_TRUE(found["schedule"].contains("requested")) << kind;
  }
}

TEST(Names, OfStudiesAreTheSameForEveryKindOfModel) {
  const TemporaryFolder folder;
  folder.write("chain.yaml", "name: made\nchain: {length: 100, size: 4, kind: dense}\n");
  std::map<std::string, Json> all;
  for (const auto& [kind, file] :
       {std::pair{"network", kModels + "lenet5.yaml"}, std::pair{"recurrent", kModels + "rnn-bitstream.yaml"},
        std::pair{"chain", folder.path("chain.yaml")}}) {
    const std::string study = folder.write("study.yaml", "name: s\nbase: {model: " + file +
                                                             "}\naxes:\n  - {path: workers, values: [1, 4]}\n"
                                                             "questions:\n  - best\n");
    all[kind] = json_of({"study", study});
  }
  for (const auto& [kind, found] : all) {
    EXPECT_EQ(names(found), names(all.at("network"))) << kind;
    ASSERT_EQ(found["rows"].size(), 2U) << kind;
    EXPECT_EQ(names(found["rows"][0]), names(all.at("network")["rows"][0])) << kind;
  }
}

TEST(Names, ThatComparisonCanFail) {
  EXPECT_EQ(lacking(Json{{"a", 1}, {"b", 2}}, Json{{"b", 3}}), (std::set<std::string>{"a"}));
}

}  // namespace
}  // namespace upsweep::testing::cli_names_test

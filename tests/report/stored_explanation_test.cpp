#include "upsweep/report/stored_explanation.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "support/random.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep::stored_explanation_test {
namespace {

class StoredExplanationTest : public testing::SeededTest {
 protected:
  /// A hybrid over a random chain of four links beside plain back-propagation.
  Explanation random_explanation() {
    JacobianChain chain;
    chain.gradient_length = 8;
    for (int i = 0; i < 4; ++i) chain.jacobians.push_back(std::make_shared<const Pattern>(random_pattern(8, 8, 0.3)));
    const std::vector<ScheduleProfile> pair =
        profile_schedules({hybrid_schedule(chain.length(), 1), linear_schedule(chain.length())}, chain, 4);
    return explain(pair[0], pair[1], {3, 1, nullptr, 4});
  }
};

TEST_F(StoredExplanationTest, ComesBackAsItWasKept) {
  const Explanation explanation = random_explanation();
  const ExplainReport report{"m", "network", "guaranteed", {}, explanation, {"a", "b", "c", "d"}};
  const std::optional<StoredExplanation> stored = read_explanation(kept_explanation(report));
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->links, report.links);
  EXPECT_EQ(stored->sentences, explanation_sentences(report));
  EXPECT_EQ(levels_table(stored->explanation).rows(), explanation.levels.size());
  ASSERT_EQ(stored->explanation.levels.size(), explanation.levels.size());
  for (std::size_t i = 0; i < explanation.levels.size(); ++i)
    EXPECT_EQ(stored->explanation.levels[i].flops, explanation.levels[i].flops);
  ASSERT_EQ(stored->explanation.products.size(), explanation.products.size());
  for (std::size_t i = 0; i < explanation.products.size(); ++i) {
    EXPECT_EQ(stored->explanation.products[i].nnz, explanation.products[i].nnz);
    EXPECT_EQ(stored->explanation.products[i].first_link, explanation.products[i].first_link);
  }
  ASSERT_EQ(stored->explanation.accounts.size(), 2U);
  EXPECT_EQ(stored->explanation.accounts[1].rule, AccountRule::shared);
  EXPECT_EQ(stored->explanation.accounts[1].total, explanation.accounts[1].total);
}

TEST_F(StoredExplanationTest, OfATextThatIsNoneIsNothing) {
  const Explanation explanation = random_explanation();
  const std::string kept = kept_explanation({"m", "network", "guaranteed", {}, explanation, {"a", "b", "c", "d"}});
  EXPECT_FALSE(read_explanation(""));
  EXPECT_FALSE(read_explanation("[1"));
  EXPECT_FALSE(read_explanation("{}"));
  const auto edited = [&](const auto& edit) {
    Json json = Json::parse(kept);
    edit(json);
    return read_explanation(json.dump());
  };
  EXPECT_TRUE(edited([](Json&) {}));
  EXPECT_FALSE(edited([](Json& json) { json["products"][0]["last"] = 5; })) << "a fifth of four links";
  EXPECT_FALSE(edited([](Json& json) { json["products"][0]["first"] = 0; }));
  EXPECT_FALSE(edited([](Json& json) { json["accounts"][1]["levels"].erase(0); })) << "not those of the first";
  EXPECT_FALSE(edited([](Json& json) { json["accounts"][0]["rule"] = "mine"; }));
  EXPECT_FALSE(edited([](Json& json) { json["inputs"] = 0; }));
  EXPECT_FALSE(edited([](Json& json) { json["accounts"][0]["levels"][0]["flops"] = -1; }));
}

}  // namespace
}  // namespace upsweep::stored_explanation_test

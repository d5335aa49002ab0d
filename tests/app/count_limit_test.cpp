#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/app.hpp"
#include "support/rendered.hpp"
#include "upsweep/app/profile.hpp"
#include "upsweep/app/search.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::testing::app_count_limit_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kModel = std::string(UPSWEEP_SOURCE_DIR) + "/models/lenet5-cifar10.yaml";

SearchRequest search_of(std::uint64_t limit) {
  SearchRequest request;
  request.model = kModel;
  request.count_limit = limit;
  return request;
}

TEST(CountLimits, ASearchAnswersForWhatItCountedAndNamesTheRest) {
  const SearchOutcome all = run_quietly(search_of(1'000'000'000'000));
  const SearchOutcome some = run_quietly(search_of(100'000));
  const Json full = to_json(all);
  const Json json = to_json(some);
  EXPECT_TRUE(full["best_is_proven"].get<bool>());
  ASSERT_EQ(json["candidates"].size(), full["candidates"].size()) << "every depth, counted or not";
  std::size_t uncounted = 0;
  for (std::size_t i = 0; i < json["candidates"].size(); ++i) {
    const Json& mine = json["candidates"][i];
    const Json& other = full["candidates"][i];
    EXPECT_EQ(mine["schedule"], other["schedule"]);
    EXPECT_EQ(other["status"], "counted");
    if (mine["status"] == "counted") {
      EXPECT_EQ(mine, other);
      continue;
    }
    ++uncounted;
    EXPECT_TRUE(mine["score"].is_null());
    EXPECT_LE(mine["score_bound"].get<double>(), other["score"].get<double>());
    EXPECT_GE(mine["count_pairs"].get<std::uint64_t>(), 100'000U);
    EXPECT_THAT(mine["reason"].get<std::string>(), HasSubstr("the product of the Jacobians from '"));
  }
  EXPECT_GT(uncounted, 0U);
  EXPECT_THAT(to_text(some, {}), AllOf(HasSubstr("Not counted: hybrid:"), HasSubstr("Counted by ")));
}

TEST(CountLimits, AJacobianWithoutMemoryIsNamed) {
  SearchRequest request = search_of(1'000'000'000'000);
  request.count_memory = 1;
  EXPECT_THAT(refusal<InputError>(request), AllOf(HasSubstr("lenet5-cifar10.yaml:"),
                                                  HasSubstr("with what it adds, patterns of Jacobians take more")));
}

TEST(CountLimits, ASearchThatIsToStopHasNoOutcome) { EXPECT_TRUE(is_interrupted(search_of(1'000'000'000'000))); }

TEST(CountLimits, AProfileOfWhatTakesTooMuchNamesTheOperatorsAndWhatHelps) {
  ProfileRequest request;
  request.model = kModel;
  request.count_limit = 100'000;
  EXPECT_THAT(
      refusal<InputError>(request),
      AllOf(HasSubstr("lenet5-cifar10.yaml:"), HasSubstr("the product of the Jacobians from '"), HasSubstr("pairs"),
            HasSubstr("accepted are schedules that form less"), HasSubstr("`count_limit`")));
  request.is_default_schedule = true;
  Said said;
  const ProfileOutcome outcome = run_quietly(request, said.watch());
  EXPECT_NE(to_json(outcome)["schedule"]["name"], "hybrid:3");
  ASSERT_EQ(said.notes.size(), 1U);
  EXPECT_THAT(said.notes.front(), HasSubstr("is taken, another with `schedule`"));
}

}  // namespace
}  // namespace upsweep::testing::app_count_limit_test

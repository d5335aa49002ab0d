#include "upsweep/app/study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/app.hpp"
#include "support/rendered.hpp"
#include "support/studies.hpp"

namespace upsweep::testing::app_study_test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

const std::string kStudy = study_of_axis("path: model.chain.length, values: [10, 100, 1000]");

class StudyRequests : public ::testing::Test {
 protected:
  StudyRequests() { request_.file = folder_.write("s.yaml", kStudy); }

  TemporaryFolder folder_;
  StudyRequest request_;
};

TEST_F(StudyRequests, EvaluateAllPoints) {
  const StudyOutcome outcome = run_quietly(request_);
  EXPECT_EQ(outcome.result.evaluated, 3U);
  EXPECT_FALSE(outcome.result.is_interrupted);
  EXPECT_EQ(outcome.points, std::nullopt);
  EXPECT_EQ(to_json(outcome.report())["points"]["evaluated"], 3);
}

TEST_F(StudyRequests, HaveRowsFromADatabaseThatGoes) {
  request_.wants_points = true;
  const StudyOutcome outcome = run_quietly(request_);
  ASSERT_TRUE(outcome.points.has_value());
  EXPECT_THAT(outcome.points->rows, SizeIs(3));
}

TEST_F(StudyRequests, GoOnWhereTheyWereStopped) {
  request_.db = folder_.path("s.sqlite");
  const std::atomic<bool> stop = true;
  Watch watch;
  watch.stop = &stop;
  const StudyOutcome stopped = run_quietly(request_, watch);
  EXPECT_TRUE(stopped.result.is_interrupted);
  EXPECT_LT(stopped.result.evaluated, 3U);
  const StudyOutcome outcome = run_quietly(request_);
  EXPECT_FALSE(outcome.result.is_interrupted);
  EXPECT_EQ(outcome.result.id, stopped.result.id);
  EXPECT_EQ(outcome.result.evaluated + stopped.result.evaluated, 3U);
}

TEST_F(StudyRequests, NameTheFieldThatIsWrong) {
  request_.jobs = 0;
  EXPECT_EQ(wrong_field(request_), "jobs");
  request_.jobs = StudyRequest::kMostJobs + 1;
  EXPECT_EQ(wrong_field(request_), "jobs");
  request_.jobs = 2;
  request_.place.ranks = 2;
  EXPECT_EQ(wrong_field(request_), "jobs") << "a rank has one thread";
}

TEST_F(StudyRequests, SayWhereNoPointIsValid) {
  request_.file = folder_.write("wrong.yaml", study_of_axis("path: model.chain.size, values: [0, -1]"));
  const StudyOutcome outcome = run_quietly(request_);
  EXPECT_EQ(outcome.result.invalid.size(), 2U);
  EXPECT_THAT(outcome.nothing_valid.value_or(""), HasSubstr("wrong.yaml: no point is valid; the first that is not, 0"));
}

}  // namespace
}  // namespace upsweep::testing::app_study_test

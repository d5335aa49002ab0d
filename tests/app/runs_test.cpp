#include "upsweep/app/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/kept_runs.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::testing::app_runs_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(RunsRequests, ListShowAndDelete) {
  const KeptRun kept;
  const ListRunsOutcome list = run_quietly(ListRunsRequest{kept.db});
  EXPECT_THAT(list.runs.rows, SizeIs(1));
  EXPECT_THAT(list.studies.rows, SizeIs(0));
  const ShowRunOutcome shown = run_quietly(ShowRunRequest{kept.db, 1});
  EXPECT_FALSE(std::get<RunTables>(shown.found).table("figures").rows.empty());
  Said said;
  run_quietly(DeleteRunRequest{kept.db, 1}, said.watch());
  EXPECT_THAT(said.notes, ElementsAre("deleted run 1 from " + kept.db));
  EXPECT_THAT(run_quietly(ListRunsRequest{kept.db}).runs.rows, SizeIs(0));
}

TEST(RunsRequests, NameWhatIsWrong) {
  const KeptRun kept;
  EXPECT_THAT(refusal<RequestError>(ShowRunRequest{kept.db}), HasSubstr("either ID of a run or `study` N"));
  EXPECT_THAT(refusal<RequestError>(DeleteRunRequest{kept.db, 1, 1}), HasSubstr("either ID of a run or `study` N"));
  EXPECT_THAT(refusal<InputError>(ShowRunRequest{kept.db, 7}), HasSubstr("there is no run 7"));
  EXPECT_THAT(refusal<InputError>(DeleteRunRequest{kept.db, std::nullopt, 7}), HasSubstr("there is no study 7"));
  EXPECT_NE(refusal<InputError>(DiffRunsRequest{kept.db, 1, 7}), "");
}

}  // namespace
}  // namespace upsweep::testing::app_runs_test

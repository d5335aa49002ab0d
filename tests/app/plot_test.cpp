#include "upsweep/app/plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/kept_runs.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/figure/stored_figures.hpp"

namespace upsweep::testing::app_plot_test {
namespace {

using ::testing::HasSubstr;

/// The first kind of figure that the run has.
PlotRequest request_of(const KeptRun& kept) {
  PlotRequest request{kept.db, kinds_of_run(StoreReader(kept.db), 1).at(0), kept.folder.path("figure.svg")};
  request.run = 1;
  return request;
}

TEST(PlotRequests, WriteAPicture) {
  const KeptRun kept;
  const PlotRequest request = request_of(kept);
  if (!has_charts()) GTEST_SKIP() << "built without the charting library";
  try {
    const PlotOutcome outcome = run_quietly(request);
    const std::string picture = read_file(request.out);
    EXPECT_EQ(outcome.bytes, picture.size());
    EXPECT_THAT(picture, HasSubstr("<svg"));
  } catch (const BusyError& error) {
    GTEST_SKIP() << error.what();
  }
}

TEST(PlotRequests, NameTheFieldThatIsWrong) {
  const KeptRun kept;
  PlotRequest wrong = request_of(kept);
  wrong.kind = "flops";
  EXPECT_EQ(wrong_field(wrong), "kind");
  wrong = request_of(kept);
  wrong.width = 199;
  EXPECT_EQ(wrong_field(wrong), "width");
  wrong = request_of(kept);
  wrong.out = "figure.png";
  EXPECT_EQ(wrong_field(wrong), "out");
  wrong = request_of(kept);
  wrong.study = 1;
  EXPECT_THAT(refusal<RequestError>(wrong), HasSubstr("either `run` ID or `study` ID"));
  wrong = request_of(kept);
  wrong.number = 99;
  EXPECT_THAT(refusal<InputError>(wrong), HasSubstr("accepted is `number` from 1 to "));
}

TEST(PlotRequests, CanBeStopped) {
  const KeptRun kept;
  EXPECT_TRUE(is_interrupted(request_of(kept)));
}

}  // namespace
}  // namespace upsweep::testing::app_plot_test

#include "upsweep/app/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/kept_runs.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::testing::app_report_test {
namespace {

using ::testing::HasSubstr;

TEST(ReportRequests, WriteAPage) {
  const KeptRun kept;
  const std::string out = kept.folder.path("page.html");
  const ReportOutcome outcome = run_quietly(ReportRequest{kept.db, out});
  const std::string page = read_file(out);
  EXPECT_EQ(outcome.bytes, page.size());
  EXPECT_THAT(page, HasSubstr("</html>"));
}

TEST(ReportRequests, NameTheFieldThatIsWrong) {
  const KeptRun kept;
  EXPECT_EQ(wrong_field(ReportRequest{kept.db, "page.txt"}), "out");
  EXPECT_EQ(wrong_field(ReportRequest{"x.html", "x.html"}), "out");
  EXPECT_THAT(refusal<RequestError>(ReportRequest{kept.db, "page.html", 1, 1}), HasSubstr("`run` and `study`"));
  EXPECT_THAT(refusal<InputError>(ReportRequest{kept.db, kept.folder.path("page.html"), 7}), HasSubstr("7"));
}

TEST(ReportRequests, CanBeStopped) {
  const KeptRun kept;
  EXPECT_TRUE(is_interrupted(ReportRequest{kept.db, kept.folder.path("page.html")}));
}

}  // namespace
}  // namespace upsweep::testing::app_report_test

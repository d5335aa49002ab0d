#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study_rows.hpp"
#include "support/files.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/store/study_store.hpp"

namespace upsweep {
namespace {

using testing::done_record;
using testing::point;
using testing::query;
using testing::study_record;
using testing::TemporaryFolder;

/// Two studies: results 1 and 2 are of the first, 2 and 3 of the second, 4 of none.
std::string two_studies(const TemporaryFolder& folder) {
  std::string file = folder.path("r.sqlite");
  StudyStore store(file);
  const std::int64_t first = store.open_study(study_record("first"));
  const std::int64_t second = store.open_study(study_record("second"));
  PointRecord invalid;
  invalid.status = PointStatus::invalid;
  invalid.reason = "no such model";
  store.save(first, std::vector{point(0, done_record(1)), point(1, done_record(2)), point(2, invalid)});
  store.save(second, std::vector{point(0, done_record(2)), point(1, done_record(3)), point(2, done_record(4))});
  const std::vector<AnswerRecord> answers = {{"pareto", "", "One point.", "{}"}};
  for (const std::int64_t id : {first, second}) store.save_answers(id, answers, false);
  store.forget(second, std::vector<std::uint64_t>{2});
  store.save_answers(second, answers, false);
  return file;
}

constexpr const char* kRows =
    "SELECT group_concat(id) FROM studies; SELECT DISTINCT study_id FROM study_members; "
    "SELECT DISTINCT study_id FROM study_axes; SELECT DISTINCT study_id FROM study_answers; "
    "SELECT group_concat(substr(hex(key), 1, 2)) FROM (SELECT key FROM point_results ORDER BY key)";

TEST(StudyRemoval, TakesItsRowsAndTheResultsThatAreItsAlone) {
  const TemporaryFolder folder;
  const std::string file = two_studies(folder);
  EXPECT_EQ(query(file, kRows), "1,2\n1\n2\n1\n2\n1\n2\n01,02,03,04\n");
  EXPECT_TRUE(remove_study(file, 1));
  EXPECT_EQ(query(file, kRows), "2\n2\n2\n2\n02,03,04\n") << "what no study has was not of this one";
  EXPECT_EQ(query(file, "PRAGMA integrity_check; PRAGMA foreign_key_check"), "ok\n");
  EXPECT_FALSE(remove_study(file, 1));
  EXPECT_EQ(query(file, "SELECT COUNT(*) FROM study_points WHERE score IS NOT NULL"), "2\n");
  EXPECT_TRUE(remove_study(file, 2));
  EXPECT_EQ(query(file, kRows), "\n04\n");
}

TEST(StudyRemoval, DoesNothingWhereARowCannotBeDeleted) {
  const TemporaryFolder folder;
  const std::string file = two_studies(folder);
  const std::string before = query(file, kRows);
  ASSERT_EQ(query(file, "CREATE TRIGGER t BEFORE DELETE ON study_grids BEGIN SELECT RAISE(ABORT, 'not this'); END"),
            "");
  EXPECT_THROW(remove_study(file, 1), InputError);
  EXPECT_EQ(query(file, kRows), before);
}

TEST(StudyRemoval, IsRefusedWhileTheStudyIsRun) {
  const TemporaryFolder folder;
  const std::string file = two_studies(folder);
  {
    const StudyLock running(file, "first");
    EXPECT_THROW(remove_study(file, 1), BusyError);
  }
  EXPECT_TRUE(remove_study(file, 1));
}

}  // namespace
}  // namespace upsweep

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <optional>
#include <string>
#include <vector>

#include "store/study_rows.hpp"
#include "support/files.hpp"
#include "upsweep/store/study_store.hpp"

namespace upsweep::study_members_test {
namespace {

using testing::key_of;
using testing::query;
using testing::study_record;
using testing::TemporaryFolder;

StudyPoint done_point(std::uint64_t position, std::uint8_t key, double score, bool is_exact = true) {
  StudyPoint point{position, "{}", {}};
  PointRecord& record = point.record;
  record.key = key_of(key);
  record.status = PointStatus::done;
  record.figures.is_exact = is_exact;
  record.figures.plain.schedule = "linear";
  record.figures.plain.score = 8;
  record.figures.best = record.figures.plain;
  record.figures.best->schedule = "hybrid:2";
  record.figures.best->score = score;
  record.model_hash = "aa";
  record.settings = "workers=3";
  return point;
}

StudyPoint point_without_result(std::uint64_t position, PointStatus status) {
  StudyPoint point{position, "{}", {}};
  point.record.status = status;
  point.record.reason = "for a reason";
  return point;
}

struct Seen {
  std::uint64_t position;
  std::string schedule;
  std::optional<ContentKey> key;
  bool has_expectations;

  friend bool operator==(const Seen&, const Seen&) = default;
};

std::vector<Seen> points_of(const StudyStore& store, std::int64_t study) {
  std::vector<Seen> seen;
  store.reader().each_brief(study, [&](const StoredPoint& point) {
    seen.push_back({point.position, point.schedule, point.key, point.has_expectations});
  });
  return seen;
}

TEST(StudyMembers, ComeWithTheirKeysAndWhetherTheirCountsAreExpectations) {
  const TemporaryFolder folder;
  StudyStore store(folder.path("s.sqlite"));
  const std::int64_t study = store.open_study(study_record("one"));
  store.save(study,
             std::vector{done_point(0, 7, 2), done_point(1, 9, 3, false), point_without_result(2, PointStatus::invalid),
                         point_without_result(3, PointStatus::excluded)});
  const std::vector<Seen> expected{{0, "hybrid:2", key_of(7), false},
                                   {1, "hybrid:2", key_of(9), true},
                                   {2, "", std::nullopt, false},
                                   {3, "", std::nullopt, false}};
  EXPECT_EQ(points_of(store, study), expected);
}

TEST(StudyMembers, ThatAreForgottenMayBeFilledAgain) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  StudyStore store(file);
  const std::int64_t study = store.open_study(study_record("one"));
  const std::int64_t other = store.open_study(study_record("other"));
  const std::vector points{done_point(0, 1, 2), done_point(1, 2, 3), point_without_result(2, PointStatus::invalid)};
  for (const std::int64_t id : {study, other}) {
    store.save(id, points);
    store.save_answers(id, std::vector<AnswerRecord>{{"best", "", "It is.", "{}"}}, true);
  }
  const std::string others = query(file, "SELECT * FROM study_members WHERE study_id = 2");

  store.forget(study, std::vector<std::uint64_t>{1, 2, 17});
  EXPECT_EQ(query(file, "SELECT position FROM study_members WHERE study_id = 1"), "0\n");
  EXPECT_EQ(query(file, "SELECT id, complete FROM studies ORDER BY id"), "1|0\n2|1\n");
  EXPECT_EQ(query(file, "SELECT study_id FROM study_answers"), "2\n") << "the answers were those of other points";
  EXPECT_EQ(query(file, "SELECT * FROM study_members WHERE study_id = 2"), others);
  EXPECT_TRUE(store.reader().result(key_of(2)).has_value()) << "a result that others may share stays";

  store.save(study, std::vector{done_point(1, 3, 5), done_point(2, 4, 6)});
  EXPECT_EQ(query(file, "SELECT position, status, score FROM study_points WHERE study = 1 ORDER BY position"),
            "0|done|2.0\n1|done|5.0\n2|done|6.0\n");
}

TEST(StudyMembers, OfInvalidPointsAreReplacedAndOthersLeftAlone) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  StudyStore store(file);
  const std::int64_t study = store.open_study(study_record("one"));
  store.save(study, std::vector{done_point(0, 1, 2), point_without_result(1, PointStatus::invalid)});
  store.save_answers(study, std::vector<AnswerRecord>{{"best", "", "It is.", "{}"}}, true);
  const char* const answers = "SELECT complete FROM studies; SELECT COUNT(*) FROM study_answers";
  store.save(study, std::vector{done_point(0, 3, 5), point_without_result(1, PointStatus::invalid)});
  EXPECT_EQ(query(file, answers), "1\n1\n") << "nothing is new";
  store.save(study, std::vector{done_point(0, 3, 5), done_point(1, 4, 6)});
  EXPECT_EQ(query(file, "SELECT position, status, score FROM study_points ORDER BY position"),
            "0|done|2.0\n1|done|6.0\n");
  EXPECT_EQ(query(file, answers), "0\n0\n") << "the answers were those of other points";
}

TEST(StudyMembers, StayWithTheAnswersWhereNoneIsForgotten) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  StudyStore store(file);
  const std::int64_t study = store.open_study(study_record("one"));
  store.save(study, std::vector{done_point(0, 1, 2)});
  store.save_answers(study, std::vector<AnswerRecord>{{"best", "", "It is.", "{}"}}, true);
  store.forget(study, {});
  EXPECT_EQ(query(file, "SELECT complete FROM studies; SELECT COUNT(*) FROM study_answers"), "1\n1\n");
  EXPECT_EQ(points_of(store, study).size(), 1U);
}

// Nobody may look at these bytes: what is too large is seen by its length.
TEST(StudyMembers, ACountedModelLargerThanARowIsNotKept) {
  constexpr std::size_t kBytes = 1'100'000'000;
  void* place = mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) GTEST_SKIP() << "no addresses for a gigabyte";
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  StudyStore store(file);
  store.keep(key_of(1), "small", UINT64_MAX);
  EXPECT_NO_THROW(store.keep(key_of(2), {static_cast<const char*>(place), kBytes}, UINT64_MAX));
  EXPECT_EQ(query(file, "SELECT COUNT(*), SUM(bytes) FROM counted_models"), "1|5\n");
  EXPECT_EQ(store.reader().counted_model(key_of(1)), "small");
  munmap(place, kBytes);
}

}  // namespace
}  // namespace upsweep::study_members_test

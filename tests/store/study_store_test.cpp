#include "upsweep/store/study_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "store/older_databases.hpp"
#include "store/study_rows.hpp"
#include "support/files.hpp"
#include "support/refusal.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::study_store_test {
namespace {

using testing::done_record;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::key_of;
using testing::point;
using testing::query;
using testing::schedule;
using testing::study_record;
using testing::TemporaryFolder;

TEST(StudyStore, GoesOnWithTheSameStudyAndGivesItsPointsBackInOrder) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  std::int64_t study = 0;
  {
    StudyStore store(file);
    study = store.open_study(study_record());
    PointRecord invalid;
    invalid.status = PointStatus::invalid;
    invalid.reason = "3 workers of 2";
    PointRecord excluded;
    excluded.status = PointStatus::excluded;
    store.save(study, std::vector{point(3, done_record(1)), point(1, invalid)});
    store.save(study, std::vector{point(0, excluded)});
    EXPECT_NE(store.open_study(study_record("another")), study);
  }
  StudyStore store(file);
  EXPECT_EQ(store.open_study(study_record()), study);
  StudyRecord other_rule = study_record();
  other_rule.rule = "another rule";
  EXPECT_NE(store.open_study(other_rule), study);
  StudyRecord other_version = study_record();
  other_version.tool_version = "9";
  EXPECT_NE(store.open_study(other_version), study);

  std::vector<std::tuple<std::uint64_t, PointStatus, std::string>> seen;
  store.reader().each_brief(study, [&](const StoredPoint& stored) {
    const PointBrief& brief = stored.brief;
    seen.emplace_back(stored.position, brief.status, stored.schedule);
    EXPECT_EQ(brief.schedule, 0U);
    if (brief.status != PointStatus::done) {
      EXPECT_TRUE(std::isnan(brief.score) && std::isnan(brief.plain_score) && std::isnan(brief.memory_limit));
      return;
    }
    EXPECT_THAT((std::vector{brief.score, brief.plain_score, brief.dense_score, brief.graph_score, brief.blocks_score,
                             brief.scan_score, brief.best_bytes, brief.plain_bytes, brief.scan_bytes, brief.bppsa_bytes,
                             brief.pipeline_bytes, brief.memory_limit}),
                ElementsAre(2, 8, 6, 12, 3, 2, 4096, 1024, 4096, 2048, 512, 1e9));
  });
  EXPECT_THAT(seen, ElementsAre(std::tuple(0U, PointStatus::excluded, ""), std::tuple(1U, PointStatus::invalid, ""),
                                std::tuple(3U, PointStatus::done, "hybrid:2")));
  EXPECT_EQ(query(file, "SELECT position, key IS NULL, status, reason FROM study_members ORDER BY position"),
            "0|1|excluded|\n1|1|invalid|3 workers of 2\n3|0|done|\n");
  EXPECT_EQ(query(file, "PRAGMA foreign_key_check; PRAGMA integrity_check"), "ok\n");
}

TEST(StudyStore, SharesAResultBetweenStudies) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  StudyStore store(file);
  const std::int64_t one = store.open_study(study_record("one"));
  const std::int64_t two = store.open_study(study_record("two"));
  store.save(one, std::vector{point(0, done_record(1)), point(1, done_record(2))});
  EXPECT_THAT(store.reader().result_keys(), ::testing::UnorderedElementsAre(key_of(1), key_of(2)));
  store.save(two, std::vector{point(5, *store.reader().result(key_of(2)))});
  EXPECT_EQ(query(file, "SELECT COUNT(*) FROM point_results"), "2\n");
  EXPECT_EQ(query(file, "SELECT study, position, settings FROM study_points ORDER BY study, position"),
            "1|0|workers=3\n1|1|workers=3\n2|5|workers=3\n");
  EXPECT_FALSE(store.reader().result(key_of(3)).has_value());
}

TEST(StudyStore, LeavesAPlaceThatIsThereAlone) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  StudyStore store(file);
  const std::int64_t study = store.open_study(study_record());
  store.save(study, std::vector{point(0, done_record(1, 2))});
  const std::string members = query(file, "SELECT *, hex(key) FROM study_members");
  const std::string results = query(file, "SELECT *, hex(key) FROM point_results");
  StudyPoint again = point(0, done_record(1, 3));
  again.coordinates = "{}";
  store.save(study, std::vector{again});
  PointRecord invalid;
  invalid.status = PointStatus::invalid;
  store.save(study, std::vector{point(0, invalid)});
  EXPECT_EQ(query(file, "SELECT *, hex(key) FROM study_members"), members);
  EXPECT_EQ(query(file, "SELECT *, hex(key) FROM point_results"), results);
}

TEST(StudyStore, WritesNothingOfABatchWithAPointThatIsNotEvaluated) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  StudyStore store(file);
  const std::int64_t study = store.open_study(study_record());
  EXPECT_THROW(store.save(study, std::vector{point(0, done_record(1)), point(1, PointRecord{})}), std::logic_error);
  EXPECT_TRUE(store.reader().result_keys().empty());
  store.save(study, std::vector{point(0, done_record(1))});
  EXPECT_EQ(store.reader().result_keys().size(), 1U);
}

TEST(StudyStore, AnswersSql) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  StudyStore store(file);
  const std::int64_t study = store.open_study(study_record());
  PointRecord slow_scan = done_record(2, 1.5);
  slow_scan.figures.best = slow_scan.figures.plain;
  slow_scan.figures.best->score = slow_scan.figures.plain.score = 1;
  slow_scan.figures.scan = schedule("hybrid:9", 4);
  PointRecord flops = done_record(3, 100);
  flops.figures.is_in_seconds = false;
  flops.figures.dense_score = flops.figures.graph_score = flops.figures.blocks_score = std::nan("");
  store.save(study, std::vector{point(0, done_record(1)), point(1, slow_scan), point(2, flops)});
  EXPECT_EQ(query(file,
                  "SELECT position, schedule, score, unit, plain_score, dense_score, graph_score, blocks_score, "
                  "scan_schedule, scan_score, "
                  "speedup, plain_bytes, "
                  "scan_bytes FROM study_points ORDER BY position"),
            "0|hybrid:2|2.0|s|8.0|6.0|12.0|3.0|hybrid:2|2.0|1.2|1024|4096\n"
            "1|linear|1.0|s|1.0|6.0|12.0|3.0|hybrid:9|4.0|0.25|1024|4096\n"
            "2|hybrid:2|100.0|FLOPs|8.0||||hybrid:2|100.0|0.08|1024|4096\n");
  EXPECT_EQ(query(file, "SELECT name, best, position, unit FROM study_best ORDER BY unit DESC, best"),
            "lengths|score|1|s\nlengths|speedup|0|s\nlengths|score|2|FLOPs\nlengths|speedup|2|FLOPs\n");
  EXPECT_EQ(query(file, "SELECT axis, name, axis_values FROM study_axes"),
            "0|workers|[1,2]\n1|schedule|[\"linear\",\"best\"]\n");
  const QueryResult rows = store.reader().study_points(study);
  ASSERT_EQ(rows.rows.size(), 3U);
  EXPECT_THAT(rows.columns, ::testing::IsSupersetOf({"position",
                                                     "coordinates",
                                                     "status",
                                                     "reason",
                                                     "depth",
                                                     "margin",
                                                     "workers",
                                                     "flops",
                                                     "levels",
                                                     "ops",
                                                     "steps",
                                                     "per_step_flops",
                                                     "critical_path_flops",
                                                     "peak_live_bytes",
                                                     "bppsa_bytes",
                                                     "pipeline_bytes",
                                                     "memory_limit",
                                                     "exact",
                                                     "model_hash",
                                                     "machine_hash",
                                                     "settings"}));
  EXPECT_EQ(store.reader().study_points(study, 2).rows.size(), 2U);
  EXPECT_TRUE(store.reader().study_points(study + 1).rows.empty());
}

TEST(StudyStore, ReplacesAnswers) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  StudyStore store(file);
  const std::int64_t study = store.open_study(study_record());
  store.save_answers(study, std::vector<AnswerRecord>{{"best", "", "old", "{}"}, {"top", "", "old", "{}"}}, false);
  EXPECT_EQ(query(file, "SELECT complete FROM studies"), "0\n");
  store.save_answers(study, std::vector<AnswerRecord>{{"crossover", "{\"a\":1}", "At 3.", "{\"at\":3}"}}, true);
  EXPECT_EQ(query(file, "SELECT answer, question, place, sentence, details FROM study_answers"),
            "0|crossover|{\"a\":1}|At 3.|{\"at\":3}\n");
  EXPECT_EQ(query(file, "SELECT complete, finished_utc IS NOT NULL FROM studies"), "1|1\n");
}

/// A counted model, as whoever needs it reads it and says so.
std::optional<std::string> used(StudyStore& store, const ContentKey& key) {
  std::optional<std::string> bytes = store.reader().counted_model(key);
  store.mark_used(key);
  return bytes;
}

TEST(StudyStore, RemovesTheCountedModelsThatWereUsedLongestAgo) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  StudyStore store(file);
  const std::string bytes(100, '\0');
  EXPECT_FALSE(used(store, key_of(1)).has_value());
  store.keep(key_of(1), bytes + "1", 1000);
  store.keep(key_of(2), bytes + "2", 1000);
  store.keep(key_of(3), bytes + "3", 1000);
  EXPECT_EQ(used(store, key_of(1)), bytes + "1") << "and it is the last one used now";
  store.keep(key_of(4), bytes + "4", 303);
  EXPECT_FALSE(used(store, key_of(2)).has_value());
  EXPECT_TRUE(used(store, key_of(1)) && used(store, key_of(3)) && used(store, key_of(4)));
  store.keep(key_of(1), "new", 303);
  EXPECT_EQ(used(store, key_of(1)), "new");
  store.keep(key_of(5), std::string(400, 'x'), 303);
  EXPECT_FALSE(used(store, key_of(5)).has_value()) << "larger than all the room";
  EXPECT_TRUE(used(store, key_of(3)).has_value());
  store.keep(key_of(6), "", 0);
  EXPECT_EQ(used(store, key_of(6)), "");
  EXPECT_EQ(query(file, "SELECT COUNT(*), SUM(bytes) FROM counted_models"), "1|0\n");
}

std::string refusal(const std::string& file) {
  return testing::refusal_of([&] { return StudyStore(file); });
}

TEST(StudyStore, RefusesWhatIsNotItsOwn) {
  const TemporaryFolder folder;
  const std::string newer = folder.path("newer.sqlite");
  EXPECT_EQ(refusal(newer), "accepted");
  query(newer, "PRAGMA user_version = 99");
  EXPECT_THAT(refusal(newer), HasSubstr(newer + ": its schema version is 99, accepted are versions up to " +
                                        std::to_string(kSchemaVersion)));
  const std::string foreign = folder.path("foreign.sqlite");
  query(foreign, "CREATE TABLE t (x)");
  EXPECT_THAT(refusal(foreign), HasSubstr("a database of another program"));
  const std::string text = folder.write("text.sqlite", std::string(5000, 'x'));
  EXPECT_THAT(refusal(text), HasSubstr(text + ": file is not a database"));
  EXPECT_EQ(testing::read_file(text), std::string(5000, 'x'));
  EXPECT_THAT(refusal(folder.path("none/s.sqlite")), HasSubstr("unable to open database file"));
}

TEST(StudyStore, BringsAnOlderDatabaseUpToDate) {
  const TemporaryFolder folder;
  const std::string file = folder.path("old.sqlite");
  testing::make_older_database(file, 6);
  StudyStore store(file);
  store.save(store.open_study(study_record()), std::vector{point(0, done_record(1))});
  EXPECT_EQ(query(file, "PRAGMA user_version; SELECT model FROM pass_runs; SELECT COUNT(*) FROM study_points"),
            std::to_string(kSchemaVersion) + "\nrnn\n1\n");
}

}  // namespace
}  // namespace upsweep::study_store_test

#include "upsweep/store/study_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "../../src/store/migrations.hpp"
#include "support/files.hpp"
#include "support/random.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/profile/counting_rule.hpp"

namespace upsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Runs a query with SQLite alone, as a user would.
std::string query(const std::string& file, const std::string& sql) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  std::string rows;
  char* error = nullptr;
  const auto collect = [](void* into, int count, char** values, char**) {
    for (int i = 0; i < count; ++i)
      *static_cast<std::string*>(into) += std::string(i > 0 ? "|" : "") + (values[i] != nullptr ? values[i] : "");
    *static_cast<std::string*>(into) += '\n';
    return 0;
  };
  if (sqlite3_exec(database, sql.c_str(), collect, &rows, &error) != SQLITE_OK) rows = error;
  sqlite3_free(error);
  sqlite3_close(database);
  return rows;
}

ContentKey key_of(std::uint8_t first, std::uint8_t last = 0) {
  ContentKey key{};
  key[0] = first;
  key[15] = last;
  return key;
}

StudyRecord study_record(const std::string& hash = "00ff") {
  StudyRecord record;
  record.tool_version = "0.0-test";
  record.parameters = "[\"study\"]";
  record.rule = kCountingRule;
  record.name = "lengths";
  record.file = "lengths.yaml";
  record.content_hash = hash;
  record.text = "base: {}\n";
  record.points = 4;
  record.axes = {"workers", "schedule"};
  record.values = {"[1,2]", "[\"linear\",\"best\"]"};
  return record;
}

PointSchedule schedule(const std::string& name, double score) {
  PointSchedule schedule;
  schedule.schedule = name;
  schedule.depth = 2;
  schedule.score = score;
  schedule.levels = 5;
  schedule.ops = 7;
  schedule.flops = 100.5;
  schedule.critical_path_flops = 60;
  schedule.steps = 6;
  schedule.per_step_flops = 12;
  schedule.peak_live_bytes = 4096;
  return schedule;
}

PointRecord done_record(std::uint8_t key, double score = 2) {
  PointRecord record;
  record.key = key_of(key);
  record.status = PointStatus::done;
  record.figures.is_in_seconds = true;
  record.figures.workers = 3;
  record.figures.elements = 9;
  record.figures.plain = schedule("linear", 8);
  record.figures.plain.depth = 0;
  record.figures.plain.peak_live_bytes = 1024;
  record.figures.best = schedule("hybrid:2", score);
  record.figures.scan = record.figures.best;
  record.figures.margin = 0.25;
  record.bppsa_bytes = 2048;
  record.pipeline_bytes = 512;
  record.memory_limit = 1e9;
  record.model_hash = "aa";
  record.machine_hash = "bb";
  record.settings = "workers=3";
  return record;
}

StudyPoint point(std::uint64_t position, PointRecord record) {
  return {position, "{\"workers\":" + std::to_string(position) + "}", std::move(record)};
}

/// NaN equals NaN; else bits count, as a double that came back from a text would not.
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void expect_same(const PointSchedule& a, const PointSchedule& b) {
  EXPECT_EQ(std::tie(a.schedule, a.depth, a.is_feasible, a.reason),
            std::tie(b.schedule, b.depth, b.is_feasible, b.reason));
  for (const auto figure : {&PointSchedule::score, &PointSchedule::levels, &PointSchedule::ops, &PointSchedule::flops,
                            &PointSchedule::critical_path_flops, &PointSchedule::steps, &PointSchedule::per_step_flops,
                            &PointSchedule::peak_live_bytes}) {
    EXPECT_TRUE(same(a.*figure, b.*figure)) << a.*figure << " and " << b.*figure;
  }
}

void expect_same(const std::optional<PointSchedule>& a, const std::optional<PointSchedule>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (a) expect_same(*a, *b);
}

void expect_same(const PointRecord& a, const PointRecord& b) {
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(std::tie(a.status, a.reason, a.model_hash, a.machine_hash, a.settings),
            std::tie(b.status, b.reason, b.model_hash, b.machine_hash, b.settings));
  const PointFigures& f = a.figures;
  const PointFigures& g = b.figures;
  EXPECT_EQ(std::tie(f.is_in_seconds, f.is_exact, f.workers, f.elements, f.margin),
            std::tie(g.is_in_seconds, g.is_exact, g.workers, g.elements, g.margin));
  EXPECT_TRUE(same(a.bppsa_bytes, b.bppsa_bytes) && same(a.pipeline_bytes, b.pipeline_bytes) &&
              same(a.memory_limit, b.memory_limit) && same(f.chain_build_values, g.chain_build_values) &&
              same(f.largest_jacobian_bytes, g.largest_jacobian_bytes) &&
              same(f.largest_vector_bytes, g.largest_vector_bytes));
  expect_same(f.plain, g.plain);
  expect_same(f.best, g.best);
  expect_same(f.scan, g.scan);
  expect_same(f.refused_scan, g.refused_scan);
}

/// Saves a record in a new study of its own and reads it back from a reopened file.
void expect_kept(const PointRecord& record) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  {
    StudyStore store(file);
    store.save(store.open_study(study_record()), std::vector{point(0, record)});
  }
  const std::optional<PointRecord> back = StudyStore(file).result(record.key);
  ASSERT_TRUE(back.has_value());
  expect_same(record, *back);
}

TEST(StudyStore, KeepsEveryFieldOfAPoint) {
  PointRecord record = done_record(7);
  record.figures.is_exact = false;
  record.figures.chain_build_values = 1e300;
  record.figures.largest_jacobian_bytes = 0x1p53 - 1;
  record.figures.largest_vector_bytes = 0.1;
  record.figures.best->reason = "it's \"quoted\"";
  record.figures.best->flops = 1.0 / 3;
  record.figures.plain.is_feasible = false;
  record.figures.plain.reason = "too large";
  record.figures.scan = schedule("sklansky", 3.5);
  record.figures.scan->depth = std::nullopt;
  expect_kept(record);
}

TEST(StudyStore, KeepsWhatIsNotThereAsNull) {
  PointRecord record = done_record(7);
  record.bppsa_bytes = record.pipeline_bytes = record.memory_limit = kNan;
  record.figures.margin = std::nullopt;
  record.figures.scan = std::nullopt;
  record.figures.best = record.figures.plain;
  record.figures.plain.score = record.figures.best->score = kNan;
  record.machine_hash.clear();
  record.settings.clear();
  record.figures.is_in_seconds = false;
  expect_kept(record);
}

TEST(StudyStore, KeepsHugeCountsExactly) {
  PointRecord record = done_record(7);
  record.figures.workers = INT64_MAX;
  record.figures.elements = UINT64_MAX;
  record.figures.best->flops = 1.7e308;
  record.figures.best->ops = 0x1p63;
  record.figures.best->levels = -0x1p63;
  record.figures.best->steps = 0x1.fffffffffffffp62;
  record.figures.best->score = std::numeric_limits<double>::infinity();
  record.figures.best->per_step_flops = std::numeric_limits<double>::denorm_min();
  expect_kept(record);
}

TEST(StudyStore, KeepsAnInfeasiblePointWithItsReasonAndTheScanThatDoesNotFit) {
  PointRecord record = done_record(7);
  record.status = PointStatus::infeasible;
  record.reason = "no schedule fits";
  record.figures.best = std::nullopt;
  record.figures.scan = std::nullopt;
  record.figures.margin = std::nullopt;
  record.figures.refused_scan = schedule("hybrid:1", 5);
  record.figures.refused_scan->is_feasible = false;
  record.figures.refused_scan->reason = "needs 4 GiB";
  expect_kept(record);

  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  StudyStore store(file);
  const std::int64_t study = store.open_study(study_record());
  store.save(study, std::vector{point(0, record)});
  store.each_point(study, [](std::uint64_t, const PointBrief& brief, std::string_view schedule) {
    EXPECT_EQ(brief.status, PointStatus::infeasible);
    EXPECT_EQ(schedule, "");
    EXPECT_TRUE(std::isnan(brief.score) && std::isnan(brief.scan_score) && std::isnan(brief.best_bytes));
    EXPECT_EQ(brief.plain_score, 8);
    EXPECT_EQ(brief.scan_bytes, 4096);
  });
  EXPECT_EQ(query(file, "SELECT status, reason, score IS NULL, scan_score IS NULL, scan_bytes FROM study_points"),
            "infeasible|no schedule fits|1|1|4096\n");
}

class StudyStoreRandom : public testing::SeededTest {};

TEST_F(StudyStoreRandom, KeepsAnyRecord) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  StudyStore store(file);
  const std::int64_t study = store.open_study(study_record());
  const auto figure = [this] { return chance(0.3) ? std::floor(normal() * 1e6) : normal() * 1e-3; };
  const auto any_schedule = [&](bool is_feasible) {
    PointSchedule mine;
    mine.schedule = chance(0.5) ? "hybrid:3" : "linear";
    if (chance(0.5)) mine.depth = static_cast<std::uint32_t>(between(0, UINT32_MAX));
    mine.is_feasible = is_feasible;
    if (!is_feasible) mine.reason = "too large";
    for (const auto member : {&PointSchedule::score, &PointSchedule::levels, &PointSchedule::ops, &PointSchedule::flops,
                              &PointSchedule::critical_path_flops, &PointSchedule::steps,
                              &PointSchedule::per_step_flops, &PointSchedule::peak_live_bytes}) {
      mine.*member = figure();
    }
    return mine;
  };
  std::vector<StudyPoint> points;
  for (std::uint64_t i = 0; i < 50; ++i) {
    PointRecord record;
    for (auto& byte : record.key) byte = static_cast<std::uint8_t>(between(0, 255));
    record.status = chance(0.7) ? PointStatus::done : PointStatus::infeasible;
    record.figures.workers = between(1, INT64_MAX);
    record.figures.elements = between(0, INT64_MAX);
    record.figures.is_in_seconds = chance(0.5);
    record.figures.plain = any_schedule(chance(0.5));
    if (chance(0.7)) record.figures.best = chance(0.4) ? record.figures.plain : any_schedule(true);
    if (chance(0.4)) {
      record.figures.scan = any_schedule(true);
    } else if (chance(0.5)) {
      record.figures.refused_scan = any_schedule(false);
    } else if (record.figures.best && record.figures.best->is_feasible) {
      record.figures.scan = record.figures.best;
    }
    record.bppsa_bytes = chance(0.2) ? kNan : figure();
    record.settings = "s" + std::to_string(i);
    points.push_back(point(i, record));
  }
  store.save(study, points);
  for (const StudyPoint& mine : points) {
    const std::optional<PointRecord> back = store.result(mine.record.key);
    ASSERT_TRUE(back.has_value());
    expect_same(mine.record, *back);
  }
}

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
  store.each_point(study, [&](std::uint64_t position, const PointBrief& brief, std::string_view schedule) {
    seen.emplace_back(position, brief.status, schedule);
    EXPECT_EQ(brief.schedule, 0U);
    if (brief.status != PointStatus::done) {
      EXPECT_TRUE(std::isnan(brief.score) && std::isnan(brief.plain_score) && std::isnan(brief.memory_limit));
      return;
    }
    EXPECT_THAT((std::vector{brief.score, brief.plain_score, brief.scan_score, brief.best_bytes, brief.plain_bytes,
                             brief.scan_bytes, brief.bppsa_bytes, brief.pipeline_bytes, brief.memory_limit}),
                ElementsAre(2, 8, 2, 4096, 1024, 4096, 2048, 512, 1e9));
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
  EXPECT_THAT(store.result_keys(), ::testing::UnorderedElementsAre(key_of(1), key_of(2)));
  store.save(two, std::vector{point(5, *store.result(key_of(2)))});
  EXPECT_EQ(query(file, "SELECT COUNT(*) FROM point_results"), "2\n");
  EXPECT_EQ(query(file, "SELECT study, position, settings FROM study_points ORDER BY study, position"),
            "1|0|workers=3\n1|1|workers=3\n2|5|workers=3\n");
  EXPECT_FALSE(store.result(key_of(3)).has_value());
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
  EXPECT_TRUE(store.result_keys().empty());
  store.save(study, std::vector{point(0, done_record(1))});
  EXPECT_EQ(store.result_keys().size(), 1U);
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
  store.save(study, std::vector{point(0, done_record(1)), point(1, slow_scan), point(2, flops)});
  EXPECT_EQ(
      query(file,
            "SELECT position, schedule, score, unit, plain_score, scan_schedule, scan_score, speedup, plain_bytes, "
            "scan_bytes FROM study_points ORDER BY position"),
      "0|hybrid:2|2.0|s|8.0|hybrid:2|2.0|4.0|1024|4096\n"
      "1|linear|1.0|s|1.0|hybrid:9|4.0|0.25|1024|4096\n"
      "2|hybrid:2|100.0|FLOPs|8.0|hybrid:2|100.0|0.08|1024|4096\n");
  EXPECT_EQ(query(file, "SELECT name, best, position, unit FROM study_best ORDER BY unit DESC, best"),
            "lengths|score|1|s\nlengths|speedup|0|s\nlengths|score|2|FLOPs\nlengths|speedup|2|FLOPs\n");
  EXPECT_EQ(query(file, "SELECT axis, name, axis_values FROM study_axes"),
            "0|workers|[1,2]\n1|schedule|[\"linear\",\"best\"]\n");
  const QueryResult rows = store.points(study);
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
  EXPECT_EQ(store.points(study, 2).rows.size(), 2U);
  EXPECT_TRUE(store.points(study + 1).rows.empty());
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

TEST(StudyStore, RemovesTheCountedModelsThatWereUsedLongestAgo) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  StudyStore store(file);
  const std::string bytes(100, '\0');
  EXPECT_FALSE(store.cached(key_of(1)).has_value());
  store.keep(key_of(1), bytes + "1", 1000);
  store.keep(key_of(2), bytes + "2", 1000);
  store.keep(key_of(3), bytes + "3", 1000);
  EXPECT_EQ(store.cached(key_of(1)), bytes + "1") << "and it is the last one used now";
  store.keep(key_of(4), bytes + "4", 303);
  EXPECT_FALSE(store.cached(key_of(2)).has_value());
  EXPECT_TRUE(store.cached(key_of(1)) && store.cached(key_of(3)) && store.cached(key_of(4)));
  store.keep(key_of(1), "new", 303);
  EXPECT_EQ(store.cached(key_of(1)), "new");
  store.keep(key_of(5), std::string(400, 'x'), 303);
  EXPECT_FALSE(store.cached(key_of(5)).has_value()) << "larger than all the room";
  EXPECT_TRUE(store.cached(key_of(3)).has_value());
  store.keep(key_of(6), "", 0);
  EXPECT_EQ(store.cached(key_of(6)), "");
  EXPECT_EQ(query(file, "SELECT COUNT(*), SUM(bytes) FROM counted_models"), "1|0\n");
}

std::string refusal(const std::string& file) {
  try {
    const StudyStore store(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(StudyStore, RefusesWhatIsNotItsOwn) {
  const TemporaryFolder folder;
  const std::string newer = folder.path("newer.sqlite");
  EXPECT_EQ(refusal(newer), "accepted");
  query(newer, "PRAGMA user_version = 99");
  EXPECT_THAT(refusal(newer), HasSubstr(newer + ": its schema version is 99, accepted are versions up to 7"));
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
  std::string script = "BEGIN; PRAGMA application_id = " + std::to_string(kApplicationId) + "; ";
  for (std::size_t i = 0; i < 6; ++i) script += migrations()[i];
  script +=
      "INSERT INTO pass_runs (id, created_utc, tool_version, command, parameters, model, model_file, content_hash, "
      "network, batch, fused, dtype, workers) VALUES (1, '', '', 'train', '', 'm', '', '', '', 1, 1, 'fp32', 1);"
      "PRAGMA user_version = 6; COMMIT;";
  ASSERT_EQ(query(file, script), "");
  StudyStore store(file);
  store.save(store.open_study(study_record()), std::vector{point(0, done_record(1))});
  EXPECT_EQ(query(file, "PRAGMA user_version; SELECT model FROM pass_runs; SELECT COUNT(*) FROM study_points"),
            "7\nm\n1\n");
}

TEST(StudyStore, KeepsEarlierPointsWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  std::int64_t study = 0;
  {
    StudyStore store(file);
    study = store.open_study(study_record());
    store.save(study, std::vector{point(0, done_record(1))});
  }
  std::vector<StudyPoint> many;
  for (std::uint64_t i = 1; i < 3000; ++i) {
    PointRecord record = done_record(2);
    record.key = key_of(static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i));
    record.key[7] = 9;
    many.push_back(point(i, record));
  }
  const pid_t writer = fork();
  if (writer == 0) {
    signal(SIGXFSZ, SIG_IGN);
    int code = 1;
    try {
      StudyStore store(file);
      // No file can grow beyond what a small batch needs.
      const rlimit limit{300'000, 300'000};
      setrlimit(RLIMIT_FSIZE, &limit);
      store.save(study, std::vector{many[0]});
      code = 2;
      store.save(study, many);
    } catch (const InputError& error) {
      const std::string text = error.what();
      const bool is_clear =
          text.find(file + ": ") == 0 && text.find("accepted is a disk with room") != std::string::npos;
      code = code == 2 && is_clear ? 0 : 3;
      if (code != 0) fprintf(stderr, "%s\n", error.what());
    } catch (...) {
      code = 4;
    }
    _exit(code);
  }
  int status = 0;
  waitpid(writer, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(
      query(file, "SELECT COUNT(*) FROM study_members; SELECT COUNT(*) FROM point_results; PRAGMA integrity_check"),
      "2\n2\nok\n");
  StudyStore store(file);
  store.save(study, many);
  EXPECT_EQ(query(file, "SELECT COUNT(*) FROM study_points"), "3000\n");
}

TEST(StudyStore, HoldsWholeBatchesOnlyAfterAKill) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  { const StudyStore store(file); }
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    StudyStore store(file);
    const std::int64_t study = store.open_study(study_record());
    for (std::uint64_t batch = 0;; ++batch) {
      std::vector<StudyPoint> points;
      for (std::uint64_t i = 0; i < 10; ++i) {
        PointRecord record = done_record(1);
        record.key = key_of(static_cast<std::uint8_t>(batch), static_cast<std::uint8_t>(i));
        points.push_back(point(10 * batch + i, record));
      }
      store.save(study, points);
      if (write(ready[1], "x", 1) != 1) _exit(1);
    }
  }
  char batch = 0;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(read(ready[0], &batch, 1), 1);
  kill(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
  EXPECT_EQ(query(file, "PRAGMA integrity_check; PRAGMA foreign_key_check"), "ok\n");
  EXPECT_EQ(query(file, "SELECT COUNT(*) >= 50, COUNT(*) % 10 FROM study_members"), "1|0\n");
  StudyStore store(file);
  EXPECT_EQ(store.open_study(study_record()), 1);
}

}  // namespace
}  // namespace upsweep

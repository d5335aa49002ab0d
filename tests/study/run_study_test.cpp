#include "upsweep/study/run_study.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <sstream>

#include "network_study.hpp"
#include "study/study_run.hpp"
#include "support/chain_studies.hpp"
#include "support/files.hpp"
#include "support/random.hpp"
#include "upsweep/base/work_meter.hpp"
#include "upsweep/store/waiting.hpp"
#include "upsweep/study/evaluate_point.hpp"
#include "upsweep/study/work_units.hpp"

namespace upsweep {
namespace {

using testing::chain_study;
using testing::network_study;
using testing::TemporaryFolder;

/// Points of every status: 100 workers are more than the machine has, 10 000 Jacobians more than its memory holds, and
/// a constraint excludes some.
const char* const kMixed = R"(
axes:
  - {path: model.chain.length, values: [1, 2, 10, 100, 10000]}
  - {path: workers, values: [1, 4, 64, 100]}
  - {path: schedule, values: [linear, best, "hybrid:2"]}
constraints: "workers * 2 != model.chain.length * 8"
)";

StudyOptions options_of(std::size_t jobs = 1) {
  StudyOptions options;
  options.jobs = jobs;
  options.tool_version = "1.2.3";
  options.parameters = "[]";
  return options;
}

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool is_same(const PointBrief& a, const PointBrief& b) {
  return a.status == b.status && is_same(a.score, b.score) && is_same(a.plain_score, b.plain_score) &&
         is_same(a.scan_score, b.scan_score) && is_same(a.best_bytes, b.best_bytes) &&
         is_same(a.plain_bytes, b.plain_bytes) && is_same(a.scan_bytes, b.scan_bytes) &&
         is_same(a.bppsa_bytes, b.bppsa_bytes) && is_same(a.pipeline_bytes, b.pipeline_bytes) &&
         is_same(a.memory_limit, b.memory_limit);
}

std::uint64_t count_of(const StudyResult& result, PointStatus status) {
  return static_cast<std::uint64_t>(std::count_if(result.points.begin(), result.points.end(),
                                                  [&](const PointBrief& brief) { return brief.status == status; }));
}

/// Every point is what evaluate_point() says.
void expect_evaluated(const StudyFile& study, const StudyResult& result) {
  const PointFactory factory(study, "1.2.3");
  CountCache cache({}, 1 << 20);
  ASSERT_EQ(result.points.size(), factory.grid().points());
  for (std::uint64_t i = 0; i < result.points.size(); ++i) {
    const PointRecord record = evaluate_point(factory.at(i), cache);
    const PointBrief& brief = result.points[i];
    EXPECT_TRUE(is_same(brief, brief_of(record, 0))) << "position " << i;
    const std::string schedule = record.figures.best ? record.figures.best->schedule : "";
    EXPECT_EQ(result.schedules.at(brief.schedule), schedule) << "position " << i;
  }
}

/// Rows of a study but for its number.
std::vector<std::vector<Cell>> rows_of(StudyStore& store, std::int64_t study) {
  std::vector<std::vector<Cell>> rows = store.reader().study_points(study).rows;
  for (auto& row : rows) row.erase(row.begin());
  return rows;
}

TEST(RunStudy, CountsANetworkOnceForAllSchedulesOfAnAxis) {
  const StudyFile study = network_study(
      "axes: [{path: schedule, values: [linear, \"hybrid:1\", sklansky, best]}, "
      "{path: model.weights.seed, range: {from: 1, to: 6}}]");
  const StudyResult result = run_study(study, nullptr, options_of());
  EXPECT_EQ(result.counts.asked, 24U);
  EXPECT_EQ(result.counts.counted, 6U);
  expect_evaluated(study, result);
}

// Of several units, so that several threads work: the first has 64 points.
TEST(RunStudy, EveryPointIsWhatEvaluatePointSays) {
  std::string mixed = kMixed;
  mixed.replace(mixed.find("values: [1, 2, 10, 100, 10000]"), 30, "geometric: {from: 1, to: 10000, count: 50}");
  const StudyFile study = chain_study(mixed);
  for (const std::size_t jobs : {std::size_t{1}, std::size_t{3}}) {
    const StudyResult result = run_study(study, nullptr, options_of(jobs));
    expect_evaluated(study, result);
    EXPECT_FALSE(result.is_interrupted);
    EXPECT_TRUE(result.is_in_seconds);
    EXPECT_TRUE(result.is_exact);
    EXPECT_EQ(result.id, 0);
    EXPECT_GT(count_of(result, PointStatus::done), 0U);
    EXPECT_GT(count_of(result, PointStatus::infeasible), 0U);
    EXPECT_GT(count_of(result, PointStatus::excluded), 0U);
    EXPECT_GT(count_of(result, PointStatus::invalid), 0U);
    EXPECT_EQ(count_of(result, PointStatus::open), 0U);
    EXPECT_EQ(result.evaluated + count_of(result, PointStatus::excluded), result.points.size());
    EXPECT_FALSE(result.answers.empty());
  }
}

// Any thread of the pipeline writes; the stop is that of the thread that asked.
TEST(RunStudy, WaitsNoMoreForALockedDatabaseOnceItIsToStop) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  StudyStore store(file);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &other), SQLITE_OK);
  std::atomic<bool> stop = false;
  StudyOptions options = options_of(4);
  options.progress = [&](const StudyProgress&) {
    if (stop.exchange(true)) return;
    EXPECT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  };
  const WaitingStop stops(&stop);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(static_cast<void>(run_study(chain_study(kMixed), &store, options)), Interrupted);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(40));  // a minute, had it waited
  sqlite3_close(other);
}

TEST(RunStudy, InvalidPointsComeWithTheirReasonsAlsoFromTheStore) {
  const TemporaryFolder folder;
  StudyStore store(folder.path("studies.sqlite"));
  const StudyFile study = chain_study(kMixed);
  const StudyResult first = run_study(study, &store, options_of());
  const StudyResult again = run_study(study, &store, options_of());
  ASSERT_EQ(first.invalid.size(), first.reasons.size());
  EXPECT_EQ(first.invalid.size(), count_of(first, PointStatus::invalid));
  EXPECT_THAT(first.reasons, ::testing::Each(::testing::HasSubstr("100")));
  EXPECT_TRUE(std::is_sorted(first.invalid.begin(), first.invalid.end()));
  EXPECT_EQ(again.invalid, first.invalid);
  EXPECT_EQ(again.reasons, first.reasons);
}

TEST(RunStudy, AStudyThatIsDoneIsNotEvaluatedAgainAndAnswersTheSame) {
  const TemporaryFolder folder;
  StudyStore store(folder.path("studies.sqlite"));
  const StudyFile study = chain_study(kMixed);
  const StudyResult first = run_study(study, &store, options_of());
  const auto rows = rows_of(store, first.id);
  const StudyResult again = run_study(study, &store, options_of(2));
  EXPECT_EQ(again.id, first.id);
  EXPECT_EQ(again.evaluated, count_of(first, PointStatus::invalid)) << "of which a file may have been missing";
  EXPECT_EQ(again.found, 0U);
  EXPECT_EQ(again.resumed + again.evaluated, first.points.size());
  expect_evaluated(study, again);
  EXPECT_EQ(rows_of(store, first.id), rows);
  ASSERT_EQ(again.answers.size(), first.answers.size());
  for (std::size_t i = 0; i < first.answers.size(); ++i) EXPECT_EQ(again.answers[i].answer, first.answers[i].answer);
}

TEST(RunStudy, ResultsOfOtherStudiesAreFoundAndTheSame) {
  const TemporaryFolder folder;
  StudyStore store(folder.path("studies.sqlite"));
  const StudyFile one = chain_study("axes: [{path: model.chain.length, range: {from: 1, to: 20}}]", "one");
  const StudyFile other = chain_study("axes: [{path: model.chain.length, range: {from: 11, to: 40}}]", "other");
  EXPECT_EQ(run_study(one, &store, options_of()).found, 0U);
  const StudyResult result = run_study(other, &store, options_of());
  EXPECT_EQ(result.found, 10U);
  EXPECT_EQ(result.evaluated, 20U);
  EXPECT_EQ(result.resumed, 0U);
  expect_evaluated(other, result);
}

TEST(RunStudy, AnotherToolVersionEvaluatesAgain) {
  const TemporaryFolder folder;
  StudyStore store(folder.path("studies.sqlite"));
  const StudyFile study = chain_study("axes: [{path: model.chain.length, range: {from: 1, to: 20}}]");
  const StudyResult first = run_study(study, &store, options_of());
  StudyOptions options = options_of();
  options.tool_version = "1.2.4";
  const StudyResult second = run_study(study, &store, options);
  EXPECT_NE(second.id, first.id);
  EXPECT_EQ(second.evaluated, 20U);
}

// Units begin with 64 points and at most double, and two of them are under way: 600 points are not done after the
// first.
TEST(RunStudy, StopFinishesWhatIsUnderWayAndTheNextRunGoesOnFromThere) {
  const TemporaryFolder folder;
  StudyStore store(folder.path("studies.sqlite"));
  const StudyFile study = chain_study("axes: [{path: model.chain.length, range: {from: 1, to: 600}}]");
  std::atomic<bool> stop{false};
  StudyOptions options = options_of();
  options.stop = &stop;
  options.progress = [&](const StudyProgress& progress) {
    EXPECT_EQ(progress.points, 600U);
    EXPECT_FALSE(progress.best.empty());
    stop = true;
  };
  const StudyResult cut = run_study(study, &store, options);
  EXPECT_TRUE(cut.is_interrupted);
  EXPECT_TRUE(cut.answers.empty());
  EXPECT_GE(cut.evaluated, 64U);
  EXPECT_LT(cut.evaluated, 600U);
  EXPECT_EQ(store.reader().study_points(cut.id).rows.size(), cut.evaluated);

  const StudyResult rest = run_study(study, &store, options_of());
  EXPECT_FALSE(rest.is_interrupted);
  EXPECT_EQ(rest.resumed, cut.evaluated);
  EXPECT_EQ(rest.evaluated, 600 - cut.evaluated);
  expect_evaluated(study, rest);
}

TEST(RunStudy, AStopBeforeTheStartEvaluatesNothing) {
  const std::atomic<bool> stop{true};
  StudyOptions options = options_of();
  options.stop = &stop;
  const StudyResult result = run_study(chain_study(kMixed), nullptr, options);
  EXPECT_TRUE(result.is_interrupted);
  EXPECT_EQ(result.evaluated, 0U);
  EXPECT_TRUE(result.answers.empty());
}

TEST(RunStudy, ProgressEndsWithAllPoints) {
  std::vector<StudyProgress> seen;
  StudyOptions options = options_of(2);
  options.progress = [&](const StudyProgress& progress) { seen.push_back(progress); };
  const StudyFile study = chain_study("axes: [{path: model.chain.length, range: {from: 1, to: 300}}]");
  const StudyResult result = run_study(study, nullptr, options);
  ASSERT_FALSE(seen.empty());
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_LE(seen[i - 1].done, seen[i].done);
  EXPECT_EQ(seen.back().done, 300U);
  EXPECT_EQ(seen.back().seconds_left, 0);
  EXPECT_EQ(seen.back().best_score, result.points[0].score);
  EXPECT_TRUE(seen.back().is_in_seconds);
}

TEST(RunStudy, ExpectationsAreSaidToBeAlsoWhereAllPointsAreResumed) {
  const TemporaryFolder folder;
  StudyStore store(folder.path("studies.sqlite"));
  std::istringstream in(
      "name: uniform\nbase: {model: {name: u, chain: {length: 10, size: 8, kind: uniform, density: 0.1}}}\n"
      "axes: [{path: model.chain.length, values: [5, 10]}]\n");
  const StudyFile study = load_study(in, "uniform.yaml");
  for (const std::uint64_t resumed : {0U, 2U}) {
    const StudyResult result = run_study(study, &store, options_of());
    EXPECT_EQ(result.resumed, resumed);
    EXPECT_FALSE(result.is_exact);
    EXPECT_FALSE(result.is_in_seconds);
  }
}

class ResumedStudy : public testing::SeededTest {
 protected:
  /// Hands units with some of their points to the study until it has had enough, as a run that is killed or stopped.
  static void run_partly(const StudyFile& study, StudyStore& store, StudyOptions options, std::uint64_t points,
                         bool is_stopped) {
    std::atomic<bool> stop{false};
    options.stop = &stop;
    StudyRun run(study, &store, options);
    WorkUnits units(run.factory(), run.open_points());
    std::vector<UnitPoint> batch;
    for (const std::uint64_t position : units.next()) {
      if (points-- == 0) break;
      batch.push_back(evaluate_in_study(run.factory(), run.cache(), run.known_keys(), position));
    }
    if (!batch.empty()) run.add(std::move(batch));
    stop = true;
    if (is_stopped) static_cast<void>(run.finish());
  }
};

TEST_F(ResumedStudy, HasTheSameRowsAsAnUninterruptedOne) {
  const StudyFile study = chain_study(kMixed);
  const TemporaryFolder folder;
  StudyStore store(folder.path("studies.sqlite"));
  const StudyResult uninterrupted = run_study(study, &store, options_of());
  const auto expected = rows_of(store, uninterrupted.id);
  for (int round = 0; round < 20; ++round) {
    StudyOptions options = options_of(2);
    options.tool_version = fmt::format("round {}", round);  // shares no results with the other rounds
    for (std::uint64_t cuts = between(1, 4); cuts > 0; --cuts) {
      run_partly(study, store, options, between(0, 30), chance(0.5));
    }
    const StudyResult result = run_study(study, &store, options);
    EXPECT_FALSE(result.is_interrupted);
    EXPECT_EQ(result.found, 0U);
    EXPECT_EQ(rows_of(store, result.id), expected);
    for (std::size_t i = 0; i < result.points.size(); ++i) {
      EXPECT_TRUE(is_same(result.points[i], uninterrupted.points[i])) << "position " << i;
    }
    ASSERT_EQ(result.answers.size(), uninterrupted.answers.size());
    for (std::size_t i = 0; i < result.answers.size(); ++i) {
      EXPECT_EQ(result.answers[i].sentence, uninterrupted.answers[i].sentence);
    }
  }
}

TEST(RunStudy, NetworksAreCountedOnceAndTheirCountsServeTheNextStudy) {
  const TemporaryFolder folder;
  StudyStore store(folder.path("studies.sqlite"));
  const auto study_of = [](const std::string& name, const std::string& workers) {
    std::istringstream in("name: " + name + R"(
base:
  model:
    name: tiny
    input: [8]
    weights: {init: he_normal, seed: 0}
    operators: [linear: {name: fc1, out_features: 6}, relu: {name: relu1}, linear: {name: fc2, out_features: 4}]
axes:
  - {path: model.operators.fc1.out_features, values: [5, 6, 7]}
  - {path: workers, values: )" +
                          workers + "}\n");
    return load_study(in, name + ".yaml");
  };
  const StudyFile one = study_of("one", "[1, 2]");
  const StudyResult first = run_study(one, &store, options_of(2));
  expect_evaluated(one, first);
  EXPECT_EQ(first.counts.asked, 6U);
  EXPECT_EQ(first.counts.counted, 3U);
  const StudyFile two = study_of("two", "[3, 4]");
  const StudyResult second = run_study(two, &store, options_of(2));
  expect_evaluated(two, second);
  EXPECT_EQ(second.counts.counted, 0U);
  EXPECT_EQ(second.counts.stored, 3U);
}

}  // namespace
}  // namespace upsweep

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "support/files.hpp"
#include "upsweep/study/evaluate_point.hpp"
#include "upsweep/study/run_study.hpp"

namespace upsweep {
namespace {

using testing::npy;
using testing::TemporaryFolder;

StudyOptions options() {
  StudyOptions options;
  options.tool_version = "1.2.3";
  options.parameters = "[]";
  return options;
}

/// Two models of the same text but for their names, `one` and `two`, with masks in folders of these names, on one and
/// on two workers: positions 0 and 1 are of `one`.
class ChangedFiles : public ::testing::Test {
 protected:
  ChangedFiles() {
    for (const std::string name : {"one", "two"}) {
      folder_.write(name + ".yaml", "name: " + name + "\ninput: [3]\nweights: {masks: " + name +
                                        "}\noperators: [relu: {name: on}, linear: {name: fc, out_features: 2}]\n");
    }
    study_ = folder_.write("study.yaml",
                           "base: {model: one.yaml}\n"
                           "axes: [{path: model, values: [one.yaml, two.yaml]}, {path: workers, values: [1, 2]}]\n");
  }

  void write_mask(const std::string& name, const std::vector<std::uint8_t>& kept) const {
    folder_.write(name + "/fc.npy", npy<std::uint8_t>("|b1", "(2, 3)", kept));
  }

  [[nodiscard]] StudyResult run(StudyStore* store, const StudyOptions& how = options()) const {
    return run_study(load_study(study_), store, how);
  }

  /// Every point is what a run without a store says, in memory and in the store.
  void expect_fresh(const StudyResult& result, StudyStore& store) const {
    const StudyResult fresh = run(nullptr);
    ASSERT_EQ(result.points.size(), fresh.points.size());
    std::vector<PointStatus> stored(fresh.points.size(), PointStatus::open);
    std::vector<double> scores(fresh.points.size());
    store.reader().each_brief(result.id, [&](const StoredPoint& point) {
      stored.at(point.position) = point.brief.status;
      scores.at(point.position) = point.brief.score;
    });
    for (std::size_t i = 0; i < fresh.points.size(); ++i) {
      EXPECT_EQ(result.points[i].status, fresh.points[i].status) << i;
      EXPECT_EQ(stored[i], fresh.points[i].status) << i;
      if (fresh.points[i].status != PointStatus::done) continue;
      EXPECT_EQ(result.points[i].score, fresh.points[i].score) << i;
      EXPECT_EQ(scores[i], fresh.points[i].score) << i;
    }
    EXPECT_EQ(result.invalid, fresh.invalid);
    EXPECT_EQ(result.reasons, fresh.reasons);
    ASSERT_EQ(result.answers.size(), fresh.answers.size());
    for (std::size_t i = 0; i < fresh.answers.size(); ++i) EXPECT_EQ(result.answers[i].answer, fresh.answers[i].answer);
  }

  TemporaryFolder folder_;
  std::string study_;
};

TEST_F(ChangedFiles, MakePointsOfTheirModelNewAndLeaveTheOthers) {
  write_mask("one", {1, 1, 1, 1, 1, 1});
  write_mask("two", {1, 0, 1, 1, 1, 0});
  StudyStore store(folder_.path("s.sqlite"));
  const StudyResult first = run(&store);
  EXPECT_EQ(first.evaluated, 4U);
  EXPECT_EQ(run(&store).resumed, 4U) << "nothing has changed";

  write_mask("one", {1, 0, 0, 0, 0, 0});
  const StudyResult again = run(&store);
  EXPECT_EQ(again.id, first.id);
  EXPECT_EQ(again.resumed, 2U);
  EXPECT_EQ(again.evaluated, 2U);
  EXPECT_NE(again.points[0].score, first.points[0].score);
  expect_fresh(again, store);

  write_mask("one", {1, 1, 1, 1, 1, 1});
  const StudyResult back = run(&store);
  EXPECT_EQ(back.found, 2U) << "the results of the first run are still there";
  EXPECT_EQ(back.points[0].score, first.points[0].score);
  expect_fresh(back, store);
}

TEST_F(ChangedFiles, ThatWereMissingMakePointsValid) {
  write_mask("one", {1, 1, 1, 1, 1, 1});
  StudyStore store(folder_.path("s.sqlite"));
  const StudyResult first = run(&store);
  EXPECT_THAT(first.invalid, ::testing::ElementsAre(2, 3));
  const StudyResult same = run(&store);
  EXPECT_EQ(same.resumed, 2U);
  EXPECT_EQ(same.reasons, first.reasons);
  expect_fresh(same, store);

  write_mask("two", {1, 0, 1, 1, 1, 0});
  const StudyResult again = run(&store);
  EXPECT_EQ(again.resumed, 2U);
  EXPECT_EQ(again.evaluated, 2U);
  EXPECT_TRUE(again.invalid.empty());
  EXPECT_EQ(again.points[2].status, PointStatus::done);
  expect_fresh(again, store);
}

TEST_F(ChangedFiles, ThatAreGoneMakePointsInvalid) {
  write_mask("one", {1, 1, 1, 1, 1, 1});
  write_mask("two", {1, 0, 1, 1, 1, 0});
  StudyStore store(folder_.path("s.sqlite"));
  static_cast<void>(run(&store));
  std::filesystem::remove_all(folder_.path("two"));
  const StudyResult again = run(&store);
  EXPECT_THAT(again.invalid, ::testing::ElementsAre(2, 3));
  expect_fresh(again, store);
}

TEST_F(ChangedFiles, AreNotTakenForGrantedByARunThatIsStoppedBeforeItLooks) {
  write_mask("one", {1, 1, 1, 1, 1, 1});
  write_mask("two", {1, 0, 1, 1, 1, 0});
  StudyStore store(folder_.path("s.sqlite"));
  static_cast<void>(run(&store));
  write_mask("one", {1, 0, 0, 0, 0, 0});
  const std::atomic<bool> stop{true};
  StudyOptions stopped = options();
  stopped.stop = &stop;
  const StudyResult cut = run(&store, stopped);
  EXPECT_TRUE(cut.is_interrupted);
  EXPECT_EQ(cut.resumed, 0U);
  EXPECT_TRUE(std::all_of(cut.points.begin(), cut.points.end(),
                          [](const PointBrief& brief) { return brief.status == PointStatus::open; }));
  expect_fresh(run(&store), store);
}

TEST_F(ChangedFiles, ThatHoldTheSampleMakePointsNew) {
  write_mask("two", {1, 1, 1, 1, 1, 1});
  folder_.write("one/x.npy", npy<float>("<f4", "(1, 3)", {1, 1, 1}));
  folder_.write("one/w/fc.npy", npy<float>("<f4", "(2, 3)", {1, 1, 1, -1, -1, -1}));
  folder_.write("one.yaml",
                "name: one\ninput: [3]\nweights: {values: one/w}\nsample: {inputs: one/x.npy}\n"
                "operators: [linear: {name: fc, out_features: 2}, relu: {name: on}, linear: {name: fd, "
                "out_features: 2}]\n");
  folder_.write("one/w/fd.npy", npy<float>("<f4", "(2, 2)", {1, 1, 1, 1}));
  const std::string file =
      folder_.write("sampled.yaml", "base: {model: one.yaml, pattern: sample}\naxes: [{path: workers, values: [1]}]\n");
  StudyStore store(folder_.path("s.sqlite"));
  const StudyResult first = run_study(load_study(file), &store, options());
  EXPECT_EQ(first.evaluated, 1U);
  ASSERT_EQ(first.points[0].status, PointStatus::done) << first.reasons.at(0);
  folder_.write("one/x.npy", npy<float>("<f4", "(1, 3)", {0, 0, 0}));
  const StudyResult again = run_study(load_study(file), &store, options());
  EXPECT_EQ(again.id, first.id);
  EXPECT_EQ(again.resumed, 0U);
  EXPECT_EQ(again.evaluated, 1U);
  EXPECT_LT(again.points[0].score, first.points[0].score) << "no ReLU lets anything through";
}

}  // namespace
}  // namespace upsweep

#include "upsweep/study/evaluate_point.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "made_study.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/scaling/memory_models.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep::evaluate_point_test {
namespace {

using testing::add_axis;
using ::testing::HasSubstr;
using testing::kChain;
using testing::kMachine;
using testing::kNetwork;
using testing::made_study;
using testing::numbers;
using testing::texts;

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

PointRecord evaluate(const StudyFile& study, std::uint64_t position = 0) {
  CountCache cache({}, kPlenty);
  return evaluate_point(PointFactory(study, "1").at(position), cache);
}

StudyFile study_of_lenet(const std::string& machine = {}) {
  StudyFile study = made_study(kChain, machine);
  study.model = read_yaml(std::string(UPSWEEP_SOURCE_DIR) + "/models/lenet5.yaml");
  return study;
}

/// What a search of LeNet-5 gives.
SearchResult search_lenet(PatternKind pattern, const SearchOptions& options) {
  const Model model = load_network(read_yaml(std::string(UPSWEEP_SOURCE_DIR) + "/models/lenet5.yaml"), Numbers::needed);
  const NetworkView view{model.network, model.weights, &*model.sample, model.value_bytes};
  return search_depth(analyse(view, pattern, depth_candidates(model.network.links().size() + 1)).schedules, options);
}

void expect_equal(const PointSchedule& point, const Candidate& candidate, std::uint64_t inputs) {
  const auto mean = [&](std::uint64_t sum) { return static_cast<double>(sum) / static_cast<double>(inputs); };
  EXPECT_EQ(point.schedule, candidate.schedule);
  EXPECT_EQ(point.is_feasible, candidate.feasible);
  EXPECT_EQ(point.score, candidate.score);
  EXPECT_EQ(point.flops, mean(candidate.totals.flops));
  EXPECT_EQ(point.ops, static_cast<double>(candidate.totals.ops));
  EXPECT_EQ(point.peak_live_bytes, mean(candidate.pram.peak_live_bytes));
}

TEST(EvaluatePoint, OfLeNet5EqualsASearchOverItsDepths) {
  for (const PatternKind pattern : {PatternKind::guaranteed, PatternKind::sample}) {
    for (const std::uint64_t workers : {1, 3, 16}) {
      StudyFile study = study_of_lenet();
      study.spec.base.pattern = pattern;
      study.spec.base.point.workers = workers;
      const PointRecord record = evaluate(study);
      SearchOptions options;
      options.execution = Execution::level;
      options.workers = workers;
      const SearchResult search = search_lenet(pattern, options);
      ASSERT_EQ(record.status, PointStatus::done);
      expect_equal(*record.figures.best, search.candidates[*search.best], search.inputs);
      expect_equal(record.figures.plain, search.linear(), search.inputs);
      EXPECT_EQ(record.figures.margin, search.margin);
      EXPECT_EQ(record.figures.elements, 11U);
      EXPECT_FALSE(record.figures.is_in_seconds);
    }
  }
}

TEST(EvaluatePoint, OfLeNet5OnAMachineEqualsASearchInSeconds) {
  const StudyFile study = study_of_lenet(kMachine);
  const PointRecord record = evaluate(study);
  const Machine machine = load_machine(*study.machine);
  SearchOptions options;
  options.execution = Execution::level;
  options.machine = &machine;
  options.workers = record.figures.workers;
  options.memory_limit = machine.memory_bytes;
  const SearchResult search = search_lenet(PatternKind::guaranteed, options);
  ASSERT_EQ(record.status, PointStatus::done);
  EXPECT_TRUE(record.figures.is_in_seconds);
  expect_equal(*record.figures.best, search.candidates[*search.best], 1);
  EXPECT_EQ(record.memory_limit, 64.0 * (1 << 20)) << "of the machine";
  EXPECT_EQ(record.machine_hash.size(), 32U);
  EXPECT_EQ(record.key, PointFactory(study, "1").at(0).key);
}

TEST(EvaluatePoint, OfAChainEqualsItsScore) {
  StudyFile study = made_study(kChain, kMachine);
  study.spec.base.point.schedule = "hybrid:2";
  study.spec.base.point.workers = 8;
  study.spec.base.batch = 3;
  const PointRecord record = evaluate(study);
  const PointInputs inputs = PointFactory(study, "1").at(0);
  const auto& chain = std::get<ChainModel>(*inputs.model.model);
  const PointFigures figures = score_point(chain.chain, 4, inputs.machine.machine.get(), inputs.settings.point);
  ASSERT_EQ(record.status, PointStatus::done);
  EXPECT_EQ(record.figures.best->score, figures.best->score);
  EXPECT_EQ(record.figures.best->schedule, "hybrid:2");
  EXPECT_EQ(record.figures.plain.score, figures.plain.score);
  EXPECT_EQ(record.settings, settings_text(inputs.settings));
}

TEST(EvaluatePoint, HasTheMemoryModelsOfThePapers) {
  StudyFile study = made_study(kChain);
  study.spec.base.point.workers = 8;
  add_axis(study, numbers("batch", {1, 32}));
  const PointRecord one = evaluate(study, 0);
  const PointRecord many = evaluate(study, 1);
  const double jacobian = one.figures.largest_jacobian_bytes;
  const double vector = one.figures.largest_vector_bytes;
  EXPECT_EQ(vector, 4.0 * 4) << "4 numbers of 4 bytes";
  EXPECT_DOUBLE_EQ(one.bppsa_bytes, 100.0 / 8 * jacobian);
  EXPECT_DOUBLE_EQ(many.bppsa_bytes, 32 * one.bppsa_bytes);
  EXPECT_DOUBLE_EQ(one.pipeline_bytes, (100.0 / 8 + 8) * vector) << "an input is not cut";
  EXPECT_DOUBLE_EQ(many.pipeline_bytes, 4 * one.pipeline_bytes) << "micro-batches of 32 / 8 inputs";
  EXPECT_TRUE(std::isnan(one.memory_limit)) << "none: neither settings nor machine";
}

TEST(EvaluatePoint, SaysWhyNoScheduleFits) {
  StudyFile study = made_study(kNetwork, kMachine);
  study.spec.base.point.memory_limit = 10;
  const PointRecord record = evaluate(study);
  EXPECT_EQ(record.status, PointStatus::infeasible);
  EXPECT_THAT(record.reason, HasSubstr("more than"));
  EXPECT_FALSE(record.figures.best);
  EXPECT_EQ(record.memory_limit, 10) << "that of the settings, not of the machine";
  EXPECT_NE(record.key, ContentKey{});
  const PointBrief brief = brief_of(record, 0);
  EXPECT_TRUE(std::isnan(brief.score));
  EXPECT_TRUE(std::isnan(brief.scan_score));
  EXPECT_GT(brief.plain_score, 0);
  EXPECT_GT(brief.scan_bytes, 10) << "of the smallest score where no scan is feasible";
}

TEST(EvaluatePoint, SaysWhichSettingsDoNotGoTogether) {
  StudyFile study = made_study(kChain, kMachine);
  study.spec.base.point.workers = 65;
  const PointRecord record = evaluate(study);
  EXPECT_EQ(record.status, PointStatus::invalid);
  EXPECT_THAT(record.reason, HasSubstr("65"));
  EXPECT_EQ(record.key, ContentKey{});
  EXPECT_TRUE(std::isnan(brief_of(record, 0).plain_score));
  CountCache cache({}, kPlenty);
  EXPECT_EQ(binding_of_point(PointFactory(study, "1").at(0), cache), std::nullopt);
}

TEST(EvaluatePoint, SaysThatACountLeavesItsRange) {
  const PointRecord record =
      evaluate(made_study("name: huge\nchain: {length: 1000000000000, size: 2000000000, kind: dense}\n"));
  EXPECT_EQ(record.status, PointStatus::invalid);
  EXPECT_THAT(record.reason, HasSubstr("a count exceeds 64 bits"));
}

TEST(EvaluatePoint, LeavesExcludedPointsAlone) {
  StudyFile study = made_study(kChain);
  study.spec.constraints = {Constraint("model.chain.length < 100")};
  const PointRecord record = evaluate(study);
  EXPECT_EQ(record.status, PointStatus::excluded);
  EXPECT_EQ(record.key, ContentKey{});
}

TEST(EvaluatePoint, CountsANetworkOnceForAllSettings) {
  StudyFile study = made_study(kNetwork, kMachine);
  add_axis(study, numbers("machine.launch_latency_us", {1, 2, 3}));
  add_axis(study, texts("scope", {"all", "live"}));
  add_axis(study, numbers("workers", {1, 2, 4}));
  const PointFactory factory(study, "1");
  CountCache cache({}, kPlenty);
  std::set<double> scores;
  for (std::uint64_t position = 0; position < factory.grid().points(); ++position) {
    const PointInputs inputs = factory.at(position);
    const PointRecord record = evaluate_point(inputs, cache);
    ASSERT_EQ(record.status, PointStatus::done) << record.reason;
    scores.insert(record.figures.best->score);
    EXPECT_NE(binding_of_point(inputs, cache), std::nullopt);
  }
  EXPECT_GE(scores.size(), 3U);
  EXPECT_EQ(cache.statistics().counted, 1U);
}

TEST(BindingOfPoint, NamesWhatLimitsAChain) {
  StudyFile study = made_study("name: made\nchain: {length: 1000, size: 4, kind: dense}\n", kMachine);
  add_axis(study, numbers("workers", {64}));
  add_axis(study, numbers("machine.launch_latency_us", {1000}));
  CountCache cache({}, kPlenty);
  EXPECT_EQ(binding_of_point(PointFactory(study, "1").at(0), cache), Binding::latency);
  study.machine.reset();
  study.spec.axes.pop_back();
  EXPECT_EQ(binding_of_point(PointFactory(study, "1").at(0), cache), Binding::arithmetic) << "FLOPs have no latency";
}

TEST(BriefOfPoint, HasTheFiguresOfTheRecord) {
  StudyFile study = made_study(kChain, kMachine);
  study.spec.base.point.workers = 64;
  const PointRecord record = evaluate(study);
  const PointBrief brief = brief_of(record, 5);
  EXPECT_EQ(brief.status, PointStatus::done);
  EXPECT_EQ(brief.schedule, 5U);
  EXPECT_EQ(brief.score, record.figures.best->score);
  EXPECT_EQ(brief.best_bytes, record.figures.best->peak_live_bytes);
  EXPECT_EQ(brief.plain_score, record.figures.plain.score);
  EXPECT_EQ(brief.plain_bytes, record.figures.plain.peak_live_bytes);
  EXPECT_EQ(brief.scan_score, record.figures.scan->score);
  EXPECT_EQ(brief.scan_bytes, record.figures.scan->peak_live_bytes);
  EXPECT_EQ(brief.bppsa_bytes, record.bppsa_bytes);
  EXPECT_EQ(brief.pipeline_bytes, record.pipeline_bytes);
  EXPECT_EQ(brief.memory_limit, record.memory_limit);
}

TEST(SettingsText, IsOneTextPerMeaning) {
  StudySettings settings;
  EXPECT_EQ(settings_text(settings),
            "schedule=best objective=time execution=level scope=all pattern=guaranteed workers=default batch=1 "
            "memory_limit_B=machine");
  settings.point.schedule = "substitution";
  settings.point.workers = 18446744073709551615U;
  settings.batch = 4;
  settings.point.is_limited_by_machine = false;
  EXPECT_EQ(settings_text(settings),
            "schedule=linear objective=time execution=level scope=all pattern=guaranteed "
            "workers=18446744073709551615 batch=4 memory_limit_B=none");
  settings.point.memory_limit = 7;
  EXPECT_THAT(settings_text(settings), HasSubstr("memory_limit_B=7"));
}

}  // namespace
}  // namespace upsweep::evaluate_point_test

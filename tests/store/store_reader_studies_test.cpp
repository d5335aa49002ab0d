#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up_records.hpp"
#include "study_rows.hpp"
#include "support/files.hpp"
#include "upsweep/store/run_store.hpp"
#include "upsweep/store/store_reader.hpp"
#include "upsweep/store/study_store.hpp"

namespace upsweep {
namespace {

using ::testing::ElementsAre;
using testing::TemporaryFolder;

TEST(StoreReaderStudies, GivesATrainingWithTheTasksOfItsVariants) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  RunStore store(file, RunStore::Open::create);
  store.save(testing::training_record());
  store.save(testing::training_record_without_best());

  const StoreReader reader(file);
  const std::optional<StoredTraining> found = reader.training(1);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->id, 1);
  EXPECT_FALSE(found->created_utc.empty());
  const TrainingRecord& read = found->record;
  EXPECT_THAT((std::vector{read.tool_version, read.parameters, read.name, read.kind, read.file, read.content_hash,
                           read.model, read.machine, read.link, read.kernels}),
              ElementsAre("1", "[]", "step", "pipeline", "step.yaml", "00", "net", "m", "l", "csr"));
  EXPECT_TRUE(read.is_in_seconds);
  EXPECT_EQ(read.devices, 2U);
  EXPECT_THAT(read.variants, ElementsAre("gpipe", "gpipe (2)"));
  EXPECT_EQ(read.best, 1U);
  EXPECT_EQ(read.best_makespan, 20.5);
  ASSERT_EQ(read.figures.size(), 6U);
  EXPECT_EQ(read.figures[0].index, std::nullopt);
  EXPECT_EQ(read.figures[0].value, 23);
  EXPECT_EQ(read.figures[3].name, "peak_act_plus_grad");
  EXPECT_EQ(read.figures[3].index, 1U);
  EXPECT_EQ(read.figures[4].variant, 1U);
  ASSERT_EQ(read.tasks.size(), 2U);
  EXPECT_EQ(read.tasks[0].variant, 0U);
  const TrainingTask& task = read.tasks[1];
  EXPECT_EQ(task.variant, 1U);
  EXPECT_EQ(task.resource, "0 to 1");
  EXPECT_EQ(task.kind, 'W');
  EXPECT_TRUE(task.is_transfer);
  EXPECT_EQ(task.layer, 3U);
  EXPECT_EQ(task.micro_batch, 2U);
  EXPECT_EQ(task.start, 1);
  EXPECT_EQ(task.end, 1.5);

  const TrainingRecord other = reader.training(2)->record;
  EXPECT_EQ(other.best, std::nullopt);
  EXPECT_EQ(other.best_makespan, std::nullopt);
  EXPECT_FALSE(other.is_in_seconds);
  ASSERT_EQ(other.tasks.size(), 2U);
  EXPECT_EQ(other.tasks[0].resource, "device 0");
}

TEST(StoreReaderStudies, ReadsARunOfBackwardPasses) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  RunStore(file, RunStore::Open::create).save(testing::pass_record());
  const StoreReader reader(file);
  const std::optional<StoredPasses> found = reader.passes(1);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->id, 1);
  EXPECT_FALSE(found->created_utc.empty());
  const PassRecord& read = found->record;
  EXPECT_THAT((std::vector{read.tool_version, read.command, read.parameters, read.model, read.model_file,
                           read.content_hash, read.network, read.machine, read.device, read.driver}),
              ElementsAre("1", "train", "[]", "net", "net.yaml", "00", "gru", "m", "a processor", "d"));
  EXPECT_THAT((std::vector<std::uint64_t>{read.hidden, read.steps, read.batch, read.value_bytes, read.workers}),
              ElementsAre(20, 100, 16, 8, 2));
  EXPECT_FALSE(read.is_fused);
  EXPECT_EQ(read.forward_s, 0.5);
  EXPECT_EQ(read.parameters_s, std::nullopt);
  ASSERT_EQ(read.passes.size(), 3U);
  const PassRow& baseline = read.passes[0];
  ASSERT_TRUE(baseline.predicted.has_value());
  EXPECT_EQ(baseline.predicted->down, 0.4);
  EXPECT_EQ(baseline.predicted->up, 0);
  EXPECT_FALSE(baseline.best || baseline.flops || baseline.mismatch || baseline.failure);
  const PassRow& scan = read.passes[1];
  EXPECT_EQ(scan.method, "blelloch");
  EXPECT_EQ(scan.backend, "cuda");
  EXPECT_EQ(scan.best, true);
  EXPECT_EQ(scan.mismatch, "wrong");
  ASSERT_TRUE(scan.measured.has_value());
  EXPECT_THAT((std::vector{scan.measured->jacobians, scan.measured->up, scan.measured->middle, scan.measured->down}),
              ElementsAre(0.0625, 0.125, 0, 0.0625));
  EXPECT_THAT((std::vector{scan.flops, scan.bytes, scan.critical_path_flops, scan.makespan_flops, scan.worst_share,
                           scan.loss_difference}),
              ElementsAre(1e20, 7, 8, 9, 0.5, 0.25));
  EXPECT_FALSE(scan.predicted || scan.failure);
  EXPECT_EQ(read.passes[2].failure, "too large");
  EXPECT_FALSE(read.passes[2].predicted || read.passes[2].measured);
  ASSERT_EQ(read.losses.size(), 4U);
  EXPECT_EQ(read.losses[1].iteration, 1U);
  EXPECT_EQ(read.losses[1].loss, 2.25);
  EXPECT_EQ(read.losses[1].accuracy, 0.5);
  EXPECT_EQ(read.losses[2].pass, 1U);
}

TEST(StoreReaderStudies, ReadsAStudyWithItsPoints) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  {
    StudyStore store(file);
    const std::int64_t id = store.open_study(testing::study_record());
    PointRecord invalid;
    invalid.status = PointStatus::invalid;
    invalid.reason = "no such model";
    PointRecord infeasible = testing::done_record(7);
    infeasible.status = PointStatus::infeasible;
    infeasible.reason = "too large";
    infeasible.figures.best = std::nullopt;
    infeasible.figures.scan = std::nullopt;
    infeasible.memory_limit = testing::kNan;
    const std::vector points = {testing::point(2, invalid), testing::point(1, infeasible),
                                testing::point(0, testing::done_record(6))};
    store.save(id, points);
    const std::vector<AnswerRecord> answers = {{"crossover", "{\"workers\":2}", "From 2 on.", "{\"at\":2}"},
                                               {"pareto", "", "One point.", "{}"}};
    store.save_answers(id, answers, true);
    store.open_study(testing::study_record("second"));
  }
  const StoreReader reader(file);
  EXPECT_THAT(reader.study_ids(), ElementsAre(2, 1));
  const std::optional<StoredStudy> study = reader.study(1);
  ASSERT_TRUE(study.has_value());
  EXPECT_EQ(study->id, 1);
  EXPECT_FALSE(study->created_utc.empty());
  EXPECT_FALSE(study->finished_utc.empty());
  EXPECT_THAT(
      (std::vector{study->tool_version, study->parameters, study->rule, study->name, study->file, study->content_hash}),
      ElementsAre("0.0-test", "[\"study\"]", kCountingRule, "lengths", "lengths.yaml", "00ff"));
  EXPECT_EQ(study->points, 4U);
  EXPECT_TRUE(study->is_complete);
  ASSERT_EQ(study->axes.size(), 2U);
  EXPECT_EQ(study->axes[0].name, "workers");
  EXPECT_EQ(study->axes[1].values, "[\"linear\",\"best\"]");
  ASSERT_EQ(study->answers.size(), 2U);
  EXPECT_EQ(study->answers[0].question, "crossover");
  EXPECT_EQ(study->answers[0].place, "{\"workers\":2}");
  EXPECT_EQ(study->answers[0].sentence, "From 2 on.");
  EXPECT_EQ(study->answers[0].details, "{\"at\":2}");
  EXPECT_EQ(study->answers[1].place, "");
  EXPECT_FALSE(reader.study(2)->is_complete);
  EXPECT_EQ(reader.study(2)->finished_utc, "");

  std::vector<StudyPointRow> points;
  reader.each_point(1, [&](const StudyPointRow& point) { points.push_back(point); });
  ASSERT_EQ(points.size(), 3U);
  const StudyPointRow& done = points[0];
  EXPECT_EQ(done.position, 0U);
  EXPECT_EQ(done.coordinates, "{\"workers\":0}");
  EXPECT_EQ(done.status, "done");
  EXPECT_EQ(done.schedule, "hybrid:2");
  EXPECT_EQ(done.unit, "s");
  EXPECT_THAT((std::vector{done.score, done.plain_score, done.dense_score, done.graph_score, done.blocks_score,
                           done.scan_score, done.peak_live_bytes, done.plain_bytes, done.scan_bytes, done.bppsa_bytes,
                           done.pipeline_bytes, done.memory_limit}),
              ElementsAre(2, 8, 6, 12, 3, 2, 4096, 1024, 4096, 2048, 512, 1e9));
  EXPECT_EQ(points[1].status, "infeasible");
  EXPECT_EQ(points[1].schedule, "");
  EXPECT_EQ(points[1].score, std::nullopt);
  EXPECT_EQ(points[1].memory_limit, std::nullopt);
  EXPECT_EQ(points[2].status, "invalid");
  EXPECT_EQ(points[2].unit, "");
  EXPECT_EQ(points[2].plain_score, std::nullopt);
}

}  // namespace
}  // namespace upsweep

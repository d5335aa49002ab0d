#pragma once

#include <string>
#include <vector>

#include "store/made_up_run.hpp"
#include "store/study_rows.hpp"

// A database with runs of every kind, none of which was ever made.

namespace upsweep::testing {

inline TrainingRecord made_training() {
  TrainingRecord record;
  record.tool_version = "1";
  record.parameters = R"(["training","step.yaml"])";
  record.name = "step";
  record.kind = "pipeline";
  record.file = "step.yaml";
  record.content_hash = "00";
  record.devices = 2;
  record.variants = {"gpipe", "modulo"};
  record.best = 1;
  record.best_makespan = 20;
  record.figures = {{0, "makespan", std::nullopt, 30},
                    {0, "bubble_fraction", std::nullopt, 0.5},
                    {1, "makespan", std::nullopt, 20},
                    {1, "bubble_fraction", std::nullopt, 0.25}};
  record.tasks = {{1, "device 0", 'F', false, 1, 0, 0, 1}, {1, "device 1", 'O', false, 2, 0, 1, 2}};
  return record;
}

inline PassRecord made_passes() {
  PassRecord record;
  record.tool_version = "1";
  record.command = "train";
  record.parameters = R"(["train","rnn.yaml"])";
  record.model = "rnn";
  record.model_file = "rnn.yaml";
  record.content_hash = "01";
  record.network = "rnn tanh";
  record.hidden = 20;
  record.steps = 100;
  record.device = "a device";
  record.driver = "a driver";
  record.machine = "a machine";
  PassRow bptt;
  bptt.method = "bptt";
  bptt.backend = "cpu";
  bptt.measured = PassSeconds{0, 0, 4, 0};
  PassRow scan = bptt;
  scan.method = "hybrid:2";
  scan.best = true;
  scan.measured = PassSeconds{0.5, 0.5, 0.5, 0.5};
  PassRow failed = bptt;
  failed.method = "blelloch";
  failed.measured = std::nullopt;
  failed.failure = "no memory";
  PassRow wrong = bptt;
  wrong.method = "blocked:2";
  wrong.mismatch = "entry 3";
  record.passes = {bptt, scan, failed, wrong};
  record.losses = {{0, 0, 2, 0.1}, {0, 1, 1, 0.5}, {1, 0, 2, 0.1}, {1, 1, 1, 0.5}};
  return record;
}

inline void add_study(const std::string& file) {
  StudyStore store(file);
  const std::int64_t study = store.open_study(study_record());
  const std::vector<StudyPoint> points = {point(0, done_record(1, 2)), point(1, done_record(2, 10))};
  store.save(study, points);
  const std::vector<AnswerRecord> answers = {
      {"best", "", "the best schedule is hybrid:2", R"({"points":2})"},
      {"crossover", R"({"schedule":"best"})", "the scan is faster from 2", R"({"along":"workers","faster":"from"})"},
      {"crossover", R"({"schedule":"linear"})", "nowhere", R"({"along":"workers","faster":"nowhere"})"}};
  store.save_answers(study, answers, true);
}

/// A search (runs 1 to 3: linear, hybrid:1, one that does not fit), a profile (4), a validation of two schedules (5,
/// 6), passes (7), a training step (8), a study (1) and pictures.
inline void make_store(const std::string& file) {
  const MadeUpRun linear(linear_schedule(4));
  const MadeUpRun hybrid;
  Machine machine;
  machine.name = "a machine";
  machine.kind = MachineKind::cpu;
  machine.rates.resize(1);
  machine.provenance.origin = "calibration";
  machine.provenance.device = "some device";
  machine.provenance.date = "2026-01-02";
  const auto context = [&](const std::string& command) {
    RunContext made = hybrid.context();
    made.command = command;
    made.parameters = "[\"" + command + "\",\"m.yaml\"]";
    return made;
  };
  RunStore store(file, RunStore::Open::create);
  RunRecord plain = linear.record();
  plain.requested = "linear";
  plain.score = 12;
  RunRecord refused = hybrid.record();
  refused.feasible = false;
  refused.reason = "needs 9 bytes";
  RunContext search = context("search");
  search.verdict = {"Kept, <b> and all.\nAnd a second sentence.", 0.75};
  store.save(search, {plain, hybrid.record(), refused}, SearchRecord{"time", "dag", "all", 2, 8, 1, 0.25, "hybrid:1"});
  store.save(context("profile"), {hybrid.record()}, std::nullopt);
  Measurement measured;
  measured.seconds = 4;
  measured.fastest_seconds = 2;
  measured.repetitions = 3;
  measured.notes = {"one note"};
  measured.level_seconds = {0.5, 1};
  measured.ops = {{0.125, 1, 2, 3}};
  Prediction prediction;
  prediction.seconds = 5;
  prediction.level_seconds = {0.75, 1};
  prediction.ops = {{2, 1}};
  DeviceFacts device;
  device.device = "some device";
  device.driver = "some driver";
  RunRecord first = plain;
  RunRecord second = hybrid.record();
  for (RunRecord* run : {&first, &second}) {
    run->score = std::nullopt;
    run->feasible = std::nullopt;
    run->measurement =
        MeasurementRecord{"cpu", device, 2, "level", 4, 0, 0.125, &measured, &prediction, 0.75, std::nullopt};
  }
  second.measurement->mismatch = "op 3 is wrong";
  RunContext validation = context("validate");
  validation.machine = &machine;
  validation.machine_text = "text";
  store.save(validation, {first, second}, std::nullopt);
  store.save(made_passes());
  store.save(made_training());
  StoredPicture picture;
  picture.first = picture.last = 1;
  picture.name = "c";
  picture.rows = picture.cols = 2;
  picture.nnz = 2;
  picture.grid_rows = picture.grid_cols = 2;
  picture.cells = {255, 0, 0, 255};
  store.save_pictures("00ff", "sample", std::vector{picture});
  add_study(file);
}

}  // namespace upsweep::testing

#pragma once

#include <optional>

#include "upsweep/store/pass_record.hpp"
#include "upsweep/store/training_record.hpp"

// A training step that was never simulated, and backward passes that never ran.

namespace upsweep::testing {

/// Two variants of nearly equal names, the second the best; tasks and a transfer.
inline TrainingRecord training_record() {
  TrainingRecord record;
  record.tool_version = "1";
  record.parameters = "[]";
  record.name = "step";
  record.kind = "pipeline";
  record.file = "step.yaml";
  record.content_hash = "00";
  record.is_in_seconds = true;
  record.model = "net";
  record.machine = "m";
  record.link = "l";
  record.kernels = "csr";
  record.devices = 2;
  record.variants = {"gpipe", "gpipe (2)"};
  record.best = 1;
  record.best_makespan = 20.5;
  record.figures = {{0, "makespan", std::nullopt, 23},   {0, "bubble_fraction", std::nullopt, 0.5},
                    {0, "peak_act_plus_grad", 0, 5},     {0, "peak_act_plus_grad", 1, 4},
                    {1, "makespan", std::nullopt, 20.5}, {1, "bubble_fraction", std::nullopt, 0.25}};
  record.tasks = {{0, "device 0", 'F', false, 1, 0, 0, 1}, {1, "0 to 1", 'W', true, 3, 2, 1, 1.5}};
  return record;
}

/// The same without a best variant, in the file's own unit.
inline TrainingRecord training_record_without_best() {
  TrainingRecord record = training_record();
  record.best = std::nullopt;
  record.best_makespan = std::nullopt;
  record.is_in_seconds = false;
  return record;
}

/// A baseline, a scan that was faster but wrong, and one that did not run; two points of a curve of each that ran.
inline PassRecord pass_record() {
  PassRecord record;
  record.tool_version = "1";
  record.command = "train";
  record.parameters = "[]";
  record.model = "net";
  record.model_file = "net.yaml";
  record.content_hash = "00";
  record.network = "gru";
  record.hidden = 20;
  record.steps = 100;
  record.batch = 16;
  record.is_fused = false;
  record.value_bytes = 8;
  record.machine = "m";
  record.device = "a processor";
  record.driver = "d";
  record.workers = 2;
  record.forward_s = 0.5;
  PassRow baseline{"bptt", "cpu"};
  baseline.predicted = PassSeconds{0, 0, 0, 0.4};
  baseline.measured = PassSeconds{0, 0, 0, 0.5};
  PassRow scan{"blelloch", "cuda", true};
  scan.measured = PassSeconds{0.0625, 0.125, 0, 0.0625};
  scan.mismatch = "wrong";
  scan.flops = 1e20;  // more than an integer holds
  scan.bytes = 7;
  scan.critical_path_flops = 8;
  scan.makespan_flops = 9;
  scan.worst_share = 0.5;
  scan.loss_difference = 0.25;
  PassRow failed{"hybrid:1", "cpu"};
  failed.failure = "too large";
  record.passes = {baseline, scan, failed};
  record.losses = {{0, 0, 2.5, 0}, {0, 1, 2.25, 0.5}, {1, 0, 2.5, 0}, {1, 1, 2.25, 0.5}};
  return record;
}

}  // namespace upsweep::testing

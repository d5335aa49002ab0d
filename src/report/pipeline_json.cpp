#include "pipeline_json.hpp"

#include <nlohmann/json.hpp>

#include "training_parts.hpp"

namespace upsweep {
namespace {

std::vector<std::uint64_t> each(const std::vector<TensorPeaks>& peaks, std::uint64_t TensorPeaks::*which) {
  std::vector<std::uint64_t> numbers;
  for (const TensorPeaks& peak : peaks) numbers.push_back(peak.*which);
  return numbers;
}

/// The peaks in bytes, by device.
Json bytes_json(const std::vector<DeviceBytes>& devices) {
  std::vector<TensorPeaks> tensors;
  Json weights = Json::array();
  Json together = Json::array();
  for (const DeviceBytes& device : devices) {
    tensors.push_back(device.tensors);
    weights.push_back(device.weights);
    together.push_back(device.together());
  }
  return {{"peak_act_bytes", each(tensors, &TensorPeaks::activations)},
          {"peak_grad_bytes", each(tensors, &TensorPeaks::gradients)},
          {"peak_act_plus_grad_bytes", each(tensors, &TensorPeaks::together)},
          {"weight_bytes", std::move(weights)},
          {"memory_bytes", std::move(together)}};
}

Json run_json(const PipelineOutcome& outcome) {
  const PipelineRun& run = outcome.run;
  Json utilisation = Json::array();
  for (const double busy : run.busy) utilisation.push_back(busy / run.makespan);
  Json object = {{"policy", run.policy},
                 {"makespan", json_number(run.makespan)},
                 {"busy", json_numbers(run.busy)},
                 {"utilisation", std::move(utilisation)},
                 {"bubble_fraction", run.bubble_fraction},
                 {"peak_act", each(run.peaks, &TensorPeaks::activations)},
                 {"peak_grad", each(run.peaks, &TensorPeaks::gradients)},
                 {"peak_act_plus_grad", each(run.peaks, &TensorPeaks::together)},
                 {"exact", run.is_exact}};
  if (run.stashed) {
    object["weight_versions"] = run.stashed->weight_versions;
    object["staleness"] = run.stashed->staleness;
    object["stage_time"] = json_numbers(run.stashed->stage_time);
    object["period_lower_bound"] = json_number(run.stashed->period_lower_bound);
  }
  if (!run.bytes.empty()) object.update(bytes_json(run.bytes));
  if (outcome.optimum) object["optimum"] = optimum_json(outcome.optimum);
  return object;
}

Json trace_json(const PipelineRun& run) {
  std::vector<Json> rows(run.busy.size(), Json::array());
  for (const StepEntry& entry : run.timeline)
    rows[entry.device].push_back(to_string(entry.op) + "@" + plain_number(entry.start));
  return Json(std::move(rows));
}

/// Costs that were taken from a network.
Json layers_json(const Pipeline& pipeline) {
  return {{"micro_batches", pipeline.micro_batches},
          {"F", json_numbers(pipeline.forward)},
          {"O", json_numbers(pipeline.output_gradient)},
          {"W", json_numbers(pipeline.weight_gradient)},
          {"size", json_numbers(pipeline.transfer_sizes)}};
}

Json scan_json(const ScanStepRun& scan) {
  return {{"schedule", scan.schedule},
          {"makespan", json_number(scan.makespan)},
          {"forward_end", json_number(scan.forward_end)},
          {"gradients_end", json_number(scan.gradients_end)},
          {"busy", json_numbers(scan.busy)},
          {"bubble_fraction", scan.bubble_fraction}};
}

}  // namespace

Json pipeline_json(const TrainingFile& file, const PipelineStudy& study, const PipelineAnswers& answers) {
  Json object = training_head(file);
  if (study.memory_limit)
    object["memory_limit"] = {{study.is_limit_in_bytes ? "bytes" : "tensors", *study.memory_limit}};
  if (!study.is_comparison) {
    object.update(run_json(answers.choices.front()));
    if (file.source) object["layers"] = layers_json(study.choices.front().pipeline);
    object["trace"] = trace_json(answers.choices.front().run);
    return object;
  }
  if (file.source) object["layers"] = layers_json(study.choices.front().pipeline);
  object["policies"] = Json::array();
  for (std::size_t i = 0; i < answers.choices.size(); ++i) {
    Json choice = {
        {"label", study.choices[i].label},
        {"micro_batches", study.choices[i].pipeline.micro_batches},
        {"tensor_size", json_number(tensors_of_the_file(study, study.choices[i], 1))},
        {"does_not_fit", answers.choices[i].does_not_fit.empty() ? Json() : Json(answers.choices[i].does_not_fit)}};
    choice.update(run_json(answers.choices[i]));
    choice["trace"] = trace_json(answers.choices[i].run);
    object["policies"].push_back(std::move(choice));
  }
  object["scans"] = Json::array();
  for (const ScanStepRun& scan : answers.scans) object["scans"].push_back(scan_json(scan));
  object["best"] = answers.best ? Json(study.choices[*answers.best].label) : Json();
  return object;
}

}  // namespace upsweep

#include <fmt/format.h>

#include <algorithm>

#include "training_parts.hpp"

namespace upsweep {
namespace {

std::string timeline_csv(const PipelineRun& run) {
  std::string csv = csv_line({"device", "kind", "layer", "micro_batch", "start", "end"});
  for (const StepEntry& entry : run.timeline) {
    csv += csv_line({fmt::format("{}", entry.device), std::string(1, letter(entry.op.kind)),
                     fmt::format("{}", entry.op.layer + 1), fmt::format("{}", entry.op.micro_batch),
                     plain_number(entry.start), plain_number(entry.end)});
  }
  return csv;
}

/// A row of a comparison; tensors are those of the file's micro-batches.
std::string choice_csv(const PipelineStudy& study, const PipelineChoice& choice, const PipelineOutcome& outcome) {
  const PipelineRun& run = outcome.run;
  const bool has_optimum = outcome.optimum && outcome.optimum->skipped.empty();
  const auto tensors = [&](std::uint64_t TensorPeaks::*which) {
    return plain_number(tensors_of_the_file(study, choice, std::ranges::max(run.peaks, {}, which).*which));
  };
  return csv_line({choice.label, run.policy, fmt::format("{}", choice.pipeline.micro_batches),
                   plain_number(run.makespan), plain_number(run.bubble_fraction), tensors(&TensorPeaks::activations),
                   tensors(&TensorPeaks::gradients), tensors(&TensorPeaks::together), outcome.does_not_fit,
                   has_optimum ? plain_number(outcome.optimum->lower_bound) : "",
                   has_optimum ? plain_number(outcome.optimum->makespan) : ""});
}

}  // namespace

std::string to_csv(const PipelineStudy& study, const PipelineAnswers& answers) {
  if (!study.is_comparison) return timeline_csv(answers.choices.front().run);
  std::string csv =
      csv_line({"label", "policy", "micro_batches", "makespan", "bubble_fraction", "peak_act", "peak_grad",
                "peak_act_plus_grad", "does_not_fit", "optimum_lower_bound", "optimum_makespan"});
  for (std::size_t i = 0; i < answers.choices.size(); ++i)
    csv += choice_csv(study, study.choices[i], answers.choices[i]);
  for (const ScanStepRun& scan : answers.scans) {
    csv += csv_line({"scan " + scan.schedule, "scan", fmt::format("{}", study.micro_batches),
                     plain_number(scan.makespan), plain_number(scan.bubble_fraction), "", "", "", "", "", ""});
  }
  return csv;
}

}  // namespace upsweep

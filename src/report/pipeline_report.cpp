#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline_json.hpp"
#include "training_parts.hpp"
#include "upsweep/report/timeline.hpp"
#include "upsweep/training/policy.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostTimelineRows = 16;

std::uint64_t most(const std::vector<TensorPeaks>& peaks, std::uint64_t TensorPeaks::*which) {
  return std::ranges::max(peaks, {}, which).*which;
}

std::vector<std::string> device_names(std::size_t devices) {
  std::vector<std::string> names;
  for (std::size_t device = 0; device < devices; ++device) names.push_back(fmt::format("device {}", device));
  return names;
}

/// One scale for the timelines of all choices.
TimelineScale common_scale(const PipelineAnswers& answers, TimelineStyle style) {
  std::vector<StepEntry> all;
  for (const PipelineOutcome& outcome : answers.choices) {
    if (outcome.run.busy.size() <= kMostTimelineRows)
      all.insert(all.end(), outcome.run.timeline.begin(), outcome.run.timeline.end());
  }
  return timeline_scale(all, style);
}

std::string run_timeline(const PipelineRun& run, const TimelineScale& scale) {
  if (run.busy.size() > kMostTimelineRows) return "";
  return timeline_text(run.timeline, device_names(run.busy.size()), scale);
}

std::string plural(std::size_t count, const std::string& noun, const std::string& ending = "s") {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : ending);
}

Table devices_table(const TrainingFile& file, const PipelineRun& run) {
  const bool has_bytes = !run.bytes.empty();
  const auto if_bytes = [&](const char* head) { return has_bytes ? std::optional<std::string>(head) : std::nullopt; };
  std::vector<std::vector<Value>> rows;
  for (std::size_t device = 0; device < run.busy.size(); ++device) {
    const TensorPeaks& peaks = run.peaks[device];
    rows.push_back({device, time_value(file, run.busy[device]), run.busy[device] / run.makespan, peaks.activations,
                    peaks.gradients, peaks.together, has_bytes ? Value(run.bytes[device].tensors.together) : Value(),
                    has_bytes ? Value(run.bytes[device].weights) : Value(),
                    has_bytes ? Value(run.bytes[device].together()) : Value()});
  }
  return {"",
          {{"", "device", Unit::exact},
           {"", "busy", Unit::exact},
           {"", "utilisation", Unit::share},
           {"", "activations", Unit::exact},
           {"", "gradients", Unit::exact},
           {"", "together", Unit::exact},
           {"", if_bytes("in bytes"), Unit::bytes},
           {"", if_bytes("weights"), Unit::bytes},
           {"", if_bytes("memory"), Unit::bytes}},
          std::move(rows)};
}

/// What the bytes of a run count, for people; nothing where layers have none.
std::string bytes_text(const PipelineRun& run) {
  if (run.bytes.empty()) return "";
  return "memory: such tensors and all versions of the weights with their gradients, on the fullest device; a lower "
         "bound, as what\nlayers keep inside themselves, the optimiser's state and workspaces are not counted.\n";
}

/// The operations with their times.
Table timeline_table(const PipelineRun& run) {
  using Item = const StepEntry*;
  return {"", each_of(run.timeline),
          std::vector<Field<Item>>{
              {"device", {}, Unit::exact, &StepEntry::device},
              {"kind", {}, Unit::text, [](Item entry) { return std::string(1, letter(entry->op.kind)); }},
              {"layer", {}, Unit::exact, [](Item entry) { return entry->op.layer + 1; }},
              {"micro_batch", {}, Unit::exact, [](Item entry) { return entry->op.micro_batch; }},
              {"start", {}, Unit::exact, [](Item entry) { return number_value(entry->start); }},
              {"end", {}, Unit::exact, [](Item entry) { return number_value(entry->end); }}}};
}

std::string stashed_text(const TrainingFile& file, const PipelineRun& run) {
  if (!run.stashed) return "";
  return fmt::format(
      "Not the semantics of one step: stage s of p keeps p - s versions of its weights, its gradients are "
      "p - 1 - s updates old. In the steady state a micro-batch takes at least {}.\n",
      time_text(file, run.stashed->period_lower_bound));
}

Document one_document(const TrainingFile& file, const PipelineChoice& choice, const PipelineOutcome& outcome,
                      TimelineStyle style) {
  const Pipeline& pipeline = choice.pipeline;
  const PipelineRun& run = outcome.run;
  Document document;
  document.sheet(timeline_table(run))
      .say(fmt::format("{}: {} ({}), {} on {}, {}\n{}", file.name, run.policy, find_policy(run.policy).summary,
                       plural(pipeline.layers(), "layer"), plural(pipeline.devices, "device"),
                       plural(pipeline.micro_batches, "micro-batch", "es"), source_text(file)))
      .say(fmt::format("\nMakespan {}, bubbles {} of the devices' time.\n", time_text(file, run.makespan),
                       percent_text(run.bubble_fraction)))
      .say(optimum_text(file, run.makespan, outcome.optimum) + stashed_text(file, run) + '\n')
      .show(devices_table(file, run))
      .say("\nactivations, gradients, together: the most tensors on the device at one instant.\n" + bytes_text(run));
  const TimelineScale scale = timeline_scale(run.timeline, style);
  const std::string timeline = run_timeline(run, scale);
  if (!timeline.empty()) document.say('\n' + heading_text(file, scale) + '\n' + timeline);
  return std::move(document.say(note_text(file)));
}

/// "scan blelloch (hybrid:4)"; plain back-propagation is no scan.
std::string scan_label(const PipelineStudy& study, const PipelineAnswers& answers, std::size_t scan) {
  const std::string& schedule = answers.scans[scan].schedule;
  if (schedule == "linear") return "no scan, any device";
  return study.scans[scan] == schedule ? "scan " + schedule : fmt::format("scan {} ({})", study.scans[scan], schedule);
}

bool has_other_micro_batches(const PipelineStudy& study) {
  return std::ranges::any_of(study.choices, [&](const PipelineChoice& choice) {
    return choice.pipeline.micro_batches != study.micro_batches;
  });
}

/// What a row of the table has no room for.
std::string remarks(const TrainingFile& file, const PipelineStudy& study, const PipelineAnswers& answers) {
  std::string text;
  for (std::size_t i = 0; i < answers.choices.size(); ++i) {
    const PipelineOutcome& outcome = answers.choices[i];
    if (!outcome.does_not_fit.empty())
      text += fmt::format("{} does not fit: {}.\n", study.choices[i].label, outcome.does_not_fit);
    if (outcome.optimum && !outcome.optimum->skipped.empty())
      text += fmt::format("{}: optimum not looked for: {}.\n", study.choices[i].label, outcome.optimum->skipped);
    if (!outcome.run.stashed) continue;
    const auto count = static_cast<double>(study.choices[i].pipeline.micro_batches);
    text += fmt::format(
        "{}: in the steady state, without filling and draining, as many micro-batches take at least {}; "
        "gradients are up to {} updates old, which is another training.\n",
        study.choices[i].label, time_text(file, count * outcome.run.stashed->period_lower_bound),
        outcome.run.stashed->staleness.front());
  }
  if (!answers.scans.empty()) {
    text +=
        "scan: back-propagation as a parallel scan; no scan: plain back-propagation. Both on the same devices, which "
        "share their memory:\nany device runs any operation and nothing moves, so these times are lower bounds.\n";
  }
  return text;
}

/// What stands at the end of a policy's row.
std::string mark_of(const PipelineAnswers& answers, std::size_t i) {
  const PipelineOutcome& outcome = answers.choices[i];
  std::string mark = outcome.does_not_fit.empty() ? "" : "does not fit";
  const bool is_tie = answers.best && outcome.run.makespan == answers.choices[*answers.best].run.makespan;
  if (mark.empty() && is_tie) mark = answers.best == i ? "<- best" : "as fast";
  if (outcome.run.stashed) mark += mark.empty() ? "stale weights" : ", stale weights";
  return mark;
}

/// A row per policy and, behind them, per scan; tensors are those of the file's micro-batches.
Table comparison_table(const TrainingFile& file, const PipelineStudy& study, const PipelineAnswers& answers) {
  const bool has_optimum = std::ranges::any_of(answers.choices, [](const auto& c) { return c.optimum.has_value(); });
  const bool has_bytes = !answers.choices.front().run.bytes.empty();
  const double first = answers.choices.front().run.makespan;
  std::vector<std::vector<Value>> rows;
  for (std::size_t i = 0; i < answers.choices.size(); ++i) {
    const PipelineOutcome& outcome = answers.choices[i];
    const PipelineChoice& choice = study.choices[i];
    const PipelineRun& run = outcome.run;
    const bool is_solved = outcome.optimum && outcome.optimum->skipped.empty();
    const auto tensors = [&](std::uint64_t TensorPeaks::*which) {
      const double count = tensors_of_the_file(study, choice, most(run.peaks, which));
      return number_value(count).shown(fmt::format("{:.4g}", count));
    };
    const Value bytes = has_bytes ? Value(std::ranges::max(run.bytes, {}, &DeviceBytes::together).together()) : Value();
    const std::string gap = is_solved ? fmt::format("{}{}", outcome.optimum->is_proven ? "" : "<= ",
                                                    percent_text(run.makespan / outcome.optimum->lower_bound - 1))
                                      : (outcome.optimum ? "-" : "");
    rows.push_back({choice.label, run.policy, choice.pipeline.micro_batches, time_value(file, run.makespan),
                    first / run.makespan, run.bubble_fraction, tensors(&TensorPeaks::activations),
                    tensors(&TensorPeaks::gradients), tensors(&TensorPeaks::together), bytes, outcome.does_not_fit,
                    is_solved ? number_value(outcome.optimum->lower_bound) : Value(),
                    is_solved ? number_value(outcome.optimum->makespan) : Value(), gap, mark_of(answers, i)});
  }
  for (std::size_t i = 0; i < answers.scans.size(); ++i) {
    const ScanStepRun& scan = answers.scans[i];
    const bool is_faster = answers.best && scan.makespan < answers.choices[*answers.best].run.makespan;
    rows.push_back({Value("scan " + scan.schedule).shown(scan_label(study, answers, i)), "scan", study.micro_batches,
                    time_value(file, scan.makespan), first / scan.makespan, scan.bubble_fraction, Value(), Value(),
                    Value(), Value(), Value(), Value(), Value(), "", is_faster ? "faster than every policy" : ""});
  }
  const auto if_optimum = has_optimum ? std::optional<std::string>("above optimum") : std::nullopt;
  return {
      "",
      {{"label", "policy", Unit::text},
       {"policy"},
       {"micro_batches"},
       {"makespan", "makespan", Unit::exact},
       {"", "speed-up", Unit::speedup},
       {"bubble_fraction", "bubbles", Unit::share},
       {"peak_act", "activations", Unit::exact},
       {"peak_grad", "gradients", Unit::exact},
       {"peak_act_plus_grad", "together", Unit::exact},
       {has_bytes ? "memory_bytes" : "", has_bytes ? std::optional<std::string>("memory") : std::nullopt, Unit::bytes},
       {"does_not_fit"},
       {"optimum_lower_bound"},
       {"optimum_makespan"},
       {"", if_optimum, Unit::exact},
       {"", "", Unit::text}},
      std::move(rows)};
}

Document comparison_document(const TrainingFile& file, const PipelineStudy& study, const PipelineAnswers& answers,
                             TimelineStyle style) {
  const Pipeline& first = study.choices.front().pipeline;
  Document document;
  document
      .say(fmt::format("{}: {} on {}\n{}\n", file.name, plural(first.layers(), "layer"),
                       plural(first.devices, "device"), source_text(file)))
      .show_sheet(comparison_table(file, study, answers))
      .say(fmt::format("\nspeed-up: against {}; activations, gradients, together: the most tensors on a device at one "
                       "instant{}.\n",
                       study.choices.front().label,
                       has_other_micro_batches(study) ? ", in tensors of one of the file's micro-batches" : ""))
      .say(bytes_text(answers.choices.front().run) + remarks(file, study, answers));
  const TimelineScale scale = common_scale(answers, style);
  if (scale.form != TimelineScale::Form::none) document.say('\n' + heading_text(file, scale));
  for (std::size_t i = 0; i < answers.choices.size(); ++i) {
    const std::string timeline = run_timeline(answers.choices[i].run, scale);
    if (!timeline.empty()) document.say(fmt::format("\n{}\n\n{}", study.choices[i].label, timeline));
  }
  return std::move(document.say(note_text(file)));
}

}  // namespace

Document document(const TrainingFile& file, const PipelineStudy& study, const PipelineAnswers& answers,
                  TimelineStyle style) {
  Document document;
  document.facts([&] { return pipeline_json(file, study, answers); });
  return std::move(document.add(study.is_comparison
                                    ? comparison_document(file, study, answers, style)
                                    : one_document(file, study.choices.front(), answers.choices.front(), style)));
}

}  // namespace upsweep

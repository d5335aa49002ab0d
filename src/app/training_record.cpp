#include "training_record.hpp"

#include <fmt/format.h>

#include <span>

#include "upsweep/app/storing.hpp"

namespace upsweep {
namespace {

/// A record that is filled variant by variant.
class Recorder {
 public:
  Recorder(const Caller& caller, const TrainingFile& file, std::uint64_t devices = 1) {
    record_.tool_version = caller.tool_version;
    record_.devices = devices;
    record_.parameters = arguments_json(caller);
    record_.name = file.name;
    record_.kind = file.kind;
    record_.file = file.file;
    record_.content_hash = file.content_hash;
    if (!file.source) return;
    record_.is_in_seconds = true;
    record_.model = file.source->model;
    record_.machine = file.source->machine;
    record_.link = file.source->link;
    record_.kernels = file.source->is_csr ? "csr" : "dense";
    record_.library = file.source->frame.library.value_or("");
    if (file.source->frame.launch) record_.launch = to_string(*file.source->frame.launch);
    record_.batch = file.source->frame.batch.value();
    if (const auto* pipeline = std::get_if<PipelineStudy>(&file.study)) record_.micro_batches = pipeline->micro_batches;
  }

  /// Figures and tasks that follow are of this variant.
  std::uint32_t variant(const std::string& name) {
    record_.variants.push_back(name);
    return current();
  }
  void best(std::uint32_t variant, double makespan) {
    record_.best = variant;
    record_.best_makespan = makespan;
  }
  void figure(const std::string& name, double value) {
    record_.figures.push_back({current(), name, std::nullopt, value});
  }
  template <class Numbers>
  void list(const std::string& name, const Numbers& numbers) {
    std::uint64_t index = 0;
    for (const auto number : numbers)
      record_.figures.push_back({current(), name, index++, static_cast<double>(number)});
  }
  void optimum(const std::optional<Optimum>& optimum) {
    if (!optimum || !optimum->skipped.empty()) return;
    figure("optimum_makespan", optimum->makespan);
    figure("optimum_lower_bound", optimum->lower_bound);
  }
  void tasks(std::span<const StepEntry> entries, const std::vector<std::string>& resources) {
    for (const StepEntry& entry : entries) {
      record_.tasks.push_back({current(), resources[entry.device], letter(entry.op.kind), false, entry.op.layer + 1,
                               entry.op.micro_batch, entry.start, entry.end});
    }
  }
  void transfers(std::span<const Transfer> transfers) {
    for (const Transfer& transfer : transfers) {
      record_.tasks.push_back({current(), fmt::format("{} to {}", transfer.from, transfer.to), letter(transfer.op.kind),
                               true, transfer.op.layer + 1, transfer.op.micro_batch, transfer.departure,
                               transfer.arrival});
    }
  }
  [[nodiscard]] TrainingRecord take() { return std::move(record_); }

 private:
  [[nodiscard]] std::uint32_t current() const { return static_cast<std::uint32_t>(record_.variants.size() - 1); }

  TrainingRecord record_;
};

void record_choice(Recorder& recorder, const PipelineOutcome& outcome) {
  const PipelineRun& run = outcome.run;
  recorder.figure("makespan", run.makespan);
  recorder.figure("bubble_fraction", run.bubble_fraction);
  recorder.list("busy", run.busy);
  std::vector<std::uint64_t> activations, gradients, together;
  for (const TensorPeaks& peaks : run.peaks) {
    activations.push_back(peaks.activations);
    gradients.push_back(peaks.gradients);
    together.push_back(peaks.together);
  }
  recorder.list("peak_act", activations);
  recorder.list("peak_grad", gradients);
  recorder.list("peak_act_plus_grad", together);
  if (!run.bytes.empty()) {
    std::vector<std::uint64_t> bytes;
    for (const DeviceBytes& device : run.bytes) bytes.push_back(device.together());
    recorder.list("memory_bytes", bytes);
  }
  if (run.stashed) {
    recorder.list("weight_versions", run.stashed->weight_versions);
    recorder.list("staleness", run.stashed->staleness);
    recorder.list("stage_time", run.stashed->stage_time);
    recorder.figure("period_lower_bound", run.stashed->period_lower_bound);
  }
  recorder.optimum(outcome.optimum);
  std::vector<std::string> devices;
  for (std::size_t device = 0; device < run.busy.size(); ++device) devices.push_back(fmt::format("device {}", device));
  recorder.tasks(run.timeline, devices);
  recorder.transfers(run.transfers);
}

/// What the fullest device holds over time: bytes where they are known, else tensors of the file's micro-batches.
void record_memory(Recorder& recorder, const PipelineRun& run, double tensor_size) {
  std::vector<double> from, most;
  for (const MemoryEntry& entry : run.memory) {
    from.push_back(entry.from);
    most.push_back(static_cast<double>(entry.most) * (run.bytes.empty() ? tensor_size : 1));
  }
  recorder.list("memory_from", from);
  recorder.list("memory_most", most);
}

void record_schedule(Recorder& recorder, const RegionSchedule& schedule, const RegionRun& run) {
  recorder.figure("makespan", run.makespan);
  recorder.figure("main_end", run.main_end);
  recorder.figure("sub_end", run.sub_end);
  recorder.figure("estimate", schedule.estimate);
  recorder.figure("peak_memory", schedule.peak_memory);
  recorder.list("now", schedule.now);
  recorder.tasks(run.timeline, {"main stream", "sub-stream"});
}

}  // namespace

TrainingRecord training_record(const Caller& caller, const TrainingFile& file, const PipelineStudy& study,
                               const PipelineAnswers& answers) {
  Recorder recorder(caller, file, study.choices.front().pipeline.devices);
  for (std::size_t i = 0; i < answers.choices.size(); ++i) {
    const std::uint32_t variant = recorder.variant(study.choices[i].label);
    record_choice(recorder, answers.choices[i]);
    if (!answers.choices[i].does_not_fit.empty()) recorder.figure("does_not_fit", 1);
    const double tensor_size = tensors_of_the_file(study, study.choices[i], 1);
    recorder.figure("tensor_size", tensor_size);
    record_memory(recorder, answers.choices[i].run, tensor_size);
    if (answers.best == i) recorder.best(variant, answers.choices[i].run.makespan);
  }
  for (const ScanStepRun& scan : answers.scans) {
    recorder.variant("scan " + scan.schedule);
    recorder.figure("makespan", scan.makespan);
    recorder.figure("bubble_fraction", scan.bubble_fraction);
    recorder.figure("forward_end", scan.forward_end);
    recorder.figure("gradients_end", scan.gradients_end);
    recorder.list("busy", scan.busy);
  }
  return recorder.take();
}

TrainingRecord training_record(const Caller& caller, const TrainingFile& file, const DataParallelStudy& study,
                               const DataParallelAnswers& answers) {
  Recorder recorder(caller, file);
  for (const LinkRule rule : kLinkRules) {
    const auto& runs = answers.runs[static_cast<std::size_t>(rule)];
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const std::uint32_t variant = recorder.variant(fmt::format("{} k={}", to_string(rule), k));
      const DataParallelRun& run = runs[k];
      recorder.figure("makespan", run.makespan);
      recorder.figure("backward_end", run.backward_end);
      recorder.figure("idle", run.idle);
      const bool is_chosen = rule == study.search_rule && k == answers.search.k;
      const DataParallelRun& timed = is_chosen ? answers.chosen : answers.conventional;
      if (is_chosen) {
        recorder.best(variant, run.makespan);
        if (answers.optimum_nonpreemptive) recorder.figure("optimum_nonpreemptive", *answers.optimum_nonpreemptive);
        recorder.optimum(answers.optimum);
      }
      if (!is_chosen && (rule != LinkRule::fifo || k > 0)) continue;
      recorder.list("sync_end", run.sync_end);
      recorder.list("forward_start", run.forward_start);
      recorder.tasks(timed.compute, {"device", "link"});
      recorder.tasks(timed.link, {"device", "link"});
    }
  }
  return recorder.take();
}

TrainingRecord training_record(const Caller& caller, const TrainingFile& file, const FirstKMemoryStudy& study,
                               const FirstKMemoryAnswers& answers) {
  Recorder recorder(caller, file);
  recorder.variant("reverse first-k");
  recorder.list("f", answers.memory_of_k);
  recorder.list("limit", study.limits);
  recorder.list("max_k", answers.max_k);
  return recorder.take();
}

TrainingRecord training_record(const Caller& caller, const TrainingFile& file, const MultiRegionStudy&,
                               const MultiRegionAnswers& answers) {
  Recorder recorder(caller, file);
  recorder.variant("one stream");
  recorder.figure("makespan", answers.one_stream_makespan);
  const std::uint32_t plain = recorder.variant("multi-region");
  record_schedule(recorder, answers.algorithm1, answers.algorithm1_run);
  recorder.optimum(answers.optimum);
  const std::uint32_t in_memory = recorder.variant("multi-region in memory");
  record_schedule(recorder, answers.with_memory.schedule, answers.with_memory_run);
  recorder.list("peaks", answers.with_memory.peaks);
  recorder.figure("pre_regions", static_cast<double>(answers.with_memory.pre_regions));
  const bool fits = answers.with_memory.fits;
  recorder.best(fits ? in_memory : plain, (fits ? answers.with_memory_run : answers.algorithm1_run).makespan);
  return recorder.take();
}

}  // namespace upsweep

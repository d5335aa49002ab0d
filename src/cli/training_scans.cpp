#include "training_scans.hpp"

#include "analysis.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/scan/request.hpp"

namespace upsweep::cli {

std::vector<ScanStepRun> simulate_scans(const TrainingFile& file, const PipelineStudy& study) {
  if (study.scans.empty()) return {};
  const CostSource& source = *file.source;
  ModelOptions options;
  options.model = source.model_file;
  const Model model = load(options);
  const Machine machine = load_machine(source.machine_file);
  std::vector<Schedule> schedules;
  for (const std::string& name : study.scans)
    schedules.push_back(make_schedule(parse_schedule(name), model.network.links().size() + 1));
  const Analysis analysis = analyse_with_progress(model, PatternKind::guaranteed, std::move(schedules));

  const MicroBatch batch{source.batch / study.micro_batches, source.value_bytes, 0};
  const LayerCosts costs = csr_costs(model.network, model.weights, machine, batch);
  std::vector<ScanStepRun> runs;
  for (const ScheduleProfile& profile : analysis.schedules) {
    ScanStep step = scan_step(profile, model.network, costs, machine, batch);
    step.devices = study.choices.front().pipeline.devices;
    step.micro_batches = study.micro_batches;
    runs.push_back(simulate_scan_step(step));
  }
  return runs;
}

}  // namespace upsweep::cli

#include "validation_records.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "upsweep/app/storing.hpp"
#include "upsweep/search/what_binds.hpp"
#include "upsweep/sim/complexity.hpp"
#include "upsweep/sim/predict.hpp"

namespace upsweep {

std::vector<std::int64_t> save_validation(RunStore& store, RunContext context, const Analysis& analysis,
                                          const Validation& validation, const ValidationReport& report) {
  add_machine(context, report.machine, report.workers, report.value_bytes);
  std::vector<RunRecord> runs;
  for (std::size_t i = 0; i < validation.schedules.size(); ++i) {
    const ScheduleValidation& one = validation.schedules[i];
    if (!one.ran()) continue;
    const ScheduleProfile& profile = analysis.schedules[i];
    RunRecord run{profile.schedule.name, &profile, pram_profile(profile, report.workers), {}, {}, {}};
    if (report.machine != nullptr) {
      const auto predicted = [&](Execution execution) {
        return predict_time(profile, *report.machine, report.workers, execution, report.value_bytes).seconds;
      };
      run.predicted_level_s = predicted(Execution::level);
      run.predicted_dag_s = predicted(Execution::dag);
      const Execution execution = report.execution == "level" ? Execution::level : Execution::dag;
      if (const auto binding =
              binding_of(*counted(profile, report.value_bytes), *report.machine, report.workers, execution))
        run.binding = to_string(*binding);
    }
    run.measurement = MeasurementRecord{report.backend,
                                        report.device,
                                        report.workers,
                                        report.execution,
                                        report.value_bytes,
                                        report.input,
                                        validation.measured_build_s,
                                        &one.measurement,
                                        one.prediction ? &*one.prediction : nullptr,
                                        one.values.elements > 0 ? std::optional(one.values.worst_share) : std::nullopt,
                                        one.mismatch ? std::optional(one.mismatch->what) : std::nullopt};
    runs.push_back(std::move(run));
  }
  return runs.empty() ? std::vector<std::int64_t>() : store.save(context, runs, std::nullopt);
}

}  // namespace upsweep

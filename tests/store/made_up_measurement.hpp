#pragma once

#include "made_up_run.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep::testing {

/// A measurement of a made-up run, with a prediction.
struct MadeUpMeasurement {
  Measurement measurement;
  Prediction prediction;

  explicit MadeUpMeasurement(const MadeUpRun& run, double seconds = 4) {
    measurement.seconds = seconds;
    measurement.fastest_seconds = seconds / 2;
    measurement.repetitions = 3;
    measurement.plan_seconds = 0.25;
    measurement.plan_bytes = 1000;
    measurement.value_bytes = 2000;
    measurement.workspace_bytes = 3000;
    measurement.notes = {"one note", "another"};
    prediction.seconds = 5;
    for (std::size_t level = 0; level < run.profile.levels.size(); ++level) {
      measurement.level_seconds.push_back(seconds / 4);
      prediction.level_seconds.push_back(static_cast<double>(level + 1) / 2);
    }
    for (std::uint64_t id = 0; id < run.profile.ops.size(); ++id) {
      measurement.ops.push_back({0.5, 10 + id, 20 + id, 77});
      prediction.ops.push_back({2, 1});
    }
  }

  [[nodiscard]] RunRecord record(const MadeUpRun& run, bool with_prediction = true) const {
    RunRecord record = run.record();
    DeviceFacts device;
    device.device = "some device";
    device.driver = "some driver";
    record.measurement = MeasurementRecord{
        "cpu", device,      2, "level", 4, 7, 0.125, &measurement, with_prediction ? &prediction : nullptr,
        0.75,  std::nullopt};
    return record;
  }
};

}  // namespace upsweep::testing

#include "upsweep/study/run_study.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "study_run.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/base/pipeline.hpp"
#include "upsweep/study/work_units.hpp"

namespace upsweep {
namespace {

struct Unit {
  std::vector<std::uint64_t> positions;
  std::vector<UnitPoint> points;  ///< evaluated: as many as positions, or fewer where stopped
  double seconds = 0;
};

void evaluate(StudyRun& run, Unit& unit) {
  const auto start = std::chrono::steady_clock::now();
  unit.points.reserve(unit.positions.size());
  for (const std::uint64_t position : unit.positions) {
    if (run.is_stopped()) break;
    unit.points.push_back(evaluate_in_study(run.factory(), run.cache(), run.known_keys(), position));
  }
  unit.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

StudyResult run_study(const StudyFile& study, StudyStore* store, const StudyOptions& options) {
  const std::size_t jobs = std::max<std::size_t>(1, options.jobs);
  const ThreadLimit limit(jobs);
  StudyRun run(study, store, options);
  WorkUnits units(run.factory(), run.open_points(), jobs);
  PipelineStages stages;
  stages.next = [&]() -> std::shared_ptr<void> {
    if (run.is_stopped()) return nullptr;
    auto unit = std::make_shared<Unit>();
    unit->positions = units.next();
    if (unit->positions.empty()) return nullptr;
    return unit;
  };
  stages.work = [&](void* item) { evaluate(run, *static_cast<Unit*>(item)); };
  stages.finish = [&](void* item) {
    auto& unit = *static_cast<Unit*>(item);
    units.took(unit.points.size(), unit.seconds);
    if (!unit.points.empty()) run.add(std::move(unit.points));
  };
  run_pipeline(2 * jobs, stages);
  return run.finish();
}

}  // namespace upsweep

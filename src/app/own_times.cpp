#include "upsweep/app/own_times.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "upsweep/store/store_reader.hpp"

namespace upsweep {
namespace {

std::string fitted_on(const StoredMachine& machine) {
  if (!machine.fit_points) return "";
  return fmt::format("{}: {} synthetic products of {}, no network among them", machine.name, *machine.fit_points,
                     machine.date);
}

/// Rows of the validations of one database.
class OwnTimes {
 public:
  explicit OwnTimes(const std::string& db) : db_(db) {}

  void add(const RunDetails& run) {
    for (const StoredMeasurement& measured : run.measurements) {
      if (!run.machine) continue;
      run_ = &run;
      measurement_ = &measured;
      add_iteration();
      add_chain();
    }
  }
  std::vector<AnchorRow> finish() { return std::move(rows_); }

 private:
  void add_row(const char* family, std::string name, double measured_s, double predicted_s, const char* status) {
    const StoredMeasurement& m = *measurement_;
    AnchorRow row;
    row.file = db_;
    row.line = static_cast<int>(run_->run.id);
    row.family = family;
    row.device = m.device;
    row.dtype = m.value_bytes == 8 ? "fp64" : "fp32";
    row.library = fmt::format("{}, {} workers, {}, {}", m.backend, m.workers, m.execution, row.dtype);
    row.algorithm = run_->run.schedule;
    row.matrix = std::move(name);
    row.status = status;
    row.time_s = measured_s;
    row.own = OwnPrediction{predicted_s, run_->machine->name, fitted_on(*run_->machine), false};
    rows_.push_back(std::move(row));
  }

  void add_iteration() {
    const StoredMeasurement& m = *measurement_;
    if (!m.predicted_s || !m.mismatch.empty()) return;
    const std::string name = fmt::format("{}, {}", run_->run.model, run_->run.schedule);
    const bool is_long = m.measured_s >= kLeastOwnTime;
    add_row("validation", name, m.measured_s, *m.predicted_s, is_long ? "ok" : "short");
    if (!is_long) return;
    for (const StoredMeasuredLevel& level : m.levels) {
      if (!level.predicted_s || level.measured_s <= 0) continue;
      add_row("validation level", fmt::format("{}, level {}", name, level.level), level.measured_s, *level.predicted_s,
              "ok");
    }
  }

  /// Once for all schedules of a command that ran over the same chain.
  void add_chain() {
    const StoredMeasurement& m = *measurement_;
    if (!run_->run.predicted_build_s || m.measured_build_s <= 0) return;
    if (!chains_.emplace(run_->run.command_id, m.backend, m.workers, m.value_bytes, m.input).second) return;
    add_row("chain", run_->run.model, m.measured_build_s, *run_->run.predicted_build_s, "ok");
  }

  const std::string& db_;
  const RunDetails* run_ = nullptr;
  const StoredMeasurement* measurement_ = nullptr;
  std::set<std::tuple<std::int64_t, std::string, std::uint64_t, unsigned, std::uint64_t>> chains_;
  std::vector<AnchorRow> rows_;
};

}  // namespace

bool is_database(const std::string& file) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return false;  // a pipe would wait
  std::array<char, kMagic.size()> begin{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(begin.data(), begin.size());
  return std::string_view(begin.data(), static_cast<std::size_t>(stream.gcount())) == kMagic;
}

std::vector<AnchorRow> own_times(const std::string& db) {
  const StoreReader reader(db);
  OwnTimes times(db);
  for (const StoredRun& run : reader.runs()) {
    if (run.command != "validate") continue;
    if (const std::optional<RunDetails> details = reader.details(run.id)) times.add(*details);
  }
  return times.finish();
}

}  // namespace upsweep

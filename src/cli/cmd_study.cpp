#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>

#include "command.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "output.hpp"
#include "storing.hpp"
#include "temporary_store.hpp"
#include "terminal.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/grid/grid.hpp"
#include "upsweep/io/study_file.hpp"
#include "upsweep/report/study_report.hpp"
#include "upsweep/store/study_store.hpp"
#include "upsweep/study/mpi_study.hpp"
#include "upsweep/study/run_study.hpp"

namespace upsweep::cli {
namespace {

constexpr int kStudyInterrupted = 130;
constexpr std::uint64_t kMostJobs = 1024;
constexpr std::uint64_t kMostRows = 200'000;  // of the store that a report holds in memory

struct StudyCommand {
  std::string file;
  std::optional<std::string> db;
  std::optional<std::string> jobs;
  std::string format = "table";
};

std::size_t jobs_of(const StudyCommand& options) {
  if (!options.jobs) return 1;
  return parse_positive("--jobs", *options.jobs, kMostJobs);
}

/// One line on standard error that is written over again and again; nothing where that is no terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool is_quiet) : is_on_(!is_quiet && isatty(STDERR_FILENO) == 1) {}
  ~ProgressLine() {
    if (is_on_) fmt::print(stderr, "\r\033[K");
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const StudyProgress& progress) const {
    if (!is_on_) return;
    winsize size{};
    const bool has_width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    // A longer line would break, and its first part stay.
    const std::string text = fmt::format("upsweep: {}", progress_text(progress));
    fmt::print(stderr, "\r\033[K{}", text.substr(0, has_width ? size.ws_col - 1U : text.size()));
    std::fflush(stderr);
  }

 private:
  bool is_on_;
};

/// Where a study is kept while it runs: --db, a temporary database, or nowhere.
struct Keeper {
  std::unique_ptr<TemporaryStore> temporary;
  std::unique_ptr<StudyLock> lock;
  std::unique_ptr<StudyStore> store;
};

Keeper open_keeper(const StudyCommand& options, const StudyFile& study) {
  Keeper keeper;
  const bool has_rows = options.format != "table" && grid_of(study.spec.axes).points() <= kMostRows;
  if (options.db) {
    keeper.lock = std::make_unique<StudyLock>(*options.db, study.content_hash);
    keeper.store = std::make_unique<StudyStore>(*options.db);
  } else if (has_rows) {
    keeper.temporary = std::make_unique<TemporaryStore>();
    keeper.store = std::make_unique<StudyStore>(keeper.temporary->file());
  }
  return keeper;
}

/// What the store has beyond the result, for programs; nothing where that is too much to hold, which it says.
std::optional<QueryResult> rows_of(const StudyCommand& options, const Keeper& keeper, const StudyResult& result) {
  if (options.format == "table") return std::nullopt;
  if (result.points.size() > kMostRows) {
    fmt::print(stderr,
               "upsweep: {} points are too many to give all that is known of each; the view study_points of {} "
               "has it\n",
               result.points.size(), options.db.value_or("the database of --db FILE"));
    return std::nullopt;
  }
  return keeper.store->reader().study_points(result.id);
}

void print_study(const StudyCommand& options, const StudyFile& study, const StudyResult& result, const Keeper& keeper) {
  const std::optional<QueryResult> rows = rows_of(options, keeper, result);
  const StudyReport report{study, result, rows ? &*rows : nullptr};
  print_result(
      options.format, [&] { return to_json(report); }, [&] { return to_csv(report); },
      [&] { return to_text(report, terminal_style()); });
}

/// How to go on with a study that was interrupted.
const char* way_on(const StudyCommand& options, const StudyResult& result) {
  if (!options.db) return "nothing is kept: with --db FILE the same command goes on where it was stopped";
  const bool has_open = std::any_of(result.points.begin(), result.points.end(),
                                    [](const PointBrief& brief) { return brief.status == PointStatus::open; });
  return has_open ? "the same command goes on with the points that are still open"
                  : "all points are done, and the same command answers the questions";
}

/// Where the points are, and how to go on.
void say_outcome(const StudyCommand& options, const StudyResult& result) {
  if (options.db) fmt::print(stderr, "upsweep: stored in {} as study {}\n", *options.db, result.id);
  if (result.is_interrupted) fmt::print(stderr, "upsweep: interrupted; {}\n", way_on(options, result));
}

/// Throws InputError where no point of a study could be evaluated: its file is wrong rather than some of its values.
void refuse_nothing_valid(const StudyFile& study, const StudyResult& result) {
  const bool is_nothing_valid = std::all_of(result.points.begin(), result.points.end(), [](const PointBrief& brief) {
    return brief.status == PointStatus::invalid || brief.status == PointStatus::excluded;
  });
  if (!is_nothing_valid || result.reasons.empty()) return;
  throw InputError(fmt::format("{}: no point is valid; the first that is not, {}, because: {}", study.file,
                               result.invalid.front(), result.reasons.front()));
}

/// What rank 0 of a job does, or the only process.
int lead_study(const StudyCommand& options, const Invocation& invocation, const MpiPlace& place, const StudyFile& study,
               const GentleStop& stop, Keeper& keeper) {
  std::optional<ProgressLine> line(false);
  StudyOptions run;
  run.jobs = jobs_of(options);
  run.tool_version = invocation.tool_version;
  run.parameters = arguments_json(invocation);
  run.stop = &stop.flag();
  run.progress = [&](const StudyProgress& progress) { line->show(progress); };
  const StudyResult result = run_study_mpi(place, study, keeper.store.get(), run);
  line.reset();
  print_study(options, study, result, keeper);
  say_outcome(options, result);
  if (result.is_interrupted) return kStudyInterrupted;
  refuse_nothing_valid(study, result);
  return 0;
}

int run_one(const StudyCommand& options, const Invocation& invocation, const MpiPlace& place) {
  const StudyFile study = load_study(options.file);
  const GentleStop stop(false);  // outlives a temporary database, which a signal would leave there
  Keeper keeper = open_keeper(options, study);
  return lead_study(options, invocation, place, study, stop, keeper);
}

/// Rank 0 of several. What it throws, the others hear of when its session ends.
int run_first(const StudyCommand& options, const Invocation& invocation, const MpiPlace& place) {
  if (options.jobs) throw UsageError("--jobs with several ranks, which have one thread each, accepted is without");
  return run_one(options, invocation, place);
}

/// Another rank. Its exit code is 0 whatever happens: one of its own would make mpirun end rank 0 before that has said
/// what is wrong.
int run_other(const StudyCommand& options, const Invocation& invocation, const MpiPlace& place) {
  if (options.jobs) return 0;  // as rank 0 says
  std::optional<StudyFile> study;
  try {
    study = load_study(options.file);
  } catch (const std::exception& error) {
    // Rank 0 may find nothing wrong, on another machine.
    fmt::print(stderr, "upsweep: error: rank {}: {}\n", place.rank, error.what());
    return 0;
  }
  const GentleStop stop(true);
  StudyOptions run;
  run.tool_version = invocation.tool_version;
  run.stop = &stop.flag();
  try {
    static_cast<void>(run_study_mpi(place, *study, nullptr, run));
  } catch (const std::exception&) {
    // Rank 0 throws too, and says what this one failed of.
  }
  return 0;
}

int run_command(const StudyCommand& options, const Invocation& invocation) {
  static_cast<void>(jobs_of(options));
  const MpiSession session;
  const MpiPlace& place = session.place();
  if (place.ranks == 1) return run_one(options, invocation, place);
  return place.rank == 0 ? run_first(options, invocation, place) : run_other(options, invocation, place);
}

}  // namespace

Command declare_study(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand(
      "study", "Evaluate a grid of what-if points and answer what a study file asks; goes on where it was stopped");
  auto options = std::make_shared<StudyCommand>();
  app->add_option("FILE", options->file, "the study file (YAML), e. g. one of configs/studies")->required();
  app->add_option("--db", options->db, "keep the points in this SQLite file, and go on with those that it has")
      ->type_name("FILE");
  app->add_option("--jobs", options->jobs, "points at the same time; default: 1; under mpirun a rank is a job")
      ->type_name("J");
  declare_format(*app, options->format);
  return {app, [options, &invocation] { return run_command(*options, invocation); }};
}

}  // namespace upsweep::cli

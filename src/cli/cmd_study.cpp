#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "command.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "streams.hpp"
#include "upsweep/app/failure.hpp"
#include "upsweep/app/study.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::cli {
namespace {

struct StudyCommand {
  StudyRequest request;
  std::optional<std::string> jobs;
  std::string format = "table";
};

/// How to go on with a study that was interrupted.
const char* way_on(const std::optional<std::string>& db, const StudyResult& result) {
  if (!db) return "nothing is kept: with --db FILE the same command goes on where it was stopped";
  const bool has_open = std::any_of(result.points.begin(), result.points.end(),
                                    [](const PointBrief& brief) { return brief.status == PointStatus::open; });
  return has_open ? "the same command goes on with the points that are still open"
                  : "all points are done, and the same command answers the questions";
}

/// Where the points are, and how to go on.
void say_outcome(const Watch& watch, const std::optional<std::string>& db, const StudyResult& result) {
  if (db) watch.say(fmt::format("stored in {} as study {}", *db, result.id));
  if (result.is_interrupted) watch.say(fmt::format("interrupted; {}", way_on(db, result)));
}

/// What the only process does, or rank 0 of a job.
int lead_study(const StudyRequest& request, const std::string& format, const Invocation& invocation,
               const Client& client, const Watch& watch) {
  const auto outcome = outcome_of(request, invocation, watch);
  give(client, format, outcome);
  say_outcome(watch, request.db, outcome->result);
  if (outcome->result.is_interrupted) return kInterrupted;
  if (outcome->nothing_valid) throw InputError(*outcome->nothing_valid);
  return 0;
}

/// Another rank. Its exit code is 0 whatever happens: one of its own would make mpirun end rank 0 before that has said
/// what is wrong.
int follow_study(const StudyRequest& request, const Invocation& invocation) {
  const GentleStop stop(true);
  Watch watch;
  watch.stop = &stop.flag();
  try {
    static_cast<void>(run(request, invocation, watch));
  } catch (const RequestError&) {
    // As rank 0 says.
  } catch (const std::exception& error) {
    // Rank 0 may find nothing wrong, on another machine.
    say_line(fmt::format("upsweep: error: rank {}: {}", request.place.rank, error.what()));
  }
  return 0;
}

/// The study of a program: of all ranks of its job, and stopped by its signals.
int run_ranks(StudyRequest request, const std::string& format, const Invocation& invocation, const Client& client) {
  const MpiSession session(
      [](const std::string& last_words) { say_line(fmt::format("upsweep: error: {}", last_words)); });
  request.place = session.place();
  if (request.place.rank != 0) return follow_study(request, invocation);
  const GentleStop stop(false);
  Watch watch = client.watch;
  watch.stop = &stop.flag();
  return lead_study(request, format, invocation, client, watch);
}

int run_command(const StudyCommand& options, const Invocation& invocation, const Client& client) {
  StudyRequest request = options.request;
  if (options.jobs) request.jobs = parse_positive("--jobs", *options.jobs, StudyRequest::kMostJobs);
  request.wants_points = options.format != "table";
  return client.is_program ? run_ranks(std::move(request), options.format, invocation, client)
                           : lead_study(request, options.format, invocation, client, client.watch);
}

}  // namespace

Command declare_study(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand(
      "study", "Evaluate a grid of what-if points and answer what a study file asks; goes on where it was stopped");
  auto options = std::make_shared<StudyCommand>();
  app->add_option("FILE", options->request.file,
                  "the study file (YAML), e. g. one of configs/studies; its schedule \"best\" is "
                  "the best hybrid depth, \"best-of-all\" the best of all that search compares")
      ->required();
  app->add_option("--db", options->request.db, "keep the points in this SQLite file, and go on with those that it has")
      ->type_name("FILE");
  app->add_option("--jobs", options->jobs, "points at the same time; default: 1; under mpirun a rank is a job")
      ->type_name("J");
  declare_format(*app, options->format);
  return {app, [options, &invocation](const Client& client) { return run_command(*options, invocation, client); },
          &options->request.db, ""};
}

}  // namespace upsweep::cli

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "command.hpp"
#include "options.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/text_file.hpp"
#include "upsweep/store/store_reader.hpp"
#include "upsweep/trace/trace.hpp"
#include "written_file.hpp"

namespace upsweep::cli {
namespace {

struct TraceOptions {
  std::string db = "upsweep.sqlite";
  std::string out;
  std::string run;
};

/// The trace of a run of a schedule or of a training.
std::string trace_of(const StoreReader& store, std::int64_t id) {
  if (const std::optional<RunDetails> details = store.details(id)) return trace_json(*details);
  if (const std::optional<StoredTraining> training = store.training(id)) return trace_json(*training);
  if (store.passes(id)) {
    throw InputError(fmt::format(
        "{}: run {} is of a recurrent model or a training, accepted is a run of profile, search, validate or training",
        store.file(), id));
  }
  throw InputError(
      fmt::format("{}: there is no run {}, accepted is an id that 'upsweep runs' lists", store.file(), id));
}

int run_trace(const TraceOptions& options) {
  check_out(options.out, ".json", options.db);
  const auto id = static_cast<std::int64_t>(parse_positive("--run", options.run));
  require_text_file(options.out);
  const std::string json = trace_of(StoreReader(options.db), id);
  write_text_file(options.out, json);
  report_written(options.out, json.size());
  return 0;
}

}  // namespace

Command declare_trace(CLI::App& root, const Invocation&) {
  CLI::App* app = root.add_subcommand(
      "trace", "Write what simulated workers do in a run, for ui.perfetto.dev or chrome://tracing to show");
  auto options = std::make_shared<TraceOptions>();
  app->add_option("--db", options->db, "the SQLite file")->type_name("FILE")->capture_default_str();
  app->add_option("--run", options->run, "number of the run, as 'upsweep runs' lists them")
      ->type_name("ID")
      ->required();
  app->add_option("--out", options->out, "the trace to write: a name that ends with .json")
      ->type_name("FILE.json")
      ->required();
  return {app, [options] { return run_trace(*options); }};
}

}  // namespace upsweep::cli

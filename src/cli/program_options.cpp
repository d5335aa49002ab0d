#include "program_options.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "upsweep/app/storing.hpp"

namespace upsweep::cli {
namespace {

constexpr const char* kVariable = "UPSWEEP_DB";
constexpr const char* kDefaultDatabase = "upsweep.sqlite";

/// Whether the variable says that nothing is kept: it is there, and empty.
bool is_variable_empty() {
  const char* value = std::getenv(kVariable);  // NOLINT(concurrency-mt-unsafe): nothing sets variables
  return value != nullptr && *value == '\0';
}

bool prints_for_people(const Command& command) {
  const CLI::Option* format = command.app->get_option_no_throw("--format");
  return format == nullptr || format->as<std::string>() == "table";
}

/// Whether results go where nobody said.
bool keeps_by_default(const Command& command, const ProgramOptions& options) {
  return command.db != nullptr && !*command.db && !options.keeps_nothing && !is_variable_empty() &&
         prints_for_people(command);
}

}  // namespace

Verbosity ProgramOptions::verbosity() const {
  if (is_quiet) return Verbosity::quiet;
  return is_verbose ? Verbosity::verbose : Verbosity::usual;
}

void declare_program_options(const Command& command, ProgramOptions& options) {
  CLI::Option* quiet = command.app->add_flag("--quiet", options.is_quiet, "say nothing but errors beside the answer");
  command.app
      ->add_flag("--verbose", options.is_verbose,
                 "say each step of the work on a line of its own, with the time since the start")
      ->excludes(quiet);
  CLI::Option* db = command.app->get_option_no_throw("--db");
  if (db == nullptr) return;
  db->envname(kVariable);
  if (command.db == nullptr) return;
  db->default_str(fmt::format("{} for a table, nothing for json and csv", kDefaultDatabase));
  command.app->add_flag("--no-db", options.keeps_nothing,
                        "keep nothing, whatever --db and the environment say; so does an empty UPSWEEP_DB");
}

int run_and_keep(const Command& command, const ProgramOptions& options, const Client& client) {
  if (command.db != nullptr && options.keeps_nothing) command.db->reset();
  if (!keeps_by_default(command, options)) return command.run(client);
  if (const std::optional<std::string> reason = why_not_kept(kDefaultDatabase)) {
    client.watch.say("nothing is kept: " + *reason);
    return command.run(client);
  }
  *command.db = kDefaultDatabase;
  try {
    return command.run(client);
  } catch (const RequestError& error) {  // found before any work
    if (error.field() != "db") throw;
    client.watch.say(fmt::format("nothing is kept: `db` {}", error.what()));
  }
  command.db->reset();
  return command.run(client);
}

}  // namespace upsweep::cli

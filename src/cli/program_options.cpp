#include "program_options.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "upsweep/app/storing.hpp"

namespace upsweep::cli {
namespace {

constexpr const char* kVariable = "UPSWEEP_DB";
constexpr const char* kDefaultDatabase = "upsweep.sqlite";

/// A variable of the environment, if it is there.
std::optional<std::string_view> variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets variables
  return value == nullptr ? std::nullopt : std::optional<std::string_view>(value);
}

bool prints_for_people(const Command& command) {
  const CLI::Option* format = command.app->get_option_no_throw("--format");
  return format == nullptr || format->as<std::string>() == "table";
}

/// Why a command has no database, without what is said of an option that nobody gave: "with a `batch` of 4, accepted is
/// without: batches are kept by ...".
std::string reason_of(const std::string& refusal) {
  constexpr std::string_view kAccepted = "accepted is without: ";
  const std::size_t at = refusal.find(kAccepted);
  return at == std::string::npos ? "`db` " + refusal : refusal.substr(at + kAccepted.size());
}

/// Whether results go where nobody said.
bool keeps_by_default(const Command& command, const ProgramOptions& options) {
  return command.db != nullptr && !*command.db && !options.keeps_nothing && variable(kVariable) != "" &&
         !is_other_rank() && prints_for_people(command);
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

bool is_other_rank() {
  const std::string_view rank = variable("OMPI_COMM_WORLD_RANK").value_or("");
  const std::string_view ranks = variable("OMPI_COMM_WORLD_SIZE").value_or("");
  return !rank.empty() && rank != "0" && !ranks.empty() && ranks != "1";
}

int run_and_keep(const Command& command, const ProgramOptions& options, const Client& client) {
  if (command.db != nullptr && options.keeps_nothing) command.db->reset();  // whatever the environment says
  if (!keeps_by_default(command, options)) return command.run(client);
  if (const std::optional<std::string> reason = why_not_kept(kDefaultDatabase)) {
    client.watch.say("nothing is kept: " + *reason);
    return command.run(client);
  }
  *command.db = kDefaultDatabase;
  bool has_answered = false;
  Client noting = client;
  noting.answer = [&](const std::string& format, Document found, std::shared_ptr<const void> outcome) {
    client.answer(format, std::move(found), std::move(outcome));
    has_answered = true;
  };
  try {
    return command.run(noting);
  } catch (const RequestError& error) {  // found before any work
    if (error.field() != "db") throw;
    client.watch.say("nothing is kept: " + reason_of(error.what()));
  } catch (const std::runtime_error& error) {  // InputError and BusyError of the database begin with its name
    if (!std::string_view(error.what()).starts_with(kDefaultDatabase)) throw;
    client.watch.say(fmt::format("nothing is kept: {}", error.what()));
    if (has_answered) return 0;
  }
  command.db->reset();
  return command.run(client);
}

}  // namespace upsweep::cli

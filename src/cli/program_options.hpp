#pragma once

#include <optional>
#include <string>

#include "command.hpp"
#include "output.hpp"

namespace upsweep::cli {

/// What every command of the program has beside its own options. A caller of the library says these things otherwise.
struct ProgramOptions {
  bool is_quiet = false;
  bool is_verbose = false;
  bool keeps_nothing = false;

  [[nodiscard]] Verbosity verbosity() const;
};

/// Declares --quiet and --verbose; of a command that keeps results --no-db too, with the variable UPSWEEP_DB for its
/// --db. Options are bound to `options`.
void declare_program_options(const Command& command, ProgramOptions& options);

/// Whether mpirun started this process as another rank than the first of several.
[[nodiscard]] bool is_other_rank();

/// Runs a parsed command. One that prints a table for people and was told of no database keeps its results in
/// ./upsweep.sqlite, where that can be written and the results are such as a database keeps; what programs read (JSON
/// and CSV) is kept where a database is named alone. A database that nobody named and that fails is said, and takes
/// neither the answer nor the exit code away. Returns that code.
[[nodiscard]] int run_and_keep(const Command& command, const ProgramOptions& options, const Client& client);

}  // namespace upsweep::cli

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

#include "command.hpp"
#include "train.hpp"
#include "upsweep/backend/backend.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"

namespace {

enum ExitCode : int { kDone = 0, kFault = 1, kUsage = 2, kInput = 3, kBackend = 4, kMismatch = 5, kInterrupted = 130 };

/// One line, whatever the message holds.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

int fail(ExitCode code, const std::string& message) {
  fmt::print(stderr, "upsweep: error: {}\n", one_line(message));
  return code;
}

/// Whether mpirun started this process as another rank than the first.
bool is_other_rank() {
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");  // NOLINT(concurrency-mt-unsafe): nothing sets variables
  return rank != nullptr && std::string_view(rank) != "0";
}

int usage_error(const std::string& message, const CLI::App* command) {
  // All ranks of a study have one command line: the first says what is wrong with it. An exit code of another one would
  // make mpirun end the first before it has.
  if (command != nullptr && command->get_name() == "study" && is_other_rank()) return kDone;
  fail(kUsage, message);
  if (command == nullptr) {
    fmt::print(stderr,
               "usage: upsweep profile|search|validate|solve|calibrate|train|training|study|runs|report|trace|plot "
               "[OPTIONS]; upsweep --help "
               "lists them\n");
  } else {
    const std::string& name = command->get_name();
    const bool has_file = name == "training" || name == "train" || name == "study";
    const char* arguments = name == "runs"        ? " [list | show ID | delete ID | diff A B]"
                            : name == "calibrate" ? " --out FILE"
                            : name == "report"    ? " --out FILE.html"
                            : name == "trace"     ? " --run ID --out FILE.json"
                            : name == "plot"      ? " KIND --run ID --out FILE.svg"
                            : has_file            ? " FILE"
                                                  : " MODEL";
    fmt::print(stderr, "usage: upsweep {0}{1} [OPTIONS]; upsweep {0} --help lists them\n", name, arguments);
  }
  return kUsage;
}

/// A store is whole at any moment, so there is nothing to clean up.
extern "C" void on_interrupt(int) { _exit(kInterrupted); }

/// The whole program but for the last resort in main().
int run_program(int argc, char** argv) {
  namespace cli = upsweep::cli;
  std::signal(SIGINT, on_interrupt);
  const cli::Invocation invocation{UPSWEEP_VERSION, std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc)};

  CLI::App root("Does parallel-scan back-propagation pay off for this network, and at which hybrid depth?", "upsweep");
  root.set_version_flag("--version", std::string("upsweep ") + UPSWEEP_VERSION);
  root.require_subcommand(1);
  const std::vector<cli::Command> commands = {
      cli::declare_profile(root, invocation),  cli::declare_search(root, invocation),    cli::declare_validate(root, invocation),
      cli::declare_solve(root, invocation),    cli::declare_calibrate(root, invocation), cli::declare_train(root, invocation),
      cli::declare_training(root, invocation), cli::declare_study(root, invocation),     cli::declare_runs(root, invocation),
      cli::declare_report(root, invocation),   cli::declare_trace(root, invocation),     cli::declare_plot(root, invocation)};
  const cli::Command* chosen = nullptr;
  const auto choose = [&] {
    for (const cli::Command& command : commands) {
      if (command.app->parsed()) chosen = &command;
    }
  };
  try {
    root.parse(argc, argv);
    choose();
    return chosen->run();
  } catch (const CLI::Success& help) {
    return root.exit(help);
  } catch (const CLI::ParseError& error) {
    choose();
    if (chosen == nullptr && argc > 1 && argv[1][0] != '-') {
      return usage_error(
          fmt::format(
              "'{}' is no command, accepted are profile, search, validate, solve, calibrate, train, training, study, "
              "runs, report, trace, plot",
              argv[1]),
          nullptr);
    }
    return usage_error(error.what(), chosen == nullptr ? nullptr : chosen->app);
  } catch (const upsweep::UsageError& error) {
    return usage_error(error.what(), chosen->app);
  } catch (const upsweep::RequestError& error) {
    return usage_error(cli::text_of(error), chosen->app);
  } catch (const upsweep::InputError& error) {
    return fail(kInput, error.what());
  } catch (const upsweep::BusyError& error) {
    return fail(kBackend, error.what());
  } catch (const upsweep::BackendError& error) {
    return fail(kBackend, error.what());
  } catch (const cli::ValidationFailed& error) {
    return fail(kMismatch, error.what());
  } catch (const upsweep::CountOverflow& error) {
    return fail(kInput, fmt::format("{}, accepted are smaller models", error.what()));
  } catch (const std::bad_alloc&) {
    return fail(kBackend, "out of memory, accepted is a smaller model, batch or number of steps");
  } catch (const std::exception& error) {
    return fail(kFault, error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (...) {
    // Only building a message can fail outside run_program()'s own handlers.
    return kFault;
  }
}

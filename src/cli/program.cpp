#include "upsweep/cli/program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>

#include "command.hpp"
#include "option_table.hpp"
#include "options.hpp"
#include "output.hpp"
#include "parse_errors.hpp"
#include "program_options.hpp"
#include "streams.hpp"
#include "upsweep/app/failure.hpp"
#include "upsweep/base/unfinished_path.hpp"
#include "upsweep/cli/build_facts.hpp"

namespace upsweep::cli {
namespace {

using enum ExitCode;

/// One line, whatever the message holds.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

int fail(ExitCode code, const std::string& message) {
  say_line(fmt::format("upsweep: error: {}", one_line(message)));
  return code;
}

int usage_error(const std::string& message, const CLI::App* command) {
  if (command == nullptr) {
    fail(kUsage, message);
    say_line(fmt::format("usage: upsweep {} [OPTIONS]; upsweep --help lists them", command_names("|")));
    return kUsage;
  }
  // All ranks of a study have one command line: the first says what is wrong with it. An exit code of another one would
  // make mpirun end the first before it has.
  if (command->get_name() == "study" && is_other_rank()) return kDone;
  fail(kUsage, message);
  say_line(fmt::format("usage: {}; upsweep {} --help lists them", usage_of(*command), command->get_name()));
  return kUsage;
}

void print_answer(const std::string& format, const Document& found, const std::shared_ptr<const void>&) {
  print_document(format, found);
}

int reader_gone() {
  end_by_pipe_signal();
  return kDone;  // where the signal is blocked
}

/// Help, version and the like.
int print_text(const CLI::App& root, const CLI::Success& asked) {
  std::ostringstream text;
  const int code = root.exit(asked, text, text);
  try {
    write_output(text.str());
    return code;
  } catch (const ReaderGone&) {
    return reader_gone();
  } catch (const std::exception& error) {
    return fail(kInput, error.what());
  }
}

/// A store is whole at any moment; what is no result yet goes.
extern "C" void on_signal(int number) {
  remove_unfinished_paths();
  if (number == SIGINT) _exit(kInterrupted);
  std::signal(number, SIG_DFL);
  static_cast<void>(std::raise(number));
}

/// Not where whoever started this program has it ignored, as nohup does.
void handle(int number) {
  if (std::signal(number, on_signal) == SIG_IGN) std::signal(number, SIG_IGN);
}

/// Where memory ends nothing can be built, not even this line.
int fail_without_memory() {
  constexpr std::string_view kLine =
      "upsweep: error: out of memory, accepted is a smaller model, batch or number of steps\n";
  static_cast<void>(!write(STDERR_FILENO, kLine.data(), kLine.size()));
  return kBackend;
}

/// Destructors of JSON values take memory: where there is none the program ends in them.
[[noreturn]] void on_terminate() {
  if (const std::exception_ptr error = std::current_exception()) {
    try {
      std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
      remove_unfinished_paths();
      _exit(fail_without_memory());
    } catch (...) {  // a fault of ours, which abort() shows
    }
  }
  std::abort();
}

/// Options that print a text about the program and end it.
void declare_texts(CLI::App& root) {
  root.set_version_flag("--version", version_text());
  root.add_option_function<std::string>(
          "--completion",
          [&root](const std::string& shell) { throw CLI::CallForVersion(completion_script(root, shell), 0); },
          "Print a script that completes commands and options in this shell")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("SHELL")
      ->trigger_on_parse();
  root.add_flag_callback(
          "--manual-page", [&root] { throw CLI::CallForVersion(manual_page(root), 0); },
          "Print the manual page, for man -l -")
      ->trigger_on_parse();
}

/// What is wrong with "help WORD", or nothing.
std::string wrong_help(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2 || arguments[0] != "help") return "";
  if (arguments.size() > 2) return fmt::format("'{}' is one argument too many, accepted is help COMMAND", arguments[2]);
  const bool is_known = std::ranges::find(kCommands, arguments[1], &CommandEntry::name) != kCommands.end();
  return is_known ? "" : unknown_command(arguments[1]);
}

/// The words in the order that CLI11 takes, the last one first; "help profile" is "profile --help".
std::vector<std::string> words_of(std::vector<std::string> arguments) {
  if (!arguments.empty() && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  return {arguments.rbegin(), arguments.rend()};
}

/// The whole program but for the last resort.
int run_command_line(int argc, const char* const* argv) {
  guard_streams();
  std::signal(SIGINT, on_signal);
  handle(SIGTERM);
  handle(SIGHUP);
  const Invocation invocation{build_facts().version, std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc)};

  CLI::App root("Does parallel-scan back-propagation pay off for this network, and at which hybrid depth?", "upsweep");
  declare_texts(root);
  root.require_subcommand(1);
  std::vector<Command> commands;
  ProgramOptions options;
  for (const CommandEntry& entry : kCommands) {
    commands.push_back(entry.declare(root, invocation));
    commands.back().app->footer(examples_text(entry));
    declare_program_options(commands.back(), options);
  }
  const Command* chosen = nullptr;
  const auto choose = [&] {
    for (const Command& command : commands) {
      if (command.app->parsed()) chosen = &command;
    }
  };
  try {
    if (const std::string wrong = wrong_help(invocation.arguments); !wrong.empty()) return usage_error(wrong, nullptr);
    root.parse(words_of(invocation.arguments));
    choose();
    Console console(*chosen->app, options.verbosity(), chosen->progress_ending);
    return run_and_keep(*chosen, options, {console.watch(), print_answer, true});
  } catch (const CLI::Success& help) {
    return print_text(root, help);
  } catch (const ReaderGone&) {
    return reader_gone();
  } catch (const CLI::ParseError& error) {
    choose();
    if (chosen == nullptr && argc > 1 && argv[1][0] != '-') {
      return usage_error(unknown_command(argv[1]), nullptr);
    }
    const CLI::App* command = chosen == nullptr ? nullptr : chosen->app;
    return usage_error(text_of(error, command), command);
  } catch (...) {
    const Failure failure = failure_of(std::current_exception());
    if (chosen == nullptr) return fail(failure.code, failure.message);
    const std::string message = with_options(failure.message, *chosen->app);
    return failure.code == kUsage ? usage_error(message, chosen->app) : fail(failure.code, message);
  }
}

}  // namespace

int run_program(int argc, const char* const* argv) noexcept {
  std::set_terminate(on_terminate);
  try {
    return run_command_line(argc, argv);
  } catch (const std::bad_alloc&) {
    // While commands are declared, or while a message is built.
    return fail_without_memory();
  } catch (...) {
    return kFault;
  }
}

}  // namespace upsweep::cli

#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "upsweep/app/session.hpp"

namespace upsweep::cli {

using Invocation = Caller;

/// A subcommand as main() sees it: its options are declared on `app`; after parsing, run() does the work and returns
/// the exit code. Wrong values throw UsageError before any file is opened.
struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;
};

/// A validation found a mismatch; its report is already printed. Exit code 5.
class ValidationFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The text of a wrong request, with the option that has the name of its field: "--workers is 0, accepted is ...".
[[nodiscard]] std::string text_of(const RequestError& error);

// One file each: cmd_<name>.cpp.
[[nodiscard]] Command declare_profile(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_search(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_validate(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_solve(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_calibrate(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_training(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_study(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_runs(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_report(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_trace(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_plot(CLI::App& root, const Invocation& invocation);

}  // namespace upsweep::cli

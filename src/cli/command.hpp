#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "upsweep/app/session.hpp"
#include "upsweep/document/document.hpp"

namespace upsweep::cli {

using Invocation = Caller;

/// Who a command works for: the program, or a caller of the library.
struct Client {
  Watch watch;
  /// Takes what was found; it refers to `outcome`, which goes with it. `format` is what --format says.
  std::function<void(const std::string& format, Document found, std::shared_ptr<const void> outcome)> answer;
  bool is_program = false;  ///< the process is the command's own: signals and ranks are its to handle
};

/// Gives an outcome with a document to the client.
template <class Outcome>
void give(const Client& client, const std::string& format, std::shared_ptr<const Outcome> outcome) {
  Document found = document(*outcome);
  client.answer(format, std::move(found), std::move(outcome));
}

/// The outcome of a request as give() takes it; it never moves, as results may refer to other parts of it.
template <class Request>
[[nodiscard]] auto outcome_of(const Request& request, const Invocation& invocation, const Watch& watch) {
  using Outcome = decltype(run(request, invocation, watch));
  return std::shared_ptr<const Outcome>(new Outcome(run(request, invocation, watch)));
}

/// A subcommand as main() sees it: its options are declared on `app`; after parsing, run() does the work and returns
/// the exit code. Wrong values throw UsageError before any file is opened.
struct Command {
  CLI::App* app = nullptr;
  std::function<int(const Client&)> run;
  const char* progress_ending = " ...";  ///< stands behind what is under way
};

// One file each: cmd_<name>.cpp.
[[nodiscard]] Command declare_profile(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_search(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_explain(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_formula(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_import(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_validate(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_solve(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_calibrate(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_anchors(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_train(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_training(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_study(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_runs(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_report(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_trace(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_plot(CLI::App& root, const Invocation& invocation);

/// A row of the table of subcommands.
struct CommandEntry {
  std::string_view name;
  const char* arguments;  ///< what the line of usage shows
  Command (*declare)(CLI::App& root, const Invocation& invocation);
};

/// All subcommands, in the order of the help.
inline constexpr std::array kCommands = {
    CommandEntry{"profile", "MODEL", declare_profile},
    CommandEntry{"search", "MODEL", declare_search},
    CommandEntry{"explain", "MODEL", declare_explain},
    CommandEntry{"formula", "MODEL --axis image", declare_formula},
    CommandEntry{"import", "MODEL --out FILE.yaml", declare_import},
    CommandEntry{"validate", "MODEL", declare_validate},
    CommandEntry{"solve", "MODEL", declare_solve},
    CommandEntry{"calibrate", "--out FILE", declare_calibrate},
    CommandEntry{"anchors", "FILE.csv...", declare_anchors},
    CommandEntry{"train", "FILE", declare_train},
    CommandEntry{"training", "FILE", declare_training},
    CommandEntry{"study", "FILE", declare_study},
    CommandEntry{"runs", "[list | show ID | delete ID | diff A B]", declare_runs},
    CommandEntry{"report", "--out FILE.html", declare_report},
    CommandEntry{"trace", "--run ID --out FILE.json", declare_trace},
    CommandEntry{"plot", "KIND --run ID --out FILE.svg", declare_plot},
};

}  // namespace upsweep::cli

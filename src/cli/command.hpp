#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
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

#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <functional>
#include <memory>
#include <optional>
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

/// A subcommand as the program sees it: its options are declared on `app`; after parsing, run() does the work and
/// returns the exit code. Wrong values throw UsageError before any file is opened.
struct Command {
  CLI::App* app = nullptr;
  std::function<int(const Client&)> run;
  std::optional<std::string>* db = nullptr;  ///< of a command that keeps results: the database of its request
  const char* progress_ending = " ...";      ///< stands behind what is under way
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
[[nodiscard]] Command declare_new(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_machines(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_anchors(CLI::App& root, const Invocation& invocation);
[[nodiscard]] Command declare_order(CLI::App& root, const Invocation& invocation);
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
  const char* examples;  ///< below the options of its help: lines without the program's name
};

/// All subcommands, in the order of the help.
inline constexpr std::array kCommands = {
    CommandEntry{"profile", "MODEL", declare_profile,
                 "profile resnet50.onnx\nprofile models/lenet5.yaml --schedule hybrid:2 --workers 16"},
    CommandEntry{"search", "MODEL", declare_search,
                 "search models/vgg11-cifar10-pruned97.yaml --workers 16\nsearch resnet50.onnx --machine "
                 "a100-sxm4-80gb --batch 32 --db runs.sqlite"},
    CommandEntry{"explain", "MODEL", declare_explain,
                 "explain models/lenet5.yaml --schedule hybrid:2 --against linear --workers 16\nexplain "
                 "models/vgg11-quarter-pruned90.yaml --machine rtx-4090"},
    CommandEntry{"formula", "MODEL --axis image", declare_formula,
                 "formula models/lenet5.yaml --axis image\nformula models/lenet5.yaml --axis image --schedule hybrid:1 "
                 "--residue all"},
    CommandEntry{"import", "MODEL --out FILE.yaml", declare_import,
                 "import resnet50.onnx --out resnet50.yaml\nimport net.onnx --out net.yaml --input x=1x3x64x64"},
    CommandEntry{"validate", "MODEL", declare_validate,
                 "validate models/lenet5.yaml --backend cpu --all-depths\nvalidate models/rnn-bitstream.yaml "
                 "--schedule blelloch,blocked:16"},
    CommandEntry{"solve", "MODEL", declare_solve, "solve models/lenet5.yaml\nsolve models/lenet5.yaml --format json"},
    CommandEntry{"calibrate", "--out FILE", declare_calibrate,
                 "calibrate --out my-cpu.yaml\ncalibrate --backend cuda --dtype fp32 --out my-gpu.yaml"},
    CommandEntry{"new", "KIND [FILE]", declare_new, "new model my-net.yaml\nnew study"},
    CommandEntry{"machines", "[NAME]", declare_machines, "machines\nmachines rtx-4090 --out my-gpu.yaml"},
    CommandEntry{
        "anchors", "FILE.csv...", declare_anchors,
        "anchors spgemm.csv --db runs.sqlite\nanchors mine.csv --machine my-gpu.yaml --fit-out my-fitted-gpu.yaml"},
    CommandEntry{"order", "FILE.csv[.gz] --machines M", declare_order,
                 "order chains.csv --machines 4\norder chains.csv.gz --machines 3 --seconds 1 --format json"},
    CommandEntry{"train", "FILE", declare_train,
                 "train configs/training/rnn-bitstream.yaml --iterations 200\ntrain configs/training/gru-irmas-s.yaml "
                 "--backend cpu --svg loss.svg"},
    CommandEntry{"training", "FILE", declare_training,
                 "training configs/training/policies.yaml --timeline kinds\ntraining "
                 "configs/training/scan-vs-pipeline.yaml --machine h100-sxm5-80gb"},
    CommandEntry{
        "study", "FILE", declare_study,
        "study configs/studies/which-gpu.yaml --db studies.sqlite\nstudy mine.yaml --db studies.sqlite --format csv"},
    CommandEntry{"runs", "[list | show ID | delete ID | diff A B]", declare_runs,
                 "runs --db runs.sqlite\nruns diff 3 7 --db runs.sqlite"},
    CommandEntry{"report", "--out FILE.html", declare_report,
                 "report --db runs.sqlite --out page.html\nreport --db runs.sqlite --run 3 --out page.html"},
    CommandEntry{
        "trace", "--run ID --out FILE.json", declare_trace,
        "trace --run 3 --db runs.sqlite --out trace.json\ntrace --db runs.sqlite --run 3 --out trace.json --force"},
    CommandEntry{"plot", "KIND --run ID --out FILE.svg", declare_plot,
                 "plot schedule --run 3 --db runs.sqlite --out schedule.svg\nplot anchors --run 1 --db runs.sqlite "
                 "--out anchors.svg"},
};

}  // namespace upsweep::cli

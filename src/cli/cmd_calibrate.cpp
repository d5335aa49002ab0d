#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "calibrating.hpp"
#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/calibrate/calibrate.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/report/calibration_report.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep::cli {
namespace {

struct CalibrateOptions {
  std::string backend = "cpu";
  std::string out;
  std::string dtype = "both";
  std::optional<std::string> db;
  std::string format = "table";
  bool quick = false;
};

/// Better now than after a minute of measuring. Throws InputError.
void check_writable(const std::string& out) {
  const std::filesystem::path parent = std::filesystem::absolute(out).parent_path();
  if (access(parent.c_str(), W_OK) == 0) return;
  throw InputError(
      fmt::format("{}: the folder {} is not there or cannot be written to, accepted is a file in one that can", out,
                  parent.string()));
}

int run_calibrate(const CalibrateOptions& options, const Invocation& invocation) {
  const std::unique_ptr<Backend> backend = make_backend(options.backend);
  require_available(options.backend, backend->availability());
  check_writable(options.out);
  CalibrationOptions calibration;
  calibration.name = std::filesystem::path(options.out).stem().string();
  if (calibration.name.empty()) throw UsageError("--out is empty, accepted is the name of a file to write");
  calibration.date = now_utc();
  calibration.tool_version = invocation.tool_version;
  calibration.quick = options.quick;
  if (options.dtype != "both") calibration.value_bytes = options.dtype == "fp64" ? 8 : 4;
  calibration.progress = [](std::size_t done, std::size_t all) {
    show_progress(fmt::format("calibrating, product {} of {}", done + 1, all));
  };
  const std::unique_ptr<RunStore> store =
      options.db ? std::make_unique<RunStore>(*options.db, RunStore::Open::create) : nullptr;
  fmt::print(stderr, "upsweep: calibrating {}, one to three minutes{}\n", options.backend,
             options.dtype == "both"
                 ? ""
                 : fmt::format("; numbers other than {} get its rates and are not measured", options.dtype));
  const Calibration result = calibrate(*backend, calibration);
  show_progress("");
  write_machine(result.machine, options.out);
  if (store) static_cast<void>(store->save_machine(result.machine, machine_text(result.machine)));
  fmt::print(stderr, "upsweep: wrote {}\n", options.out);
  print_result(
      options.format, [&] { return to_json(result); }, [&] { return to_csv(result); }, [&] { return to_text(result); });
  return 0;
}

}  // namespace

Command declare_calibrate(CLI::App& root, const Invocation& invocation) {
  CLI::App* app =
      root.add_subcommand("calibrate", "Measure this machine with synthetic products; write a machine file");
  auto options = std::make_shared<CalibrateOptions>();
  app->add_option("--backend", options->backend, "what is measured")
      ->check(CLI::IsMember(backend_names(Ability::calibration)))
      ->capture_default_str();
  app->add_option("--out", options->out, "the machine file to write, for --machine of other commands")
      ->type_name("FILE")
      ->required();
  app->add_option("--dtype", options->dtype, "number types to measure")
      ->check(CLI::IsMember({"fp32", "fp64", "both"}))
      ->capture_default_str();
  app->add_flag("--quick", options->quick, "a third of the products: to try it out, not for figures");
  app->add_option("--db", options->db, "store the machine in this SQLite file")->type_name("FILE");
  declare_format(*app, options->format);
  return {app, [options, &invocation] { return run_calibrate(*options, invocation); }};
}

}  // namespace upsweep::cli

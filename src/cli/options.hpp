#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "upsweep/devices/registry.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/scan/execution.hpp"
#include "upsweep/scan/request.hpp"

namespace upsweep::cli {

/// Options of the commands that analyse a model, as text.
struct ModelOptions {
  std::string model;
  std::string pattern = "guaranteed";
  std::optional<std::string> workers;
  std::optional<std::string> machine;
  std::optional<std::string> db;
  std::string format = "table";
};

/// Declares MODEL, --pattern, --workers, --machine, --db and --format.
void declare_model_options(CLI::App& app, ModelOptions& options);

/// Declares --format table|json|csv.
void declare_format(CLI::App& app, std::string& format);

/// Checks what CLI11 does not: throws UsageError for a wrong --workers.
void check_model_options(const ModelOptions& options);

/// A positive integer up to `most`. Throws UsageError that names the option.
[[nodiscard]] std::uint64_t parse_positive(const std::string& option, const std::string& text,
                                           std::uint64_t most = INT64_MAX);

/// find_backend() of --backend. Throws UsageError.
[[nodiscard]] const BackendEntry& backend_of_option(const std::string& name, Ability ability);

/// Bytes: "1048576", "512 MiB", "1.5GiB"; positive. Throws UsageError that names the option.
[[nodiscard]] std::uint64_t parse_size(const std::string& option, const std::string& text);

/// parse_schedule() of --schedule. Throws UsageError.
[[nodiscard]] ScheduleRequest schedule_request(const std::string& text);

/// level or dag, as CLI11 has checked it.
[[nodiscard]] Execution execution_kind(const std::string& text);

[[nodiscard]] PatternKind pattern_kind(const ModelOptions& options);

}  // namespace upsweep::cli

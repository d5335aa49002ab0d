#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "command.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::cli {

std::string text_of(const RequestError& error) {
  if (error.field().empty()) return error.what();
  std::string option = error.field() == "memory_limit" ? "memory" : error.field();
  std::replace(option.begin(), option.end(), '_', '-');
  return fmt::format("--{} {}", option, error.what());
}

void declare_format(CLI::App& app, std::string& format) {
  app.add_option("--format", format, "table for people, json or csv for programs")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
}

void declare_model_options(CLI::App& app, ModelOptions& options) {
  app.add_option("MODEL", options.model, "the model file (YAML)")->required();
  app.add_option("--pattern", options.pattern,
                 "which Jacobian entries count: guaranteed by the architecture, or those at the sample inputs")
      ->check(CLI::IsMember({"guaranteed", "sample"}))
      ->capture_default_str();
  app.add_option("--workers", options.workers, "workers; default: the widest level, or all that a machine has")
      ->type_name("P");
  app.add_option("--machine", options.machine,
                 "predict seconds on the machine of this file, e. g. one of configs/machines")
      ->type_name("FILE");
  app.add_option("--db", options.db, "store the runs in this SQLite file")->type_name("FILE");
  declare_format(app, options.format);
}

void check_model_options(const ModelOptions& options) {
  if (options.workers) static_cast<void>(parse_positive("--workers", *options.workers));
}

std::uint64_t parse_positive(const std::string& option, const std::string& text, std::uint64_t most) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value == 0 || value > most) {
    throw UsageError(fmt::format("{} is '{}', accepted is an integer from 1 to {}", option, text, most));
  }
  return value;
}

std::uint64_t parse_size(const std::string& option, const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  std::string unit(stop, end);
  unit.erase(0, unit.find_first_not_of(' '));
  double scale = 0;
  for (const auto& [name, bytes] : {std::pair{"", 1.0}, std::pair{"B", 1.0}, std::pair{"KiB", 0x1p10},
                                    std::pair{"MiB", 0x1p20}, std::pair{"GiB", 0x1p30}}) {
    if (unit == name) scale = bytes;
  }
  const double bytes = std::floor(value * scale);
  if (error != std::errc() || !(bytes >= 1) || bytes >= 0x1p63) {
    throw UsageError(
        fmt::format("{} is '{}', accepted is a positive number of bytes, or one with KiB, MiB or GiB", option, text));
  }
  return static_cast<std::uint64_t>(bytes);
}

const BackendEntry& backend_of_option(const std::string& name, Ability ability) {
  try {
    return find_backend(name, ability);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--backend: {}", error.what()));
  }
}

ScheduleRequest schedule_request(const std::string& text) {
  try {
    return parse_schedule(text);
  } catch (const std::invalid_argument&) {
    throw UsageError(fmt::format("--schedule is '{}', accepted are {}", text, accepted_schedules()));
  }
}

Execution execution_kind(const std::string& text) { return text == "level" ? Execution::level : Execution::dag; }

PatternKind pattern_kind(const ModelOptions& options) {
  return options.pattern == "sample" ? PatternKind::sample : PatternKind::guaranteed;
}

}  // namespace upsweep::cli

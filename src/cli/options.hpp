#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/app/frame.hpp"
#include "upsweep/app/loading.hpp"
#include "upsweep/app/session.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/machine/machine.hpp"
#include "upsweep/onnx/import.hpp"
#include "upsweep/scan/execution.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep::cli {

/// A FrameRequest, as text.
struct FrameOptions {
  std::optional<std::string> workers;
  std::optional<std::string> machine;
  std::optional<std::string> launch;
  std::optional<std::string> library;
  std::optional<std::string> batch;
  std::optional<std::string> execution;
  std::optional<std::string> setup;
};

/// Declares --machine, --launch, --library and --batch; `batch_text`: what the last is.
void declare_machine_options(CLI::App& app, FrameOptions& options, const std::string& batch_text);

/// Options of the commands that analyse a model, as text.
struct ModelOptions : FrameOptions {
  std::string model;
  std::string pattern = "guaranteed";
  std::optional<std::string> db;
  std::string format = "table";
};

/// Declares MODEL, --pattern, --workers, --machine, --launch, --batch, --execution, --db and --format.
void declare_model_options(CLI::App& app, ModelOptions& options);

/// What counting may take, as text.
struct CountOptions {
  std::optional<std::string> limit;
  std::optional<std::string> memory;
  std::optional<std::string> estimate;
  std::optional<std::string> seed;
};

/// Declares --count-limit and --count-memory.
void declare_count_options(CLI::App& app, CountOptions& options);

/// Declares --estimate and --estimate-seed.
void declare_estimate_options(CLI::App& app, CountOptions& options);

/// Puts all of them into a request.
void set_counting(const CountOptions& options, CountingRequest& counting);

/// The steps of --count-limit: a number of at least 1, as 3e12 too.
[[nodiscard]] std::optional<std::uint64_t> count_limit_of(const CountOptions& options);
[[nodiscard]] std::optional<std::uint64_t> count_memory_of(const CountOptions& options);

/// Settings of ONNX files, as texts.
struct OnnxTexts {
  std::vector<std::string> inputs;
  std::optional<std::string> output;
  std::string fold_norms = "on";
  std::optional<std::string> prune;
};

/// Declares --input, --output, --fold-norms and --prune. `other_input`: what else a command's --input says.
void declare_onnx_options(CLI::App& app, OnnxTexts& texts, const std::string& other_input = "");

/// Throws UsageError.
[[nodiscard]] OnnxOptions onnx_options(const OnnxTexts& texts);

/// Declares --format table|json|csv.
void declare_format(CLI::App& app, std::string& format);

/// Declares --force of a command that writes a file.
void declare_force(CLI::App& app, bool& force);

/// An integer of at least 0. Throws UsageError that names the option, as all of these.
[[nodiscard]] std::uint64_t parse_whole(const std::string& option, const std::string& text);

/// A positive integer up to `most`.
[[nodiscard]] std::uint64_t parse_positive(const std::string& option, const std::string& text,
                                           std::uint64_t most = INT64_MAX);

/// An integer of at least `least`, up to `most`.
[[nodiscard]] std::uint64_t parse_integer(const std::string& option, const std::string& text, std::uint64_t least,
                                          std::uint64_t most = INT64_MAX);

/// A finite number of at least `least`; the error says that `accepted` is.
[[nodiscard]] double parse_number(const std::string& option, const std::string& text, const std::string& accepted,
                                  double least = std::numeric_limits<double>::lowest());

/// parse_positive() of an option that was given, else nothing.
[[nodiscard]] std::optional<std::uint64_t> parse_given(const std::string& option,
                                                       const std::optional<std::string>& text);

/// The same as the number of a run or study.
[[nodiscard]] std::optional<std::int64_t> parse_id(const std::string& option, const std::optional<std::string>& text);

/// Words between commas.
[[nodiscard]] std::vector<std::string> parse_list(const std::string& text);

/// Bytes: "1048576", "512 MiB", "1.5GiB"; positive.
[[nodiscard]] std::uint64_t parse_size(const std::string& option, const std::string& text);

[[nodiscard]] PatternKind pattern_kind(const std::string& text);
[[nodiscard]] PatternKind pattern_kind(const ModelOptions& options);

/// Puts what the options say of it into the frame of a request.
void set_frame(const FrameOptions& options, FrameRequest& frame);

/// A text of the library with the command's options in place of the request's fields that stand in backquotes.
[[nodiscard]] std::string with_options(const std::string& text, const CLI::App& command);

}  // namespace upsweep::cli

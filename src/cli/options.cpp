#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "upsweep/app/loading.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/document/size.hpp"

namespace upsweep::cli {

namespace {

/// The whole text as a number; nothing where it is none.
template <class Number>
std::optional<Number> number_of(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

/// The option or the positional argument for a field of the request; empty where the command has none.
std::string option_of(const std::string& field, const CLI::App& command) {
  const auto has = [&](const std::string& name) {
    const std::vector<CLI::App*> parsed = command.get_subcommands();
    return command.get_option_no_throw(name) != nullptr ||
           std::any_of(parsed.begin(), parsed.end(),
                       [&](const CLI::App* sub) { return sub->get_option_no_throw(name) != nullptr; });
  };
  std::string option = field == "memory_limit" ? "memory" : field;
  std::replace(option.begin(), option.end(), '_', '-');
  option.insert(0, "--");
  if (has(option)) return option;
  std::string argument = field;
  std::transform(argument.begin(), argument.end(), argument.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return has(argument) ? argument : "";
}

}  // namespace

std::string with_options(const std::string& text, const CLI::App& command) {
  std::string shown;
  std::size_t begin = 0;
  for (std::size_t open = text.find('`'); open != std::string::npos; open = text.find('`', begin)) {
    const std::size_t close = text.find('`', open + 1);
    if (close == std::string::npos) break;
    const std::string option = option_of(text.substr(open + 1, close - open - 1), command);
    // Where that is no field, its second backquote may be the first of one.
    shown += text.substr(begin, open - begin) + (option.empty() ? text.substr(open, close - open) : option);
    begin = option.empty() ? close : close + 1;
  }
  return shown + text.substr(begin);
}

void declare_format(CLI::App& app, std::string& format) {
  app.add_option("--format", format, "table for people, json or csv for programs")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
}

void declare_force(CLI::App& app, bool& force) {
  app.add_flag("--force", force, "replace a file of that name that upsweep did not write, too");
}

void declare_count_options(CLI::App& app, CountOptions& options) {
  app.add_option("--count-limit", options.limit,
                 "pairs of entries that counting the products of one schedule may go through (64 of them at once where "
                 "rows are kept as bits); what takes more is left out, and said")
      ->type_name("PAIRS")
      ->default_str(fmt::format("{:.0e}, about ten minutes on two cores", static_cast<double>(kMostPairs)));
  app.add_option("--count-memory", options.memory,
                 "memory that the patterns of products may take meanwhile; bytes, or with a unit: 16GB, 16GiB")
      ->type_name("SIZE")
      ->default_str("what the machine has left");
}

void declare_estimate_options(CLI::App& app, CountOptions& options) {
  app.add_option(
         "--estimate", options.estimate,
         "estimate schedules whose counting takes more than some seconds (or than --count-limit) from samples of "
         "rows, until half the 95 % interval of their FLOPs is no wider than this: 2% or 0.02")
      ->type_name("SHARE");
  app.add_option("--estimate-seed", options.seed, "of the rows that are drawn")->type_name("N")->default_str("1");
}

void set_counting(const CountOptions& options, CountingRequest& counting) {
  counting.count_limit = count_limit_of(options);
  counting.count_memory = count_memory_of(options);
  if (options.seed) {
    if (!options.estimate) throw UsageError("--estimate-seed is of estimates, accepted is with --estimate");
    counting.estimate_seed = parse_whole("--estimate-seed", *options.seed);
  }
  if (!options.estimate) return;
  const bool is_percent = options.estimate->ends_with('%');
  const std::string number = is_percent ? options.estimate->substr(0, options.estimate->size() - 1) : *options.estimate;
  const double share = parse_number("--estimate", number, "is a share, 2% or 0.02", 0);
  counting.estimate = is_percent ? share / 100 : share;
}

std::optional<std::uint64_t> count_limit_of(const CountOptions& options) {
  if (!options.limit) return std::nullopt;
  constexpr double kMost = 0x1p62;
  const double pairs = parse_number("--count-limit", *options.limit, "is a number of pairs from 1 to 4e18", 1);
  if (pairs > kMost) return static_cast<std::uint64_t>(kMost);
  return static_cast<std::uint64_t>(pairs);
}

std::optional<std::uint64_t> count_memory_of(const CountOptions& options) {
  return options.memory ? std::optional(parse_size("--count-memory", *options.memory)) : std::nullopt;
}

void declare_machine_options(CLI::App& app, FrameOptions& options, const std::string& batch_text) {
  app.add_option("--machine", options.machine,
                 "predict seconds on this machine: a file, or a name that `upsweep machines` lists, as a100-sxm4-80gb")
      ->type_name("FILE|NAME");
  app.add_option("--launch", options.launch,
                 "with the machine file of a GPU: how kernels are started, one by one by the host, as a graph, or as a "
                 "graph with one kernel for all ops of a level")
      ->check(CLI::IsMember({"eager", "graph", "fused"}))
      ->default_str("graph; of validate what the backend does");
  app.add_option("--library", options.library,
                 "with the machine file of a GPU: whose sparse products, of those with rates in it, or roofline: the "
                 "datasheet's")
      ->type_name("NAME")
      ->default_str("the first of the file");
  app.add_option("--batch", options.batch, batch_text)->type_name("B");
}

void declare_model_options(CLI::App& app, ModelOptions& options) {
  app.add_option("MODEL", options.model, "the model file: YAML or ONNX")->required();
  app.add_option("--pattern", options.pattern,
                 "which Jacobian entries count: guaranteed by the architecture, or those at the sample inputs")
      ->check(CLI::IsMember({"guaranteed", "sample"}))
      ->capture_default_str();
  app.add_option("--workers", options.workers, "workers; default: the widest level, or all that a machine has")
      ->type_name("P");
  declare_machine_options(
      app, options,
      "inputs of an iteration, or sequences; default: 1, of a recurrent model that is run, or predicted "
      "on a machine, its file's");
  app.add_option(
         "--setup", options.setup,
         "with --machine: seconds that a scan takes once, planning, graph capture and compiling; says after how "
         "many iterations they are paid back")
      ->type_name("SECONDS");
  app.add_option("--execution", options.execution,
                 "with barriers between levels, or as soon as operands are there; executor and critical-path rule")
      ->check(CLI::IsMember({"level", "dag"}))
      ->default_str("dag; with a batch, with the machine file of a processor or GPU, and of validate level");
  app.add_option("--db", options.db, "store the runs in this SQLite file")->type_name("FILE");
  declare_format(app, options.format);
}

void declare_onnx_options(CLI::App& app, OnnxTexts& texts, const std::string& other_input) {
  app.add_option("--input", texts.inputs,
                 other_input +
                     "of an ONNX file: the shape of an input with its batch of 1, for dynamic axes, e. g. "
                     "x=1x3x224x224")
      ->type_name(other_input.empty() ? "NAME=SHAPE" : "I|NAME=SHAPE");
  app.add_option("--output", texts.output, "of an ONNX file: which output; default: the first")->type_name("NAME");
  app.add_option("--fold-norms", texts.fold_norms,
                 "of an ONNX file: take batch normalisations into the convolutions before them")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app.add_option("--prune", texts.prune,
                 "of an ONNX file: prune its weights, or seeded ones where it has none: magnitude_global=S, "
                 "magnitude_layer=S, erk=S, n_m=N:M, per_layer=FILE.csv:COLUMN or per_layer_in_order=FILE.csv:COLUMN")
      ->type_name("METHOD=VALUE");
}

namespace {

double parse_share(const std::string& option, const std::string& text) {
  const double share = parse_number(option, text, "is a number in [0, 1)", 0);
  if (share < 1) return share;
  throw UsageError(fmt::format("{} is '{}', accepted is a number in [0, 1)", option, text));
}

/// METHOD=VALUE of --prune.
void set_pruning(const std::string& text, OnnxOptions& options) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string method = text.substr(0, equals);
  const std::string value = equals < text.size() ? text.substr(equals + 1) : "";
  const std::string what = "--prune " + method;
  const std::size_t colon = value.rfind(':');
  const std::string front = value.substr(0, colon);
  const std::string back = colon == std::string::npos ? "" : value.substr(colon + 1);
  if (method == "magnitude_global") {
    options.prune = MagnitudeGlobal{parse_share(what, value)};
  } else if (method == "magnitude_layer") {
    options.prune = MagnitudeLayer{parse_share(what, value)};
  } else if (method == "erk") {
    options.prune = ErdosRenyiKernel{parse_share(what, value)};
  } else if (method == "n_m") {
    const std::uint64_t m = parse_positive(what, back, 1U << 20);
    options.prune = NOfM{parse_positive(what, front, m), m};
  } else if ((method == "per_layer" || method == "per_layer_in_order") && !front.empty()) {
    options.budget = BudgetFile{front, back, "", method == "per_layer_in_order"};
  } else {
    throw UsageError(
        fmt::format("--prune is '{}', accepted are magnitude_global=S, magnitude_layer=S, erk=S, n_m=N:M, "
                    "per_layer=FILE.csv:COLUMN "
                    "and per_layer_in_order=FILE.csv:COLUMN",
                    text));
  }
}

}  // namespace

OnnxOptions onnx_options(const OnnxTexts& texts) {
  OnnxOptions options;
  if (texts.prune) set_pruning(*texts.prune, options);
  options.output = texts.output;
  options.fold_norms = texts.fold_norms == "on";
  for (const std::string& text : texts.inputs) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(fmt::format("--input is '{}', accepted is NAME=SHAPE, as x=1x3x224x224", text));
    Shape& shape = options.inputs[text.substr(0, equals)];
    for (std::size_t at = equals; at != std::string::npos;) {
      const std::size_t next = text.find('x', at + 1);
      const std::string size = text.substr(at + 1, next == std::string::npos ? next : next - at - 1);
      shape.push_back(parse_positive("a size of --input", size, kMaxElements));
      at = next;
    }
  }
  return options;
}

std::uint64_t parse_integer(const std::string& option, const std::string& text, std::uint64_t least,
                            std::uint64_t most) {
  const auto value = number_of<std::uint64_t>(text);
  if (value && *value >= least && *value <= most) return *value;
  throw UsageError(fmt::format("{} is '{}', accepted is an integer from {} to {}", option, text, least, most));
}

std::uint64_t parse_whole(const std::string& option, const std::string& text) { return parse_integer(option, text, 0); }

std::uint64_t parse_positive(const std::string& option, const std::string& text, std::uint64_t most) {
  return parse_integer(option, text, 1, most);
}

double parse_number(const std::string& option, const std::string& text, const std::string& accepted, double least) {
  const auto value = number_of<double>(text);
  if (value && std::isfinite(*value) && *value >= least) return *value;
  throw UsageError(fmt::format("{} is '{}', accepted {}", option, text, accepted));
}

std::optional<std::uint64_t> parse_given(const std::string& option, const std::optional<std::string>& text) {
  return text ? std::optional(parse_positive(option, *text)) : std::nullopt;
}

std::optional<std::int64_t> parse_id(const std::string& option, const std::optional<std::string>& text) {
  const auto id = parse_given(option, text);
  return id ? std::optional(static_cast<std::int64_t>(*id)) : std::nullopt;
}

std::vector<std::string> parse_list(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::uint64_t parse_size(const std::string& option, const std::string& text) {
  if (const std::optional<std::uint64_t> bytes = size_of(text)) return *bytes;
  throw UsageError(fmt::format("{} is '{}'{}, accepted is a positive number of bytes, or one with {}", option, text,
                               size_hint(text), kSizeUnits));
}

PatternKind pattern_kind(const std::string& text) {
  return text == "sample" ? PatternKind::sample : PatternKind::guaranteed;
}

PatternKind pattern_kind(const ModelOptions& options) { return pattern_kind(options.pattern); }

void set_frame(const FrameOptions& options, FrameRequest& frame) {
  frame.workers = parse_given("--workers", options.workers);
  frame.machine = options.machine;
  frame.library = options.library;
  if (options.launch) frame.launch = launch_mode(*options.launch);
  if (options.batch) frame.batch = parse_positive("--batch", *options.batch, FrameRequest::kMostBatch);
  if (options.setup) frame.setup_s = parse_number("--setup", *options.setup, "is a number of seconds of at least 0", 0);
  if (options.execution) frame.execution = *options.execution == "level" ? Execution::level : Execution::dag;
}

}  // namespace upsweep::cli

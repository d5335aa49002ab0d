#include "recurrent_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "upsweep/base/error.hpp"

namespace upsweep::cli {
namespace {

std::uint64_t parse_extent(const std::string& option, const std::string& text, std::uint64_t least,
                           std::uint64_t most) {
  try {
    const std::uint64_t value = parse_positive(option, text);
    if (value >= least && value <= most) return value;
  } catch (const UsageError&) {
    // The range below says more.
  }
  throw UsageError(fmt::format("{} is '{}', accepted is an integer from {} to {}", option, text, least, most));
}

double parse_microseconds(const std::string& option, const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !(value >= 0) || !std::isfinite(value)) {
    throw UsageError(fmt::format("{} is '{}', accepted is a number of microseconds of at least 0", option, text));
  }
  return value / 1e6;
}

}  // namespace

void declare_recurrent_options(CLI::App& app, RecurrentOptions& options, bool has_machine) {
  const auto add = [&app](const char* name, std::optional<std::string>& to, const char* text, const char* type) {
    app.add_option(name, to, text)->type_name(type)->group("Recurrent models");
  };
  add("--steps", options.steps, "steps instead of those of the file", "T");
  add("--batch", options.batch, "sequences instead of those of the file", "B");
  add("--hidden", options.hidden, "hidden elements instead of those of the file", "H");
  if (!has_machine) return;
  add("--forward-kernels", options.forward_kernels,
      "with --machine: kernels that a step of the forward pass is assumed to have; default 2", "K");
  add("--backward-kernels", options.backward_kernels,
      "with --machine: the same of the sequential backward pass; default 2", "K");
  add("--host-launch-us", options.host_launch_us,
      "with --machine: least time between two kernel launches in microseconds; default 0", "US");
}

void check_recurrent_options(const RecurrentOptions& options, const ModelOptions& model) {
  // As in model files.
  if (options.steps) static_cast<void>(parse_extent("--steps", *options.steps, 2, std::uint64_t{1} << 39));
  if (options.batch) static_cast<void>(parse_extent("--batch", *options.batch, 1, 1'000'000));
  if (options.hidden) static_cast<void>(parse_extent("--hidden", *options.hidden, 1, 65'536));
  static_cast<void>(assumptions_of(options));
  if (model.machine) return;
  for (const auto& [option, text] : {std::pair{"--forward-kernels", &options.forward_kernels},
                                     std::pair{"--backward-kernels", &options.backward_kernels},
                                     std::pair{"--host-launch-us", &options.host_launch_us}}) {
    if (*text) throw UsageError(fmt::format("{} is an assumption of predictions, accepted is with --machine", option));
  }
}

DeviceAssumptions assumptions_of(const RecurrentOptions& options) {
  DeviceAssumptions assumptions;
  constexpr std::uint64_t kMostKernels = 1000;
  if (options.forward_kernels) {
    assumptions.forward_kernels = parse_extent("--forward-kernels", *options.forward_kernels, 1, kMostKernels);
  }
  if (options.backward_kernels) {
    assumptions.backward_kernels = parse_extent("--backward-kernels", *options.backward_kernels, 1, kMostKernels);
  }
  if (options.host_launch_us)
    assumptions.host_launch_s = parse_microseconds("--host-launch-us", *options.host_launch_us);
  return assumptions;
}

}  // namespace upsweep::cli

#include "recurrent_options.hpp"

namespace upsweep::cli {

void declare_recurrent_options(CLI::App& app, RecurrentOptions& options, bool has_machine) {
  const auto add = [&app](const char* name, std::optional<std::string>& to, const char* text, const char* type) {
    app.add_option(name, to, text)->type_name(type)->group("Recurrent models");
  };
  add("--steps", options.steps, "steps instead of those of the file", "T");
  add("--hidden", options.hidden, "hidden elements instead of those of the file", "H");
  if (!has_machine) return;
  add("--forward-kernels", options.forward_kernels,
      "with --machine: kernels that a step of the forward pass is assumed to have; default 2", "K");
  add("--backward-kernels", options.backward_kernels,
      "with --machine: the same of the sequential backward pass; default 2", "K");
  add("--host-launch-us", options.host_launch_us,
      "with --machine: least time between two kernel launches in microseconds; default 0", "US");
}

RecurrentSizes sizes_of(const RecurrentOptions& options) {
  RecurrentSizes sizes;
  if (options.steps) sizes.steps = parse_integer("--steps", *options.steps, 2, RecurrentSizes::kMostSteps);
  if (options.hidden) sizes.hidden = parse_positive("--hidden", *options.hidden, RecurrentSizes::kMostHidden);
  return sizes;
}

DeviceSettings assumptions_of(const RecurrentOptions& options) {
  DeviceSettings settings;
  if (options.forward_kernels) {
    settings.forward_kernels =
        parse_positive("--forward-kernels", *options.forward_kernels, DeviceSettings::kMostKernels);
  }
  if (options.backward_kernels) {
    settings.backward_kernels =
        parse_positive("--backward-kernels", *options.backward_kernels, DeviceSettings::kMostKernels);
  }
  if (options.host_launch_us) {
    settings.host_launch_us =
        parse_number("--host-launch-us", *options.host_launch_us, "is a number of microseconds of at least 0", 0);
  }
  return settings;
}

}  // namespace upsweep::cli

#pragma once

#include <sstream>
#include <string>

#include "upsweep/base/error.hpp"
#include "upsweep/io/machine_file.hpp"

namespace upsweep::testing {

/// The machine of a text, "m.yaml" in errors.
[[nodiscard]] inline Machine parse_machine(const std::string& text) {
  std::istringstream in(text);
  return load_machine(parse_yaml(in, "m.yaml"));
}

/// What is wrong with a text, or "accepted".
[[nodiscard]] inline std::string machine_refusal(const std::string& text) {
  try {
    static_cast<void>(parse_machine(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace upsweep::testing

#pragma once

#include <sstream>
#include <string>

#include "refusal.hpp"
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
  return refusal_of([&] { return parse_machine(text); });
}

}  // namespace upsweep::testing

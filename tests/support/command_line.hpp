#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/process.hpp"

// Runs of the program UPSWEEP_BINARY.

namespace upsweep::testing {

using Json = nlohmann::json;

[[nodiscard]] inline Finished upsweep(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), UPSWEEP_BINARY);
  return run_program(arguments);
}

/// What a run prints as JSON; fails where it does not end well.
[[nodiscard]] inline Json json_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--format", "json"});
  const Finished run = upsweep(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return Json::parse(run.out);
}

[[nodiscard]] inline long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

[[nodiscard]] inline bool has_keys(const Json& object, const std::vector<std::string>& keys) {
  return std::all_of(keys.begin(), keys.end(), [&](const std::string& key) { return object.contains(key); });
}

}  // namespace upsweep::testing

#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "upsweep/document/json.hpp"

namespace upsweep::cli {

// Settings are options by name, with values as JSON has them instead of texts.

/// "count_limit" of --count-limit; empty of --help and of arguments, which are no settings.
[[nodiscard]] std::string setting_name(const CLI::Option& option);

/// What a command line would say for them: {"--workers=16", "--live"}.
///
/// Throws UsageError for a name that the command has not, which names the nearest, and for values that are no texts,
/// numbers, lists of them or, where they name shapes, objects.
[[nodiscard]] std::vector<std::string> option_texts(const Json& settings, const CLI::App& app);

/// A text about options of the command with `count_limit` for --count-limit.
[[nodiscard]] std::string in_settings(const std::string& text, const CLI::App& app);

}  // namespace upsweep::cli

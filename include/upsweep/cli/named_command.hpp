#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "upsweep/app/failure.hpp"
#include "upsweep/app/session.hpp"
#include "upsweep/document/document.hpp"
#include "upsweep/document/json.hpp"

namespace upsweep::cli {

/// A command as a program names it: by the same tables of options as a command line.
struct NamedCommand {
  std::string name;                 ///< "search"
  std::vector<std::string> inputs;  ///< its arguments, files mostly
  /// Its options, an object: {"workers": 16, "count_limit": 1e6, "live": true}. Names are those of the options, with
  /// '_' or '-' in them; null stands for an option that is not given, a list for several values.
  Json settings = Json::object();
};

/// What came of a command.
struct Answer {
  ExitCode code = kDone;
  std::string message;                            ///< what is wrong, one line; settings stand in backquotes
  bool has_document = false;                      ///< also of failed validations and of what was stopped
  Document document = {};                         ///< refers to `outcome`
  std::shared_ptr<const void> outcome = nullptr;  ///< of the command, whatever it is
};

/// Carries it out. Prints nothing, handles no signals and knows of no other process; several threads may call, and
/// share MemoryCeiling. Throws nothing but std::bad_alloc.
[[nodiscard]] Answer answer(const NamedCommand& command, const Watch& watch);

/// All commands: [{"name", "arguments", "description", "settings": [{"name", "type", "default", "description"}]}].
[[nodiscard]] Json command_table();

}  // namespace upsweep::cli

#pragma once

#include <memory>
#include <string>

#include "command.hpp"
#include "options.hpp"

namespace upsweep::cli {

/// A command that writes a file or lists what there is: its options set a request, and it answers with the outcome.
/// Declares --force and --format.
template <class Request>
[[nodiscard]] Command plain_command(CLI::App* app, std::shared_ptr<Request> request, const Invocation& invocation) {
  const auto format = std::make_shared<std::string>("table");
  declare_force(*app, request->force);
  declare_format(*app, *format);
  return {app, [=, &invocation](const Client& client) {
            give(client, *format, outcome_of(*request, invocation, client.watch));
            return 0;
          }};
}

}  // namespace upsweep::cli

#pragma once

#include <optional>
#include <string>

#include "upsweep/app/session.hpp"
#include "upsweep/document/document.hpp"

namespace upsweep {

/// Write a commented file to start from: a model, a machine, a study.
struct NewRequest {
  std::string kind;  ///< of file, by the name of a template: model
  std::optional<std::string> file =
      std::nullopt;    ///< where it is written; else KIND.yaml in the working folder; "-": nowhere
  bool force = false;  ///< replace a file of that name
};

/// What was written, or, where the file is "-", is to be.
struct NewOutcome {
  std::string kind;
  std::string file;
  std::string text;
};

[[nodiscard]] Document document(const NewOutcome& outcome);

/// Throws RequestError for a kind without a template, and where `file` is there with another text; InputError where it
/// cannot be written.
[[nodiscard]] NewOutcome run(const NewRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep

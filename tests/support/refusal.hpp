#pragma once

#include <string>

#include "upsweep/base/error.hpp"

namespace upsweep::testing {

/// What the error says with which `work` is refused; "accepted" where it is not.
template <class Error = InputError, class Work>
[[nodiscard]] std::string refusal_of(const Work& work) {
  try {
    static_cast<void>(work());
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace upsweep::testing

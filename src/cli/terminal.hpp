#pragma once

#include "upsweep/document/text_style.hpp"

namespace upsweep::cli {

/// How text on standard output is laid out: plain where that is no terminal.
///
/// On one: tables as wide as it is (as COLUMNS says where it does not know), numbers aligned at their units, and the
/// best rows in colour unless NO_COLOR is set to anything, or TERM is dumb or missing. Source: https://no-color.org.
[[nodiscard]] TextStyle terminal_style();

}  // namespace upsweep::cli

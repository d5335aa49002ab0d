#pragma once

#include "upsweep/document/value.hpp"

namespace upsweep {

/// A figure of a column of `unit`, marked for people where it is an estimate: "~26.06 M"; programs see the same number.
[[nodiscard]] Value marked_unless(bool is_exact, Value figure, Unit unit = Unit::count);

}  // namespace upsweep

#pragma once

#include <optional>

#include "upsweep/sparse/row_classes.hpp"

namespace upsweep {

/// A + B by classes, of equal shapes. Nothing where the shapes of their images differ, or where rows without entries in
/// one stand beside rows of the other that share their storage: which rows of the sum share theirs then does not depend
/// on each axis alone.
[[nodiscard]] std::optional<RowClasses> unite_classes(const RowClasses& a, const RowClasses& b);

/// Rows [first, first + count), which keep their memory. Nothing where these are not whole channels.
[[nodiscard]] std::optional<RowClasses> class_range(const RowClasses& classes, Index first, Index count);

}  // namespace upsweep

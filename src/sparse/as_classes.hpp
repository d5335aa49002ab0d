#pragma once

#include <memory>

#include "upsweep/sparse/pattern.hpp"

namespace upsweep {

/// A pattern as classes over an image of rows: its own, or each row a class of its own, or one for all where all share
/// their storage; its columns are then channels of one position. Null where it has classes of another image, another
/// number of rows, or some rows that share their storage.
[[nodiscard]] std::shared_ptr<const RowClasses> as_classes(const Pattern& pattern, const ImageShape& rows);

}  // namespace upsweep

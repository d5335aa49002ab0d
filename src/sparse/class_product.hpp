#pragma once

#include <memory>
#include <optional>

#include "upsweep/sparse/product.hpp"

namespace upsweep {

/// The classes of both factors of a product; both null where there are none that fit together.
struct Operands {
  std::shared_ptr<const RowClasses> x;
  std::shared_ptr<const RowClasses> y;
};

/// The factors of X·Y by classes, where X has classes and Y has, too, or has one row for all or a row of its own for
/// each: then Y's rows are taken as those of the image that are X's columns.
[[nodiscard]] Operands operands_of(const Pattern& x, const Pattern& y);

/// Matched pairs and steps of X·Y, neither factor a diagonal, added to `counts`; `walks`: a row of Y has two entries.
void count_class_products(const RowClasses& x, const RowClasses& y, bool walks, ProductCounts& counts);

/// C = X·Y: one row of each class of C is collected from rows of Y. A class of C has the positions along an axis at
/// which a row of X reaches the same classes of Y at the same distances. `walks` as above, `meter` as in
/// multiply().
[[nodiscard]] Product accumulate_classes(const RowClasses& x, const RowClasses& y, bool walks, Keep keep,
                                         WorkMeter* meter);

/// C = X·Y where no row of X has more than one entry: C's classes are those of Y. Nothing where the place of the entry
/// does not depend on each axis alone.
[[nodiscard]] std::optional<RowClasses> select_classes(const RowClasses& x, const RowClasses& y);

/// steps_with_dense_vector() of classes.
[[nodiscard]] ProductSteps class_steps_with_dense_vector(const RowClasses& x);

/// steps_with_full() of classes, some of which have rows of several entries.
[[nodiscard]] ProductSteps class_steps_with_full(const RowClasses& x, std::uint64_t cols);

}  // namespace upsweep

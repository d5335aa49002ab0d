#pragma once

#include <vector>

#include "upsweep/sparse/row_classes.hpp"

namespace upsweep {

/// Makes classes along an axis one that have the same full rows: the products of dense layers and, some layers deep, of
/// pruned ones. `rows`: by class of the partition; both change. Classes that differ from the first few full ones stay.
void merge_classes(std::size_t axis, RowPartition& partition, std::vector<WindowRow>& rows);

}  // namespace upsweep

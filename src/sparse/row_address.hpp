#pragma once

#include "upsweep/sparse/row.hpp"

namespace upsweep {

/// Where the columns of a row stand: rows at one address are equal, whatever their numbers.
inline const void* address_of(const Row& row) {
  if (row.is_bitmap()) return row.words();
  return row.list().data();
}

}  // namespace upsweep

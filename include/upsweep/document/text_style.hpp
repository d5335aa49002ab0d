#pragma once

#include <cstddef>

namespace upsweep {

/// How text for people is laid out. The default is plain text, as pipes and files get it.
struct TextStyle {
  std::size_t width = 0;      ///< columns of characters that tables may take; 0: as many as they need
  bool is_coloured = false;   ///< the best rows are bold and green
  bool aligns_units = false;  ///< numbers of a column end at one place, whether a unit follows or not
  bool marks_best = false;    ///< the best rows are named in tables that else would not say which they are
};

/// What a row of a table is.
enum class RowMark { none, best };

}  // namespace upsweep

#include "upsweep/document/estimate_mark.hpp"

#include <fmt/format.h>

namespace upsweep {

Value marked_unless(bool is_exact, Value figure, Unit unit) {
  if (is_exact || figure.is_nothing()) return figure;
  std::string text = fmt::format("~{}", figure.text(unit));
  return std::move(figure).shown(std::move(text));
}

}  // namespace upsweep

#include "upsweep/base/edit_distance.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace upsweep {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

bool is_slip(std::string_view found, std::string_view meant) {
  const std::size_t distance = edit_distance(found, meant);
  return distance <= 2 && distance < meant.size() && distance < found.size();
}

}  // namespace upsweep

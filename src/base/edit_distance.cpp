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
  const std::size_t shorter = std::min(found.size(), meant.size());
  return shorter > 1 && edit_distance(found, meant) <= (shorter < 6 ? 1U : 2U);
}

const std::string* meant_name(std::string_view word, const std::vector<std::string>& names) {
  const std::string* nearest = nullptr;
  for (const std::string& name : names) {
    if (word.size() >= 3 && name.starts_with(word)) return &name;
    if (is_slip(word, name) && (nearest == nullptr || edit_distance(word, name) < edit_distance(word, *nearest)))
      nearest = &name;
  }
  return nearest;
}

}  // namespace upsweep

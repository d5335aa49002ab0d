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

namespace {

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

}  // namespace

std::string hint_of(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 64;  // longer ones stand for nothing
  if (word.size() > kLongest) return "";
  const std::string small = lower(word);
  const std::string* nearest = nullptr;
  std::size_t least = 0;
  for (const std::string& name : names) {
    const std::string known = lower(name);
    if (name == word) continue;  // that alone is not what is wrong
    if (known == small) return ": did you mean " + name + '?';
    const bool begins = word.size() >= 3 && known.starts_with(small);
    if (!begins && !is_slip(small, known)) continue;
    const std::size_t distance = begins ? 0 : edit_distance(small, known);
    if (nearest != nullptr && distance >= least) continue;
    nearest = &name;
    least = distance;
  }
  return nearest == nullptr ? "" : ": did you mean " + *nearest + '?';
}

std::string accepted_text(std::string_view word, const std::vector<std::string>& names) {
  std::string text = hint_of(word, names) + ", accepted are ";
  for (const std::string& name : names) text += (&name == &names.front() ? "" : ", ") + name;
  return text;
}

}  // namespace upsweep

#include "upsweep/base/edit_distance.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace upsweep {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped) row[j] = std::min(row[j], before[j - 2] + 1);
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

/// How far a word is from a name that it may stand for: not at all, the beginning of it, or a slip of it.
std::optional<std::size_t> distance_to(std::string_view word, std::string_view name) {
  if (word == name) return 0;
  if (word.size() >= 3 && name.starts_with(word)) return 1;
  return is_slip(word, name) ? std::optional(1 + edit_distance(word, name)) : std::nullopt;
}

/// The same of the nearest part of a name, before or behind a sign in it: front of study-front.
std::optional<std::size_t> distance_to_part(std::string_view word, std::string_view name) {
  constexpr const char* kSigns = "-_:.";
  std::optional<std::size_t> least;
  if (word.size() < 3) return least;
  for (std::size_t at = name.find_first_of(kSigns); at < name.size(); at = name.find_first_of(kSigns, at + 1)) {
    for (const std::string_view part : {name.substr(0, at), name.substr(at + 1)}) {
      const std::optional<std::size_t> mine = distance_to(word, part);
      if (mine && (!least || *mine < *least)) least = mine;
    }
  }
  return least;
}

}  // namespace

std::string hint_of(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 64;  // longer ones stand for nothing
  if (word.size() > kLongest) return "";
  const std::string small = lower(word);
  for (const auto distance : {distance_to, distance_to_part}) {
    const std::string* nearest = nullptr;
    std::optional<std::size_t> least;
    for (const std::string& name : names) {
      if (name == word) continue;  // that alone is not what is wrong
      const std::optional<std::size_t> mine = distance(small, lower(name));
      if (!mine || (least && *mine >= *least)) continue;
      nearest = &name;
      least = mine;
    }
    if (nearest != nullptr) return ": did you mean " + *nearest + '?';
  }
  return "";
}

const std::string& nearest_name(std::string_view word, const std::vector<std::string>& names) {
  const std::string_view begin = word.substr(0, 256);  // of more it costs, and says nothing
  return *std::ranges::min_element(names, {}, [&](const std::string& name) { return edit_distance(begin, name); });
}

std::string accepted_text(std::string_view word, const std::vector<std::string>& names) {
  std::string text = hint_of(word, names) + ", accepted are ";
  for (const std::string& name : names) text += (&name == &names.front() ? "" : ", ") + name;
  return text;
}

}  // namespace upsweep

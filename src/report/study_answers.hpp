#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "upsweep/document/document.hpp"
#include "upsweep/store/point_record.hpp"

// What the verdict of a study reads from its answers.

namespace upsweep {

/// The object that an answer is; an empty one where it is none.
[[nodiscard]] Json details_of(const AnswerRecord& answer);

/// NaN where it is none.
[[nodiscard]] double number_of(const Json& object, const char* key);

/// Empty where it is none.
[[nodiscard]] std::string text_in(const Json& object, const char* key);

/// "1.107x to 1.745x" of all answers that tell; empty: none does. Where a line crosses, its answer has the speedups on
/// both sides of the crossing.
[[nodiscard]] std::string speedups_text(const std::vector<Json>& answers);

/// What an answer says for which no point has figures.
inline constexpr std::string_view kUnknown = "unknown";

/// Why points of its line have no figures; empty where none says.
[[nodiscard]] std::vector<std::string> reasons_in(const Json& answer);

/// "3 of 9 places".
[[nodiscard]] std::string count_of_places(std::size_t count, std::size_t places);

/// How answers stand at all places of an axis, each of which has one, by the text that `key` names.
struct PlacesQuestion {
  std::string key;
  std::string everywhere;
  std::string nowhere;
};
/// "everywhere at 3 of 9 places, nowhere at 2 of 9 places": any other answer is one for a part of the axis; empty where
/// all are "unknown".
[[nodiscard]] std::string places_text(const std::vector<Json>& answers, const PlacesQuestion& question);
/// "at 4 of 9 places no point has scores (no scan fits the memory)", of those that are "unknown", with `what`: "no
/// point has scores"; empty without.
[[nodiscard]] std::string unknown_text(const std::vector<Json>& answers, const PlacesQuestion& question,
                                       const std::string& what);

/// What comes most often.
struct MostFrequent {
  std::vector<std::string> names;  ///< several: equally often
  double count = 0;
  bool has_others = false;  ///< that come less often
};
[[nodiscard]] MostFrequent most_frequent(const std::vector<std::pair<std::string, double>>& counts);
/// "a", "a and b", "a, b and 3 more".
[[nodiscard]] std::string list_text(const std::vector<std::string>& names);

/// An answer to a crossover.
struct Crossover {
  std::string ops;    ///< by which rule; empty where ops are no axis
  std::string where;  ///< values of the other axes as a JSON object
  std::string sentence;
  Json details;
};

/// In the order in which they were asked.
[[nodiscard]] std::vector<Crossover> crossovers_of(const std::vector<AnswerRecord>& answers);

/// A sentence for each axis that crossovers were asked along, and each rule of ops; that of the answer where there is
/// but one. Empty without.
[[nodiscard]] std::string crossovers_text(const std::vector<AnswerRecord>& answers);

/// "from workers = 3 to 6 on, at 2 of 9 places": the least and the largest crossover along each axis, for each rule of
/// ops, and at how many of its places, where it has several.
[[nodiscard]] std::string overtakes_text(const std::vector<AnswerRecord>& answers);

}  // namespace upsweep

#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
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

/// "everywhere at 3 of 9 places, nowhere at 2 of 9 places": at how many of `places` the answer is each of these; any
/// other is a part.
[[nodiscard]] std::string places_text(const std::vector<std::string>& answers, const std::string& everywhere,
                                      const std::string& nowhere, std::size_t places);

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

/// "from workers = 3 to 6 on": the least and the largest crossover along each axis, for each rule of ops.
[[nodiscard]] std::string overtakes_text(const std::vector<AnswerRecord>& answers);

}  // namespace upsweep

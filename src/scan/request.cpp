#include "upsweep/scan/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

/// Schedules that one word names; the first of those that mean the same is the canonical one.
struct Word {
  std::string_view word;
  ScheduleKind kind;
  std::uint64_t parameter;
};
constexpr std::array<Word, 8> kWords = {{{"linear", ScheduleKind::hybrid, 0},
                                         {"substitution", ScheduleKind::hybrid, 0},
                                         {"blelloch", ScheduleKind::hybrid, ScheduleRequest::kFullDepth},
                                         {"kogge-stone", ScheduleKind::kogge_stone, 0},
                                         {"sklansky", ScheduleKind::sklansky, 0},
                                         {"brent-kung", ScheduleKind::brent_kung, 0},
                                         {"recursive-doubling", ScheduleKind::recursive_doubling, 0},
                                         {"cyclic-reduction", ScheduleKind::cyclic_reduction, 0}}};

/// The integer after `prefix`, where the text is that and nothing else.
template <class Integer>
std::optional<Integer> number_after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  Integer value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + prefix.size(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

}  // namespace

const std::string& accepted_schedules() {
  static const std::string text =
      "linear, substitution, blelloch, hybrid:L with an integer L of at least 0, kogge-stone, sklansky, brent-kung, "
      "recursive-doubling, cyclic-reduction, blocked:P with an integer P of at least 1";
  return text;
}

ScheduleRequest parse_schedule(const std::string& text) {
  for (const Word& known : kWords) {
    if (text == known.word) return {known.kind, known.parameter, text};
  }
  if (const auto depth = number_after<std::uint32_t>(text, "hybrid:")) return {ScheduleKind::hybrid, *depth, text};
  const auto blocks = number_after<std::uint64_t>(text, "blocked:");
  if (blocks && *blocks > 0) return {ScheduleKind::blocked, *blocks, text};
  throw std::invalid_argument(fmt::format("'{}' is no schedule, accepted are {}", text, accepted_schedules()));
}

std::string canonical_name(const ScheduleRequest& request) {
  for (const Word& known : kWords) {
    if (request.kind == known.kind && request.parameter == known.parameter) return std::string(known.word);
  }
  return fmt::format("{}:{}", request.kind == ScheduleKind::blocked ? "blocked" : "hybrid", request.parameter);
}

Schedule make_schedule(const ScheduleRequest& request, std::size_t length) {
  switch (request.kind) {
    case ScheduleKind::hybrid:
      return hybrid_schedule(length, static_cast<std::uint32_t>(request.parameter));
    case ScheduleKind::kogge_stone:
      return kogge_stone_schedule(length);
    case ScheduleKind::sklansky:
      return sklansky_schedule(length);
    case ScheduleKind::brent_kung:
      return brent_kung_schedule(length);
    case ScheduleKind::recursive_doubling:
      return recursive_doubling_schedule(length);
    case ScheduleKind::cyclic_reduction:
      return cyclic_reduction_schedule(length);
    case ScheduleKind::blocked:
      return blocked_schedule(length, request.parameter);
  }
  throw std::logic_error("unknown kind of schedule");
}

}  // namespace upsweep

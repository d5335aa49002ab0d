#include "schedule_lines.hpp"

namespace upsweep {
namespace {

/// Follows the values of a schedule through the array.
class ValuePlaces {
 public:
  explicit ValuePlaces(const Schedule& schedule) : places_(schedule.values()) {
    for (std::uint32_t k = 0; k < schedule.length; ++k) places_[k] = {k, k, 0};
  }

  void put(ValueId value, std::uint32_t position, std::uint32_t from_level) {
    places_[value] = {position, position, from_level};
  }

  /// Where a value stands that is wanted at `position` when `level` starts; moves it there where that can be drawn.
  std::uint32_t bring(ValueId value, std::uint32_t position, std::uint32_t level, std::vector<DrawnMove>& moves) {
    Place& place = places_[value];
    if (position == place.home || position == place.now) return position;
    if (level <= place.since) return place.now;
    moves.push_back({place.now, position, level - 1});
    place.now = position;
    place.since = level;
    return position;
  }

  /// The level from which on a value stands where it does.
  [[nodiscard]] std::uint32_t since(ValueId value) const { return places_[value].since; }

 private:
  struct Place {
    std::uint32_t home = 0;  ///< where it was made
    std::uint32_t now = 0;   ///< where it moved to
    std::uint32_t since = 0;
  };
  std::vector<Place> places_;
};

}  // namespace

DrawnSchedule drawn_schedule(const Schedule& schedule) {
  DrawnSchedule drawn;
  drawn.combines.reserve(schedule.combines.size());
  ValuePlaces places(schedule);
  std::vector<std::uint32_t> home(schedule.values(), 0);  // for the running reduction, which is read where it was made
  for (std::uint32_t k = 0; k < schedule.length; ++k) home[k] = k;
  const auto read = [&](ValueId value, std::int64_t position, std::uint32_t level) {
    return position < 0 ? home[value] : places.bring(value, static_cast<std::uint32_t>(position), level, drawn.moves);
  };
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    const std::uint32_t left = read(combine.earlier, combine.left, combine.level);
    const std::uint32_t right = read(combine.later, combine.right, combine.level);
    const std::uint32_t target = combine.target < 0 ? right : static_cast<std::uint32_t>(combine.target);
    drawn.combines.push_back({left, right, target});
    home[schedule.value_of(id)] = target;
    places.put(schedule.value_of(id), target, combine.level + 1);
  }
  // Results that are there before the last level ends move in it; if one is not, all move in a row of their own.
  drawn.rows = schedule.levels;
  for (std::size_t k = 1; k < schedule.results.size(); ++k) {
    const ValueId value = schedule.results[k];
    if (home[value] != k && places.since(value) == schedule.levels) drawn.rows = schedule.levels + 1;
  }
  for (std::size_t k = 1; k < schedule.results.size(); ++k) {
    (void)places.bring(schedule.results[k], static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(drawn.rows),
                       drawn.moves);
  }
  return drawn;
}

}  // namespace upsweep

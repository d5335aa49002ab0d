#include "upsweep/grid/study_spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "upsweep/base/edit_distance.hpp"
#include "upsweep/scan/product_order.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
/// Whole numbers up to here are all doubles.
constexpr double kMostWhole = 9007199254740992.0;

[[noreturn]] void refuse(const std::string& name, const AxisValue& value, const char* accepted) {
  throw std::invalid_argument(fmt::format("{} is '{}', accepted {}", name, value.text, accepted));
}

std::uint64_t positive_whole(const std::string& name, const AxisValue& value) {
  const double number = value.number.value_or(0);
  if (!(number >= 1) || number > kMostWhole || std::nearbyint(number) != number)
    refuse(name, value, "is a whole number of at least 1");
  return static_cast<std::uint64_t>(number);
}

template <class Choice>
struct KindWord {
  const char* text;
  Choice choice;
};

/// The choice of the one of some words that stands there.
template <class Choice, std::size_t count = 2>
Choice one_of(const std::string& name, const AxisValue& value, const std::array<KindWord<Choice>, count>& words) {
  for (const KindWord<Choice>& word : words) {
    if (value.text == word.text) return word.choice;
  }
  std::vector<std::string> names;
  for (const KindWord<Choice>& word : words) names.emplace_back(word.text);
  throw std::invalid_argument(fmt::format("{} is '{}'{}", name, value.text, accepted_text(value.text, names)));
}

void set_schedule(PointSettings& point, const AxisValue& value) {
  if (value.text != "best" && value.text != "best-of-all") {
    try {
      static_cast<void>(parse_schedule(value.text));
    } catch (const std::invalid_argument& error) {
      if (is_order_name(value.text)) throw std::invalid_argument(fmt::format("schedule is wrong: {}", error.what()));
      throw std::invalid_argument(
          fmt::format("schedule is '{}'{}", value.text, accepted_schedules(value.text, {"best", "best-of-all"})));
    }
  }
  point.schedule = value.text;
}

void set_memory_limit(PointSettings& point, const std::string& name, const AxisValue& value) {
  point.memory_limit.reset();
  point.is_limited_by_machine = value.text != "none";
  if (value.text == "none") return;
  const double bytes = std::nearbyint(value.number.value_or(0) * kMiB);
  if (!(bytes >= 1) || bytes > kMostWhole) refuse(name, value, "is a positive number, or none");
  point.memory_limit = static_cast<std::uint64_t>(bytes);
}

}  // namespace

const std::vector<std::string>& setting_names() {
  static const std::vector<std::string> kNames = {"schedule", "workers",          "batch", "execution", "scope",
                                                  "pattern",  "memory_limit_MiB", "ops",   "launch",    "library",
                                                  "interval"};
  return kNames;
}

void set_setting(StudySettings& settings, const std::string& name, const AxisValue& value) {
  if (name == "schedule") {
    set_schedule(settings.point, value);
  } else if (name == "workers") {
    settings.point.workers = positive_whole(name, value);
  } else if (name == "batch") {
    settings.batch = positive_whole(name, value);
  } else if (name == "execution") {
    settings.point.execution = one_of<Execution>(name, value, {{{"level", Execution::level}, {"dag", Execution::dag}}});
  } else if (name == "scope") {
    settings.point.scope = one_of<Scope>(name, value, {{{"all", Scope::all}, {"live", Scope::live}}});
  } else if (name == "ops") {
    settings.point.ops = one_of<Ops>(name, value, {{{"whole", Ops::whole}, {"shared", Ops::shared}}});
  } else if (name == "launch") {
    settings.point.launch = launch_mode(value.text);
    if (!settings.point.launch)
      throw std::invalid_argument(
          fmt::format("{} is '{}'{}", name, value.text, accepted_text(value.text, {"eager", "graph", "fused"})));
  } else if (name == "library") {
    settings.point.library = value.text;
  } else if (name == "interval") {
    settings.point.interval = one_of<IntervalEnd, 3>(
        name, value, {{{"predicted", IntervalEnd::predicted}, {"low", IntervalEnd::low}, {"high", IntervalEnd::high}}});
  } else if (name == "pattern") {
    settings.pattern =
        one_of<PatternKind>(name, value, {{{"guaranteed", PatternKind::guaranteed}, {"sample", PatternKind::sample}}});
  } else if (name == "memory_limit_MiB") {
    set_memory_limit(settings.point, name, value);
  } else {
    throw std::invalid_argument(fmt::format("'{}' is no setting{}", name, accepted_text(name, setting_names())));
  }
}

std::optional<double> setting_number(const StudySettings& settings, const std::string& name) {
  const auto number = [](const std::optional<std::uint64_t>& count, double unit) -> std::optional<double> {
    if (!count) return std::nullopt;
    return static_cast<double>(*count) / unit;
  };
  if (name == "workers") return number(settings.point.workers, 1);
  if (name == "batch") return number(settings.batch, 1);
  if (name == "memory_limit_MiB") return number(settings.point.memory_limit, kMiB);
  return std::nullopt;
}

std::optional<std::size_t> axis_named(const StudySpec& spec, const std::string& name) {
  for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
    if (spec.axes[axis].name == name) return axis;
  }
  return std::nullopt;
}

}  // namespace upsweep

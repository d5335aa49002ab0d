#include "answer_sentences.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

namespace upsweep {
namespace {

constexpr double kWholeBelow = 9007199254740992.0;  // 2^53

struct Scale {
  double unit;
  const char* name;
};

/// The largest unit that is not above the value, else the last.
std::string scaled(double value, std::span<const Scale> scales) {
  for (const Scale& scale : scales) {
    // 999.96 would read 1000 of a unit of which there is a larger one.
    if (std::fabs(value) >= scale.unit * 0.9999) return fmt::format("{:.4g} {}", value / scale.unit, scale.name);
  }
  return fmt::format("{:.4g} {}", value / scales.back().unit, scales.back().name);
}

AnswerJson whole_or_not(double number) {
  if (std::isnan(number)) return nullptr;
  if (number == std::floor(number) && std::fabs(number) < kWholeBelow) return static_cast<std::int64_t>(number);
  return number;
}

}  // namespace

AnswerJson json_of(const AxisValue& value) {
  return value.number ? whole_or_not(*value.number) : AnswerJson(value.text);
}

AnswerJson json_of_bytes(double bytes) { return whole_or_not(bytes); }

std::string score_text(double score, bool is_in_seconds) {
  static constexpr std::array kSeconds{Scale{1, "s"}, Scale{1e-3, "ms"}, Scale{1e-6, "us"}, Scale{1e-9, "ns"}};
  static constexpr std::array kFlops{Scale{1e18, "E FLOPs"}, Scale{1e15, "P FLOPs"}, Scale{1e12, "T FLOPs"},
                                     Scale{1e9, "G FLOPs"},  Scale{1e6, "M FLOPs"},  Scale{1e3, "k FLOPs"},
                                     Scale{1, "FLOPs"}};
  if (std::isnan(score)) return "unknown";
  if (score == 0) return is_in_seconds ? "0 s" : "0 FLOPs";
  if (is_in_seconds && score >= 1000) return fmt::format("{:.0f} s", score);
  return is_in_seconds ? scaled(score, kSeconds) : scaled(score, kFlops);
}

std::string bytes_text(double bytes) {
  static constexpr std::array kBytes{Scale{0x1p60, "EiB"}, Scale{0x1p50, "PiB"}, Scale{0x1p40, "TiB"},
                                     Scale{0x1p30, "GiB"}, Scale{0x1p20, "MiB"}, Scale{0x1p10, "KiB"},
                                     Scale{1, "B"}};
  return std::isnan(bytes) ? "unknown" : scaled(bytes, kBytes);
}

std::string speedup_text(double speedup) {
  if (std::isnan(speedup)) return "unknown";
  return speedup < 1000 ? fmt::format("{:.4g}x", speedup) : fmt::format("{:.0f}x", speedup);
}

std::string speedups_text(double least, double most) {
  const std::string from = speedup_text(least);
  const std::string to = speedup_text(most);
  return from == to ? from : fmt::format("{} to {}", from, to);
}

std::string missing_text(PointStatus status) {
  switch (status) {
    case PointStatus::open:
      return "not evaluated";
    case PointStatus::infeasible:
      return "no asked schedule fits the memory";
    case PointStatus::invalid:
      return "values that are not valid together";
    case PointStatus::excluded:
      return "left out by a constraint";
    case PointStatus::done:
      break;
  }
  return {};
}

std::string needer_text(MemoryOf of) {
  switch (of) {
    case MemoryOf::best:
      return "the best schedule";
    case MemoryOf::plain:
      return "plain back-propagation";
    case MemoryOf::scan:
      return "the best scan";
    case MemoryOf::bppsa:
      return "a BPPSA worker";
    case MemoryOf::pipeline:
      return "a pipeline worker";
  }
  return {};
}

std::string coordinates_text(const AnswerJson& coordinates) {
  std::string text;
  for (const auto& [name, value] : coordinates.items()) {
    const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, shown);
  }
  return text;
}

}  // namespace upsweep

#include "upsweep/report/loss_curve_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "padded_curves.hpp"

namespace upsweep {
namespace {

constexpr double kWidth = 800;
constexpr double kLeft = 80;
constexpr double kRight = 780;
constexpr double kLossHeight = 260;
constexpr double kDifferenceHeight = 150;
constexpr std::size_t kSvgColumns = 700;  // of points: one per unit
constexpr std::size_t kMeans = 350;       // of points that are means: noise is kept apart

constexpr const char* kStyle =
    "<style>text{font:12px sans-serif;fill:#222}.page{fill:#fff}.rule{stroke:#ddd}"
    ".frame{fill:none;stroke:#888}.curve{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}"
    ".first{stroke-width:4;stroke-opacity:.5}.c0{stroke:#0067a8}.c1{stroke:#c94f00}.c2{stroke:#00805c}"
    ".c3{stroke:#a8438f}.c4{stroke:#8a6a00}.c5{stroke:#b3142c}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.page{fill:#16181c}.rule{stroke:#353a42}.frame{stroke:#888}"
    ".c0{stroke:#5cb8ff}.c1{stroke:#ff9a52}.c2{stroke:#3ddba8}.c3{stroke:#f09ad8}.c4{stroke:#f0c94a}"
    ".c5{stroke:#ff7d8d}}</style>\n";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, escaped(text));
}

/// Class and dashes of a curve: the first solid and wide, the others dashed, each its own way.
std::string looks(std::size_t curve) {
  constexpr std::array kDashes = {"7 5", "2 5", "10 4 2 4", "4 3", "12 6"};
  if (curve == 0) return "class=\"curve first c0\"";
  return fmt::format(R"(class="curve c{}" stroke-dasharray="{}")", curve % 6, kDashes[(curve - 1) % kDashes.size()]);
}

/// A vertical axis: values from `low` (at `bottom`) to `high` (at `top`).
struct Axis {
  double low = 0;
  double high = 1;
  double top = 0;
  double bottom = 1;

  [[nodiscard]] double at(double value) const { return bottom - (value - low) / (high - low) * (bottom - top); }
};

/// A round step, 1, 2 or 5 times a power of ten, that cuts `length` into about `parts`.
double round_step(double length, double parts) {
  const double rough = length / parts;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double digit = rough / power;
  return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

/// Place of iteration `at`, from 0.
double x_of(std::size_t at, std::size_t iterations) {
  if (iterations == 1) return (kLeft + kRight) / 2;
  return kLeft + static_cast<double>(at) / static_cast<double>(iterations - 1) * (kRight - kLeft);
}

/// A point of a curve; y is a value of its axis.
struct Point {
  double x = 0;
  double y = 0;
};

/// Calls `add` with the x and the values of each column: one per iteration as long as there are enough columns.
template <class Add>
void by_columns(const std::vector<double>& values, std::size_t most, const Add& add) {
  const std::size_t columns = std::min(values.size(), most);
  for (std::size_t c = 0; c < columns; ++c) {
    const std::size_t begin = c * values.size() / columns;
    const std::size_t end = (c + 1) * values.size() / columns;
    const double middle = (x_of(begin, values.size()) + x_of(end - 1, values.size())) / 2;
    add(middle, std::span(values).subspan(begin, end - begin));
  }
}

/// Means of columns: what a noisy curve is about.
std::vector<Point> means(const std::vector<double>& values) {
  std::vector<Point> points;
  by_columns(values, kMeans, [&](double x, std::span<const double> column) {
    double sum = 0;
    for (const double value : column) sum += value;
    points.push_back({x, sum / static_cast<double>(column.size())});
  });
  return points;
}

/// The smallest and the largest of each column, so that no peak is lost; a column without finite numbers is a gap.
std::vector<Point> extremes(const std::vector<double>& values) {
  std::vector<Point> points;
  by_columns(values, kSvgColumns, [&](double x, std::span<const double> column) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const double value : column) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    points.push_back({x, low});
    if (high > low) points.push_back({x, high});
  });
  return points;
}

/// Smallest and largest finite y of all; nothing without any.
std::optional<std::pair<double, double>> range_of(const std::vector<std::vector<Point>>& curves) {
  std::optional<std::pair<double, double>> range;
  for (const auto& points : curves) {
    for (const Point& point : points) {
      if (!std::isfinite(point.y)) continue;
      if (!range) range = {point.y, point.y};
      range = {std::min(range->first, point.y), std::max(range->second, point.y)};
    }
  }
  return range;
}

/// One curve; what is not finite is a gap.
std::string path(const std::vector<Point>& points, const Axis& axis, std::size_t curve) {
  std::string drawn;
  bool is_drawing = false;
  for (const Point& point : points) {
    if (std::isfinite(point.y)) {
      drawn += fmt::format("{}{:.1f} {:.1f}", is_drawing ? "L" : "M", point.x, axis.at(point.y));
      if (!is_drawing) drawn += "h0";  // a point on its own is seen as well
    }
    is_drawing = std::isfinite(point.y);
  }
  return fmt::format("<path {} d=\"{}\"/>\n", looks(curve), drawn);
}

std::string rule(const Axis& axis, double value, const std::string& label) {
  const double y = axis.at(value);
  return fmt::format("<path class=\"rule\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", kLeft, y, kRight) +
         text_at(kLeft - 6, y + 4, "end", label);
}

std::string frame(const Axis& axis, const std::string& what) {
  return fmt::format("<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", kLeft,
                     axis.top, kRight - kLeft, axis.bottom - axis.top) +
         text_at(kLeft, axis.top - 7, "start", what);
}

std::string iteration_ticks(const Axis& axis, std::size_t iterations) {
  std::string text;
  const auto step = static_cast<std::size_t>(std::max(1.0, round_step(static_cast<double>(iterations), 8)));
  for (std::size_t i = step; i <= iterations; i += step) {
    const double x = x_of(i - 1, iterations);
    text += fmt::format("<path class=\"frame\" d=\"M{:.1f} {:.1f}v5\"/>\n", x, axis.bottom);
    text += text_at(x, axis.bottom + 18, "middle", fmt::format("{}", i));
  }
  return text + text_at((kLeft + kRight) / 2, axis.bottom + 36, "middle", "iteration");
}

std::string loss_panel(const std::vector<LossCurve>& curves, double top) {
  std::vector<std::vector<Point>> losses;
  for (const LossCurve& curve : curves) losses.push_back(means(curve.loss));
  auto [low, high] = range_of(losses).value_or(std::pair{0.0, 1.0});
  if (high - low < 1e-9 * std::fabs(high) || high == low) high += std::max(1e-3, 0.01 * std::fabs(high));
  const double step = round_step(high - low, 5);
  const double bottom_value = step * std::floor(low / step);
  const double top_value = step * std::ceil(high / step);
  const Axis axis{bottom_value, top_value, top, top + kLossHeight};
  const auto steps = static_cast<int>(std::lround((top_value - bottom_value) / step));
  std::string text;
  for (int i = 0; i <= steps; ++i) {
    const double value = bottom_value + i * step;
    text += rule(axis, value, fmt::format("{:.6g}", std::fabs(value) < step / 2 ? 0 : value));
  }
  const std::size_t iterations = curves.front().loss.size();
  text += frame(axis, fmt::format("loss: cross-entropy in nats, mean over the batch{}",
                                  iterations > kMeans ? fmt::format(" and about {:.1f} iterations",
                                                                    static_cast<double>(iterations) / kMeans)
                                                      : ""));
  for (std::size_t c = 0; c < curves.size(); ++c) text += path(losses[c], axis, c);
  return text + iteration_ticks(axis, iterations);
}

/// Logarithms of |loss - loss of the first|; 0 becomes a gap.
std::vector<double> log_differences(const LossCurve& first, const LossCurve& other) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < first.loss.size(); ++i)
    logs.push_back(std::log10(std::fabs(other.loss[i] - first.loss[i])));
  return logs;
}

std::string difference_panel(const std::vector<LossCurve>& curves, double top) {
  std::vector<std::vector<Point>> logs;
  for (std::size_t c = 1; c < curves.size(); ++c) logs.push_back(extremes(log_differences(curves.front(), curves[c])));
  const auto range = range_of(logs);
  const std::string what =
      fmt::format("|loss - loss of {}| in nats{}", curves.front().backward, range ? "; gaps are 0" : "");
  Axis axis{0, 1, top, top + kDifferenceHeight};
  if (!range) {
    const bool is_whole =
        std::ranges::none_of(curves, [](const LossCurve& curve) { return curve.failure.has_value(); });
    return frame(axis, what) +
           text_at((kLeft + kRight) / 2, top + kDifferenceHeight / 2, "middle",
                   is_whole ? "0 everywhere: the curves are the same to the last bit" : "0 as far as both curves go");
  }
  axis.low = std::floor(range->first);
  axis.high = std::max(axis.low + 1, std::ceil(range->second));
  const auto decades = static_cast<int>(axis.high - axis.low);
  const int step = std::max(1, (decades + 5) / 6);
  std::string text;
  for (int decade = 0; decade <= decades; decade += step)
    text += rule(axis, axis.low + decade, fmt::format("1e{:.0f}", axis.low + decade));
  text += frame(axis, what);
  for (std::size_t c = 1; c < curves.size(); ++c) text += path(logs[c - 1], axis, c);
  return text + iteration_ticks(axis, curves.front().loss.size());
}

/// Names beside a piece of their curves, in as many lines as they need; moves `y` to the last of them.
std::string legend(const std::vector<LossCurve>& curves, double& y) {
  std::string text;
  double x = kLeft;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const std::string name =
        curves[c].failure ? fmt::format("{}, ended at iteration {}", curves[c].backward, curves[c].loss.size() + 1)
                          : curves[c].backward;
    const double width = 64 + 7.5 * static_cast<double>(name.size());
    if (x + width > kRight && x > kLeft) {
      x = kLeft;
      y += 20;
    }
    text += fmt::format("<path {} d=\"M{:.1f} {:.1f}h34\"/>\n", looks(c), x, y - 4);
    text += text_at(x + 42, y, "start", name);
    x += width;
  }
  return text;
}

/// Whether any curve has an iteration that the first one has, too.
bool has_differences(const std::vector<LossCurve>& curves) {
  return !curves.front().loss.empty() &&
         std::any_of(curves.begin() + 1, curves.end(), [](const LossCurve& curve) { return !curve.loss.empty(); });
}

}  // namespace

std::string loss_curve_svg(const std::string& title, const std::vector<LossCurve>& given) {
  const std::vector<LossCurve> curves = padded_curves(given);
  double y = 52;
  // A long title gets smaller letters, which are about half as wide as high.
  const double letters = std::clamp(2 * (kRight - kLeft) / static_cast<double>(title.size() + 1), 8.0, 15.0);
  std::string body = fmt::format("<text x=\"{:.0f}\" y=\"26\" style=\"font-size:{:.1f}px\">{}</text>\n", kLeft, letters,
                                 escaped(title));
  body += legend(given, y);
  y += 34;
  body += loss_panel(curves, y);
  y += kLossHeight + 44;
  if (has_differences(given)) {
    y += 24;
    body += difference_panel(curves, y);
    y += kDifferenceHeight + 44;
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
             "height=\"{1:.0f}\">\n<title>{2}</title>\n",
             kWidth, y, escaped(title)) +
         kStyle + fmt::format("<rect class=\"page\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n", kWidth, y) + body +
         "</svg>\n";
}

}  // namespace upsweep

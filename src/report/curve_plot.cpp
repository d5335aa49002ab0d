#include "curve_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace upsweep {
namespace {

constexpr std::size_t kColumns = 72;
constexpr std::size_t kRows = 12;
constexpr std::size_t kNone = ~std::size_t{0};

/// Means over the iterations of each column; NaN where one is not finite or missing.
std::vector<double> columns_of(std::vector<double> loss, std::size_t iterations) {
  loss.resize(iterations, std::nan(""));
  const std::size_t columns = std::min(loss.size(), kColumns);
  std::vector<double> means;
  for (std::size_t c = 0; c < columns; ++c) {
    const std::size_t begin = c * loss.size() / columns;
    const std::size_t end = (c + 1) * loss.size() / columns;
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += loss[i];
    means.push_back(sum / static_cast<double>(end - begin));
  }
  return means;
}

char mark(std::size_t curve, bool is_all) {
  if (is_all) return '*';
  return curve < 9 ? static_cast<char>('1' + curve) : '+';
}

/// Rows of the picture, top first.
struct Grid {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  [[nodiscard]] std::size_t row(double value) const {
    if (!std::isfinite(value)) return kNone;
    if (high == low) return kRows / 2;
    const double share = (high - value) / (high - low);
    return std::min(kRows - 1, static_cast<std::size_t>(share * static_cast<double>(kRows)));
  }
};

}  // namespace

std::string curve_plot(const std::vector<LossCurve>& curves) {
  std::size_t iterations = 0;
  for (const LossCurve& curve : curves) iterations = std::max(iterations, curve.loss.size());
  std::vector<std::vector<double>> means;
  Grid grid;
  for (const LossCurve& curve : curves) {
    means.push_back(columns_of(curve.loss, iterations));
    for (const double mean : means.back()) {
      if (!std::isfinite(mean)) continue;
      grid.low = std::min(grid.low, mean);
      grid.high = std::max(grid.high, mean);
    }
  }
  const std::size_t columns = means.front().size();
  std::vector<std::string> rows(kRows, std::string(columns, ' '));
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t first = grid.row(means.front()[column]);
    const bool is_all = std::ranges::all_of(means, [&](const auto& curve) { return grid.row(curve[column]) == first; });
    for (std::size_t c = 0; c < means.size(); ++c) {
      const std::size_t row = grid.row(means[c][column]);
      if (row != kNone && rows[row][column] == ' ') rows[row][column] = mark(c, is_all);
    }
  }
  std::string text;
  for (std::size_t row = 0; row < kRows; ++row) {
    const bool is_end = row == 0 || row + 1 == kRows;
    const std::string label = is_end ? fmt::format("{:.4g}", row == 0 ? grid.high : grid.low) : "";
    std::string line = fmt::format("{:>8} |{}", label, rows[row]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  const std::string last = fmt::format("{}", iterations);
  text += fmt::format("{:>8} +{:-<{}}\n", "loss", "", columns);
  text += fmt::format("{:>8}  1{:>{}}\n", "", last, std::max(last.size() + 1, columns - 1));
  return text;
}

}  // namespace upsweep

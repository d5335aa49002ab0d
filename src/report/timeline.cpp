#include "upsweep/report/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace upsweep {
namespace {

constexpr std::size_t kMostColumns = 168;  // of a line, without the device's name
constexpr std::size_t kMostParts = 4;      // that a long timeline is cut into, one below the other
constexpr std::size_t kScaledColumns = 100;
constexpr char kBothGradients = 'B';
constexpr char kSeveralKinds = '*';

double last_end(std::span<const StepEntry> entries) {
  double end = 0;
  for (const StepEntry& entry : entries) end = std::max(end, entry.end);
  return end;
}

/// The largest time of which all others are multiples, if there is room for as many; else 0.
double common_unit(std::span<const StepEntry> entries) {
  const double end = last_end(entries);
  const double least = end / static_cast<double>(kMostColumns * kMostParts) / 2;
  double unit = end;
  for (const StepEntry& entry : entries) {
    for (double time : {entry.start, entry.end}) {
      while (time > 1e-9 * end) {  // Euclid
        unit = std::fmod(unit, time);
        if (unit < 1e-9 * end) unit = 0;
        std::swap(unit, time);
        if (unit < least) return 0;
      }
    }
  }
  return unit;
}

/// Columns for times without a common unit: one for the shortest operation, if a line has as many.
double scaled_columns(std::span<const StepEntry> entries, double end) {
  double shortest = end;
  for (const StepEntry& entry : entries) {
    if (entry.end > entry.start) shortest = std::min(shortest, entry.end - entry.start);
  }
  return std::clamp(std::ceil(end / shortest), static_cast<double>(kScaledColumns), static_cast<double>(kMostColumns));
}

/// Lines under the device names.
class Lines {
 public:
  Lines(const std::vector<std::string>& rows, std::size_t per_row, std::size_t columns)
      : rows_(rows), per_row_(per_row) {
    lines_.assign(rows.size() * per_row, std::string(columns, ' '));
  }

  void put(std::size_t row, std::size_t line, std::size_t column, const std::string& text) {
    std::ranges::copy(text, lines_[row * per_row_ + line].begin() + static_cast<std::ptrdiff_t>(column));
  }

  /// In parts of at most `columns` characters, an empty line between them.
  [[nodiscard]] std::string text(std::size_t columns = kMostColumns) const {
    std::string text = part(0, columns);
    for (std::size_t from = columns; !lines_.empty() && from < lines_.front().size(); from += columns)
      text += '\n' + part(from, columns);
    return text;
  }

 private:
  [[nodiscard]] std::string part(std::size_t from, std::size_t columns) const {
    std::size_t widest = 0;
    for (const std::string& row : rows_) widest = std::max(widest, row.size());
    std::string text;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      std::string line = fmt::format("{:<{}}  {}", i % per_row_ == 0 ? rows_[i / per_row_] : "", widest,
                                     lines_[i].substr(from, columns));
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + '\n';
    }
    return text;
  }

  const std::vector<std::string>& rows_;
  std::size_t per_row_;
  std::vector<std::string> lines_;
};

/// One column of `width` characters per unit: kind, layer, micro-batch below each other.
std::string labelled(std::span<const StepEntry> entries, const std::vector<std::string>& rows, double unit,
                     std::size_t width, bool has_micro_batches) {
  const auto units = static_cast<std::size_t>(std::llround(last_end(entries) / unit));
  Lines lines(rows, has_micro_batches ? 3 : 2, units * width);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < units; ++column) lines.put(row, 0, column * width, ".");
  }
  for (const StepEntry& entry : entries) {
    const auto first = static_cast<std::size_t>(std::llround(entry.start / unit));
    const auto end = static_cast<std::size_t>(std::llround(entry.end / unit));
    for (std::size_t column = first; column < end; ++column) {
      lines.put(entry.device, 0, column * width, std::string(1, letter(entry.op.kind)));
      if (column > first) continue;
      lines.put(entry.device, 1, column * width, fmt::format("{}", entry.op.layer + 1));
      if (has_micro_batches && entry.op.kind != StepOpKind::update)
        lines.put(entry.device, 2, column * width, std::string(1, static_cast<char>('a' + entry.op.micro_batch)));
    }
  }
  return lines.text();
}

/// Time that operations of each StepOpKind take of a column.
using Shares = std::array<double, 4>;

/// What stands for a column: the letter of the only kind in it, else a mark for a mixture; small where most of the
/// column is idle.
char mark_of(const Shares& share, double width) {
  const auto has = [&](StepOpKind kind) { return share[static_cast<std::size_t>(kind)] > 1e-5 * width; };
  const auto kinds = std::ranges::count_if(
      std::array{StepOpKind::forward, StepOpKind::output_gradient, StepOpKind::weight_gradient, StepOpKind::update},
      has);
  if (kinds == 0) return '.';
  const bool is_backward = has(StepOpKind::output_gradient) && has(StepOpKind::weight_gradient);
  const auto most = std::ranges::max_element(share) - share.begin();
  const char mark = kinds == 1                  ? letter(static_cast<StepOpKind>(most))
                    : kinds == 2 && is_backward ? kBothGradients
                                                : kSeveralKinds;
  const double busy = share[0] + share[1] + share[2] + share[3];
  return busy < 0.5 * width ? static_cast<char>(std::tolower(static_cast<unsigned char>(mark))) : mark;
}

/// One character per column of equal time.
std::string scaled(std::span<const StepEntry> entries, const std::vector<std::string>& rows, std::size_t columns,
                   const TimelineScale& scale) {
  const double width = scale.column;
  std::vector<Shares> shares(rows.size() * columns, Shares{});
  for (const StepEntry& entry : entries) {
    const auto first = static_cast<std::size_t>(entry.start / width + 1e-9);
    for (std::size_t column = first; column < columns; ++column) {
      const double from = std::max(entry.start, static_cast<double>(column) * width);
      const double until = std::min(entry.end, static_cast<double>(column + 1) * width);
      if (until <= from && column > first) break;
      shares[entry.device * columns + column][static_cast<std::size_t>(entry.op.kind)] += std::max(0.0, until - from);
    }
  }
  Lines lines(rows, 1, columns);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < columns; ++column)
      lines.put(row, 0, column, std::string(1, mark_of(shares[row * columns + column], width)));
  }
  return lines.text(scale.line);
}

}  // namespace

TimelineScale timeline_scale(std::span<const StepEntry> entries, TimelineStyle style) {
  TimelineScale scale;
  const double end = last_end(entries);
  if (!(end > 0) || style == TimelineStyle::none) return scale;
  std::uint32_t layers = 0;
  std::uint32_t micro_batches = 0;
  for (const StepEntry& entry : entries) {
    layers = std::max(layers, entry.op.layer + 1);
    micro_batches = std::max(micro_batches, entry.op.micro_batch + 1);
  }
  const double unit = common_unit(entries);
  const double units = unit > 0 ? end / unit : 0;
  scale.width = fmt::format("{}", layers).size() + 1;
  scale.has_micro_batches = micro_batches > 1;
  scale.is_unit = unit > 0 && std::round(units) <= static_cast<double>(kMostColumns * kMostParts);
  scale.column = scale.is_unit ? unit : end / scaled_columns(entries, end);
  const auto columns = static_cast<std::size_t>(std::llround(end / scale.column));
  scale.parts = (columns + kMostColumns - 1) / kMostColumns;
  scale.line = (columns + scale.parts - 1) / scale.parts;
  const bool has_labels =
      style == TimelineStyle::labels && micro_batches <= 26 && scale.is_unit && columns * scale.width <= kMostColumns;
  scale.form = has_labels ? TimelineScale::Form::labels : TimelineScale::Form::kinds;
  return scale;
}

std::string timeline_text(std::span<const StepEntry> entries, const std::vector<std::string>& rows,
                          const TimelineScale& scale) {
  if (entries.empty() || scale.form == TimelineScale::Form::none) return "";
  if (scale.form == TimelineScale::Form::labels)
    return labelled(entries, rows, scale.column, scale.width, scale.has_micro_batches);
  const auto columns = static_cast<std::size_t>(std::ceil(last_end(entries) / scale.column - 1e-6));
  return scaled(entries, rows, columns, scale);
}

std::string timeline_heading(const TimelineScale& scale, const std::string& column) {
  if (scale.form == TimelineScale::Form::none) return "";
  std::string text = fmt::format("A column of a timeline is {}", column);
  if (scale.parts > 1) text += fmt::format(", a line {} columns, continued below", scale.line);
  if (scale.form == TimelineScale::Form::labels) {
    text += scale.has_micro_batches ? ": kind, layer and micro-batch of what runs in it; a dot: idle"
                                    : ": kind and layer of what runs in it; a dot: idle";
  } else if (scale.is_unit) {
    text += ", of which all times are multiples; a dot: idle";
  } else {
    text += fmt::format(
        ". F, O, W, U: nothing else runs in it; {}: O and W; {}: another mixture; a small letter: idle for most of it; "
        "a dot: idle",
        kBothGradients, kSeveralKinds);
  }
  return text + ".\n";
}

}  // namespace upsweep

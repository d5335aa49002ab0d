#include "upsweep/document/text_table.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "colours.hpp"
#include "upsweep/document/text_lines.hpp"

namespace upsweep {
namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t kColumnGap = 2;   // between columns
constexpr std::size_t kLeastText = 12;  // to which columns of text shrink before others go to another block
constexpr std::size_t kLongestRule = 60;
constexpr std::size_t kRemarkShare = 4;  // of the width: what remarks get before columns go to another block

/// Widths that a column can have.
struct ColumnRange {
  std::size_t least = 0;
  std::size_t natural = 0;
  std::size_t unbroken = 0;  // of its widest number
};

/// A table as it is laid out.
class TableLayout {
 public:
  TableLayout(const std::vector<TextTable::Column>& columns, const std::vector<Cells>& rows,
              const std::vector<RowMark>& marks, std::size_t keys, const TextStyle& style)
      : columns_(columns),
        rows_(rows),
        marks_(marks),
        style_(style),
        keys_(std::clamp<std::size_t>(keys, 1, columns.size())) {
    for (std::size_t c = 0; c < columns.size(); ++c) ranges_.push_back(range_of(c));
    while (keys_ > 1 && least_of_keys() > style.width / 2) --keys_;
    find_remarks();
    limit_texts();
  }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (const std::vector<std::size_t>& block : blocks()) {
      if (!text.empty()) text += '\n';
      append_block(text, block);
    }
    return text;
  }

 private:
  [[nodiscard]] bool is_text(std::size_t column) const { return columns_[column].align == TextTable::Align::left; }
  [[nodiscard]] ColumnRange range_of(std::size_t column) const;
  [[nodiscard]] std::size_t least_of_keys() const {
    return std::accumulate(ranges_.begin(), ranges_.begin() + static_cast<std::ptrdiff_t>(keys_),
                           kColumnGap * (keys_ - 1),
                           [](std::size_t sum, const ColumnRange& range) { return sum + range.least; });
  }
  void find_remarks();
  void limit_texts();
  [[nodiscard]] std::vector<std::vector<std::size_t>> blocks() const;
  [[nodiscard]] std::vector<std::size_t> widths_of(const std::vector<std::size_t>& block) const;
  void append_block(std::string& text, const std::vector<std::size_t>& block) const;

  const std::vector<TextTable::Column>& columns_;
  const std::vector<Cells>& rows_;
  const std::vector<RowMark>& marks_;
  const TextStyle& style_;
  std::size_t keys_;
  std::vector<ColumnRange> ranges_;     // by column
  std::optional<std::size_t> remarks_;  // the column that stands at the end of the first block
  std::size_t figures_ = 0;             // columns before it
};

/// Texts can be broken, and heads of any column; numbers cannot. A column with slashes is one of paths.
ColumnRange TableLayout::range_of(std::size_t column) const {
  const bool is_broken = is_text(column) || std::any_of(rows_.begin(), rows_.end(), [&](const Cells& row) {
                           return row[column].find('/') != std::string::npos;
                         });
  const std::string& head = columns_[column].head;
  ColumnRange range{longest_part(head), text_width(head), 0};
  for (const Cells& row : rows_) {
    const std::size_t width = text_width(row[column]);
    range.natural = std::max(range.natural, width);
    range.least = std::max(range.least, is_broken ? longest_part(row[column]) : width);
    if (!is_broken) range.unbroken = std::max(range.unbroken, width);
  }
  if (is_broken) range.least = std::min(range.natural, std::max(range.least, kLeastText));
  return range;
}

/// A last column of text without a head says what a row is: it stays beside the keys and the first figures, which tell
/// little without it. One without any remark is left out.
void TableLayout::find_remarks() {
  const std::size_t last = columns_.size() - 1;
  figures_ = columns_.size();
  if (style_.width == 0 || last < keys_ || !is_text(last) || !columns_[last].head.empty()) return;
  figures_ = last;
  ColumnRange& range = ranges_[last];
  if (range.natural == 0) return;
  remarks_ = last;
  range.least = std::min(range.natural, std::max(range.least, style_.width / kRemarkShare));
}

/// Texts that do not fit a line even alone beside the keys are broken anywhere.
void TableLayout::limit_texts() {
  if (style_.width == 0) return;
  const auto limit = [&](std::size_t column, std::size_t most) {
    ColumnRange& range = ranges_[column];
    range.least = std::max(range.unbroken, std::min(range.least, most));
  };
  for (std::size_t c = 0; c < keys_; ++c) limit(c, std::max(kLeastText, style_.width / 2 / keys_));
  const std::size_t taken = least_of_keys() + kColumnGap;
  const std::size_t rest = style_.width > taken + kLeastText ? style_.width - taken : kLeastText;
  for (std::size_t c = keys_; c < columns_.size(); ++c) limit(c, rest);
}

/// Columns of each block; one block where all fit.
std::vector<std::vector<std::size_t>> TableLayout::blocks() const {
  std::vector<std::size_t> all(columns_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (style_.width == 0) return {all};
  const std::vector<std::size_t> keys(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(keys_));
  std::vector<std::vector<std::size_t>> blocks = {keys};
  std::size_t taken = least_of_keys() + (remarks_ ? kColumnGap + ranges_[*remarks_].least : 0);
  for (std::size_t c = keys_; c < figures_; ++c) {
    const bool is_full = blocks.back().size() > keys_ || (remarks_ && blocks.size() == 1);
    if (taken + kColumnGap + ranges_[c].least > style_.width && is_full) {
      blocks.push_back(keys);
      taken = least_of_keys();
    }
    taken += kColumnGap + ranges_[c].least;
    blocks.back().push_back(c);
  }
  if (remarks_) blocks.front().push_back(*remarks_);
  return blocks;
}

/// Widths of the columns of a block: what they need, the widest made narrower until all fit.
std::vector<std::size_t> TableLayout::widths_of(const std::vector<std::size_t>& block) const {
  std::vector<std::size_t> widths;
  std::size_t total = kColumnGap * (block.size() - 1);
  for (const std::size_t c : block) {
    const ColumnRange& range = ranges_[c];
    widths.push_back(style_.width == 0 ? range.natural : std::max(range.least, std::min(range.natural, style_.width)));
    total += widths.back();
  }
  for (; style_.width > 0 && total > style_.width; --total) {
    std::size_t widest = block.size();
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (widths[i] > ranges_[block[i]].least && (widest == block.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == block.size()) break;
    --widths[widest];
  }
  return widths;
}

void TableLayout::append_block(std::string& text, const std::vector<std::size_t>& block) const {
  const std::vector<std::size_t> widths = widths_of(block);
  const auto append = [&](auto&& cell, RowMark mark) {
    std::vector<Cells> lines;  // by column
    std::size_t height = 1;
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::string& value = cell(i);
      lines.push_back(text_width(value) > widths[i] ? wrapped_text(value, std::max<std::size_t>(widths[i], 1))
                                                    : Cells{value});
      height = std::max(height, lines.back().size());
    }
    for (std::size_t l = 0; l < height; ++l) {
      std::string out;
      for (std::size_t i = 0; i < block.size(); ++i) {
        const std::string value = l < lines[i].size() ? lines[i][l] : std::string();
        const std::string padding(widths[i] - std::min(widths[i], text_width(value)), ' ');
        if (i > 0) out.append(kColumnGap, ' ');
        out += is_text(block[i]) ? value + padding : padding + value;
      }
      out.erase(out.find_last_not_of(' ') + 1);
      const bool is_green = style_.is_coloured && mark == RowMark::best;
      if (is_green) text += kBestColour;
      text += out;
      if (is_green) text += kNoColour;
      text += '\n';
    }
  };
  append([&](std::size_t i) -> const std::string& { return columns_[block[i]].head; }, RowMark::none);
  Cells rules;
  for (const std::size_t width : widths) rules.emplace_back(width, '-');
  // Nothing stands beside a last column of text, which may have a command line in a cell.
  if (is_text(block.back())) rules.back().resize(std::min(rules.back().size(), kLongestRule));
  append([&](std::size_t i) -> const std::string& { return rules[i]; }, RowMark::none);
  for (std::size_t r = 0; r < rows_.size(); ++r)
    append([&](std::size_t i) -> const std::string& { return rows_[r][block[i]]; }, marks_[r]);
}

}  // namespace

std::string TextTable::text(const TextStyle& style) const {
  if (columns_.empty()) return "";
  const bool is_plain = style.width == 0 && !style.is_coloured && !style.aligns_units;
  if (is_plain) return TableLayout(columns_, rows_, marks_, keys_, style).text();
  std::vector<Column> columns = columns_;
  for (Column& column : columns) column.head = without_controls(column.head);
  std::vector<Cells> rows = rows_;
  for (Cells& row : rows) {
    for (std::string& cell : row) cell = without_controls(cell);
  }
  for (std::size_t c = 0; style.aligns_units && c < columns.size(); ++c) {
    if (columns[c].align == Align::left) continue;
    Cells cells;
    for (Cells& row : rows) cells.push_back(std::move(row[c]));
    align_units(cells);
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r][c] = std::move(cells[r]);
  }
  return TableLayout(columns, rows, marks_, keys_, style).text();
}

}  // namespace upsweep

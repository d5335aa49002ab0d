#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/document/text_style.hpp"

namespace upsweep {

/// A table of text for people: columns aligned with blanks, a rule below the head, no other lines.
///
/// In a style with a width, texts that are too wide go on in the next line, broken at blanks and slashes; where that is
/// not enough, columns follow in blocks below each other, each with the first ones again. Numbers are never broken. A
/// last column of text without a head has remarks on rows: it ends the first block.
class TextTable {
 public:
  enum class Align : std::uint8_t { left, right };
  struct Column {
    std::string head;
    Align align = Align::right;
  };

  /// `keys`: how many columns tell rows apart, and stand in each block.
  explicit TextTable(std::vector<Column> columns, std::size_t keys = 1) : columns_(std::move(columns)), keys_(keys) {}

  /// Adds a row; `cells` has one entry per column.
  void row(std::vector<std::string> cells, RowMark mark = RowMark::none) {
    rows_.push_back(std::move(cells));
    marks_.push_back(mark);
  }

  /// The table with a line break after each line and none but the needed blanks at the ends. A plain style shows cells
  /// as they are, others a question mark for each control character.
  [[nodiscard]] std::string text(const TextStyle& style = {}) const;

 private:
  std::vector<Column> columns_;
  std::size_t keys_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<RowMark> marks_;  // by row
};

}  // namespace upsweep

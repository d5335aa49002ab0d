#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace upsweep {

/// JSON with keys in the order in which they were set.
using Json = nlohmann::ordered_json;

/// The mean sum / inputs: an integer where it is one, else the nearest double.
[[nodiscard]] Json json_mean(std::uint64_t sum, std::uint64_t inputs);

/// The mean sum / inputs as text without loss: "26061648" or "3194605.5".
[[nodiscard]] std::string exact_mean(std::uint64_t sum, std::uint64_t inputs);

/// Four significant digits with a decimal prefix: "26.06 M"; no prefix below 10 000.
[[nodiscard]] std::string short_count(double count);
[[nodiscard]] std::string short_count(std::uint64_t sum, std::uint64_t inputs);

/// Four significant digits with a binary unit: "100.7 MiB".
[[nodiscard]] std::string short_bytes(double bytes);
[[nodiscard]] std::string short_bytes(std::uint64_t sum, std::uint64_t inputs);

/// Four significant digits with a unit from ns to s: "12.34 ms".
[[nodiscard]] std::string short_seconds(double seconds);

/// Four significant digits or all before the point: "5.925x", "12523x".
[[nodiscard]] std::string short_ratio(double ratio);

/// A table of text for people: columns aligned with blanks, a rule below the head, no other lines.
class TextTable {
 public:
  enum class Align : std::uint8_t { left, right };
  struct Column {
    std::string head;
    Align align = Align::right;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Adds a row; `cells` has one entry per column.
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// The table with a line break after each line and none but the needed blanks at the ends.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// A CSV line by RFC 4180, line break included.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& cells);

}  // namespace upsweep

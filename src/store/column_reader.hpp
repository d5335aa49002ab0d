#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sqlite.hpp"

namespace upsweep {

/// Reads the columns of the row that a statement stands at, from the first on; NULL is an empty text, 0 or nothing.
class ColumnReader {
 public:
  explicit ColumnReader(const Statement& row) : row_(row) {}

  /// Reads as many columns as there are fields, in their order.
  template <class... Fields>
  void into(Fields&... fields) {
    (read(fields), ...);
  }

  /// The next column as a text.
  [[nodiscard]] std::string text() {
    std::string text;
    read(text);
    return text;
  }

 private:
  void read(std::string& text) { text = row_.text(column_++); }
  void read(double& number) { number = row_.number(column_++); }
  void read(bool& flag) { flag = row_.integer(column_++) != 0; }
  void read(std::int64_t& number) { number = row_.integer(column_++); }
  void read(std::uint64_t& count) { count = row_.count(column_++); }
  void read(std::uint32_t& count) { count = static_cast<std::uint32_t>(row_.integer(column_++)); }
  template <class T>
  void read(std::optional<T>& field) {
    field.reset();
    if (row_.is_null(column_)) {
      ++column_;
    } else {
      read(field.emplace());
    }
  }

  const Statement& row_;
  int column_ = 0;
};

}  // namespace upsweep

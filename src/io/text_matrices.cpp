#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <istream>
#include <optional>
#include <type_traits>

#include "array_source.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/network/shape.hpp"

namespace upsweep {
namespace {

std::string whole_text(std::istream& in, std::uint64_t length, const std::string& name) {
  std::string text(length, '\0');
  in.read(text.data(), static_cast<std::streamsize>(length));
  if (!in) throw InputError(fmt::format("{}: cannot be read", name));
  return text;
}

/// Reads numbers that blanks and commas part.
class NumberReader {
 public:
  NumberReader(const std::string& text, const std::string& name)
      : at_(text.data()), end_(at_ + text.size()), name_(name) {}

  /// An integer, or a number of another type.
  template <class T = std::uint64_t>
  T next(const char* what) {
    while (at_ < end_ && (*at_ == ' ' || *at_ == ',' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    T value = 0;
    const auto [end, failure] = std::from_chars(at_, end_, value);
    if (failure != std::errc()) {
      throw InputError(fmt::format("{}: {} is missing, accepted is {}", name_, what,
                                   std::is_integral_v<T> ? "an integer" : "a number"));
    }
    at_ = end;
    return value;
  }
  void finish() {
    while (at_ < end_ && std::isspace(static_cast<unsigned char>(*at_)) != 0) ++at_;
    if (at_ != end_) throw InputError(fmt::format("{}: text behind the last number, accepted is none", name_));
  }

 private:
  const char* at_;
  const char* end_;
  const std::string& name_;
};

}  // namespace

NpyArray read_smtx(std::istream& in, std::uint64_t length, const std::vector<std::uint64_t>& shape,
                   const std::string& name) {
  const std::string text = whole_text(in, length, name);
  NumberReader numbers(text, name);
  const std::uint64_t rows = numbers.next("the number of rows");
  const std::uint64_t cols = numbers.next("the number of columns");
  const std::uint64_t nonzeros = numbers.next("the number of nonzeros");
  const std::uint64_t inputs = shape.size() < 2 ? 0 : shape[1];
  const std::uint64_t kernel = shape.size() == 4 ? checked_mul(shape[2], shape[3]) : 1;
  if (shape.size() < 2 || rows != shape[0] || cols != checked_mul(inputs, kernel)) {
    throw InputError(fmt::format("{}: {} rows and {} columns, accepted are those of a weight {}", name, rows, cols,
                                 to_string(shape)));
  }
  // Every number takes two bytes at least.
  if (rows > length || nonzeros > length)
    throw InputError(fmt::format("{}: it claims {} rows and {} nonzeros, more than it holds", name, rows, nonzeros));
  std::vector<std::uint64_t> pointers;
  for (std::uint64_t r = 0; r <= rows; ++r) {
    pointers.push_back(numbers.next("a row pointer"));
    if (pointers.back() > nonzeros || (r > 0 && pointers[r] < pointers[r - 1])) {
      throw InputError(
          fmt::format("{}: row pointer {} is {}, accepted are rising ones up to {}", name, r, pointers[r], nonzeros));
    }
  }
  if (pointers.front() != 0 || pointers.back() != nonzeros) {
    throw InputError(fmt::format("{}: row pointers from {} to {}, accepted is 0 to {}", name, pointers.front(),
                                 pointers.back(), nonzeros));
  }
  NpyArray mask{shape, "u1", std::vector<std::byte>(checked_mul(rows, cols))};
  for (std::uint64_t r = 0; r < rows; ++r) {
    std::optional<std::uint64_t> before;
    for (std::uint64_t k = pointers[r]; k < pointers[r + 1]; ++k) {
      const std::uint64_t column = numbers.next("a column index");
      if (column >= cols || (before && column <= *before)) {
        throw InputError(
            fmt::format("{}: column {} of row {}, accepted are rising ones below {}", name, column, r, cols));
      }
      before = column;
      mask.bytes[(r * inputs + column % inputs) * kernel + column / inputs] = std::byte{1};
    }
  }
  numbers.finish();
  return mask;
}

NpyArray read_matrix_market(std::istream& in, std::uint64_t length, const std::vector<std::uint64_t>& shape,
                            const std::string& name) {
  std::string text = whole_text(in, length, name);
  const std::size_t line = std::min(text.find('\n'), text.size());
  const std::string banner = text.substr(0, line);
  const auto says = [&](const char* word) { return banner.find(word) != std::string::npos; };
  const bool is_pattern = says(" pattern");
  const bool is_list = says(" array");
  if (!banner.starts_with("%%MatrixMarket matrix") || (!says(" coordinate") && !is_list) || !says(" general") ||
      (!is_pattern && !says(" real") && !says(" integer")) || (is_pattern && is_list)) {
    throw InputError(
        fmt::format("{}: it begins with '{}', accepted is '%%MatrixMarket matrix', coordinate or array, "
                    "real, integer or pattern, general",
                    name, banner.substr(0, 80)));
  }
  std::size_t begin = line;
  while (begin + 1 < text.size() && text[begin + 1] == '%') begin = std::min(text.find('\n', begin + 1), text.size());
  text.erase(0, begin);
  NumberReader numbers(text, name);
  const std::uint64_t rows = numbers.next("the number of rows");
  const std::uint64_t cols = numbers.next("the number of columns");
  const std::uint64_t wanted = shape.empty() ? 0 : elements(shape) / std::max<std::uint64_t>(1, shape[0]);
  if (shape.size() < 2 || rows != shape[0] || cols != wanted) {
    throw InputError(fmt::format("{}: {} rows and {} columns, accepted are those of a weight {}", name, rows, cols,
                                 to_string(shape)));
  }
  const std::uint64_t count = is_list ? checked_mul(rows, cols) : numbers.next("the number of entries");
  if (count > length) throw InputError(fmt::format("{}: it claims {} entries, more than it holds", name, count));
  std::vector<double> values(checked_mul(rows, cols), 0.0);
  std::vector<bool> is_there(is_list ? 0 : values.size());
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t row = is_list ? k % rows + 1 : numbers.next("a row");
    const std::uint64_t col = is_list ? k / rows + 1 : numbers.next("a column");
    if (row < 1 || row > rows || col < 1 || col > cols)
      throw InputError(fmt::format("{}: entry ({}, {}), accepted are 1 to {} and 1 to {}", name, row, col, rows, cols));
    const std::uint64_t at = (row - 1) * cols + col - 1;
    if (!is_list && is_there[at])
      throw InputError(fmt::format("{}: entry ({}, {}) is there twice, accepted is once", name, row, col));
    if (!is_list) is_there[at] = true;
    values[at] = is_pattern ? 1 : numbers.next<double>("a value");
    if (!std::isfinite(values[at])) {
      throw InputError(
          fmt::format("{}: entry ({}, {}) is {}, accepted are finite numbers", name, row, col, values[at]));
    }
  }
  numbers.finish();
  NpyArray array{shape, "f8", std::vector<std::byte>(values.size() * sizeof(double))};
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

}  // namespace upsweep

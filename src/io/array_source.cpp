#include "array_source.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <sstream>

#include "regular_file.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/network/shape.hpp"

namespace upsweep {
namespace {

class ArrayFolder : public ArraySource {
 public:
  explicit ArrayFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  [[nodiscard]] bool exists(const std::string& name) const override {
    // What cannot be looked at is left to read(), which says why.
    std::error_code error;
    return std::filesystem::exists(folder_ / (name + ".npy"), error) || error != std::error_code() || has_smtx(name);
  }
  [[nodiscard]] NpyArray read(const std::string& name, const std::vector<std::uint64_t>& shape) const override {
    if (!has_smtx(name)) return read_finite_npy(place(name));
    RegularFile file = open_regular_file(place(name), "a .smtx file");
    return read_smtx(file.stream, file.length, shape, place(name));
  }
  [[nodiscard]] std::string place(const std::string& name) const override {
    return (folder_ / (name + (has_smtx(name) ? ".smtx" : ".npy"))).string();
  }

 private:
  /// A .npy file comes first.
  [[nodiscard]] bool has_smtx(const std::string& name) const {
    std::error_code error;
    return !std::filesystem::exists(folder_ / (name + ".npy"), error) &&
           std::filesystem::exists(folder_ / (name + ".smtx"), error);
  }

  std::filesystem::path folder_;
};

/// Reads integers that blanks and commas part.
class NumberReader {
 public:
  NumberReader(const std::string& text, const std::string& name)
      : at_(text.data()), end_(at_ + text.size()), name_(name) {}

  std::uint64_t next(const char* what) {
    while (at_ < end_ && (*at_ == ' ' || *at_ == ',' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(at_, end_, value);
    if (failure != std::errc()) throw InputError(fmt::format("{}: {} is missing, accepted is an integer", name_, what));
    at_ = end;
    return value;
  }
  void finish() {
    while (at_ < end_ && std::isspace(static_cast<unsigned char>(*at_)) != 0) ++at_;
    if (at_ != end_) throw InputError(fmt::format("{}: text behind the last column index, accepted is none", name_));
  }

 private:
  const char* at_;
  const char* end_;
  const std::string& name_;
};

}  // namespace

NpyArray read_smtx(std::istream& in, std::uint64_t length, const std::vector<std::uint64_t>& shape,
                   const std::string& name) {
  std::string text(length, '\0');
  in.read(text.data(), static_cast<std::streamsize>(length));
  if (!in) throw InputError(fmt::format("{}: cannot be read", name));
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
    if (pointers.back() > nonzeros || (r > 0 && pointers[r] < pointers[r - 1]))
      throw InputError(
          fmt::format("{}: row pointer {} is {}, accepted are rising ones up to {}", name, r, pointers[r], nonzeros));
  }
  if (pointers.front() != 0 || pointers.back() != nonzeros)
    throw InputError(fmt::format("{}: row pointers from {} to {}, accepted is 0 to {}", name, pointers.front(),
                                 pointers.back(), nonzeros));
  NpyArray mask{shape, "u1", std::vector<std::byte>(checked_mul(rows, cols))};
  for (std::uint64_t r = 0; r < rows; ++r) {
    std::optional<std::uint64_t> before;
    for (std::uint64_t k = pointers[r]; k < pointers[r + 1]; ++k) {
      const std::uint64_t column = numbers.next("a column index");
      if (column >= cols || (before && column <= *before))
        throw InputError(
            fmt::format("{}: column {} of row {}, accepted are rising ones below {}", name, column, r, cols));
      before = column;
      mask.bytes[(r * inputs + column % inputs) * kernel + column / inputs] = std::byte{1};
    }
  }
  numbers.finish();
  return mask;
}

std::unique_ptr<const ArraySource> open_arrays(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return std::make_unique<ArrayFolder>(path);
  if (path.extension() == ".npz") return open_npz(path);
  if (path.extension() == ".safetensors") return open_safetensors(path);
  throw InputError(
      fmt::format("{}, which is no folder; accepted is a folder of .npy files or of .smtx files, a .npz or a "
                  ".safetensors file",
                  path.string()));
}

}  // namespace upsweep

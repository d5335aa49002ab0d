#include "upsweep/io/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "regular_file.hpp"
#include "replace_file.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::string_view kTypes = "b1, u1, i1, i2, i4, i8, f2, f4, f8";
constexpr std::size_t kMaxHeader = 1 << 16;

struct Header {
  std::string dtype;
  bool swapped = false;
  bool fortran = false;
  std::vector<std::uint64_t> shape;
};

/// Parser of the header: a Python dictionary of a string, a boolean and a tuple of integers, and nothing else.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Header parse() {
    Header header;
    std::map<std::string, bool> seen;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (std::exchange(seen[key], true)) fail(fmt::format("key '{}' twice", key));
      if (key == "descr") {
        set_type(header);
      } else if (key == "fortran_order") {
        header.fortran = boolean();
      } else if (key == "shape") {
        header.shape = tuple();
      } else {
        fail(fmt::format("key '{}'", key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail("text behind the dictionary");
    for (const char* key : {"descr", "fortran_order", "shape"}) {
      if (!seen[key]) fail(fmt::format("no key '{}'", key));
    }
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& found) const {
    throw InputError(fmt::format(
        "{}: the .npy header has {}, accepted is {{'descr': type, 'fortran_order': bool, 'shape': (sizes)}}", file_,
        found));
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool accept(char wanted) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted))
      fail(at_ < text_.size() ? fmt::format("'{}' at position {}", printable(text_[at_]), at_) : "an early end");
  }

  static char printable(char c) { return std::isprint(static_cast<unsigned char>(c)) != 0 ? c : '?'; }

  std::string string() {
    skip_space();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) fail("no quoted text where one is due");
    const char quote = text_[at_++];
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos || end - at_ > 32) fail("an unfinished or overlong text");
    std::string value(text_.substr(at_, end - at_));
    std::replace_if(
        value.begin(), value.end(), [](char c) { return printable(c) != c; }, '?');
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    skip_space();
    for (const auto& [word, value] :
         {std::pair{std::string_view("True"), true}, std::pair{std::string_view("False"), false}}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    fail("no True or False for 'fortran_order'");
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> sizes;
    expect('(');
    while (!accept(')')) {
      sizes.push_back(integer());
      if (sizes.size() > 32) fail("more than 32 dimensions");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  std::uint64_t integer() {
    skip_space();
    const std::size_t start = at_;
    std::uint64_t value = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      value = checked_add(checked_mul(value, 10), static_cast<std::uint64_t>(text_[at_++] - '0'));
    }
    if (at_ == start)
      fail(at_ < text_.size() ? fmt::format("'{}' in 'shape'", printable(text_[at_])) : "an early end in 'shape'");
    return value;
  }

  void set_type(Header& header) {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[') refuse_type("a structured type");
    const std::string type = string();
    const bool has_order = !type.empty() && std::string_view("<>|=").find(type[0]) != std::string_view::npos;
    header.dtype = type.substr(has_order ? 1 : 0);
    constexpr std::array kKnown = {"b1", "u1", "i1", "i2", "i4", "i8", "f2", "f4", "f8"};
    if (std::find(kKnown.begin(), kKnown.end(), header.dtype) == kKnown.end()) refuse_type(fmt::format("'{}'", type));
    header.swapped = has_order && type[0] == (std::endian::native == std::endian::little ? '>' : '<');
  }

  [[noreturn]] void refuse_type(const std::string& found) const {
    throw InputError(fmt::format("{}: the element type is {}, accepted are {}", file_, found, kTypes));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  const std::string& file_;
};

std::size_t element_size(const std::string& dtype) { return static_cast<std::size_t>(dtype[1] - '0'); }

void read_bytes(std::istream& in, void* into, std::size_t count, const std::string& name) {
  in.read(static_cast<char*>(into), static_cast<std::streamsize>(count));
  if (static_cast<std::size_t>(in.gcount()) != count) {
    throw InputError(
        fmt::format("{}: the file ends after {} of {} bytes of its next part, accepted is a whole .npy file", name,
                    in.gcount(), count));
  }
}

/// IEEE half precision to double.
double half_to_double(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1f;
  const int fraction = half & 0x3ff;
  double magnitude = 0;
  if (exponent == 0x1f) {
    magnitude = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, -24);
  } else {
    magnitude = std::ldexp(fraction + 1024, exponent - 25);
  }
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

/// Calls visit(i, element as double) for every element.
template <class Element, class Visit>
void visit_as(const std::vector<std::byte>& bytes, Visit visit) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(Element); ++i) {
    Element element;
    std::memcpy(&element, bytes.data() + i * sizeof(Element), sizeof(Element));
    if constexpr (std::is_same_v<Element, std::uint16_t>) {
      visit(i, half_to_double(element));
    } else {
      visit(i, static_cast<double>(element));
    }
  }
}

template <class Visit>
void visit_elements(const NpyArray& array, Visit visit) {
  if (array.dtype == "b1" || array.dtype == "u1") return visit_as<std::uint8_t>(array.bytes, visit);
  if (array.dtype == "i1") return visit_as<std::int8_t>(array.bytes, visit);
  if (array.dtype == "i2") return visit_as<std::int16_t>(array.bytes, visit);
  if (array.dtype == "i4") return visit_as<std::int32_t>(array.bytes, visit);
  if (array.dtype == "i8") return visit_as<std::int64_t>(array.bytes, visit);
  if (array.dtype == "f2") return visit_as<std::uint16_t>(array.bytes, visit);
  if (array.dtype == "f4") return visit_as<float>(array.bytes, visit);
  visit_as<double>(array.bytes, visit);
}

void swap_bytes(std::vector<std::byte>& bytes, std::size_t size) {
  for (std::size_t i = 0; i < bytes.size(); i += size) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i), bytes.begin() + static_cast<std::ptrdiff_t>(i + size));
  }
}

/// Column-major to row-major.
std::vector<std::byte> to_row_major(const std::vector<std::byte>& bytes, const std::vector<std::uint64_t>& shape,
                                    std::size_t size) {
  std::vector<std::byte> out(bytes.size());
  std::vector<std::uint64_t> index(shape.size(), 0);
  std::vector<std::uint64_t> strides(shape.size(), 1);
  for (std::size_t d = 1; d < shape.size(); ++d) strides[d] = strides[d - 1] * shape[d - 1];
  std::uint64_t from = 0;
  for (std::size_t to = 0; to < bytes.size(); to += size) {
    std::memcpy(out.data() + to, bytes.data() + from * size, size);
    for (std::size_t d = shape.size(); d-- > 0;) {
      from += strides[d];
      if (++index[d] < shape[d]) break;
      from -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return out;
}

Header read_header(std::istream& in, const std::string& name, std::uint64_t length, std::uint64_t& position) {
  std::array<char, 8> start{};
  read_bytes(in, start.data(), start.size(), name);
  if (std::string_view(start.data(), kMagic.size()) != kMagic) {
    throw InputError(fmt::format("{}: it does not start with \\x93NUMPY, accepted is a NumPy .npy file", name));
  }
  const int major = static_cast<unsigned char>(start[6]);
  if (major < 1 || major > 3)
    throw InputError(fmt::format("{}: .npy format version {}, accepted are 1 to 3", name, major));
  const std::size_t size_bytes = major == 1 ? 2 : 4;
  std::array<unsigned char, 4> raw{};
  read_bytes(in, raw.data(), size_bytes, name);
  std::uint64_t size = 0;
  for (std::size_t i = size_bytes; i-- > 0;) size = size << 8U | raw[i];
  position = start.size() + size_bytes + size;
  if (size > kMaxHeader || position > length) {
    throw InputError(
        fmt::format("{}: its header claims {} bytes, accepted are at most {} and no more than the file has", name, size,
                    kMaxHeader));
  }
  std::string text(size, '\0');
  read_bytes(in, text.data(), size, name);
  return HeaderParser(text, name).parse();
}

}  // namespace

std::uint64_t NpyArray::size() const { return bytes.size() / element_size(dtype); }

std::vector<double> NpyArray::to_doubles() const {
  std::vector<double> values(size());
  visit_elements(*this, [&](std::size_t i, double value) { values[i] = value; });
  return values;
}

std::vector<std::uint8_t> NpyArray::nonzero() const {
  std::vector<std::uint8_t> flags(size());
  visit_elements(*this, [&](std::size_t i, double value) { flags[i] = value != 0 ? 1 : 0; });
  return flags;
}

std::uint64_t NpyArray::first_non_finite() const {
  if (dtype[0] != 'f') return size();
  std::uint64_t first = size();
  visit_elements(*this, [&](std::size_t i, double value) {
    if (!std::isfinite(value)) first = std::min<std::uint64_t>(first, i);
  });
  return first;
}

NpyArray read_npy(std::istream& in, std::uint64_t length, const std::string& name) {
  std::uint64_t position = 0;
  Header header;
  std::uint64_t bytes = 0;
  try {
    header = read_header(in, name, length, position);
    bytes = element_size(header.dtype);
    for (const std::uint64_t size : header.shape) bytes = checked_mul(bytes, size);
  } catch (const CountOverflow&) {
    throw InputError(fmt::format(
        "{}: the sizes in its header exceed 64 bits, accepted is what the file holds, {} bytes", name, length));
  }
  if (bytes != length - position) {
    throw InputError(fmt::format(
        "{}: its header claims {} bytes of elements (shape ({}), type {}), accepted is what the file has, {}", name,
        bytes, fmt::join(header.shape, ", "), header.dtype, length - position));
  }
  NpyArray array{header.shape, header.dtype, std::vector<std::byte>(bytes)};
  read_bytes(in, array.bytes.data(), bytes, name);
  if (header.swapped) swap_bytes(array.bytes, element_size(array.dtype));
  if (header.fortran && array.shape.size() > 1)
    array.bytes = to_row_major(array.bytes, array.shape, element_size(array.dtype));
  return array;
}

NpyArray read_finite_npy(const std::string& path) {
  NpyArray array = read_npy(path);
  if (const std::uint64_t bad = array.first_non_finite(); bad < array.size()) {
    throw InputError(
        fmt::format("{} has {} at element {}, accepted are finite numbers", path, array.to_doubles()[bad], bad));
  }
  return array;
}

NpyArray read_npy(const std::string& path) {
  RegularFile file = open_regular_file(path, "a .npy file");
  return read_npy(file.stream, file.length, path);
}

void write_npy(const std::string& path, const std::vector<std::uint64_t>& shape, std::span<const double> values) {
  static_assert(std::endian::native == std::endian::little);
  std::string sizes;
  for (const std::uint64_t size : shape) sizes += fmt::format("{},", size);
  // Ends with kGradientMark.
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({})}}", sizes);
  // Magic, version and length take ten bytes; the header ends at a multiple of 64.
  header.resize((header.size() + 11 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  std::string text = "\x93NUMPY";
  text += {'\1', '\0', static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
  text += header;
  text.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  replace_file(path, text);
}

}  // namespace upsweep

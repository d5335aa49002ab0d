#include <fmt/format.h>
#include <zlib.h>

#include <cstring>
#include <sstream>

#include "array_source.hpp"
#include "regular_file.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/yaml.hpp"
#include "upsweep/network/shape.hpp"

namespace upsweep {
namespace {

/// An unsigned number of `size` bytes, the lowest first.
std::uint64_t little_endian(const char* bytes, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string read_part(RegularFile& file, std::uint64_t first, std::uint64_t size, const std::string& name) {
  if (first > file.length || size > file.length - first) {
    throw InputError(
        fmt::format("{}: {} bytes from {}, accepted is what the file has, {}", name, size, first, file.length));
  }
  std::string bytes(size, '\0');
  file.stream.seekg(static_cast<std::streamoff>(first));
  file.stream.read(bytes.data(), static_cast<std::streamsize>(size));
  if (!file.stream) throw InputError(fmt::format("{}: cannot be read", name));
  return bytes;
}

/// What arrays of one file share.
template <class Entry>
class ArrayFile : public ArraySource {
 public:
  explicit ArrayFile(const std::filesystem::path& path) : path_(path.string()) {}

  [[nodiscard]] bool exists(const std::string& name) const override { return find(name) != nullptr; }
  [[nodiscard]] std::string place(const std::string& name) const override {
    return fmt::format("{}: '{}'", path_, name);
  }
  [[nodiscard]] NpyArray read(const std::string& name, const std::vector<std::uint64_t>&) const override {
    const Entry* entry = find(name);
    if (entry == nullptr) throw InputError(fmt::format("{}: it has no array '{}' or '{}.weight'", path_, name, name));
    NpyArray array = read_entry(*entry, place(name));
    if (const std::uint64_t bad = array.first_non_finite(); bad < array.size()) {
      throw InputError(fmt::format("{} has {} at element {}, accepted are finite numbers", place(name),
                                   array.to_doubles()[bad], bad));
    }
    return array;
  }

 protected:
  [[nodiscard]] virtual NpyArray read_entry(const Entry& entry, const std::string& name) const = 0;

  std::string path_;
  std::map<std::string, Entry> entries_;

 private:
  /// PyTorch calls the weight of a layer 'layer.weight'.
  [[nodiscard]] const Entry* find(const std::string& name) const {
    auto found = entries_.find(name);
    if (found == entries_.end()) found = entries_.find(name + ".weight");
    return found == entries_.end() ? nullptr : &found->second;
  }
};

struct ZipEntry {
  std::uint64_t method = 0, packed = 0, size = 0, header = 0;
};

/// Source: PKWARE's APPNOTE.TXT, the parts that NumPy writes: one disk, stored or deflated, sizes of 64 bits.
class NpzFile : public ArrayFile<ZipEntry> {
 public:
  explicit NpzFile(const std::filesystem::path& path) : ArrayFile(path) {
    RegularFile file = open_regular_file(path_, "a .npz file");
    const std::uint64_t tail = std::min<std::uint64_t>(file.length, 65557);
    const std::string end = read_part(file, file.length - tail, tail, path_);
    const std::size_t at = end.rfind("PK\x05\x06");
    if (at == std::string::npos || end.size() - at < 22)
      throw InputError(fmt::format("{}: no zip archive, or a truncated one, accepted is a .npz file", path_));
    const std::uint64_t size = little_endian(&end[at + 12], 4);
    const std::string directory = read_part(file, little_endian(&end[at + 16], 4), size, path_);
    for (std::size_t next = 0; next < directory.size();) next = read_directory_entry(directory, next);
  }

 private:
  std::size_t read_directory_entry(const std::string& directory, std::size_t at) {
    const auto broken = [&] { return InputError(fmt::format("{}: its directory is broken", path_)); };
    if (directory.size() - at < 46 || directory.compare(at, 4, "PK\x01\x02") != 0) throw broken();
    const auto number = [&](std::size_t offset, std::size_t size) {
      return little_endian(&directory[at + offset], size);
    };
    ZipEntry entry{number(10, 2), number(20, 4), number(24, 4), number(42, 4)};
    const std::size_t name_size = number(28, 2);
    const std::size_t extra_size = number(30, 2);
    const std::size_t next = at + 46 + name_size + extra_size + number(32, 2);
    if (next > directory.size()) throw broken();
    std::string name = directory.substr(at + 46, name_size);
    read_long_sizes(directory.substr(at + 46 + name_size, extra_size), entry);
    if (!name.ends_with(".npy")) return next;
    name.resize(name.size() - 4);
    if (!entries_.emplace(name, entry).second)
      throw InputError(fmt::format("{}: '{}' is there twice, accepted are unique names", path_, name));
    return next;
  }

  /// Sizes of 64 bits stand in an extra field, those that are 2^32 - 1 elsewhere.
  static void read_long_sizes(const std::string& extra, ZipEntry& entry) {
    for (std::size_t at = 0; at + 4 <= extra.size(); at += 4 + little_endian(&extra[at + 2], 2)) {
      if (little_endian(&extra[at], 2) != 1) continue;
      std::size_t next = at + 4;
      for (std::uint64_t* size : {&entry.size, &entry.packed, &entry.header}) {
        if (*size != 0xffffffff || next + 8 > extra.size()) continue;
        *size = little_endian(&extra[next], 8);
        next += 8;
      }
      return;
    }
  }

  [[nodiscard]] NpyArray read_entry(const ZipEntry& entry, const std::string& name) const override {
    RegularFile file = open_regular_file(path_, "a .npz file");
    const std::string header = read_part(file, entry.header, 30, name);
    const std::uint64_t first = entry.header + 30 + little_endian(&header[26], 2) + little_endian(&header[28], 2);
    std::string bytes = read_part(file, first, entry.packed, name);
    if (entry.method == 8) bytes = inflated(bytes, entry.size, name);
    if (entry.method != 8 && entry.method != 0)
      throw InputError(fmt::format("{}: compression method {}, accepted are stored and deflated", name, entry.method));
    std::istringstream in(bytes);
    return read_npy(in, bytes.size(), name);
  }

  static std::string inflated(const std::string& bytes, std::uint64_t size, const std::string& name) {
    // Deflate makes at most 1032 bytes of one.
    if (size / 1032 > bytes.size() + 1)
      throw InputError(fmt::format("{}: it claims {} bytes, packed in {}", name, size, bytes.size()));
    std::string result(size, '\0');
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw InputError(fmt::format("{}: cannot be unpacked", name));
    std::size_t read = 0;
    std::size_t written = 0;
    int state = Z_OK;
    constexpr std::size_t kMost = std::size_t{1} << 30;
    while (state == Z_OK) {
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + read));
      stream.avail_in = static_cast<uInt>(std::min(kMost, bytes.size() - read));
      stream.next_out = reinterpret_cast<Bytef*>(result.data() + written);
      stream.avail_out = static_cast<uInt>(std::min(kMost, result.size() - written));
      const uInt in = stream.avail_in;
      const uInt out = stream.avail_out;
      state = inflate(&stream, Z_NO_FLUSH);
      read += in - stream.avail_in;
      written += out - stream.avail_out;
      if (in == stream.avail_in && out == stream.avail_out && state == Z_OK) break;
    }
    inflateEnd(&stream);
    if (state != Z_STREAM_END || written != size)
      throw InputError(fmt::format("{}: broken, or not as long as it says", name));
    return result;
  }
};

struct SafeEntry {
  std::string type;
  std::vector<std::uint64_t> shape;
  std::uint64_t first = 0, last = 0;
};

/// A JSON header of stated length, then the numbers. Source: the format's description by Hugging Face.
class SafetensorsFile : public ArrayFile<SafeEntry> {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path) : ArrayFile(path) {
    constexpr std::uint64_t kMostHeader = 100'000'000;
    RegularFile file = open_regular_file(path_, "a .safetensors file");
    const std::uint64_t size = little_endian(read_part(file, 0, 8, path_).data(), 8);
    if (size > kMostHeader)
      throw InputError(fmt::format("{}: a header of {} bytes, accepted are at most {}", path_, size, kMostHeader));
    std::istringstream header(read_part(file, 8, size, path_));
    data_ = 8 + size;
    const YamlDocument document = parse_yaml(header, path_);
    if (document.root->kind != YamlNode::Kind::mapping)
      throw document.error(*document.root, "its header is no JSON object");
    for (std::size_t i = 0; i + 1 < document.root->children.size(); i += 2) {
      const std::string& name = document.root->children[i]->text;
      if (name != "__metadata__") entries_.emplace(name, read_header(document, *document.root->children[i + 1], name));
    }
  }

 private:
  static SafeEntry read_header(const YamlDocument& document, const YamlNode& node, const std::string& name) {
    YamlMap map(document, node, "tensor '" + name + "'");
    SafeEntry entry{yaml_text(document, map.require("dtype"), "dtype"), {}, 0, 0};
    const YamlNode& shape = map.require("shape");
    const YamlNode& offsets = map.require("data_offsets");
    map.finish();
    if (shape.kind != YamlNode::Kind::sequence || offsets.kind != YamlNode::Kind::sequence ||
        offsets.children.size() != 2)
      throw document.error(node, "shape or data_offsets of '" + name + "', accepted are lists");
    for (const auto& axis : shape.children) entry.shape.push_back(yaml_integer(document, *axis, "shape"));
    entry.first = yaml_integer(document, *offsets.children[0], "data_offsets");
    entry.last = yaml_integer(document, *offsets.children[1], "data_offsets", entry.first);
    return entry;
  }

  [[nodiscard]] NpyArray read_entry(const SafeEntry& entry, const std::string& name) const override {
    static const std::map<std::string, const char*> types = {
        {"F64", "f8"}, {"F32", "f4"}, {"F16", "f2"}, {"BF16", "f4"}, {"I64", "i8"},
        {"I32", "i4"}, {"I16", "i2"}, {"I8", "i1"},  {"U8", "u1"},   {"BOOL", "b1"}};
    const auto type = types.find(entry.type);
    if (type == types.end())
      throw InputError(fmt::format("{}: type {} is not read, accepted are numbers", name, entry.type));
    const bool is_short = entry.type == "BF16";
    const auto each = is_short ? std::uint64_t{2} : static_cast<std::uint64_t>(type->second[1] - '0');
    RegularFile file = open_regular_file(path_, "a .safetensors file");
    const std::uint64_t size = entry.last - entry.first;
    try {
      if (checked_mul(elements(entry.shape), each) != size) {
        throw InputError(
            fmt::format("{}: {} bytes of shape {} and type {}", name, size, to_string(entry.shape), entry.type));
      }
    } catch (const CountOverflow&) {
      throw InputError(fmt::format("{}: the sizes of shape {} exceed 64 bits", name, to_string(entry.shape)));
    }
    const std::string bytes = read_part(file, checked_add(data_, entry.first), size, name);
    NpyArray array{entry.shape, type->second, std::vector<std::byte>(is_short ? 2 * size : size)};
    if (!is_short) std::memcpy(array.bytes.data(), bytes.data(), bytes.size());
    // bfloat16 is the upper half of a float.
    for (std::size_t i = 0; is_short && i < bytes.size() / 2; ++i)
      std::memcpy(&array.bytes[4 * i + 2], &bytes[2 * i], 2);
    return array;
  }

  std::uint64_t data_ = 0;
};

}  // namespace

std::unique_ptr<const ArraySource> open_npz(const std::filesystem::path& path) {
  return std::make_unique<NpzFile>(path);
}

std::unique_ptr<const ArraySource> open_safetensors(const std::filesystem::path& path) {
  return std::make_unique<SafetensorsFile>(path);
}

}  // namespace upsweep

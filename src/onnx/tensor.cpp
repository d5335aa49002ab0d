#include "tensor.hpp"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

using Proto = onnx::TensorProto;

/// Bytes of a number of a type; 0 for types that are none.
std::size_t bytes_of_type(int type) {
  switch (type) {
    case Proto::DOUBLE:
    case Proto::INT64:
    case Proto::UINT64:
      return 8;
    case Proto::FLOAT:
    case Proto::INT32:
    case Proto::UINT32:
      return 4;
    case Proto::FLOAT16:
    case Proto::BFLOAT16:
    case Proto::INT16:
    case Proto::UINT16:
      return 2;
    case Proto::INT8:
    case Proto::UINT8:
    case Proto::BOOL:
      return 1;
    default:
      return 0;
  }
}

double half_to_double(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double magnitude = exponent == 0    ? std::ldexp(fraction, -24)
                           : exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                                            : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

template <class T>
double number_at(const char* bytes, std::size_t i) {
  T number;
  std::memcpy(&number, bytes + i * sizeof(T), sizeof(T));
  return static_cast<double>(number);
}

double number_of(int type, const char* bytes, std::size_t i) {
  switch (type) {
    case Proto::DOUBLE:
      return number_at<double>(bytes, i);
    case Proto::INT64:
      return number_at<std::int64_t>(bytes, i);
    case Proto::UINT64:
      return number_at<std::uint64_t>(bytes, i);
    case Proto::FLOAT:
      return number_at<float>(bytes, i);
    case Proto::INT32:
      return number_at<std::int32_t>(bytes, i);
    case Proto::UINT32:
      return number_at<std::uint32_t>(bytes, i);
    case Proto::FLOAT16:
      return half_to_double(static_cast<std::uint16_t>(number_at<std::uint16_t>(bytes, i)));
    case Proto::BFLOAT16: {
      std::uint16_t high = 0;
      std::memcpy(&high, bytes + 2 * i, 2);
      return std::bit_cast<float>(static_cast<std::uint32_t>(high) << 16);
    }
    case Proto::INT16:
      return number_at<std::int16_t>(bytes, i);
    case Proto::UINT16:
      return number_at<std::uint16_t>(bytes, i);
    case Proto::INT8:
      return number_at<std::int8_t>(bytes, i);
    default:
      return number_at<std::uint8_t>(bytes, i);
  }
}

/// Where the bytes of a tensor stand in a file beside the model; its path may not leave the folder.
FileRange external_range(const Proto& proto, const std::string& folder, std::uint64_t wanted) {
  std::string location;
  std::uint64_t offset = 0;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") {
      const std::string& text = entry.value();
      if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos)
        throw std::invalid_argument(fmt::format("external data with offset '{}', accepted is an integer", text));
      offset = std::stoull(text);
    }
  }
  const std::filesystem::path path = std::filesystem::path(location).lexically_normal();
  if (path.empty() || path.is_absolute() || *path.begin() == "..") {
    throw std::invalid_argument(
        fmt::format("external data at '{}', accepted are paths inside the folder of the model", location));
  }
  // A link may lead out, too.
  std::error_code failure;
  const auto root = std::filesystem::weakly_canonical(folder.empty() ? "." : folder, failure);
  const auto target = std::filesystem::weakly_canonical(root / path, failure);
  if (failure || *target.lexically_relative(root).begin() == "..") {
    throw std::invalid_argument(
        fmt::format("external data at '{}', accepted are paths inside the folder of the model", location));
  }
  if (!std::filesystem::is_regular_file(target))
    throw std::invalid_argument(fmt::format("external data at '{}', which is no file", location));
  const std::uint64_t size = std::filesystem::file_size(target);
  if (offset > size || size - offset < wanted) {
    throw std::invalid_argument(fmt::format("external data at '{}': {} bytes from {}, accepted is a file with {}",
                                            location, size, offset, wanted));
  }
  return {target.string(), offset, wanted};
}

/// Bytes of a file that are read at a time: of whole numbers of any type.
constexpr std::uint64_t kStretch = 1U << 20U;

/// Calls `take` with every stretch of a file's range and the place of its first byte in there.
template <class Take>
void for_stretches(const FileRange& range, Take take) {
  std::ifstream in(range.path, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(range.offset));
  std::string bytes(std::min(range.bytes, kStretch), '\0');
  for (std::uint64_t at = 0; at < range.bytes; at += bytes.size()) {
    bytes.resize(std::min(range.bytes - at, kStretch));
    if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
      throw std::invalid_argument(fmt::format("{} cannot be read", range.path));
    take(bytes, at);
  }
}

/// Calls `take` with stretches of the bytes of `count` numbers, how many numbers each has and the place of the first;
/// false where the tensor has no bytes, but a list of numbers.
template <class Take>
bool for_bytes(const Tensor& tensor, std::uint64_t count, Take take) {
  const Proto& proto = *tensor.stored;
  const std::size_t each = std::max<std::size_t>(1, bytes_of_type(proto.data_type()));  // tensor_of() refuses others
  const std::uint64_t wanted = checked_mul(count, each);
  const auto require = [&](std::uint64_t bytes) {
    if (bytes == wanted) return;
    throw std::invalid_argument(fmt::format("a tensor of {} bytes, accepted are {} numbers of {}", bytes, count, each));
  };
  const auto take_stretch = [&](const std::string& bytes, std::uint64_t at) {
    take(bytes.data(), bytes.size() / each, at / each);
  };
  if (proto.data_location() == Proto::EXTERNAL) {
    for_stretches(external_range(proto, tensor.folder ? *tensor.folder : "", wanted), take_stretch);
  } else if (tensor.range) {
    require(tensor.range->bytes);
    for_stretches(*tensor.range, take_stretch);
  } else if (proto.has_raw_data()) {
    require(proto.raw_data().size());
    take_stretch(proto.raw_data(), 0);
  } else {
    return false;
  }
  return true;
}

template <class List>
std::vector<double> listed(const List& list, std::size_t wanted) {
  if (static_cast<std::size_t>(list.size()) != wanted)
    throw std::invalid_argument(fmt::format("a tensor of {} numbers, accepted are {}", list.size(), wanted));
  return {list.begin(), list.end()};
}

std::vector<double> listed_numbers(const Proto& proto, std::size_t count) {
  switch (proto.data_type()) {
    case Proto::FLOAT:
      return listed(proto.float_data(), count);
    case Proto::DOUBLE:
      return listed(proto.double_data(), count);
    case Proto::INT64:
      return listed(proto.int64_data(), count);
    case Proto::UINT64:
    case Proto::UINT32:
      return listed(proto.uint64_data(), count);
    default:
      break;
  }
  std::vector<double> numbers = listed(proto.int32_data(), count);
  if (proto.data_type() != Proto::FLOAT16 && proto.data_type() != Proto::BFLOAT16) return numbers;
  for (double& number : numbers) {
    const auto bits = static_cast<std::uint16_t>(number);
    number = proto.data_type() == Proto::FLOAT16
                 ? half_to_double(bits)
                 : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
  }
  return numbers;
}

}  // namespace

std::vector<double> Tensor::values() const {
  if (made) return *made;
  if (stored == nullptr) throw std::invalid_argument("numbers that the file leaves out are needed here");
  const std::uint64_t count = elements(dims);
  const int type = stored->data_type();
  std::vector<double> numbers;
  const bool has_bytes = for_bytes(*this, count, [&](const char* bytes, std::size_t here, std::uint64_t first) {
    numbers.resize(count);  // not before it is sure that they are there
    for (std::size_t i = 0; i < here; ++i) numbers[first + i] = number_of(type, bytes, i);
  });
  return has_bytes ? numbers : listed_numbers(*stored, count);
}

std::vector<std::uint8_t> Tensor::nonzero() const {
  const std::uint64_t count = elements(dims);
  std::vector<std::uint8_t> result;
  const auto clear = [&](std::uint64_t place) {
    if (result.empty()) result.assign(count, 1);
    result[place] = 0;
  };
  // Weights are most of a file: no numbers are made of them.
  const bool has_bytes = stored != nullptr && stored->data_type() == Proto::FLOAT &&
                         for_bytes(*this, count, [&](const char* bytes, std::size_t here, std::uint64_t first) {
                           for (std::size_t i = 0; i < here; ++i) {
                             std::uint32_t bits = 0;
                             std::memcpy(&bits, bytes + sizeof(float) * i, sizeof bits);
                             if (bits << 1 == 0) clear(first + i);  // either sign of 0
                           }
                         });
  if (has_bytes) return result;
  const std::vector<double> numbers = values();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == 0) clear(i);
  }
  return result;
}

std::vector<std::int64_t> Tensor::integers() const {
  std::vector<std::int64_t> result;
  for (const double value : values()) {
    if (std::isnan(value)) throw std::invalid_argument("an index is not a number");
    result.push_back(value >= 9.2e18 ? INT64_MAX : value <= -9.2e18 ? INT64_MIN : static_cast<std::int64_t>(value));
  }
  return result;
}

Tensor Tensor::of(Shape dims, std::vector<double> values, bool is_integer) {
  return {.dims = std::move(dims),
          .is_integer = is_integer,
          .made = std::make_shared<const std::vector<double>>(std::move(values))};
}

Tensor tensor_of(const onnx::TensorProto& proto, const std::shared_ptr<const std::string>& folder) {
  if (bytes_of_type(proto.data_type()) == 0)
    throw std::invalid_argument(fmt::format("a tensor of type {}, accepted are numbers", proto.data_type()));
  Tensor tensor;
  for (const std::int64_t size : proto.dims()) {
    if (size < 0) throw std::invalid_argument(fmt::format("a tensor with an axis of {} elements", size));
    tensor.dims.push_back(static_cast<std::uint64_t>(size));
  }
  if (elements(tensor.dims) > kMaxElements) {
    throw std::invalid_argument(
        fmt::format("a tensor of shape {}, accepted are at most {} elements", to_string(tensor.dims), kMaxElements));
  }
  const int type = proto.data_type();
  tensor.is_integer =
      type != Proto::FLOAT && type != Proto::DOUBLE && type != Proto::FLOAT16 && type != Proto::BFLOAT16;
  tensor.stored = &proto;
  tensor.name = proto.name();
  tensor.folder = folder;
  return tensor;
}

}  // namespace upsweep

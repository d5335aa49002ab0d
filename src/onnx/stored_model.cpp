#include "stored_model.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>

#include <filesystem>
#include <limits>
#include <optional>

#include "printable_names.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/base/near_file.hpp"

namespace upsweep {
namespace {

using google::protobuf::io::CodedInputStream;

/// Tensors of fewer bytes are read with the rest.
constexpr std::uint32_t kLarge = 1024;
constexpr int kMostNested = 64;

// Fields of onnx.proto on the way to an initializer's bytes.
constexpr int kGraphOfModel = onnx::ModelProto::kGraphFieldNumber;
constexpr int kInitializerOfGraph = onnx::GraphProto::kInitializerFieldNumber;
constexpr int kRawDataOfTensor = onnx::TensorProto::kRawDataFieldNumber;

enum WireType : std::uint32_t { varint = 0, fixed64 = 1, delimited = 2, fixed32 = 5 };

/// Copies a serialised model but for the bytes of large initializers. Source: the encoding of protocol buffers,
/// https://protobuf.dev/programming-guides/encoding/.
class WithoutWeights {
 public:
  WithoutWeights(CodedInputStream& in, std::uint64_t file_bytes, const std::string& path)
      : in_(in), file_bytes_(file_bytes), path_(path) {}

  /// The model without them, or nothing where the bytes are no message.
  std::optional<std::string> model() {
    std::string out;
    if (!copy(out, Message::model)) return std::nullopt;
    return out;
  }

  std::unordered_map<int, FileRange> large;

 private:
  enum class Message { model, graph, tensor };

  static std::optional<Message> nested(Message in, int field) {
    if (in == Message::model && field == kGraphOfModel) return Message::graph;
    if (in == Message::graph && field == kInitializerOfGraph) return Message::tensor;
    return std::nullopt;
  }

  static void append_varint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
  }

  [[nodiscard]] bool has(std::uint64_t count) const {
    return static_cast<std::uint64_t>(in_.CurrentPosition()) + count <= file_bytes_;
  }

  bool append_bytes(std::string& out, std::uint64_t count) {
    std::string bytes;
    if (!has(count) || !in_.ReadString(&bytes, static_cast<int>(count))) return false;
    out += bytes;
    return true;
  }

  /// Everything up to the end of the message at hand.
  bool copy(std::string& out, Message message) {
    while (const std::uint32_t tag = in_.ReadTag()) {
      append_varint(out, tag);
      if (!copy_field(out, message, static_cast<int>(tag >> 3), tag & 7U)) return false;
    }
    return in_.ConsumedEntireMessage();
  }

  bool copy_field(std::string& out, Message message, int field, std::uint32_t type) {
    switch (type) {
      case varint: {
        std::uint64_t value = 0;
        if (!in_.ReadVarint64(&value)) return false;
        append_varint(out, value);
        return true;
      }
      case fixed64:
        return append_bytes(out, 8);
      case fixed32:
        return append_bytes(out, 4);
      case delimited:
        break;
      default:
        return false;  // a group, of which ONNX has none
    }
    std::uint32_t size = 0;
    if (!in_.ReadVarint32(&size) || size > static_cast<std::uint32_t>(std::numeric_limits<int>::max())) return false;
    if (message == Message::tensor && field == kRawDataOfTensor) return copy_weights(out, size);
    const std::optional<Message> inner = nested(message, field);
    if (!inner) {
      append_varint(out, size);
      return append_bytes(out, size);
    }
    // A limit beyond the one around it would be ignored.
    const int left = in_.BytesUntilLimit();
    if (!has(size) || (left >= 0 && size > static_cast<std::uint32_t>(left))) return false;
    const CodedInputStream::Limit limit = in_.PushLimit(static_cast<int>(size));
    std::string copied;
    const bool is_whole = copy(copied, *inner);
    if (!is_whole || in_.BytesUntilLimit() != 0) return false;
    in_.PopLimit(limit);
    if (*inner == Message::tensor) ++initializer_;
    append_varint(out, copied.size());
    out += copied;
    return true;
  }

  bool copy_weights(std::string& out, std::uint32_t size) {
    large.erase(initializer_);  // of several, the last counts
    if (size < kLarge) {
      append_varint(out, size);
      return append_bytes(out, size);
    }
    const auto offset = static_cast<std::uint64_t>(in_.CurrentPosition());
    // Skipping is seeking, which goes beyond the end of a file.
    if (!has(size) || !in_.Skip(static_cast<int>(size))) return false;
    append_varint(out, 0);
    large[initializer_] = {path_, offset, size};
    return true;
  }

  CodedInputStream& in_;
  std::uint64_t file_bytes_;
  const std::string& path_;
  int initializer_ = 0;
};

}  // namespace

StoredModel read_stored_model(const std::string& path) {
  if (!std::filesystem::is_regular_file(path))
    throw InputError(fmt::format("{}: no such file{}, accepted is an ONNX file", path, near_file(path)));
  const int file =
      open(path.c_str(), O_RDONLY | O_CLOEXEC);  // NOLINT(cppcoreguidelines-pro-type-vararg): as POSIX has it
  if (file < 0) throw InputError(fmt::format("{}: cannot be read", path));
  google::protobuf::io::FileInputStream stream(file);
  stream.SetCloseOnDelete(true);
  CodedInputStream coded(&stream);
  coded.SetTotalBytesLimit(std::numeric_limits<int>::max());
  WithoutWeights copy(coded, std::filesystem::file_size(path), path);
  const std::optional<std::string> bytes = copy.model();
  StoredModel stored;
  const auto parse = [&] {
    CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes->data()), static_cast<int>(bytes->size()));
    in.SetRecursionLimit(kMostNested);
    return stored.model.ParseFromCodedStream(&in) && in.ConsumedEntireMessage();
  };
  if (!bytes || !parse())
    throw InputError(fmt::format("{}: no ONNX model, or a truncated one, accepted is a whole file", path));
  stored.large = std::move(copy.large);
  onnx::ModelProto& model = stored.model;
  if (!model.has_graph() || model.graph().node_size() == 0)
    throw InputError(fmt::format("{}: an ONNX model without nodes, accepted is at least one", path));
  make_names_printable(*model.mutable_graph());
  return stored;
}

}  // namespace upsweep

#include "point_message.hpp"

#include <fmt/format.h>

#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "upsweep/base/error.hpp"

namespace upsweep {
namespace {

/// Appends values to a message.
class Writer {
 public:
  static constexpr bool kIsReader = false;

  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void item(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void item(const ContentKey& key) { bytes_.append(reinterpret_cast<const char*>(key.data()), key.size()); }
  void item(const std::string& text) {
    item(std::uint64_t{text.size()});
    bytes_.append(text);
  }

  void reserve(std::size_t size) { bytes_.reserve(size); }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Takes values from a message in the same order.
class Reader {
 public:
  static constexpr bool kIsReader = true;

  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void item(T& value) { copy(&value, sizeof value); }
  // A byte of another value would be no bool.
  void item(bool& value) {
    std::uint8_t byte = 0;
    item(byte);
    value = byte != 0;
  }
  void item(ContentKey& key) { copy(key.data(), key.size()); }
  void item(std::string& text) { text = take(length(1)); }

  /// A length of something that takes at least `least` bytes each.
  std::size_t length(std::size_t least) {
    std::uint64_t count = 0;
    item(count);
    if (count > bytes_.size() / least) cut_off();
    return static_cast<std::size_t>(count);
  }

  void end() const {
    if (!bytes_.empty())
      throw std::invalid_argument(fmt::format("a message between ranks is {} bytes too long", bytes_.size()));
  }

 private:
  [[noreturn]] static void cut_off() { throw std::invalid_argument("a message between ranks is cut off"); }

  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) cut_off();
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  void copy(void* to, std::size_t count) { std::memcpy(to, take(count).data(), count); }

  std::string_view bytes_;
};

// One description of each value serves both directions: `Value` is const when it is written. A field more than a
// structured binding names does not compile, so that none is forgotten.

template <class Value, class Plain>
constexpr bool kIs = std::is_same_v<std::remove_const_t<Value>, Plain>;

template <class Value>
constexpr bool kIsOptional = kIs<Value, std::optional<double>> || kIs<Value, std::optional<std::uint32_t>> ||
                             kIs<Value, std::optional<PointSchedule>>;

template <class Archive, class Value>
void field(Archive& archive, Value& value);

template <class Archive, class... Values>
void fields(Archive& archive, Values&... values) {
  (field(archive, values), ...);
}

template <class Archive, class Value>
void optional_field(Archive& archive, Value& value) {
  bool has_value = value.has_value();
  archive.item(has_value);
  if constexpr (Archive::kIsReader) {
    if (has_value) value.emplace();
  }
  if (has_value) field(archive, *value);
}

template <class Archive, class Value>
void schedule_fields(Archive& archive, Value& value) {
  auto& [schedule, depth, is_feasible, reason, score, levels, ops, flops, path, steps, per_step, bytes] = value;
  fields(archive, schedule, depth, is_feasible, reason, score, levels, ops, flops, path, steps, per_step, bytes);
}

template <class Archive, class Value>
void figures_fields(Archive& archive, Value& value) {
  auto& [in_seconds, is_exact, workers, elements, build, jacobian, vector, plain, dense, graph, blocks, best, scan,
         refused, margin] = value;
  fields(archive, in_seconds, is_exact, workers, elements, build, jacobian, vector, plain, dense, graph, blocks, best,
         scan, refused, margin);
}

template <class Archive, class Value>
void record_fields(Archive& archive, Value& value) {
  auto& [key, status, reason, figures, bppsa, pipeline, limit, model, machine, settings] = value;
  fields(archive, key, status, reason, figures, bppsa, pipeline, limit, model, machine, settings);
}

template <class Archive, class Value>
void point_fields(Archive& archive, Value& value) {
  auto& [point, is_known] = value;
  auto& [position, coordinates, record] = point;
  fields(archive, is_known, position, coordinates);
  if (is_known) {
    field(archive, record.key);
  } else {
    record_fields(archive, record);
  }
}

template <class Archive, class Value>
void field(Archive& archive, Value& value) {
  if constexpr (kIsOptional<Value>) {
    optional_field(archive, value);
  } else if constexpr (kIs<Value, PointSchedule>) {
    schedule_fields(archive, value);
  } else if constexpr (kIs<Value, PointFigures>) {
    figures_fields(archive, value);
  } else {
    archive.item(value);
  }
}

template <class Archive, class Value>
void head_fields(Archive& archive, Value& unit) {
  auto& [asked, in_memory, stored, counted, by_formula, damaged] = unit.counts;
  fields(archive, unit.is_stopped, unit.seconds, asked, in_memory, stored, counted, by_formula, damaged);
}

/// A list of items of one size.
template <class Item>
std::string encode_items(std::span<const Item> items) {
  Writer writer;
  writer.item(std::uint64_t{items.size()});
  for (const Item& item : items) writer.item(item);
  return writer.take();
}

template <class Item>
std::vector<Item> decode_items(std::string_view bytes) {
  Reader reader(bytes);
  std::vector<Item> items(reader.length(sizeof(Item)));
  for (Item& item : items) reader.item(item);
  reader.end();
  return items;
}

// A point takes at least its flag, position, key and an empty text, a counted model its key and an empty text.
constexpr std::size_t kLeastModel = sizeof(ContentKey) + sizeof(std::uint64_t);
constexpr std::size_t kLeastPoint = 1 + sizeof(std::uint64_t) + kLeastModel;

}  // namespace

std::string encode_unit(const UnitMessage& unit) {
  constexpr std::size_t kUsualPoint = 1024;
  Writer writer;
  writer.reserve(unit.points.size() * kUsualPoint);
  head_fields(writer, unit);
  writer.item(std::uint64_t{unit.points.size()});
  for (const UnitPoint& point : unit.points) point_fields(writer, point);
  writer.item(std::uint64_t{unit.counted.size()});
  for (const auto& [key, bytes] : unit.counted) {
    writer.item(key);
    writer.item(bytes);
  }
  return writer.take();
}

UnitMessage decode_unit(std::string_view bytes) {
  Reader reader(bytes);
  UnitMessage unit;
  head_fields(reader, unit);
  unit.points.resize(reader.length(kLeastPoint));
  for (UnitPoint& point : unit.points) point_fields(reader, point);
  unit.counted.resize(reader.length(kLeastModel));
  for (auto& [key, counted] : unit.counted) {
    reader.item(key);
    reader.item(counted);
  }
  reader.end();
  return unit;
}

std::string encode_positions(std::span<const std::uint64_t> positions) { return encode_items(positions); }

std::vector<std::uint64_t> decode_positions(std::string_view bytes) { return decode_items<std::uint64_t>(bytes); }

std::string encode_keys(std::span<const ContentKey> keys) { return encode_items(keys); }

std::vector<ContentKey> decode_keys(std::string_view bytes) { return decode_items<ContentKey>(bytes); }

std::string encode_found(const std::optional<std::string>& bytes) {
  Writer writer;
  if (bytes) writer.item(*bytes);
  return writer.take();
}

std::optional<std::string> decode_found(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  Reader reader(bytes);
  std::string found;
  reader.item(found);
  reader.end();
  return found;
}

std::string encode_failure(const std::optional<FailureMessage>& failure) {
  Writer writer;
  if (failure) {
    writer.item(failure->kind);
    writer.item(failure->text);
  }
  return writer.take();
}

std::optional<FailureMessage> decode_failure(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  Reader reader(bytes);
  FailureMessage failure;
  reader.item(failure.kind);
  reader.item(failure.text);
  reader.end();
  return failure;
}

FailureMessage current_failure() {
  constexpr std::size_t kLongest = 1000;
  const auto cut = [](const std::exception& error) { return std::string(error.what()).substr(0, kLongest); };
  try {
    throw;
  } catch (const InputError& error) {
    return {FailureKind::input, cut(error)};
  } catch (const BusyError& error) {
    return {FailureKind::unavailable, cut(error)};
  } catch (const std::bad_alloc&) {
    return {FailureKind::unavailable, "out of memory"};
  } catch (const std::exception& error) {
    return {FailureKind::fault, cut(error)};
  } catch (...) {
    return {FailureKind::fault, "an unknown error"};
  }
}

void throw_failure(std::string_view where, const FailureMessage& failure) {
  const std::string text = fmt::format("{}: {}", where, failure.text);
  switch (failure.kind) {
    case FailureKind::input:
      throw InputError(text);
    case FailureKind::unavailable:
      throw BusyError(text);
    case FailureKind::fault:
      break;
  }
  throw std::runtime_error(text);
}

}  // namespace upsweep

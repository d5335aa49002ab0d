#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// JSON of results into structs, and settings into JSON: what upsweep/commands.hpp needs. Standard library alone.
namespace upsweep::json {

/// A value whose form varies, as its JSON; empty where it is absent.
struct Text {
  std::string json = {};
};

/// Text that is no JSON, or not that of the struct it is read into.
class ReadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A parsed value: valid as long as the text that it was parsed from.
class Value {
 public:
  enum class Kind { null, boolean, number, text, array, object };

  /// Throws ReadError.
  static Value parse(std::string_view text) {
    Parser parser{text};
    Value value = parser.value(0);
    parser.skip_spaces();
    if (parser.at != text.size()) parser.fail("the end");
    return value;
  }

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] std::string_view raw() const { return raw_; }  ///< its JSON
  [[nodiscard]] bool is_true() const { return raw_ == "true"; }
  [[nodiscard]] const std::string& text() const { return text_; }                 ///< of a text
  [[nodiscard]] const std::vector<Value>& items() const { return items_; }        ///< of an array or object
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }  ///< of an object's items

  /// The item of an object; nullptr without.
  [[nodiscard]] const Value* find(std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return &items_[i];
    }
    return nullptr;
  }

 private:
  static constexpr int kMostDepth = 200;

  struct Parser {
    std::string_view all;
    std::size_t at = 0;

    [[noreturn]] void fail(const char* wanted) const {
      throw ReadError("JSON, character " + std::to_string(at + 1) + ": accepted is " + wanted);
    }
    void skip_spaces() {
      while (at < all.size() && (all[at] == ' ' || all[at] == '\n' || all[at] == '\t' || all[at] == '\r')) ++at;
    }
    [[nodiscard]] char next() const { return at < all.size() ? all[at] : '\0'; }
    bool take(char c) {
      skip_spaces();
      if (next() != c) return false;
      ++at;
      return true;
    }
    void word(std::string_view text) {
      if (all.substr(at, text.size()) != text) fail("null, true or false");
      at += text.size();
    }
    /// Neither "inf" nor "nan".
    [[nodiscard]] bool begins_number() const {
      const std::size_t digit = next() == '-' ? at + 1 : at;
      return digit < all.size() && all[digit] >= '0' && all[digit] <= '9';
    }
    unsigned hex() {
      unsigned code = 0;
      const char* begin = all.data() + at;
      if (all.size() - at < 4 || std::from_chars(begin, begin + 4, code, 16).ptr != begin + 4) fail("four hex digits");
      at += 4;
      return code;
    }
    void escape(std::string& to) {
      constexpr std::string_view kEscapes = "\"\\/bfnrt";
      constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
      const char c = next();
      ++at;
      if (const std::size_t place = kEscapes.find(c); c != '\0' && place != kEscapes.npos) {
        to += kMeant[place];
        return;
      }
      if (c != 'u') fail("an escape sequence");
      unsigned code = hex();
      if (code >= 0xd800 && code < 0xdc00 && all.substr(at, 2) == "\\u") {
        at += 2;
        const unsigned low = hex();
        if (low < 0xdc00 || low > 0xdfff) fail("the second half of a character before it");
        code = 0x10000 + ((code - 0xd800) << 10U) + (low - 0xdc00);
      }
      const auto add = [&to](unsigned byte) { to += static_cast<char>(byte); };
      if (code < 0x80) return add(code);
      if (code < 0x800) {
        add(0xc0 | code >> 6U);
      } else {
        if (code < 0x10000) {
          add(0xe0 | code >> 12U);
        } else {
          add(0xf0 | code >> 18U);
          add(0x80 | (code >> 12U & 0x3fU));
        }
        add(0x80 | (code >> 6U & 0x3fU));
      }
      add(0x80 | (code & 0x3fU));
    }
    std::string string() {
      if (!take('"')) fail("a text");
      std::string text;
      while (next() != '"') {
        if (at >= all.size()) fail("the end of a text");
        if (all[at] == '\\') {
          ++at;
          escape(text);
        } else {
          text += all[at++];
        }
      }
      ++at;
      return text;
    }
    void elements(Value& to, char end, int depth) {
      ++at;
      if (take(end)) return;
      do {
        if (end == '}') {
          to.names_.push_back(string());
          if (!take(':')) fail("a colon");
        }
        to.items_.push_back(value(depth + 1));
      } while (take(','));
      if (!take(end)) fail(end == '}' ? "a comma or }" : "a comma or ]");
    }
    Value value(int depth) {
      if (depth > kMostDepth) fail("fewer values inside each other");
      skip_spaces();
      const std::size_t begin = at;
      Value found;
      const char c = next();
      if (c == '{' || c == '[') {
        found.kind_ = c == '{' ? Kind::object : Kind::array;
        elements(found, c == '{' ? '}' : ']', depth);
      } else if (c == '"') {
        found.kind_ = Kind::text;
        found.text_ = string();
      } else if (c == 'n') {
        word("null");
      } else if (c == 't' || c == 'f') {
        found.kind_ = Kind::boolean;
        word(c == 't' ? "true" : "false");
      } else {
        if (!begins_number()) fail("a value");
        found.kind_ = Kind::number;
        double number = 0;
        const auto [end, error] = std::from_chars(all.data() + at, all.data() + all.size(), number);
        if (error == std::errc::invalid_argument) fail("a number");
        at = static_cast<std::size_t>(end - all.data());
      }
      found.raw_ = all.substr(begin, at - begin);
      return found;
    }
  };

  Kind kind_ = Kind::null;
  std::string_view raw_;
  std::string text_;
  std::vector<Value> items_;
  std::vector<std::string> names_;
};

/// Names a map in a struct's each_member(self, f), which calls f("name", member) of every member: it has all fields
/// whose names begin so.
struct Prefix {
  std::string_view text;
};

namespace detail {

struct AnyMember {
  template <class Name, class T>
  void operator()(const Name&, T&) const {}
};
template <class T, class = void>
struct HasMembers : std::false_type {};
template <class T>
struct HasMembers<T, std::void_t<decltype(T::each_member(std::declval<T&>(), AnyMember{}))>> : std::true_type {};

template <class T>
struct IsOptional : std::is_same<T, Text> {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

inline void require(const Value& value, Value::Kind kind, const char* wanted) {
  if (value.kind() != kind) throw ReadError(std::string(value.raw().substr(0, 40)) + " is no " + wanted);
}

template <class Number>
void read_number(const Value& value, Number& out) {
  require(value, Value::Kind::number, "number");
  const char* end = value.raw().data() + value.raw().size();
  const auto [read_to, error] = std::from_chars(value.raw().data(), end, out);
  if (read_to != end || error != std::errc()) throw ReadError(std::string(value.raw()) + " is no number of that type");
}

}  // namespace detail

inline void read(const Value& value, Text& out) { out.json = value.raw(); }
inline void read(const Value& value, std::int64_t& out) { detail::read_number(value, out); }
inline void read(const Value& value, double& out) { detail::read_number(value, out); }
inline void read(const Value& value, bool& out) {
  detail::require(value, Value::Kind::boolean, "true or false");
  out = value.is_true();
}
inline void read(const Value& value, std::string& out) {
  detail::require(value, Value::Kind::text, "text");
  out = value.text();
}
template <class T>
void read(const Value& value, std::optional<T>& out);
template <class T>
void read(const Value& value, std::vector<T>& out);
template <class T>
void read(const Value& value, std::map<std::string, T>& out);
template <class T, std::size_t count>
void read(const Value& value, std::array<T, count>& out);
template <class T>
std::enable_if_t<detail::HasMembers<T>::value> read(const Value& value, T& out);

template <class T>
void read(const Value& value, std::optional<T>& out) {
  if (value.kind() != Value::Kind::null) read(value, out.emplace());
}

template <class T>
void read(const Value& value, std::vector<T>& out) {
  detail::require(value, Value::Kind::array, "list");
  for (const Value& item : value.items()) {
    out.emplace_back();
    read(item, out.back());
  }
}

template <class T>
void read(const Value& value, std::map<std::string, T>& out) {
  detail::require(value, Value::Kind::object, "object");
  for (std::size_t i = 0; i < value.items().size(); ++i) read(value.items()[i], out[value.names()[i]]);
}

template <class T, std::size_t count>
void read(const Value& value, std::array<T, count>& out) {
  detail::require(value, Value::Kind::array, "list");
  if (value.items().size() != count) throw ReadError("a list has another length");
  for (std::size_t i = 0; i < count; ++i) read(value.items()[i], out[i]);
}

/// Fields of an object by name, for each_member(); others are left alone, since later versions may have more.
struct MemberReader {
  const Value& object;

  template <class T>
  void operator()(const char* name, T& member) const {
    if (const Value* item = object.find(name)) {
      read(*item, member);
    } else if constexpr (!detail::IsOptional<T>::value) {
      throw ReadError(std::string("an object has no field ") + name);
    }
  }
  template <class T>
  void operator()(Prefix prefix, std::map<std::string, T>& members) const {
    for (std::size_t i = 0; i < object.items().size(); ++i) {
      const std::string& name = object.names()[i];
      if (name.compare(0, prefix.text.size(), prefix.text) == 0) read(object.items()[i], members[name]);
    }
  }
};

template <class T>
std::enable_if_t<detail::HasMembers<T>::value> read(const Value& value, T& out) {
  detail::require(value, Value::Kind::object, "object");
  T::each_member(out, MemberReader{value});
}

/// A struct of upsweep/commands.hpp from JSON. Throws ReadError.
template <class T>
[[nodiscard]] T read(std::string_view json) {
  T out;
  read(Value::parse(json), out);
  return out;
}

/// A text as JSON.
[[nodiscard]] inline std::string in_quotes(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      json += c;
    } else {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      json += code.data();
    }
  }
  return json + '"';
}

[[nodiscard]] inline std::string written(const std::string& text) { return in_quotes(text); }
[[nodiscard]] inline std::string written(bool value) { return value ? "true" : "false"; }
[[nodiscard]] inline std::string written(std::int64_t value) { return std::to_string(value); }
/// With as many digits as tell it from others.
[[nodiscard]] inline std::string written(double value) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

/// Settings of a command as an object, without those that are not given.
class Settings {
 public:
  template <class T>
  void add(const char* name, const std::optional<T>& value) {
    if (value) put(name, written(*value));
  }
  void add(const char* name, bool is_set) {
    if (is_set) put(name, "true");
  }
  void add(const char* name, const std::vector<std::string>& values) {
    if (values.empty()) return;
    std::string list;
    for (const std::string& value : values) list += (list.empty() ? "[" : ", ") + in_quotes(value);
    put(name, list + ']');
  }
  [[nodiscard]] std::string json() const { return '{' + members_ + '}'; }

 private:
  void put(const char* name, const std::string& value) {
    members_ += (members_.empty() ? "" : ", ") + in_quotes(name) + ": " + value;
  }

  std::string members_;
};

}  // namespace upsweep::json

#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "upsweep/base/error.hpp"

namespace upsweep {

/// A YAML value with its place in the file. Read it with YamlMap and the functions below, which name that place in
/// errors.
struct YamlNode {
  enum class Kind : std::uint8_t { null, scalar, sequence, mapping };

  Kind kind = Kind::null;
  bool quoted = false;  ///< a scalar in quotes, or tagged: text and nothing else
  int line = 0;         ///< 1-based
  std::string text;     ///< of a scalar
  /// Elements of a sequence; key, value, key, value, ... of a mapping. An alias shares its anchor's node.
  std::vector<std::shared_ptr<const YamlNode>> children;
};

/// A parsed file.
struct YamlDocument {
  std::string file;  ///< as it is named in errors
  std::shared_ptr<const YamlNode> root;

  /// The error "FILE:LINE: message" at a node.
  [[nodiscard]] InputError error(const YamlNode& at, const std::string& message) const {
    return {file, at.line, message};
  }
  /// What `work` gives; an Error that it throws becomes one at a node, `before` its text.
  template <class Error = std::invalid_argument, class Work>
  auto at(const YamlNode& node, const Work& work, const std::string& before = "") const {
    try {
      return work();
    } catch (const Error& wrong) {
      throw error(node, before + wrong.what());
    }
  }
};

/// Parses one YAML document (JSON is YAML). `file` stands for it in errors.
///
/// Throws InputError for bad syntax, repeated keys, keys that are no scalars, a second document, nesting deeper than
/// 64, an alias to what contains it, and aliases that would expand the document to more than a million nodes.
[[nodiscard]] YamlDocument parse_yaml(std::istream& in, const std::string& file);

/// Reads a YAML file. Throws InputError; also where `path` is no regular file or larger than 256 MiB.
[[nodiscard]] YamlDocument read_yaml(const std::string& path);

/// "a mapping", "the number-like text '3x'", ...: what was found, for errors.
[[nodiscard]] std::string describe(const YamlNode& node);

// Scalars by type. Each throws InputError at the node: `what` is wrong, what was found, what is accepted.

/// Text of at most 64 KiB; a plain number or boolean counts as text, too.
[[nodiscard]] std::string yaml_text(const YamlDocument& document, const YamlNode& node, const std::string& what);
/// A decimal integer of at least `least` and at most `most`.
[[nodiscard]] std::uint64_t yaml_integer(const YamlDocument& document, const YamlNode& node, const std::string& what,
                                         std::uint64_t least = 0, std::uint64_t most = ~std::uint64_t{0});
/// A finite number.
[[nodiscard]] double yaml_number(const YamlDocument& document, const YamlNode& node, const std::string& what);
/// The elements of a list that has some; `element` names one of them.
[[nodiscard]] const std::vector<std::shared_ptr<const YamlNode>>& yaml_list(const YamlDocument& document,
                                                                            const YamlNode& node,
                                                                            const std::string& what,
                                                                            const std::string& element);
/// Bytes of a value: 4 for fp32, 8 for fp64, and 4 without a node.
[[nodiscard]] unsigned yaml_value_bytes(const YamlDocument& document, const YamlNode* node);

class ContentHash;

/// Adds what a node says, without comments and layout.
void add_content(const YamlNode& node, ContentHash& hash);

/// true or false.
[[nodiscard]] bool yaml_boolean(const YamlDocument& document, const YamlNode& node, const std::string& what);

/// Strict reader of one mapping: every key that is not asked for is an error.
class YamlMap {
 public:
  /// `what` names the mapping in errors ("conv2d 'conv1'"). Throws InputError when `node` is no mapping.
  YamlMap(const YamlDocument& document, const YamlNode& node, std::string what);

  /// The value of an optional key, or null; marks the key as known.
  [[nodiscard]] const YamlNode* find(const std::string& key);
  /// The value of a required key. Throws InputError at the mapping when it is missing.
  [[nodiscard]] const YamlNode& require(const std::string& key);
  // The value of a required key by its type, named in errors by name().
  [[nodiscard]] std::string text(const std::string& key) { return yaml_text(document_, require(key), name(key)); }
  [[nodiscard]] double number(const std::string& key) { return yaml_number(document_, require(key), name(key)); }
  [[nodiscard]] std::uint64_t integer(const std::string& key, std::uint64_t least = 0,
                                      std::uint64_t most = ~std::uint64_t{0}) {
    return yaml_integer(document_, require(key), name(key), least, most);
  }
  // The same of an optional key; nothing without it.
  [[nodiscard]] std::optional<std::string> find_text(const std::string& key);
  [[nodiscard]] std::optional<double> find_number(const std::string& key);
  [[nodiscard]] std::optional<bool> find_boolean(const std::string& key);
  [[nodiscard]] std::optional<std::uint64_t> find_integer(const std::string& key, std::uint64_t least = 0,
                                                          std::uint64_t most = ~std::uint64_t{0});
  /// The text of the optional key `name`, else the name of the file without folder and ending.
  [[nodiscard]] std::string name_or_stem();
  /// Throws InputError at the first key that was never asked for, and lists the accepted ones.
  void finish() const;

  [[nodiscard]] const YamlDocument& document() const { return document_; }
  [[nodiscard]] const YamlNode& node() const { return node_; }
  /// "key of what", for errors about a value.
  [[nodiscard]] std::string name(const std::string& key) const { return key + " of " + what_; }

 private:
  const YamlDocument& document_;
  const YamlNode& node_;
  std::string what_;
  std::vector<std::string> asked_;
};

}  // namespace upsweep

#include "upsweep/io/yaml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ios>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "foreign_file.hpp"
#include "quoted.hpp"
#include "regular_file.hpp"
#include "upsweep/io/content_hash.hpp"
#include "yaml_choice.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kMaxExpandedNodes = 1'000'000;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxTextBytes = 64 << 10;  // of a name or note, which is printed

/// Builds the tree from the parser's events; yaml-cpp's own tree is several times larger and slower.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& file) : file_(file) {}

  [[nodiscard]] std::shared_ptr<const YamlNode> root() const { return root_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(leaf(YamlNode::Kind::null, mark), 1, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto target = anchors_.find(anchor);
    if (target == anchors_.end()) {
      throw InputError(file_, mark.line + 1,
                       "an alias to a value that contains it, accepted are aliases to finished values");
    }
    expanded_ += target->second.nodes;
    if (expanded_ > kMaxExpandedNodes) {
      throw InputError(
          file_, mark.line + 1,
          fmt::format("aliases expand the document by more than {} values, accepted are fewer", kMaxExpandedNodes));
    }
    add(target->second.node, target->second.nodes, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    auto node = leaf(YamlNode::Kind::scalar, mark);
    node->text = value;
    node->quoted = tag != "?" && !tag.empty();
    // A plain scalar that means null.
    if (!node->quoted && (value.empty() || value == "~" || value == "null" || value == "Null" || value == "NULL"))
      node->kind = YamlNode::Kind::null;
    // A long text counts as the values that its bytes could be.
    constexpr std::size_t kBytesOfAValue = 64;
    const std::uint64_t values = 1 + value.size() / kBytesOfAValue;
    add(std::move(node), values, anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::sequence, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::mapping, mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    std::shared_ptr<YamlNode> node;
    YAML::anchor_t anchor;
    std::uint64_t nodes;                   // with aliases expanded
    std::unordered_set<std::string> keys;  // of a mapping
  };
  struct Anchored {
    std::shared_ptr<const YamlNode> node;
    std::uint64_t nodes;
  };

  static std::shared_ptr<YamlNode> leaf(YamlNode::Kind kind, const YAML::Mark& mark) {
    auto node = std::make_shared<YamlNode>();
    node->kind = kind;
    node->line = mark.line + 1;
    return node;
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (open_.size() >= kMaxDepth)
      throw InputError(file_, mark.line + 1, fmt::format("values nest deeper than {}, accepted is less", kMaxDepth));
    open_.push_back({leaf(kind, mark), anchor, 1, {}});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.node), done.nodes, done.anchor);
  }

  void add(std::shared_ptr<const YamlNode> node, std::uint64_t nodes, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = {node, nodes};
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    const bool is_key = parent.node->kind == YamlNode::Kind::mapping && parent.node->children.size() % 2 == 0;
    if (is_key) check_key(parent, *node);
    parent.nodes += nodes;
    parent.node->children.push_back(std::move(node));
  }

  void check_key(Open& parent, const YamlNode& key) const {
    if (key.kind != YamlNode::Kind::scalar)
      throw InputError(file_, key.line, fmt::format("a key is {}, accepted is text", describe(key)));
    if (!parent.keys.insert(key.text).second) {
      throw InputError(file_, key.line,
                       fmt::format("key '{}' stands here for the second time, accepted is once", excerpt(key.text)));
    }
  }

  const std::string& file_;
  std::shared_ptr<const YamlNode> root_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  std::uint64_t expanded_ = 0;
};

/// The whole text as a number of type T, or nothing.
template <class T>
std::optional<T> parse_whole(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::scalar || node.quoted || node.text.empty()) return std::nullopt;
  T value{};
  const char* end = node.text.data() + node.text.size();
  const auto [stop, error] = std::from_chars(node.text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(const YamlDocument& document, const YamlNode& node, const std::string& what,
                         const std::string& accepted) {
  throw document.error(node, fmt::format("{} is {}, accepted is {}", what, describe(node), accepted));
}

/// Whether the text is valid UTF-8 without control characters.
bool is_printable_utf8(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                                                             : 0;
    if (length == 0 || i + length > text.size() || lead < 0x20 || lead == 0x7f) return false;
    std::uint32_t code = lead & (length == 1 ? 0x7fU : 0xffU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0U) != 0x80) return false;
      code = code << 6 | (next & 0x3fU);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool control = code >= 0x80 && code < 0xa0;
    if (overlong || control || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) return false;
    i += length;
  }
  return true;
}

}  // namespace

std::string excerpt(const std::string& text) {
  constexpr std::size_t kMost = 60;
  std::string out;
  for (const char c : text.substr(0, kMost)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  if (text.size() > kMost) out += "...";
  return out;
}

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "empty";
    case YamlNode::Kind::scalar:
      return node.quoted ? fmt::format("the text '{}'", excerpt(node.text)) : fmt::format("'{}'", excerpt(node.text));
    case YamlNode::Kind::sequence:
      return fmt::format("a list of {}", node.children.size());
    case YamlNode::Kind::mapping:
      return "a mapping";
  }
  return "unknown";
}

YamlDocument parse_yaml(std::istream& in, const std::string& file) {
  YamlDocument document{file, nullptr};
  try {
    static_cast<void>(in.rdbuf()->sgetc());  // fails here, not in a constructor of yaml-cpp, which leaks then
    YAML::Parser parser(in);
    TreeBuilder builder(file);
    if (!parser.HandleNextDocument(builder) || builder.root() == nullptr)
      throw InputError(file, 1, "the file is empty, accepted is a YAML mapping");
    document.root = builder.root();
    TreeBuilder second(file);
    if (parser.HandleNextDocument(second) && second.root() != nullptr) {
      throw InputError(file, second.root()->line, "a second document starts here, accepted is one");
    }
  } catch (const std::ios_base::failure& error) {
    throw InputError(
        fmt::format("{}: cannot be read to its end: {}, accepted is a file that can", file, error.code().message()));
  } catch (const YAML::Exception& error) {
    throw InputError(file, std::max(0, error.mark.line) + 1,
                     fmt::format("bad YAML syntax: {}, accepted is YAML 1.2", excerpt(error.msg)));
  }
  return document;
}

YamlDocument read_yaml(const std::string& path) {
  RegularFile file = open_regular_file(path, "a YAML file");
  if (file.length > kMaxFileBytes) {
    throw InputError(
        fmt::format("{}: the file has {} bytes, accepted are at most {}", path, file.length, kMaxFileBytes));
  }
  if (const std::string other = foreign_file(file.stream); !other.empty())
    throw InputError(fmt::format("{}: it is {}; accepted is a YAML file", path, other));
  return parse_yaml(file.stream, path);
}

std::string yaml_text(const YamlDocument& document, const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::scalar || node.text.empty()) refuse(document, node, what, "text");
  if (!is_printable_utf8(node.text)) refuse(document, node, what, "UTF-8 text without control characters");
  if (node.text.size() > kMaxTextBytes) {
    throw document.error(
        node, fmt::format("{} is a text of {} bytes, accepted are at most {}", what, node.text.size(), kMaxTextBytes));
  }
  return node.text;
}

std::uint64_t yaml_integer(const YamlDocument& document, const YamlNode& node, const std::string& what,
                           std::uint64_t least, std::uint64_t most) {
  const auto value = parse_whole<std::uint64_t>(node);
  if (!value || *value < least || *value > most) {
    refuse(document, node, what,
           most == ~std::uint64_t{0} ? fmt::format("an integer of at least {}", least)
                                     : fmt::format("an integer from {} to {}", least, most));
  }
  return *value;
}

double yaml_number(const YamlDocument& document, const YamlNode& node, const std::string& what) {
  const auto value = parse_whole<double>(node);
  if (!value || !std::isfinite(*value)) refuse(document, node, what, "a finite number");
  return *value;
}

const std::vector<std::shared_ptr<const YamlNode>>& yaml_list(const YamlDocument& document, const YamlNode& node,
                                                              const std::string& what, const std::string& element) {
  if (node.kind != YamlNode::Kind::sequence || node.children.empty())
    refuse(document, node, what, "a list of at least one " + element);
  return node.children;
}

unsigned yaml_value_bytes(const YamlDocument& document, const YamlNode* node) {
  if (node == nullptr) return 4;
  return yaml_choice(document, *node, "dtype", {"fp32", "fp64"}) == 0 ? 4 : 8;
}

void add_content(const YamlNode& node, ContentHash& hash) {
  hash.add(node.kind == YamlNode::Kind::scalar ? "scalar" : "collection", node.text);
  for (const auto& child : node.children) add_content(*child, hash);
  hash.add("end", "");
}

bool yaml_boolean(const YamlDocument& document, const YamlNode& node, const std::string& what) {
  const bool plain = node.kind == YamlNode::Kind::scalar && !node.quoted;
  if (plain && (node.text == "true" || node.text == "True")) return true;
  if (plain && (node.text == "false" || node.text == "False")) return false;
  refuse(document, node, what, "true or false");
}

}  // namespace upsweep

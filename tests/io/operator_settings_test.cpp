#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <variant>

#include "upsweep/io/model_file.hpp"

namespace upsweep::operator_settings_test {
namespace {

/// Fills the required settings with values that fit an input [4, 8, 8] or [8], and counts all of them: sizes along two
/// axes are two.
class Filler {
 public:
  void required(const char*, std::uint64_t& field) { field = 4, ++count; }
  void required(const char*, Shape& field) { field = {4, 8, 8}, ++count; }
  void required(const char*, IndexList&) { ++count; }
  void required(const char*, PerAxis& field) { field = {3, 3}, count += 2; }
  void setting(const char*, const PerAxis&, const auto&...) { count += 2; }
  void setting(const char*, const auto&, const auto&...) { ++count; }
  void setting_or(const char*, PerAxis& field, const PerAxis& other) { field = other, count += 2; }
  void choice(const char*, const auto&, std::initializer_list<const char*>) { ++count; }
  void ignored(const char*, const auto&, const auto&...) {}
  void only(const char*, const char*, const char*) {}
  void input_size(const char*) {}

  int count = 0;
};

/// Changes one setting, by its number, to another value that is accepted.
class Changer {
 public:
  explicit Changer(int number) : left_(number) {}

  void required(const char*, auto& field) { change(field); }
  void setting(const char*, auto& field, const auto&...) { change(field); }
  void setting_or(const char*, auto& field, const auto&) { change(field); }
  void choice(const char*, auto& field, std::initializer_list<const char*>) { change(field); }
  void ignored(const char*, const auto&, const auto&...) {}
  void only(const char*, const char*, const char*) {}
  void input_size(const char*) {}

 private:
  void change(PerAxis& field) { change(field.y), change(field.x); }
  void change(auto& field) {
    if (left_-- == 0) next(field);
  }
  static void next(std::uint64_t& field) { field = field < 2 ? field + 1 : field == 3 ? 2 : 2 * field; }
  template <class Choice>
  requires std::is_enum_v<Choice>
  static void next(Choice& field) { field = static_cast<Choice>(static_cast<int>(field) + 1); }
  static void next(Shape& field) { field.push_back(1); }
  static void next(IndexList&) {}
  static void next(bool& field) { field = !field; }
  static void next(double& field) { field += 1e-9; }
  static void next(std::optional<std::uint64_t>& field) { field = 7; }

  int left_;
};

enum class Write { needed, all, with_ignored };

/// Writes settings as a model file has them.
class Writer {
 public:
  explicit Writer(Write what) : what_(what) {}

  void required(const char* key, const auto& field) { write(key, field); }
  void setting(const char* key, const auto& field, const auto&...) { write_if(Write::all, key, field); }
  void setting_or(const char* key, const auto& field, const auto&) { write_if(Write::all, key, field); }
  void choice(const char* key, const auto& field, std::initializer_list<const char*> texts) {
    write_if(Write::all, key, std::string(texts.begin()[static_cast<std::size_t>(field)]));
  }
  void ignored(const char* key, bool value) { write_if(Write::with_ignored, key, !value); }
  void ignored(const char* key, double value, const auto&...) { write_if(Write::with_ignored, key, value / 2); }
  void only(const char* key, const char* text, const char*) { write_if(Write::with_ignored, key, std::string(text)); }
  void input_size(const char*) {}

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void write_if(Write least, const char* key, const auto& value) {
    if (what_ >= least) write(key, value);
  }
  void write(const char* key, const auto& value) { text_ += fmt::format(", {}: {}", key, value); }
  void write(const char* key, const Shape& value) { write(key, to_string(value)); }
  void write(const char* key, const IndexList& value) { write(key, value.digest()); }
  void write(const char* key, const PerAxis& value) { write(key, fmt::format("[{}, {}]", value.y, value.x)); }
  void write(const char* key, const std::optional<std::uint64_t>& value) {
    write(key, value ? std::to_string(*value) : "null");
  }

  Write what_;
  std::string text_;
};

/// Kinds each of whose settings can change on its own, at an input [4, 8, 8] or [8]; of the others sizes must agree.
std::vector<std::string> independent_kinds() {
  std::vector<std::string> names = operator_kinds();
  std::erase_if(names, [](const std::string& name) {
    return std::set<std::string>{"reshape", "index_map", "matmul", "recurrence", "conv_transpose2d", "interpolation"}
        .contains(name);
  });
  return names;
}

template <class Visitor>
Visitor visited(OperatorKind& kind, Visitor visitor) {
  std::visit([&](auto& k) { k.settings(k, visitor); }, kind);
  return visitor;
}

std::string model_text(OperatorKind kind, Write what) {
  std::string settings = "name: op" + visited(kind, Writer(what)).text();
  if (is_join(kind) || std::holds_alternative<Pairwise>(kind)) settings += ", inputs: [input, before]";
  return fmt::format("input: {}\noperators:\n  - relu: {{name: before}}\n  - {}: {{{}}}\n",
                     structure_of(kind) == Structure::contraction ? "[8]" : "[4, 8, 8]", kind_name(kind), settings);
}

std::string content_hash(const OperatorKind& kind, Write what = Write::all) {
  std::istringstream in(model_text(kind, what));
  return load_network(parse_yaml(in, "model.yaml"), Numbers::structure).content_hash;
}

OperatorKind filled(const std::string& name) {
  OperatorKind kind = *find_kind(name);
  visited(kind, Filler());
  return kind;
}

TEST(OperatorSettings, EachChangesTheContentHash) {
  std::set<std::string> hashes;
  std::size_t models = 0;
  for (const std::string& name : independent_kinds()) {
    OperatorKind kind = *find_kind(name);
    const int settings = visited(kind, Filler()).count;
    for (int changed = -1; changed < settings; ++changed) {
      OperatorKind other = kind;
      if (changed >= 0) visited(other, Changer(changed));
      hashes.insert(content_hash(other));
      ++models;
      EXPECT_EQ(hashes.size(), models) << model_text(other, Write::all);
    }
  }
  EXPECT_GE(models, 50U);
}

TEST(OperatorSettings, OfOneMeaningHaveOneContentHash) {
  for (const std::string& name : independent_kinds()) {
    const OperatorKind kind = filled(name);
    EXPECT_EQ(content_hash(kind, Write::needed), content_hash(kind)) << model_text(kind, Write::all);
    EXPECT_EQ(content_hash(kind, Write::with_ignored), content_hash(kind)) << model_text(kind, Write::with_ignored);
  }
}

TEST(OperatorSettings, AreReadAsTheyAreWritten) {
  for (const std::string& name : independent_kinds()) {
    OperatorKind kind = *find_kind(name);
    const int settings = visited(kind, Filler()).count;
    for (int changed = 0; changed < settings; ++changed) {
      OperatorKind other = kind;
      visited(other, Changer(changed));
      std::istringstream in(model_text(other, Write::all));
      const Model model = load_network(parse_yaml(in, "model.yaml"), Numbers::structure);
      EXPECT_EQ(canonical_text(model.network.operators().back().kind), canonical_text(other));
    }
  }
}

}  // namespace
}  // namespace upsweep::operator_settings_test

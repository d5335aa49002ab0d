#include "upsweep/io/model_writer.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <variant>
#include <vector>

#include "replace_file.hpp"
#include "upsweep/io/own_file.hpp"
#include "weight_arrays.hpp"

namespace upsweep {
namespace {

/// Where lists of element numbers are kept, by their digests.
struct IndexNames {
  std::string file;
  std::map<std::string, std::string> name_of;
};

/// Writes the settings that have a meaning into the mapping at hand; see settings.hpp.
class SettingsWriter {
 public:
  SettingsWriter(YAML::Emitter& out, const IndexNames& indices) : out_(out), indices_(indices) {}

  void required(const char* key, const auto& field) { write(key, field); }
  void setting(const char* key, const auto& field, const auto&...) { write(key, field); }
  void setting_or(const char* key, const auto& field, const auto&) { write(key, field); }
  void choice(const char* key, const auto& field, std::initializer_list<const char*> texts) {
    out_ << YAML::Key << key << YAML::Value << texts.begin()[static_cast<std::size_t>(field)];
  }
  void ignored(const char*, const auto&, const auto&...) {}
  void only(const char*, const char*, const char*) {}
  void input_size(const char*) {}

 private:
  void write(const char* key, const auto& value) {
    out_ << YAML::Key << key << YAML::Value;
    emit(value);
  }
  void emit(const PerAxis& value) { list(std::initializer_list<std::uint64_t>{value.y, value.x}); }
  void emit(const Shape& value) { list(value); }
  void emit(const IndexList& value) {
    out_ << YAML::Flow << YAML::BeginMap << YAML::Key << "file" << YAML::Value << YAML::DoubleQuoted << indices_.file;
    out_ << YAML::Key << "array" << YAML::Value << indices_.name_of.at(value.digest()) << YAML::EndMap;
  }
  void emit(const std::optional<std::uint64_t>& value) { value ? out_ << *value : out_ << YAML::Null; }
  void emit(double value) { out_ << fmt::format("{}", value); }  // the shortest text that reads back to it
  void emit(bool value) { out_ << (value ? "true" : "false"); }
  void emit(std::uint64_t value) { out_ << value; }
  void list(const auto& values) {
    out_ << YAML::Flow << YAML::BeginSeq;
    for (const std::uint64_t value : values) out_ << value;
    out_ << YAML::EndSeq;
  }

  YAML::Emitter& out_;
  const IndexNames& indices_;
};

/// Names that a model file accepts, by operator: each once.
std::vector<std::string> file_names(const Network& network) {
  std::vector<std::string> names;
  std::set<std::string> taken = {kInputName};
  for (const Operator& op : network.operators()) {
    std::string name = op.name;
    std::ranges::replace_if(
        name, [](char c) { return c == '/' || c == '\\'; }, '.');
    const std::string wanted = name;
    for (int copy = 2; !taken.insert(name).second; ++copy) name = fmt::format("{}_{}", wanted, copy);
    names.push_back(std::move(name));
  }
  return names;
}

/// Arrays under names as the safetensors format has them: the length of a JSON header as eight bytes, the header, data.
/// Source: the format's specification, github.com/huggingface/safetensors.
class Arrays {
 public:
  void add(const std::string& name, const Shape& shape, const char* type, std::span<const std::byte> data) {
    std::string sizes;
    for (const std::uint64_t size : shape) sizes += fmt::format("{}{}", sizes.empty() ? "" : ",", size);
    YAML::Emitter quoted;  // a JSON text, too
    quoted << YAML::DoubleQuoted << name;
    header_ += fmt::format(R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", header_.empty() ? "" : ",",
                           quoted.c_str(), type, sizes, data_.size(), data_.size() + data.size());
    data_.append(reinterpret_cast<const char*>(data.data()), data.size());
  }
  /// In single precision where that loses nothing.
  void add(const std::string& name, const Shape& shape, const std::vector<double>& values) {
    const std::vector<float> rounded(values.begin(), values.end());
    const bool is_exact = std::ranges::equal(values, rounded, [](double a, float b) { return a == double{b}; });
    if (is_exact) {
      add(name, shape, "F32", std::as_bytes(std::span(rounded)));
    } else {
      add(name, shape, "F64", std::as_bytes(std::span(values)));
    }
  }
  [[nodiscard]] bool empty() const { return header_.empty(); }
  [[nodiscard]] std::string text() const {
    static_assert(std::endian::native == std::endian::little);
    const std::string header = fmt::format("{{{},{}}}", kArraysMark, header_);
    const std::uint64_t length = header.size();
    std::string text(sizeof length, '\0');
    std::memcpy(text.data(), &length, sizeof length);
    return text + header + data_;
  }

 private:
  std::string header_;
  std::string data_;
};

/// Numbers of a weight in the order in which files have them.
template <class T>
std::vector<T> stored_order(const std::vector<T>& weight, const StoredWeight& stored) {
  if (stored.order.empty()) return weight;
  std::vector<T> sorted(weight.size());
  for (std::size_t i = 0; i < weight.size(); ++i) sorted[stored.order[i]] = weight[i];
  return sorted;
}

void add_values(const std::string& name, const Operator& op, const OperatorWeights& weights, Arrays& arrays) {
  const OperatorParameters parameters = parameters_of(op.kind, op.in_shape);
  const auto vector = [&](const std::string& suffix, const std::vector<double>& values) {
    if (!values.empty()) arrays.add(name + suffix, {values.size()}, values);
  };
  if (parameters.weight) {
    const StoredWeight stored = stored_weight(op);
    arrays.add(name, stored.shape, stored_order(weights.values, stored));
  } else {
    vector("", weights.values);
  }
  vector(".bias", weights.bias);
  vector(".running_mean", weights.running_mean);
  vector(".running_var", weights.running_var);
}

Arrays arrays_of(const Model& model, const std::vector<std::string>& names, bool with_values) {
  Arrays arrays;
  const bool is_pruned =
      std::ranges::any_of(model.weights, [](const OperatorWeights& weights) { return !weights.kept.empty(); });
  if (!with_values && !is_pruned) return arrays;
  for (std::size_t o = 0; o < names.size(); ++o) {
    const Operator& op = model.network.operators()[o];
    const OperatorParameters parameters = parameters_of(op.kind, op.in_shape);
    if (with_values) {
      add_values(names[o], op, model.weights[o], arrays);
    } else if (parameters.weight) {
      std::vector<std::uint8_t> kept = model.weights[o].kept;
      if (kept.empty()) kept.assign(elements(*parameters.weight), 1);
      const StoredWeight stored = stored_weight(op);
      kept = stored_order(kept, stored);
      arrays.add(names[o], stored.shape, "U8", std::as_bytes(std::span(kept)));
    }
  }
  return arrays;
}

/// Adds the lists of index maps, equal ones once.
void add_indices(const Network& network, const std::set<std::string>& taken, Arrays& arrays, IndexNames& indices) {
  for (const Operator& op : network.operators()) {
    const IndexMap* map = std::get_if<IndexMap>(&op.kind);
    if (map == nullptr) continue;
    const auto [found, is_new] = indices.name_of.try_emplace(map->indices.digest());
    if (!is_new) continue;
    for (std::size_t k = indices.name_of.size(); found->second.empty() || taken.contains(found->second); ++k)
      found->second = fmt::format("indices.{}", k);
    std::vector<std::int32_t> narrow;
    std::vector<std::int64_t> wide;
    for (const std::uint32_t number : *map->indices.numbers)
      wide.push_back(number == IndexMap::kFill ? -1 : std::int64_t{number});
    const bool fits = std::ranges::max(wide) <= std::numeric_limits<std::int32_t>::max();
    if (fits) narrow.assign(wide.begin(), wide.end());
    arrays.add(found->second, {wide.size()}, fits ? "I32" : "I64",
               fits ? std::as_bytes(std::span(narrow)) : std::as_bytes(std::span(wide)));
  }
}

void emit_operator(const Network& network, std::size_t o, const std::vector<std::string>& names,
                   const IndexNames& indices, YAML::Emitter& out) {
  const Operator& op = network.operators()[o];
  out << YAML::Flow << YAML::BeginMap << YAML::Key << kind_name(op.kind) << YAML::Value << YAML::Flow << YAML::BeginMap;
  out << YAML::Key << "name" << YAML::Value << YAML::DoubleQuoted << names[o];
  const std::vector<std::size_t>& inputs = network.inputs_of(o);
  if (inputs != std::vector{o == 0 ? kNetworkInput : o - 1}) {
    out << YAML::Key << "inputs" << YAML::Value << YAML::Flow << YAML::BeginSeq;
    for (const std::size_t input : inputs)
      out << YAML::DoubleQuoted << (input == kNetworkInput ? kInputName : names[input]);
    out << YAML::EndSeq;
  }
  SettingsWriter settings(out, indices);
  std::visit([&](const auto& kind) { kind.settings(kind, settings); }, op.kind);
  out << YAML::EndMap << YAML::EndMap;
}

}  // namespace

std::string arrays_beside(const std::string& path) {
  return std::filesystem::path(path).replace_extension(".safetensors").string();
}

WrittenModel write_model(const Model& model, bool with_values, const std::string& path) {
  const Network& network = model.network;
  const std::vector<std::string> names = file_names(network);
  WrittenModel written;
  written.operators = names.size();
  Arrays arrays = arrays_of(model, names, with_values);
  const bool has_weights = !arrays.empty();
  const std::string beside = arrays_beside(path);
  const std::string beside_name = std::filesystem::path(beside).filename().string();
  IndexNames indices{beside_name, {}};
  add_indices(network, {names.begin(), names.end()}, arrays, indices);
  YAML::Emitter out;
  out << YAML::BeginMap << YAML::Key << "name" << YAML::Value << YAML::DoubleQuoted << model.name;
  out << YAML::Key << "input" << YAML::Value << YAML::Flow << YAML::BeginSeq;
  for (const std::uint64_t size : network.input()) out << size;
  out << YAML::EndSeq << YAML::Key << "dtype" << YAML::Value << (model.value_bytes == 4 ? "fp32" : "fp64");
  if (!arrays.empty()) {
    const std::string text = arrays.text();
    replace_file(beside, text);
    written.arrays = beside;
    written.bytes = text.size();
  }
  if (has_weights) {
    out << YAML::Key << "weights" << YAML::Value << YAML::Flow << YAML::BeginMap << YAML::Key
        << (with_values ? "values" : "masks") << YAML::Value << YAML::DoubleQuoted << beside_name << YAML::EndMap;
  }
  out << YAML::Key << "operators" << YAML::Value << YAML::BeginSeq;
  for (std::size_t o = 0; o < names.size(); ++o) emit_operator(network, o, names, indices, out);
  out << YAML::EndSeq << YAML::EndMap;
  const std::string text = std::string(kModelMark) + out.c_str() + "\n";
  replace_file(path, text);
  written.bytes += text.size();
  return written;
}

}  // namespace upsweep

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "importer.hpp"

namespace upsweep {
namespace {

/// A name that model files may have: without slashes.
std::string clean_name(std::string name) {
  std::ranges::replace(name, '/', '.');
  std::ranges::replace(name, '\\', '.');
  const std::size_t first = name.find_first_not_of('.');
  return first == std::string::npos ? "" : name.substr(first);
}

std::uint64_t count_of(const NetworkBuilder& builder, const std::vector<std::string>& sources) {
  std::uint64_t count = 0;
  for (const std::string& name : sources) count += elements(builder.shape_of(name));
  return count;
}

/// Appends the elements of `input` to `elements_so_far`, by number among the sources of `result`, to which those of
/// `input` are added.
void add_elements(const NetworkBuilder& builder, const OnnxValue& input, OnnxValue& result,
                  std::vector<std::uint32_t>& elements_so_far) {
  std::vector<std::uint32_t> shift;  // by source: where it begins among the result's, less where among the input's
  std::vector<std::uint64_t> end;
  for (const std::string& name : input.sources) {
    std::uint64_t first = 0;
    std::size_t k = 0;
    for (; k < result.sources.size() && result.sources[k] != name; ++k)
      first += elements(builder.shape_of(result.sources[k]));
    if (k == result.sources.size()) result.sources.push_back(name);
    const std::uint64_t begin = end.empty() ? 0 : end.back();
    shift.push_back(static_cast<std::uint32_t>(first - begin));
    end.push_back(begin + elements(builder.shape_of(name)));
  }
  const std::uint64_t count = elements(input.dims);
  for (std::uint64_t e = 0; e < count; ++e) {
    const std::uint32_t from = input.map ? (*input.map)[e] : static_cast<std::uint32_t>(e);
    if (from == IndexMap::kFill) {
      elements_so_far.push_back(from);
      continue;
    }
    const auto at = static_cast<std::size_t>(std::ranges::upper_bound(end, from) - end.begin());
    elements_so_far.push_back(from + shift[at]);
  }
}

/// The constants that `from` takes, by element of its result; 0 where it takes an activation or nothing. `element` as
/// add_elements() makes it; empty without `constants`.
std::vector<double> constants_taken(const std::vector<std::uint32_t>& from, const std::vector<std::uint32_t>& element,
                                    std::vector<double> constants) {
  std::vector<double> taken;
  if (constants.empty()) return taken;
  constants.resize(element.size());
  for (const std::uint32_t e : from)
    taken.push_back(e == IndexMap::kFill || element[e] != IndexMap::kFill ? 0 : constants[e]);
  return taken;
}

/// True where a map is all its sources, whole and in order.
bool is_all_in_order(const OnnxValue& value, std::uint64_t count) {
  if (!value.map) return true;
  if (value.map->size() != count) return false;
  for (std::size_t i = 0; i < value.map->size(); ++i) {
    if ((*value.map)[i] != i) return false;
  }
  return true;
}

}  // namespace

bool is_permutation(const OnnxValue& value) {
  if (!value.map) return true;
  if (value.sources.size() != 1) return false;
  std::vector<bool> is_taken(value.map->size());
  for (const std::uint32_t from : *value.map) {
    if (from >= is_taken.size() || is_taken[from]) return false;
    is_taken[from] = true;
  }
  return true;
}

void NetworkBuilder::start_node(const std::string& label, const std::string& name) {
  label_ = label;
  name_ = clean_name(name);
}

std::string NetworkBuilder::add(const OperatorKind& kind, const std::vector<std::string>& inputs,
                                OperatorWeights weights) {
  return add_named(name_.empty() ? kind_name(kind) : name_, kind, inputs, std::move(weights));
}

bool NetworkBuilder::is_free(const std::string& name) const {
  return !place_.contains(name) && name != kInputName && (name == name_ || !reserved_.contains(name));
}

std::string NetworkBuilder::add_named(const std::string& base, const OperatorKind& kind,
                                      const std::vector<std::string>& inputs, OperatorWeights weights) {
  std::vector<Shape> shapes;
  for (const std::string& input : inputs) shapes.push_back(shape_of(input));
  Shape out = infer_shape(kind, shapes);
  std::string name = base;
  for (std::size_t k = 2; !is_free(name); ++k) name = fmt::format("{}.{}", base, k);
  place_[name] = network_.specs.size();
  shapes_[name] = std::move(out);
  network_.specs.push_back({name, kind, inputs});
  network_.weights.push_back(std::move(weights));
  network_.nodes.push_back(label_);
  network_.tensors.push_back(std::exchange(weight_name_, {}));
  return name;
}

std::string NetworkBuilder::source(OnnxValue& value, const Shape& shape) {
  return source(value, shape, name_.empty() ? "moved" : name_ + ".moved");
}

std::string NetworkBuilder::source(OnnxValue& value, const Shape& shape, const std::string& moved_name) {
  if (value.is_constant()) throw std::invalid_argument("a constant where an activation is needed");
  const std::uint64_t count = count_of(*this, value.sources);
  if (value.sources.size() > 1 && is_all_in_order(value, count)) {
    // Whole activations one after the other: as channels of images where they are.
    std::vector<std::string> parts;
    const Shape& first = shape_of(value.sources[0]);
    bool fits = first.size() == shape.size();
    for (const std::string& name : value.sources) {
      const Shape& mine = shape_of(name);
      fits = fits && mine.size() == shape.size() && std::equal(mine.begin() + 1, mine.end(), shape.begin() + 1);
    }
    for (const std::string& name : value.sources) {
      OnnxValue one{{}, {}, {name}};
      parts.push_back(fits ? name : source(one, {elements(shape_of(name))}));
    }
    value.sources = {add_named(moved_name, Concat{}, parts)};
    value.map.reset();
  } else if (value.map || value.sources.size() > 1) {
    IndexMap kind{shape, {value.map}, value.fill};
    if (!value.map) throw std::invalid_argument("several sources without a map");
    value.sources = {add_named(moved_name, kind, value.sources)};
    value.map.reset();
  }
  const std::string name = value.sources[0];
  if (shape_of(name) == shape) return name;
  std::string& view = views_[{name, shape}];
  if (view.empty()) {
    OperatorKind kind = Reshape{shape};
    if (shape.size() == 1) kind = Flatten{};
    view = add_named(name + (shape.size() == 1 ? ".flat" : ".view"), kind, {name});
  }
  return view;
}

std::string NetworkBuilder::materialise(OnnxValue& value, const Shape& shape) {
  return source(value, shape, name_.empty() ? "moved" : name_);
}

OnnxValue NetworkBuilder::moved(const Move& move, const std::vector<OnnxValue>& inputs) {
  require_size(move.dims);
  for (const OnnxValue& input : inputs) require_size(input.dims);
  if (elements(move.dims) == 0) throw std::invalid_argument("an output without elements, accepted is at least one");
  OnnxValue result{move.dims};
  result.fill = move.fill;
  // Elements of the sources of the result, by element of the inputs one after the other.
  std::vector<std::uint32_t> element;
  std::vector<double> constants;  // numbers of constant inputs, at the same places
  bool has_constants = false;
  bool is_known = true;
  for (const OnnxValue& input : inputs) {
    if (!input.is_constant()) continue;
    has_constants = true;
    is_known = is_known && input.constant->is_known();
  }
  for (const OnnxValue& input : inputs) {
    if (input.is_constant()) {
      const std::size_t before = element.size();
      element.resize(before + elements(input.dims), IndexMap::kFill);
      if (is_known && wants_values_) {
        constants.resize(before);
        const std::vector<double> values = input.constant->values();
        constants.insert(constants.end(), values.begin(), values.end());
      }
      continue;
    }
    add_elements(*this, input, result, element);
    if (input.fill != 0) result.fill = input.fill;
  }
  auto map = std::make_shared<std::vector<std::uint32_t>>();
  map->reserve(move.from.size());
  for (const std::uint32_t from : move.from) map->push_back(from == IndexMap::kFill ? from : element[from]);
  result.map = map;
  if (result.sources.empty()) throw std::invalid_argument("nothing of it depends on the network's input");
  if (result.sources.size() == 1 && is_all_in_order(result, count_of(*this, result.sources))) result.map.reset();
  Shape shape = move.dims;
  if (shape.size() > 1 && shape[0] == 1) shape.erase(shape.begin());
  // Several activations become one at once: what later nodes take of it is moved from there.
  if (!has_constants && result.sources.size() > 1) static_cast<void>(materialise(result, shape));
  if (!has_constants) return result;
  // Constants beside activations: zeros, to which they are added.
  OperatorWeights weights;
  weights.bias = constants_taken(move.from, element, std::move(constants));
  const std::string whole = source(result, shape);
  OnnxValue shifted{move.dims, {}, {add(Shifting{elements(shape), 1}, {whole}, std::move(weights))}};
  return shifted;
}

OperatorWeights NetworkBuilder::weights_of(const Tensor& tensor, const ElementOrder& order_of) {
  OperatorWeights weights;
  weight_name_ = tensor.name;
  if (!tensor.is_known()) {
    network_.facts.has_values = false;
    return weights;
  }
  std::vector<std::uint32_t> order;  // as large as the weights: made where there is something to sort
  const auto sorted = [&]<class T>(std::vector<T> from) {
    if (!order_of) return from;
    if (order.empty()) order = order_of();
    std::vector<T> to(order.size());
    std::ranges::transform(order, to.begin(), [&](std::uint32_t place) { return from[place]; });
    return to;
  };
  std::vector<std::uint8_t> kept = tensor.nonzero();
  if (!kept.empty()) weights.kept = sorted(std::move(kept));
  if (wants_values_) weights.values = sorted(tensor.values());
  return weights;
}

std::vector<double> NetworkBuilder::numbers_of(const Tensor& tensor) {
  if (!wants_values_ || !tensor.is_known()) return {};
  return tensor.values();
}

}  // namespace upsweep

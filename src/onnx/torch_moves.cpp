#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "torch_call.hpp"

namespace upsweep {
namespace {

using Type = TorchType;
using Sizes = std::vector<std::int64_t>;

OnnxValue list_of(const Sizes& numbers) { return constant_value({numbers.begin(), numbers.end()}, true); }

/// Positions along an axis, in steps.
OnnxValue sliced(TorchCall& call, const OnnxValue& value, std::int64_t axis, std::int64_t first, std::int64_t last,
                 std::int64_t step = 1) {
  return call.node("Slice", {}, {value, list_of({first}), list_of({last}), list_of({axis}), list_of({step})});
}

OnnxValue reshaped_to(TorchCall& call, const OnnxValue& value, const Sizes& dims) {
  return call.node("Reshape", {{"allowzero", std::int64_t{1}}}, {value, list_of(dims)});
}

Sizes dims_of(const OnnxValue& value) { return {value.dims.begin(), value.dims.end()}; }

OnnxValue permuted(TorchCall& call) {
  Sizes dims;
  for (const std::int64_t dim : call.integers("dims"))
    dims.push_back(dims.empty() && dim == 0 ? 0 : call.axis("dims", dim, call.input().rank()));
  if (dims.size() != call.input().rank() || dims.front() != 0) {
    throw std::invalid_argument(fmt::format("its dims are of {} axes, accepted are all {}, the batch (0) first",
                                            dims.size(), call.input().rank()));
  }
  return call.node("Transpose", {{"perm", dims}});
}

OnnxValue exchanged(TorchCall& call) {
  Sizes perm(call.input().rank());
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[static_cast<std::size_t>(call.axis("dim0"))], perm[static_cast<std::size_t>(call.axis("dim1"))]);
  return call.node("Transpose", {{"perm", perm}});
}

/// Axes from start_dim to end_dim as one.
OnnxValue flattened(TorchCall& call) {
  const std::size_t rank = call.input().rank();
  const std::int64_t first = TorchCall::axis("start_dim", call.integer("start_dim", 1), rank);
  const std::int64_t last = TorchCall::axis("end_dim", call.integer("end_dim", -1), rank);
  if (first > last) throw std::invalid_argument(fmt::format("it flattens axes {} to {}", first, last));
  Sizes dims = dims_of(call.input());
  const auto begin = dims.begin() + first;
  const auto end = dims.begin() + last + 1;
  *begin = std::accumulate(begin, end, std::int64_t{1}, std::multiplies<>());
  dims.erase(begin + 1, end);
  return reshaped_to(call, call.input(), dims);
}

OnnxValue unflattened(TorchCall& call) {
  const std::int64_t axis = call.axis("dim");
  Sizes dims = dims_of(call.input());
  const Sizes sizes = call.integers("sizes");
  dims.erase(dims.begin() + axis);
  dims.insert(dims.begin() + axis, sizes.begin(), sizes.end());
  return reshaped_to(call, call.input(), dims);
}

OnnxValue with_axis(TorchCall& call) {
  const std::int64_t axis = TorchCall::axis("dim", call.integer("dim"), call.input().rank() + 1);
  return call.node("Unsqueeze", {}, {call.input(), list_of({axis})});
}

OnnxValue without_axis(TorchCall& call) {
  const std::int64_t axis = call.axis("dim");
  if (call.input().dims[static_cast<std::size_t>(axis)] != 1) return call.node("Identity");
  return call.node("Squeeze", {}, {call.input(), list_of({axis})});
}

OnnxValue narrowed(TorchCall& call) {
  const std::int64_t axis = call.axis("dim");
  const auto size = static_cast<std::int64_t>(call.input().dims[static_cast<std::size_t>(axis)]);
  std::int64_t first = call.integer("start");
  if (first < 0) first += size;
  const std::int64_t length = call.size("length", 0);
  if (first < 0 || first + length > size) {
    throw std::invalid_argument(
        fmt::format("{} elements from {} on of an axis of {}, accepted are those that it has", length, first, size));
  }
  return sliced(call, call.input(), axis, first, first + length);
}

OnnxValue selected(TorchCall& call) {
  const OnnxValue index{{}, Tensor::of({}, {static_cast<double>(call.integer("index"))}, true)};
  return call.node("Gather", {{"axis", call.axis("dim")}}, {call.input(), index});
}

OnnxValue strided(TorchCall& call) {
  return sliced(call, call.input(), call.axis("dim"), call.integer("start", 0), call.integer("end", INT64_MAX),
                call.size("step", 1));
}

OnnxValue flipped(TorchCall& call) {
  OnnxValue value = call.input();
  for (const std::int64_t dim : call.axes("dims")) value = sliced(call, value, dim, -1, INT64_MIN + 1, -1);
  return value;
}

OnnxValue rolled(TorchCall& call) {
  const Sizes shifts = call.integers("shifts");
  const Sizes dims = call.axes("dims");
  if (shifts.size() != dims.size())
    throw std::invalid_argument(fmt::format("{} shifts of {} axes", shifts.size(), dims.size()));
  OnnxValue value = call.input();
  for (std::size_t k = 0; k < dims.size(); ++k) {
    const auto size = static_cast<std::int64_t>(value.dims[static_cast<std::size_t>(dims[k])]);
    const std::int64_t shift = (shifts[k] % size + size) % size;
    if (shift == 0) continue;
    const OnnxValue last = sliced(call, value, dims[k], size - shift, size);
    const OnnxValue first = sliced(call, value, dims[k], 0, size - shift);
    value = call.node("Concat", {{"axis", dims[k]}}, {last, first});
  }
  return value;
}

/// PyTorch's order: the last axis first, before and behind.
OnnxValue padded(TorchCall& call) {
  static const std::map<std::string, const char*> modes = {
      {"constant", "constant"}, {"reflect", "reflect"}, {"replicate", "edge"}, {"circular", "wrap"}};
  const Sizes pad = call.integers("pad");
  const std::size_t rank = call.input().rank();
  const auto mode = modes.find(call.text("mode", "constant"));
  if (pad.size() % 2 != 0 || pad.size() / 2 >= rank) {
    throw std::invalid_argument(
        fmt::format("its pad has {} numbers, accepted are two for each of the last axes", pad.size()));
  }
  if (mode == modes.end()) {
    throw std::invalid_argument(fmt::format("its mode is '{}', accepted are constant, reflect, replicate, circular",
                                            call.text("mode", "constant")));
  }
  Sizes pads(2 * rank, 0);
  for (std::size_t k = 0; k < pad.size(); ++k) pads[(k % 2) * rank + rank - 1 - k / 2] = pad[k];
  const OnnxValue value{{}, Tensor::of({}, {call.number("value", 0)}, false)};
  return call.node("Pad", {{"mode", std::string(mode->second)}}, {call.input(), list_of(pads), value});
}

/// The sizes that are stated, -1 for one that stays; without the batch.
OnnxValue expanded_to(TorchCall& call) {
  Sizes sizes = call.integers("size");
  sizes.insert(sizes.begin(), 1);
  const Shape& dims = call.input().dims;
  if (sizes.size() != dims.size()) {
    throw std::invalid_argument(
        fmt::format("its size has {} axes, accepted are {}", sizes.size() - 1, dims.size() - 1));
  }
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    if (sizes[a] == -1) sizes[a] = static_cast<std::int64_t>(dims[a]);
  }
  return call.node("Expand", {}, {call.input(), list_of(sizes)});
}

OnnxValue tiled(TorchCall& call) {
  Sizes repeats = call.integers("dims");
  if (repeats.size() >= call.input().rank()) throw std::invalid_argument("more repeats than axes");
  repeats.insert(repeats.begin(), call.input().rank() - repeats.size(), 1);
  return call.node("Tile", {}, {call.input(), list_of(repeats)});
}

OnnxValue concatenated(TorchCall& call) { return call.node("Concat", {{"axis", call.axis("dim")}}); }

OnnxValue stacked_values(TorchCall& call) {
  const std::int64_t axis = TorchCall::axis("dim", call.integer("dim"), call.input().rank() + 1);
  std::vector<std::optional<OnnxValue>> values;
  for (const OnnxValue& input : call.inputs) values.emplace_back(call.node("Unsqueeze", {}, {input, list_of({axis})}));
  return call.node("Concat", {{"axis", axis}}, std::move(values));
}

/// Channels [c, r, r] of every pixel as a block of r · r pixels of channel c, and back.
OnnxValue shuffled_pixels(TorchCall& call) {
  return call.node("DepthToSpace", {{"blocksize", call.size("upscale_factor", 0)}, {"mode", std::string("CRD")}});
}

OnnxValue unshuffled_pixels(TorchCall& call) {
  const Sizes d = dims_of(call.input());
  const std::int64_t r = call.size("downscale_factor", 0);
  if (d.size() != 4 || d[2] % r != 0 || d[3] % r != 0)
    throw std::invalid_argument(fmt::format("blocks of {} in {}", r, to_string(call.input().dims)));
  const OnnxValue blocks = reshaped_to(call, call.input(), {1, d[1], d[2] / r, r, d[3] / r, r});
  const OnnxValue sorted = call.node("Transpose", {{"perm", Sizes{0, 1, 3, 5, 2, 4}}}, {blocks});
  return reshaped_to(call, sorted, {1, d[1] * r * r, d[2] / r, d[3] / r});
}

OnnxValue shuffled_channels(TorchCall& call) {
  const Sizes d = dims_of(call.input());
  const std::int64_t groups = call.size("groups", 0);
  if (d.size() < 3 || d[1] % groups != 0)
    throw std::invalid_argument(fmt::format("{} groups of {}", groups, to_string(call.input().dims)));
  const std::int64_t plane = std::accumulate(d.begin() + 2, d.end(), std::int64_t{1}, std::multiplies<>());
  const OnnxValue split = reshaped_to(call, call.input(), {1, groups, d[1] / groups, plane});
  return reshaped_to(call, call.node("Transpose", {{"perm", Sizes{0, 2, 1, 3}}}, {split}), d);
}

}  // namespace

std::vector<TorchOperator> torch_moves() {
  const TorchArgument dim = {"dim", Type::integer, true};
  return {
      {"cat", {dim}, concatenated, 2, SIZE_MAX},
      {"channel_shuffle", {{"groups", Type::integer, true}}, shuffled_channels},
      {"expand", {{"size", Type::integers, true}}, expanded_to},
      {"flatten", {{"start_dim", Type::integer}, {"end_dim", Type::integer}}, flattened},
      {"flip", {{"dims", Type::integers, true}}, flipped},
      {"index_select",
       {dim, {"index", Type::integers, true}},
       [](TorchCall& call) {
         return call.node("Gather", {{"axis", call.axis("dim")}}, {call.input(), list_of(call.integers("index"))});
       }},
      {"narrow", {dim, {"start", Type::integer, true}, {"length", Type::integer, true}}, narrowed},
      {"pad", {{"pad", Type::integers, true}, {"mode", Type::text}, {"value", Type::number}}, padded},
      {"permute", {{"dims", Type::integers, true}}, permuted},
      {"pixel_shuffle", {{"upscale_factor", Type::integer, true}}, shuffled_pixels},
      {"pixel_unshuffle", {{"downscale_factor", Type::integer, true}}, unshuffled_pixels},
      {"roll", {{"shifts", Type::integers, true}, {"dims", Type::integers, true}}, rolled},
      {"select", {dim, {"index", Type::integer, true}}, selected},
      {"slice", {dim, {"start", Type::integer}, {"end", Type::integer}, {"step", Type::integer}}, strided},
      {"squeeze", {dim}, without_axis},
      {"stack", {dim}, stacked_values, 2, SIZE_MAX},
      {"tile", {{"dims", Type::integers, true}}, tiled},
      {"transpose", {{"dim0", Type::integer, true}, {"dim1", Type::integer, true}}, exchanged},
      {"unflatten", {dim, {"sizes", Type::integers, true}}, unflattened},
      {"unsqueeze", {dim}, with_axis},
  };
}

}  // namespace upsweep

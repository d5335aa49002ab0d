#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

#include "importer.hpp"
#include "resizing.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/network/operators/index_map.hpp"

namespace upsweep {
namespace {

constexpr std::int64_t kNowhere = -1;

/// For each axis, which position of the input every position of the output takes; kNowhere for the fill.
using AxisPositions = std::vector<std::vector<std::int64_t>>;

AxisPositions all_positions(const Shape& dims) {
  AxisPositions positions;
  for (const std::uint64_t size : dims) {
    positions.emplace_back(size);
    std::iota(positions.back().begin(), positions.back().end(), 0);
  }
  return positions;
}

Move by_axes(const Shape& in, const AxisPositions& positions, double fill = 0) {
  Move move{{}, {0}, fill};
  for (const auto& axis : positions) move.dims.push_back(axis.size());
  require_size(move.dims);
  for (std::size_t a = 0; a < in.size(); ++a) {
    std::vector<std::uint32_t> next;
    next.reserve(move.from.size() * positions[a].size());
    for (const std::uint32_t before : move.from) {
      for (const std::int64_t at : positions[a]) {
        const bool is_fill = before == IndexMap::kFill || at == kNowhere;
        next.push_back(is_fill ? IndexMap::kFill
                               : static_cast<std::uint32_t>(before * in[a] + static_cast<std::uint64_t>(at)));
      }
    }
    move.from = std::move(next);
  }
  return move;
}

Move as_shape(const Shape& in, Shape dims) {
  if (elements(in) != elements(dims)) {
    throw std::invalid_argument(
        fmt::format("{} is made {}, accepted are shapes of as many elements", to_string(in), to_string(dims)));
  }
  Move move{std::move(dims), std::vector<std::uint32_t>(elements(in)), 0};
  std::iota(move.from.begin(), move.from.end(), 0U);
  return move;
}

Shape reshaped(const Shape& in, const std::vector<std::int64_t>& wanted, bool keeps_zeros) {
  Shape out;
  std::optional<std::size_t> open;
  for (std::size_t a = 0; a < wanted.size(); ++a) {
    std::int64_t size = wanted[a];
    if (size == 0 && !keeps_zeros) size = a < in.size() ? static_cast<std::int64_t>(in[a]) : -2;
    if (size == -1 && !open) {
      open = a;
      size = 1;
    }
    if (size < 0) throw std::invalid_argument(fmt::format("size {} of an axis", wanted[a]));
    out.push_back(static_cast<std::uint64_t>(size));
  }
  if (open && elements(out) > 0) out[*open] = elements(in) / elements(out);
  return out;
}

Shape without_axes(const Shape& in, const std::optional<std::vector<std::int64_t>>& axes) {
  std::set<std::size_t> gone;
  for (const std::int64_t axis : axes.value_or(std::vector<std::int64_t>{})) gone.insert(axis_of(axis, in.size()));
  Shape out;
  for (std::size_t a = 0; a < in.size(); ++a) {
    if (axes ? !gone.contains(a) : in[a] != 1) out.push_back(in[a]);
  }
  return out;
}

Shape with_axes(const Shape& in, const std::vector<std::int64_t>& axes) {
  std::set<std::size_t> added;
  for (const std::int64_t axis : axes) added.insert(axis_of(axis, in.size() + axes.size()));
  Shape out;
  for (std::size_t a = 0, next = 0; a < in.size() + axes.size(); ++a)
    out.push_back(added.contains(a) ? 1 : next < in.size() ? in[next++] : 1);
  return out;
}

Move slice(const OnnxNode& node, const Shape& in) {
  const auto starts = node.integers("starts", 1).value_or(std::vector<std::int64_t>{});
  const auto ends = node.integers("ends", 2).value_or(std::vector<std::int64_t>{});
  auto axes = node.integers("axes", 3);
  const auto steps = node.has(4) ? node.constant(4).integers() : std::vector<std::int64_t>(starts.size(), 1);
  if (!axes) {
    axes.emplace(starts.size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (ends.size() != starts.size() || axes->size() != starts.size() || steps.size() != starts.size())
    throw std::invalid_argument("starts, ends, axes and steps of different lengths");
  AxisPositions positions = all_positions(in);
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const std::size_t a = axis_of((*axes)[k], in.size());
    const auto size = static_cast<std::int64_t>(in[a]);
    const std::int64_t step = steps[k];
    if (step == 0) throw std::invalid_argument("a step of 0");
    const auto place = [&](std::int64_t at, std::int64_t least, std::int64_t most) {
      return std::clamp(at < 0 ? at + size : at, least, most);
    };
    positions[a].clear();
    if (step > 0) {
      for (std::int64_t at = place(starts[k], 0, size); at < place(ends[k], 0, size); at += step)
        positions[a].push_back(at);
    } else {
      const std::int64_t end = ends[k] < -size ? -1 : place(ends[k], -1, size - 1);
      for (std::int64_t at = place(starts[k], -1, size - 1); at > end; at += step) positions[a].push_back(at);
    }
  }
  return by_axes(in, positions);
}

Move pad(const OnnxNode& node, const Shape& in) {
  const auto pads = node.integers("pads", 1).value_or(std::vector<std::int64_t>{});
  const std::string mode = node.text("mode", "constant");
  std::vector<std::size_t> axes(in.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  if (node.has(3)) {
    axes.clear();
    for (const std::int64_t axis : node.constant(3).integers()) axes.push_back(axis_of(axis, in.size()));
  }
  if (pads.size() != 2 * axes.size())
    throw std::invalid_argument(fmt::format("{} pads, accepted are two per axis", pads.size()));
  AxisPositions positions = all_positions(in);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto size = static_cast<std::int64_t>(in[axes[k]]);
    const std::int64_t before = pads[k];
    const std::int64_t after = pads[k + axes.size()];
    if (before < -size || after < -size || std::max(before, after) > static_cast<std::int64_t>(kMostMoved))
      throw std::invalid_argument(fmt::format("pads {} and {} of {} elements", before, after, size));
    if (size == 0 && mode != "constant") throw std::invalid_argument("a border of no elements");
    auto& mine = positions[axes[k]];
    mine.clear();
    for (std::int64_t at = -before; at < size + after; ++at) {
      std::int64_t from = at;
      if (at < 0 || at >= size) {
        if (mode == "constant") from = kNowhere;
        if (mode == "edge") from = std::clamp<std::int64_t>(at, 0, size - 1);
        if (mode == "wrap") from = (at % size + size) % size;
        if (mode == "reflect") {
          from = at < 0 ? -at : 2 * (size - 1) - at;
          if (from < 0 || from >= size) throw std::invalid_argument("a reflection beyond the other border");
        }
      }
      mine.push_back(from);
    }
  }
  return by_axes(in, positions, node.number("value", 2, 0));
}

Move expand(const Shape& in, const Shape& out) {
  require_size(out);
  Shape padded(out.size() - std::min(out.size(), in.size()), 1);
  padded.insert(padded.end(), in.begin(), in.end());
  AxisPositions positions;
  for (std::size_t a = 0; a < out.size(); ++a) {
    positions.emplace_back(out[a], 0);
    if (padded[a] != 1) std::iota(positions.back().begin(), positions.back().end(), 0);
  }
  return by_axes(padded, positions);
}

Move gather(const OnnxNode& node, const Shape& in) {
  const std::size_t axis = axis_of(node.integer("axis", 0), in.size());
  const Tensor& indices = node.constant(1);
  AxisPositions positions = all_positions(in);
  require_size(indices.dims);
  positions[axis] = indices.integers();
  for (std::int64_t& at : positions[axis]) at = static_cast<std::int64_t>(axis_of(at, in[axis]));
  Move move = by_axes(in, positions);
  move.dims = Shape(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(axis));
  move.dims.insert(move.dims.end(), indices.dims.begin(), indices.dims.end());
  move.dims.insert(move.dims.end(), in.begin() + static_cast<std::ptrdiff_t>(axis) + 1, in.end());
  return move;
}

Move gather_elements(const OnnxNode& node, const Shape& in) {
  const std::size_t axis = axis_of(node.integer("axis", 0), in.size());
  const Tensor& indices = node.constant(1);
  const std::vector<std::int64_t> at = indices.integers();
  if (indices.dims.size() != in.size()) throw std::invalid_argument("indices with another number of axes");
  Move move{indices.dims, {}, 0};
  for (std::size_t e = 0; e < at.size(); ++e) {
    std::uint64_t from = 0;
    std::uint64_t step = 1;
    for (std::size_t a = in.size(), rest = e; a-- > 0; rest /= indices.dims[a], step *= in[a])
      from += step * (a == axis ? axis_of(at[e], in[axis]) : rest % indices.dims[a]);
    if (from >= elements(in)) throw std::invalid_argument("an index beyond its axis");
    move.from.push_back(static_cast<std::uint32_t>(from));
  }
  return move;
}

/// data with the rows at `indices` replaced by updates.
Move scatter_nd(const OnnxNode& node) {
  const Shape& in = node.input(0).dims;
  const Tensor& indices = node.constant(1);
  const std::vector<std::int64_t> at = indices.integers();
  const std::size_t depth = indices.dims.empty() ? 0 : indices.dims.back();
  if (depth == 0 || depth > in.size()) throw std::invalid_argument("indices of no or too many axes");
  if (node.text("reduction", "none") != "none") throw std::invalid_argument("a reduction, accepted is none");
  Move move = as_shape(in, in);
  std::uint64_t row = 1;
  for (std::size_t a = depth; a < in.size(); ++a) row *= in[a];
  const std::uint64_t first = elements(in);
  if (elements(node.input(2).dims) != at.size() / depth * row) {
    throw std::invalid_argument(fmt::format("data {}, indices {} and updates {}, which do not belong together",
                                            to_string(in), to_string(indices.dims), to_string(node.input(2).dims)));
  }
  for (std::size_t k = 0; k < at.size() / depth; ++k) {
    std::uint64_t to = 0;
    for (std::size_t a = 0; a < depth; ++a) to = to * in[a] + axis_of(at[k * depth + a], in[a]);
    for (std::uint64_t e = 0; e < row; ++e) move.from[to * row + e] = static_cast<std::uint32_t>(first + k * row + e);
  }
  return move;
}

Move concat(const OnnxNode& node) {
  const Shape& in = node.input(0).dims;
  const std::size_t axis = axis_of(node.integer("axis", node.opset < 4 ? 1 : 0), in.size());
  Move move{in, {}, 0};
  std::vector<std::uint64_t> runs;  // elements of each input between two steps of the axes before
  for (std::size_t k = 0; k < node.inputs.size(); ++k) {
    Shape mine = node.input(k).dims;
    if (mine.size() == in.size()) move.dims[axis] = k == 0 ? mine[axis] : checked_add(move.dims[axis], mine[axis]);
    Shape same = mine;
    if (mine.size() == in.size()) same[axis] = in[axis];
    if (same != in) {
      throw std::invalid_argument(fmt::format("inputs of shapes {} and {}, accepted are those that differ in axis {}",
                                              to_string(in), to_string(mine), axis));
    }
    runs.push_back(std::accumulate(mine.begin() + static_cast<std::ptrdiff_t>(axis), mine.end(), std::uint64_t{1},
                                   std::multiplies<>()));
  }
  require_size(move.dims);
  std::uint64_t outer = 1;
  for (std::size_t a = 0; a < axis; ++a) outer *= in[a];
  for (std::uint64_t o = 0; o < outer; ++o) {
    std::uint64_t first = 0;
    for (const std::uint64_t run : runs) {
      for (std::uint64_t e = 0; e < run; ++e) move.from.push_back(static_cast<std::uint32_t>(first + o * run + e));
      first += outer * run;
    }
  }
  return move;
}

std::vector<Move> split(const OnnxNode& node, const Shape& in) {
  const std::size_t axis = axis_of(node.integer("axis", 0), in.size());
  auto parts = node.integers("split", 1);
  const auto count = static_cast<std::uint64_t>(node.proto.output_size());
  if (!parts) {
    const std::uint64_t each = (in[axis] + count - 1) / count;
    parts.emplace();
    for (std::uint64_t k = 0, left = in[axis]; k < count; ++k, left -= std::min(left, each))
      parts->push_back(static_cast<std::int64_t>(std::min(left, each)));
  }
  std::vector<Move> moves;
  std::int64_t first = 0;
  for (const std::int64_t part : *parts) {
    if (part < 0 || first + part > static_cast<std::int64_t>(in[axis]))
      throw std::invalid_argument(fmt::format("parts beyond the {} elements of axis {}", in[axis], axis));
    AxisPositions positions = all_positions(in);
    positions[axis].resize(static_cast<std::size_t>(part));
    std::iota(positions[axis].begin(), positions[axis].end(), first);
    moves.push_back(by_axes(in, positions));
    first += part;
  }
  return moves;
}

Move resize(const OnnxNode& node, const Shape& in) {
  const Resizing to = resizing_of(node, in);
  const std::string rounding = to.is_old ? "floor" : node.text("nearest_mode", "round_prefer_floor");
  AxisPositions positions;
  for (std::size_t a = 0; a < in.size(); ++a) {
    positions.emplace_back();
    for (std::uint64_t o = 0; o < to.dims[a]; ++o) {
      const double at = sample_place(to.place, in[a], to.dims[a], to.scales[a], o) + to.shift;
      double near = std::floor(at);
      if (rounding == "ceil") near = std::ceil(at);
      if (rounding == "round_prefer_floor") near = std::ceil(at - 0.5);
      if (rounding == "round_prefer_ceil") near = std::floor(at + 0.5);
      positions[a].push_back(static_cast<std::int64_t>(std::clamp(near, 0.0, static_cast<double>(in[a] - 1))));
    }
  }
  return by_axes(in, positions);
}

/// Pixels of blocks to channels and back, by reshape, transpose, reshape.
Move depth_space(const OnnxNode& node, const Shape& in, bool to_space) {
  const std::int64_t size = node.integer("blocksize", 0);
  const auto b = static_cast<std::uint64_t>(size);
  const bool fits = in.size() == 4 && size > 0 && size <= 65536 &&
                    (to_space ? in[1] % (b * b) == 0 : in[2] % b == 0 && in[3] % b == 0);
  if (!fits) throw std::invalid_argument(fmt::format("blocks of {} in {}", size, to_string(in)));
  Move move;
  if (to_space) {
    const std::uint64_t c = in[1] / (b * b);
    const bool is_crd = node.text("mode", "DCR") == "CRD";
    move = is_crd ? transposition({in[0], c, b, b, in[2], in[3]}, {0, 1, 4, 2, 5, 3})
                  : transposition({in[0], b, b, c, in[2], in[3]}, {0, 3, 4, 1, 5, 2});
    move.dims = {in[0], c, in[2] * b, in[3] * b};
  } else {
    move = transposition({in[0], in[1], in[2] / b, b, in[3] / b, b}, {0, 3, 5, 1, 2, 4});
    move.dims = {in[0], in[1] * b * b, in[2] / b, in[3] / b};
  }
  return move;
}

}  // namespace

Move transposition(const Shape& dims, const std::vector<std::size_t>& perm) {
  Move move{{}, {}, 0};
  std::vector<std::uint64_t> strides(dims.size(), 1);
  for (std::size_t a = dims.size(); a-- > 1;) strides[a - 1] = strides[a] * dims[a];
  for (const std::size_t axis : perm) move.dims.push_back(dims[axis]);
  move.from.assign(1, 0);
  for (std::size_t a = 0; a < perm.size(); ++a) {
    std::vector<std::uint32_t> next;
    next.reserve(move.from.size() * move.dims[a]);
    for (const std::uint32_t before : move.from) {
      for (std::uint64_t at = 0; at < move.dims[a]; ++at)
        next.push_back(static_cast<std::uint32_t>(before + at * strides[perm[a]]));
    }
    move.from = std::move(next);
  }
  return move;
}

namespace {

const std::set<std::string>& move_types() {
  static const std::set<std::string> types = {
      "Reshape", "Flatten",  "Squeeze",      "Unsqueeze",    "Transpose", "Slice",          "Split",
      "Concat",  "Pad",      "Expand",       "Tile",         "Gather",    "GatherElements", "ScatterND",
      "Resize",  "Upsample", "DepthToSpace", "SpaceToDepth", "Identity",  "Dropout",        "Cast"};
  return types;
}

}  // namespace

bool is_move(const std::string& type) { return move_types().contains(type); }

std::vector<std::string> moved_types() { return {move_types().begin(), move_types().end()}; }

std::vector<std::size_t> moved_inputs(const OnnxNode& node) {
  if (node.type() == "ScatterND") return {0, 2};
  if (node.type() != "Concat") return {0};
  std::vector<std::size_t> all(node.inputs.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::vector<Move> moves_of(const OnnxNode& node) {
  const std::string& type = node.type();
  const Shape& in = node.input(0).dims;
  require_size(in);
  if (type == "Identity" || type == "Dropout" || type == "Cast") return {as_shape(in, in)};
  if (type == "Reshape") {
    return {as_shape(in, reshaped(in, node.integers("shape", 1).value_or(std::vector<std::int64_t>{}),
                                  node.integer("allowzero", 0) != 0))};
  }
  if (type == "Flatten") {
    const std::int64_t axis = node.integer("axis", 1);
    const std::size_t at = axis == static_cast<std::int64_t>(in.size()) ? in.size() : axis_of(axis, in.size());
    Shape out = {1, 1};
    for (std::size_t a = 0; a < in.size(); ++a) out[a < at ? 0 : 1] *= in[a];
    return {as_shape(in, out)};
  }
  if (type == "Squeeze") return {as_shape(in, without_axes(in, node.integers("axes", 1)))};
  if (type == "Unsqueeze")
    return {as_shape(in, with_axes(in, node.integers("axes", 1).value_or(std::vector<std::int64_t>{})))};
  if (type == "Transpose") {
    std::vector<std::size_t> perm;
    if (const auto stated = node.integers("perm")) {
      for (const std::int64_t axis : *stated) perm.push_back(axis_of(axis, in.size()));
    } else {
      for (std::size_t a = in.size(); a-- > 0;) perm.push_back(a);
    }
    if (std::set<std::size_t>(perm.begin(), perm.end()).size() != in.size())
      throw std::invalid_argument("perm names not every axis once");
    return {transposition(in, perm)};
  }
  if (type == "Slice") return {slice(node, in)};
  if (type == "Split") return split(node, in);
  if (type == "Concat") return {concat(node)};
  if (type == "Pad") return {pad(node, in)};
  if (type == "Expand") {
    Shape wanted;
    for (const std::int64_t size : node.constant(1).integers())
      wanted.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0)));
    return {expand(in, broadcast_shape(in, wanted))};
  }
  if (type == "Tile") {
    const auto repeats = node.constant(1).integers();
    AxisPositions positions = all_positions(in);
    if (repeats.size() != in.size()) throw std::invalid_argument("repeats of another number of axes");
    for (std::size_t a = 0; a < in.size(); ++a) {
      if (repeats[a] < 0 || repeats[a] > static_cast<std::int64_t>(kMostMoved))
        throw std::invalid_argument("repeats out of range");
      const auto once = positions[a];
      require_size({once.size(), static_cast<std::uint64_t>(repeats[a])});
      positions[a].clear();
      for (std::int64_t r = 0; r < repeats[a]; ++r) positions[a].insert(positions[a].end(), once.begin(), once.end());
    }
    return {by_axes(in, positions)};
  }
  if (type == "Gather") return {gather(node, in)};
  if (type == "GatherElements") return {gather_elements(node, in)};
  if (type == "ScatterND") return {scatter_nd(node)};
  if (type == "Resize" || type == "Upsample") return {resize(node, in)};
  return {depth_space(node, in, type == "DepthToSpace")};
}

}  // namespace upsweep

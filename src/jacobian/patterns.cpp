#include "upsweep/jacobian/patterns.hpp"

#include <stdexcept>

#include "row_generators.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/jacobian/elementwise.hpp"
#include "upsweep/jacobian/forward.hpp"

namespace upsweep {
namespace {

/// Shape of a transposed Jacobian.
struct Size {
  Index rows;
  Index cols;
};

Size jacobian_size(const Operator& op) {
  if (is_view(op.kind)) throw std::invalid_argument(kind_name(op.kind) + " is a view: it has no Jacobian of its own");
  if (is_join(op.kind)) throw std::invalid_argument(kind_name(op.kind) + " has a Jacobian with respect to each input");
  return {static_cast<Index>(elements(op.in_shape)), static_cast<Index>(elements(op.out_shape))};
}

bool has_weight(const Operator& op) { return weight_shape(op.kind, op.in_shape).has_value(); }

/// A linear operator without a mask: all rows are the same full row, stored once.
Pattern full_pattern(const Size& size) {
  const Pattern one = build_pattern(1, size.cols, size.cols, [&](Index, std::vector<Index>& columns) {
    for (Index c = 0; c < size.cols; ++c) columns.push_back(c);
  });
  return {size.rows, size.cols, std::vector<Index>(size.rows, 0), one.store()};
}

/// One entry per output, in the row of the input that it chose.
Pattern chosen_inputs_pattern(const Size& size, const std::vector<std::uint32_t>& chosen) {
  std::vector<std::vector<Index>> columns(size.rows);
  for (std::size_t output = 0; output < chosen.size(); ++output)
    columns[chosen[output]].push_back(static_cast<Index>(output));
  return build_pattern(size.rows, size.cols, size.cols, [&](Index r, std::vector<Index>& row) { row = columns[r]; });
}

}  // namespace

Pattern guaranteed_pattern(const Operator& op, const OperatorWeights& weights) {
  const Size size = jacobian_size(op);
  if (is_elementwise(op.kind)) return Pattern::diagonal(size.rows);
  if (std::holds_alternative<Linear>(op.kind) && weights.kept.empty()) return full_pattern(size);
  if (has_weight(op)) {
    const ConvolutionRows rows(op, weights);
    return build_pattern(size.rows, size.cols, unpruned_nnz(op), [&](Index r, std::vector<Index>& columns) {
      rows.row(r, [&](Index column, std::size_t) { columns.push_back(column); });
    });
  }
  const PoolingRows rows(op);
  return build_pattern(size.rows, size.cols, size.rows, [&](Index r, std::vector<Index>& columns) {
    rows.row(r, [&](Index column) { columns.push_back(column); });
  });
}

bool depends_on_input(const OperatorKind& kind) {
  return std::holds_alternative<Relu>(kind) || std::holds_alternative<MaxPool2d>(kind);
}

Pattern sample_pattern(const Operator& op, const OperatorWeights& weights, std::span<const double> x) {
  if (!depends_on_input(op.kind)) return guaranteed_pattern(op, weights);
  const Size size = jacobian_size(op);
  if (x.size() != size.rows) throw std::invalid_argument("the input of " + op.name + " has the wrong length");
  if (std::holds_alternative<MaxPool2d>(op.kind)) return chosen_inputs_pattern(size, max_positions(op, x));
  return build_pattern(size.rows, size.cols, size.rows, [&](Index r, std::vector<Index>& columns) {
    if (x[r] > 0) columns.push_back(r);
  });
}

std::uint64_t unpruned_nnz(const Operator& op) {
  const Size size = jacobian_size(op);
  if (is_elementwise(op.kind)) return size.rows;
  if (std::holds_alternative<Linear>(op.kind)) return checked_mul(size.rows, size.cols);
  const ImageWindows windows = image_windows(op);
  const std::uint64_t plane = checked_mul(windows.y.pairs(), windows.x.pairs());
  if (const auto* conv = std::get_if<Conv2d>(&op.kind)) {
    return checked_mul(plane, checked_mul(op.in_shape[0] / conv->groups, conv->out_channels));
  }
  return checked_mul(plane, op.in_shape[0]);
}

}  // namespace upsweep

#include "upsweep/jacobian/patterns.hpp"

#include <stdexcept>

#include "jacobian_rows.hpp"
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

Size jacobian_size(const Operator& op, std::size_t input = 0) {
  if (is_view(op.kind) || is_join(op.kind)) throw no_jacobian(op);
  return {static_cast<Index>(elements(op.input_shape(input))), static_cast<Index>(elements(op.out_shape))};
}

/// Rows that many inputs share, each stored once.
Pattern shared_pattern(const Size& size, SharedRows rows) {
  const Pattern distinct = build_pattern(rows.count, size.cols, size.cols, rows.write);
  return {size.rows, size.cols, std::move(rows.number_of), distinct.store()};
}

/// A linear operator without a mask: all inputs of a vector have the same full row.
Pattern full_pattern(const Operator& op, const Size& size) {
  const auto in = static_cast<Index>(op.in_shape.back());
  const auto out = static_cast<Index>(op.out_shape.back());
  SharedRows rows;
  rows.count = size.rows / in;
  for (Index r = 0; r < size.rows; ++r) rows.number_of.push_back(r / in);
  rows.write = [=](Index vector, std::vector<Index>& columns) {
    for (Index c = 0; c < out; ++c) columns.push_back(vector * out + c);
  };
  return shared_pattern(size, std::move(rows));
}

/// One entry per output, in the row of the input that it chose.
Pattern chosen_inputs_pattern(const Size& size, const std::vector<std::uint32_t>& chosen) {
  std::vector<std::vector<Index>> columns(size.rows);
  for (std::size_t output = 0; output < chosen.size(); ++output)
    columns[chosen[output]].push_back(static_cast<Index>(output));
  return build_pattern(size.rows, size.cols, size.cols, [&](Index r, std::vector<Index>& row) { row = columns[r]; });
}

/// One entry per element whose slope is not 0.
Pattern nonzero_slopes_pattern(const Operator& op, const OperatorWeights& weights, std::span<const double> x) {
  std::vector<double> slopes(x.size());
  elementwise_slopes(op, weights, 0, x, slopes);
  const auto rows = static_cast<Index>(x.size());
  return build_pattern(rows, rows, rows, [&](Index r, std::vector<Index>& columns) {
    if (slopes[r] != 0) columns.push_back(r);
  });
}

void require_input(const Operator& op, const Size& size, std::span<const double> x) {
  if (x.size() != size.rows) throw std::invalid_argument("the input of " + op.name + " has the wrong length");
}

}  // namespace

Pattern guaranteed_pattern(const Operator& op, const OperatorWeights& weights, PatternForm form, std::size_t input) {
  const Size size = jacobian_size(op, input);
  std::optional<OperatorClasses> classes;
  if (form == PatternForm::classes) classes = operator_classes(op, weights, input);
  const auto build = [&](std::uint64_t expected_nnz, const RowWriter& write) {
    if (!classes) return build_pattern(size.rows, size.cols, expected_nnz, write);
    return Pattern(std::make_shared<RowClasses>(
        build_classes(classes->rows, classes->cols, std::move(classes->partition), write)));
  };
  const auto weighted = [&] {
    const ConvolutionRows rows(op, weights);
    return build(unpruned_nnz(op), [&](Index r, std::vector<Index>& columns) {
      rows.row(r, [&](Index column, double) { columns.push_back(column); });
    });
  };
  const auto pooling = [&] {
    const PoolingRows rows(op);
    return build(size.rows, [&](Index r, std::vector<Index>& columns) {
      rows.row(r, [&](Index column, auto, auto) { columns.push_back(column); });
    });
  };
  const auto diagonal = [&] {
    return build(size.rows, [](Index r, std::vector<Index>& columns) { columns.push_back(r); });
  };
  const auto mixing = [&](SharedRows rows) {
    if (!classes) return shared_pattern(size, std::move(rows));
    return build(size.cols, [&](Index r, std::vector<Index>& columns) {
      rows.write(rows.number_of.empty() ? r : rows.number_of[r], columns);
    });
  };
  return visit_operator(
      op.kind, [&](const ElementwiseOperator auto&) { return diagonal(); },
      [&]<WeightedOperator K>(const K&) {
        return ContractionOperator<K> && weights.kept.empty() ? full_pattern(op, size) : weighted();
      },
      [&](const PoolingOperator auto&) { return pooling(); },
      [&](const MixingOperator auto& kind) { return mixing(kind.rows(op, input)); },
      [&](const CopyingOperator auto&) -> Pattern { throw no_jacobian(op); });
}

bool depends_on_input(const OperatorKind& kind) { return jacobian_numbers(kind) == JacobianNumbers::chosen; }

Pattern sample_pattern(const Operator& op, const OperatorWeights& weights, std::span<const double> x) {
  if (!depends_on_input(op.kind)) return guaranteed_pattern(op, weights);
  const Size size = jacobian_size(op);
  require_input(op, size, x);
  if (is_elementwise(op.kind)) return nonzero_slopes_pattern(op, weights, x);
  return chosen_inputs_pattern(size, max_positions(op, x));
}

std::uint64_t unpruned_nnz(const Operator& op, std::size_t input) {
  const Size size = jacobian_size(op, input);
  const auto pairs = [](const ImageWindows& windows) { return checked_mul(windows.y.pairs(), windows.x.pairs()); };
  return visit_operator(
      op.kind, [&](const ElementwiseOperator auto&) { return std::uint64_t{size.rows}; },
      [&](const ContractionOperator auto&) { return checked_mul(size.rows, op.out_shape.back()); },
      [&]<WeightedOperator K>(const K& kind) requires(!ContractionOperator<K>) {
        const WeightedWindows weighted = kind.weighted_windows(op);
        return checked_mul(pairs(weighted.windows), checked_mul(op.in_shape[0] / weighted.groups, op.out_shape[0]));
      },
      [&](const PoolingOperator auto& kind) { return checked_mul(pairs(kind.windows(op)), op.in_shape[0]); },
      [&](const MixingOperator auto& kind) { return kind.entries(op, input); },
      [&](const CopyingOperator auto&) -> std::uint64_t { throw no_jacobian(op); });
}

}  // namespace upsweep

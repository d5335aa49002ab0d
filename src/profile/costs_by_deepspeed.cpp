#include "cost_rules.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/network/dense_work.hpp"

namespace upsweep {
namespace {

/// FLOPs and MACs of one sample; nothing of what is not known.
struct PatchedFlops {
  std::uint64_t flops = 0;
  std::uint64_t macs = 0;
  const char* unknown = "";
};

PatchedFlops product_flops(std::uint64_t macs, std::uint64_t bias) {
  return {checked_add(checked_mul(2, macs), bias), macs};
}

/// Positions that its formula finds, which is that of a convolution; 0 where that makes no sense.
std::uint64_t output_positions(std::uint64_t in, std::uint64_t kernel, std::uint64_t stride, std::uint64_t padding,
                               std::uint64_t dilation) {
  const std::uint64_t padded = in + 2 * padding;
  const std::uint64_t reach = dilation * (kernel - 1) + 1;
  return padded < reach ? 0 : (padded - reach) / stride + 1;
}

/// Of several groups it divides the channels twice: the weight that it looks at has those of one group already.
PatchedFlops transposed_flops(const ConvTranspose2d& kind, const Operator& op) {
  const std::uint64_t channels = kind.out_channels / kind.groups;
  const std::uint64_t weights =
      checked_mul(checked_mul(kind.kernel.y, kind.kernel.x), checked_mul(op.in_shape[0], channels / kind.groups));
  const std::uint64_t macs = checked_mul(weights, elements(op.in_shape) / op.in_shape[0]);
  if (!kind.bias) return product_flops(macs, 0);
  const std::uint64_t y =
      output_positions(op.in_shape[1], kind.kernel.y, kind.stride.y, kind.padding.y, kind.dilation.y);
  const std::uint64_t x =
      output_positions(op.in_shape[2], kind.kernel.x, kind.stride.x, kind.padding.x, kind.dilation.x);
  if (y == 0 || x == 0) return {0, macs, "its bias, of an output that its formula makes empty"};
  return product_flops(macs, checked_mul(channels, checked_mul(y, x)));
}

/// A step of PyTorch's cells: two products without the last addition of each sum, biases, and what the gates do.
PatchedFlops recurrent_flops(const Recurrence& kind, const Operator& op) {
  if (kind.cell == RecurrentCell::gru && !kind.reset_after) return {0, 0, "no cell of PyTorch"};
  const std::uint64_t rows = kind.gates() * kind.hidden;
  const std::uint64_t gates = kind.cell == RecurrentCell::rnn ? 1 : kind.cell == RecurrentCell::gru ? 7 : 10;
  const std::uint64_t sums = 2 * forward_macs(op) / op.in_shape[0] - 2 * rows;
  const std::uint64_t step = sums + gates * kind.hidden + (kind.bias ? 2 * rows : 0);
  return {checked_mul(op.in_shape[0], step), 0};
}

PatchedFlops grouped_flops(const Grouped& kind, const Operator& op) {
  if (kind.rule == GroupRule::softmax) return {elements(op.in_shape), 0};
  if (kind.rule != GroupRule::normalise) return {};
  return {checked_mul(is_affine(op) ? 5 : 4, elements(op.in_shape)), 0};
}

/// F.relu6 is counted; nn.ReLU6, and all other functions, call what is not.
PatchedFlops function_flops(const Activation& kind) {
  if (kind.function == Function::clip && kind.alpha == 0 && kind.beta == 6)
    return {0, 0, "counted as F.relu6, not as nn.ReLU6"};
  return {};
}

PatchedFlops patched_flops(const Operator& op) {
  const std::uint64_t in = elements(op.in_shape);
  const PatchedFlops each{in, 0};
  return std::visit(Overload{[&](const Conv2d& kind) {
                               return product_flops(forward_macs(op), kind.bias ? elements(op.out_shape) : 0);
                             },
                             [&](const ConvTranspose2d& kind) { return transposed_flops(kind, op); },
                             [&](const Linear&) { return product_flops(forward_macs(op), 0); },
                             [&](const MatMul&) { return product_flops(forward_macs(op), 0); },
                             [&](const Recurrence& kind) { return recurrent_flops(kind, op); },
                             [&](const BatchNorm2d&) {
                               return PatchedFlops{checked_mul(is_affine(op) ? 2 : 1, in), 0};
                             },
                             [&](const Grouped& kind) { return grouped_flops(kind, op); },
                             [&](const Relu&) { return each; },
                             [&](const LeakyRelu&) { return each; },
                             [&](const Elu&) { return each; },
                             [&](const Gelu&) { return each; },
                             [&](const Silu&) { return each; },
                             [&](const Scaling& kind) { return kind.negative_part ? each : PatchedFlops{}; },
                             [&](const MaxPool2d&) { return each; },
                             [&](const AvgPool2d&) { return each; },
                             [&](const AdaptiveAvgPool2d&) { return each; },
                             [](const Interpolation&) {
                               return PatchedFlops{0, 0, "F.interpolate counts by its arguments, size or scale_factor"};
                             },
                             [&](const IndexMap&) {
                               return repeats_elements(op)
                                          ? PatchedFlops{0, 0, "counted where it is F.interpolate alone"}
                                          : PatchedFlops{};
                             },
                             [&](const Activation& kind) { return function_flops(kind); },
                             [](const Tanh&) { return PatchedFlops{}; },
                             [](const Sigmoid&) { return PatchedFlops{}; },
                             [](const Pairwise&) { return PatchedFlops{}; },
                             [](const CopyingOperator auto&) { return PatchedFlops{}; },
                             [](const auto&) {
                               return PatchedFlops{0, 0, "no rule is stated for this operator"};
                             }},
                    op.kind);
}

OperatorCosts by_deepspeed(const CostedOperator& costed) {
  const PatchedFlops forward = patched_flops(costed.op);
  OperatorCosts mine = with_parameters(costed.op);
  if (*forward.unknown != '\0') {
    mine.unknown = forward.unknown;
    return mine;
  }
  mine.costs.forward_macs = of_batch(costed, forward.macs);
  mine.costs.forward_flops = of_batch(costed, forward.flops);
  mine.costs.backward_flops = checked_mul(2, *mine.costs.forward_flops);
  return mine;
}

}  // namespace

Convention deepspeed_convention() {
  return {
      "deepspeed",
      "DeepSpeed",
      "microsoft/DeepSpeed: deepspeed/profiling/flops_profiler/profiler.py (009c548)",
      "MACs of products and 2 FLOPs each; the bias of a convolution adds 1 per output, that of a linear none; 1 FLOP "
      "per input of relu, prelu, elu, leaky_relu, silu, gelu, softmax and all pooling, 2 per element of an affine "
      "batch norm in evaluation mode, 5 of other affine norms; recurrent layers have FLOPs and no MACs. It patches "
      "functions of torch: + - * / in Python, sigmoid, tanh and others are not seen, and stand here as 0 (torch.add "
      "and torch.mul would be 1 per element); products of two activations are taken for torch.matmul or torch.bmm. "
      "Backward is 2 times forward, whatever the operator. No activation bytes.",
      by_deepspeed,
      {&Costs::parameters, &Costs::forward_macs, &Costs::forward_flops, &Costs::backward_flops}};
}

}  // namespace upsweep

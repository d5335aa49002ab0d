#pragma once

#include "upsweep/profile/convention.hpp"

namespace upsweep {

// One file each: costs_by_<name>.cpp. A tool's counts are those of PyTorch's module or function of the operator's kind.

/// Of this program: operator_work(), forward_macs() and input_gradient_flops() for every operator and input.
[[nodiscard]] Convention upsweep_convention();
/// Source: calculate_macs() of torchinfo/layer_info.py, torchinfo/model_statistics.py.
[[nodiscard]] Convention torchinfo_convention();
/// Source: the default handles of fvcore/nn/flop_count.py and fvcore/nn/activation_count.py.
[[nodiscard]] Convention fvcore_convention();
/// Source: deepspeed/profiling/flops_profiler/profiler.py.
[[nodiscard]] Convention deepspeed_convention();
/// Source: the constructors of the layers in calculon/llm/layers.py.
[[nodiscard]] Convention calculon_convention();

/// `count` of one sample for a whole batch. Throws CountOverflow.
[[nodiscard]] std::uint64_t of_batch(const CostedOperator& costed, std::uint64_t count);

/// Begins the costs of an operator by the parameters of its module; not known of numbers that are added to activations,
/// which may be a bias, a parameter beside modules or a constant.
[[nodiscard]] OperatorCosts with_parameters(const Operator& op);

/// Whether a norm has scales and shifts.
[[nodiscard]] bool is_affine(const Operator& op);

/// Whether an index map hands an element to several places: nearest upsampling, which tools count, or an expansion,
/// which they do not.
[[nodiscard]] bool repeats_elements(const Operator& op);

}  // namespace upsweep

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// A function of one number, with up to two constants.
enum class Function : std::uint8_t {
  absolute,
  negative,
  exponential,
  logarithm,
  square_root,
  reciprocal,
  power,
  error,
  sine,
  cosine,
  softplus,
  softsign,
  selu,
  celu,
  hardsigmoid,
  hardswish,
  mish,
  clip,
  sign
};

/// The functions by the name that PyTorch gives them, in the order of Function.
inline constexpr std::array<const char*, 19> kFunctionNames = {
    "abs",      "neg",      "exp",  "log",  "sqrt",        "reciprocal", "pow",  "erf",      "sin", "cos",
    "softplus", "softsign", "selu", "celu", "hardsigmoid", "hardswish",  "mish", "hardtanh", "sign"};

/// A function of every element. `alpha` and `beta` are: pow: the exponent; celu: alpha; hardsigmoid: slope and shift
/// (1/6 and 1/2); hardtanh: the bounds; softplus: the factor in the exponent is alpha.
struct Activation {
  static constexpr OperatorTraits kTraits{"activation", Structure::elementwise, JacobianNumbers::input};

  Function function = Function::absolute;
  double alpha = 1;
  double beta = 0;

  static constexpr void settings(auto& self, auto& in) {
    in.choice("function", self.function,
              {kFunctionNames[0], kFunctionNames[1], kFunctionNames[2], kFunctionNames[3], kFunctionNames[4],
               kFunctionNames[5], kFunctionNames[6], kFunctionNames[7], kFunctionNames[8], kFunctionNames[9],
               kFunctionNames[10], kFunctionNames[11], kFunctionNames[12], kFunctionNames[13], kFunctionNames[14],
               kFunctionNames[15], kFunctionNames[16], kFunctionNames[17], kFunctionNames[18]});
    in.setting("alpha", self.alpha);
    in.setting("beta", self.beta);
  }
  [[nodiscard]] double value(double x) const;
  /// The derivative; at a kink that of the left side.
  [[nodiscard]] double slope(double x) const;
};

}  // namespace upsweep

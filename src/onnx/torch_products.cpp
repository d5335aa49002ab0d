#include <cmath>

#include "torch_call.hpp"

namespace upsweep {
namespace {

OnnxValue product_of(TorchCall& call) { return call.node("MatMul"); }

/// softmax(q · kᵀ · scale) · v.
OnnxValue attention_of(TorchCall& call) {
  const OnnxValue &query = call.inputs[0], &key = call.inputs[1], &value = call.inputs[2];
  if (query.rank() < 3 || key.rank() < 3) throw std::invalid_argument("inputs of less than two axes");
  std::vector<std::int64_t> perm(key.rank());
  for (std::size_t a = 0; a < perm.size(); ++a) perm[a] = static_cast<std::int64_t>(a);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  const OnnxValue turned = call.node("Transpose", {{"perm", perm}}, {key});
  const double scale = call.number("scale", 1 / std::sqrt(static_cast<double>(query.dims.back())));
  const OnnxValue factor{{}, Tensor::of({}, {scale}, false)};
  const OnnxValue scores = call.node("Mul", {}, {call.node("MatMul", {}, {query, turned}), factor});
  return call.node("MatMul", {}, {call.node("Softmax", {{"axis", std::int64_t{-1}}}, {scores}), value});
}

}  // namespace

std::vector<TorchOperator> torch_products() {
  return {
      {"bmm", {}, product_of, 2, 2},
      {"einsum",
       {{"equation", TorchType::text, true}},
       [](TorchCall& call) {
         return call.node("Einsum", {{"equation", call.text("equation", "")}});
       },
       1,
       8},
      {"matmul", {}, product_of, 2, 2},
      {"scaled_dot_product_attention", {{"scale", TorchType::number}}, attention_of, 3, 3},
  };
}

}  // namespace upsweep

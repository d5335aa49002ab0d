#include "recurrent_model_json.hpp"

#include <nlohmann/json.hpp>

namespace upsweep {

Json recurrent_model_json(const RecurrentModel& model) {
  const CellShape& shape = model.shape;
  return {{"name", model.name},
          {"dtype", model.value_bytes == 8 ? "fp64" : "fp32"},
          {"input", {shape.input}},
          {"recurrent",
           {{"cell", to_string(shape.kind)},
            {"nonlinearity", shape.kind == CellKind::rnn ? Json(to_string(shape.nonlinearity)) : Json()},
            {"input_size", shape.input},
            {"hidden_size", shape.hidden},
            {"layers", model.layers},
            {"steps", model.steps},
            {"batch", model.batch},
            {"fused", model.is_fused}}}};
}

}  // namespace upsweep

#pragma once

#include <string>

#include "upsweep/app/loading.hpp"
#include "upsweep/app/session.hpp"
#include "upsweep/io/model_writer.hpp"
#include "upsweep/report/format.hpp"

namespace upsweep {

/// Write a network of another format as a model file.
struct ImportRequest {
  std::string model;      ///< an ONNX file
  OnnxOptions onnx = {};  ///< of it
  std::string out;        ///< the model file: a name that ends with .yaml
};

struct ImportOutcome {
  std::string file;
  WrittenModel written;
};

[[nodiscard]] Json to_json(const ImportOutcome& outcome);
[[nodiscard]] std::string to_csv(const ImportOutcome& outcome);
[[nodiscard]] std::string to_text(const ImportOutcome& outcome, const TextStyle& style);

/// Throws RequestError; InputError, also for a file of another format.
[[nodiscard]] ImportOutcome run(const ImportRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep

#pragma once

#include <string>

#include "upsweep/app/loading.hpp"
#include "upsweep/app/session.hpp"
#include "upsweep/document/document.hpp"
#include "upsweep/io/model_writer.hpp"

namespace upsweep {

/// Write a network of another format as a model file.
struct ImportRequest {
  std::string model;      ///< an ONNX file
  OnnxOptions onnx = {};  ///< of it
  std::string out;        ///< the model file: a name that ends with .yaml
  bool force = false;     ///< replace a file of that name that upsweep did not write, too
};

struct ImportOutcome {
  std::string file;
  WrittenModel written;
};

[[nodiscard]] Document document(const ImportOutcome& outcome);

/// Throws RequestError; InputError, also for a file of another format.
[[nodiscard]] ImportOutcome run(const ImportRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep

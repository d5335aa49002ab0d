#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/document/document.hpp"
#include "upsweep/learning/train_result.hpp"
#include "upsweep/learning/train_spec.hpp"
#include "upsweep/recurrent/backward_pass.hpp"
#include "upsweep/search/verdict.hpp"

namespace upsweep {

/// A training that was run, with what a reader of its figures wants to know.
struct TrainReport {
  TrainSpec spec;                  ///< as it was run: options of the command line have replaced the file's
  std::string model;               ///< name of the model
  std::string model_hash;          ///< content hash of the model file
  std::string description;         ///< "rnn of 20 hidden elements, 1000 steps"
  std::optional<PassShape> shape;  ///< of a recurrent model
  std::size_t batch = 0;
  std::size_t steps = 0;    ///< of a recurrent model, else 0
  std::size_t samples = 0;  ///< in the data
  unsigned value_bytes = 4;
  std::size_t parameters = 0;  ///< numbers that are trained
  std::string device;          ///< where the backward passes ran
  std::string driver;          ///< versions there
  std::size_t workers = 1;     ///< threads
  TrainResult result;
};

/// Every number of the curves, without the verdict. CSV: iteration (from 1) and the loss of each backward pass, empty
/// from where a curve ended early. People see tables, differences and a small picture of the curves.
[[nodiscard]] Document document(const TrainReport& report);

/// The fastest backward pass that is a scan beside the fastest that is none, as measured; empty without the latter.
[[nodiscard]] Verdict train_verdict(const TrainReport& report);

}  // namespace upsweep

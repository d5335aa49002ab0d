#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/store/stored_run.hpp"

namespace upsweep {

/// Seconds of the phases of a backward pass.
struct PassSeconds {
  double jacobians = 0;
  double up = 0;
  double middle = 0;
  double down = 0;

  [[nodiscard]] double total() const { return jacobians + up + middle + down; }
};

/// One backward method of a run: counted, predicted, measured, trained with, as far as it was.
struct PassRow {
  std::string method;                        ///< "bptt", "hybrid:2", ...
  std::string backend = {};                  ///< where it ran; empty: nowhere
  std::optional<bool> best = {};             ///< of a search, or the fastest that ran
  std::optional<std::string> failure = {};   ///< why it did not run, or is infeasible
  std::optional<std::string> mismatch = {};  ///< the first gradient out of its bound
  std::optional<double> flops = {};
  std::optional<double> bytes = {};
  std::optional<double> critical_path_flops = {};  ///< under the run's execution
  std::optional<double> makespan_flops = {};       ///< on the run's workers
  std::optional<PassSeconds> predicted = {};
  std::optional<PassSeconds> measured = {};    ///< of one pass; of a training the mean over its iterations
  std::optional<double> worst_share = {};      ///< of the rounding bound
  std::optional<double> loss_difference = {};  ///< of a training: the largest from the first method's curve
};

/// A point of a loss curve.
struct LossPoint {
  std::uint32_t pass = 0;       ///< index in PassRecord::passes
  std::uint64_t iteration = 0;  ///< from 0
  double loss = 0;
  double accuracy = 0;  ///< of the batch, 0 to 1
};

/// A run of a command on a recurrent model, or of `train` on any, to be kept.
struct PassRecord {
  std::string tool_version;
  std::string command;     ///< "profile", "search", "validate" or "train"
  std::string parameters;  ///< the command line as a JSON array
  std::string model;
  std::string model_file;
  std::string content_hash;  ///< of the files; sizes that options replaced stand below, others in parameters
  std::string network;       ///< "rnn tanh", "rnn relu", "gru", or "operators"
  std::uint64_t hidden = 0;  ///< elements; 0: no recurrent model
  std::uint64_t steps = 0;   ///< T; 0 likewise
  std::uint64_t batch = 1;
  bool is_fused = true;
  unsigned value_bytes = 4;
  std::string machine = {};  ///< name of a machine file; empty: none
  std::string device = {};   ///< what it ran on; empty: nothing was run
  std::string driver = {};
  std::uint64_t workers = 1;
  std::optional<double> forward_s = {};
  std::optional<double> parameters_s = {};  ///< gradients of the parameters
  std::optional<SearchRecord> search = {};  ///< by which passes were compared in FLOPs; nothing by older versions
  std::vector<PassRow> passes;
  std::vector<LossPoint> losses = {};
  KeptVerdict verdict = {};
  std::optional<std::string> explanation = {};  ///< as RunContext::explanation; written, not read
};

}  // namespace upsweep

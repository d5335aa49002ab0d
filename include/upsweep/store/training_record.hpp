#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/store/stored_run.hpp"

namespace upsweep {

/// A figure of a training run: of one variant (a policy, a link rule and k, ...), of the whole, or of a device, layer,
/// ...
struct TrainingFigure {
  std::uint32_t variant = 0;           ///< index in TrainingRecord::variants
  std::string name;                    ///< "makespan", "busy", ...: as in the JSON
  std::optional<std::uint64_t> index;  ///< of a list's entry
  double value = 0;
};

/// An operation or a transfer of a variant, [start, end) on a resource.
struct TrainingTask {
  std::uint32_t variant = 0;
  std::string resource;  ///< "device 0", "link", "0 to 1", ...
  char kind = 'F';       ///< F, O, W or U; of a transfer: of what made the tensor
  bool is_transfer = false;
  std::uint32_t layer = 1;  ///< 1-based
  std::uint32_t micro_batch = 0;
  double start = 0;
  double end = 0;
};

/// A run of `upsweep training` to be kept.
struct TrainingRecord {
  std::string tool_version;
  std::string parameters;  ///< the command line as a JSON array
  std::string name;
  std::string kind;
  std::string file;
  std::string content_hash;
  bool is_in_seconds = false;  ///< otherwise in the unit of the file
  std::string model;           ///< empty where costs stand in the file
  std::string machine;
  std::string link;
  std::string kernels;
  std::string library = {};         ///< of a gpu: whose sparse products; in the verdict alone, like the next three
  std::string launch = {};          ///< of a gpu: "eager" or "graph"
  std::uint64_t batch = 0;          ///< samples of a step, of data parallel training on each device; 0: not known
  std::uint64_t micro_batches = 0;  ///< that the file cuts it into; 0: none
  std::uint64_t devices = 1;
  std::vector<std::string> variants;
  std::optional<std::uint32_t> best = std::nullopt;  ///< the variant that the run is listed with
  std::optional<double> best_makespan = std::nullopt;
  std::vector<TrainingFigure> figures;
  std::vector<TrainingTask> tasks;
  KeptVerdict verdict = {};
};

}  // namespace upsweep

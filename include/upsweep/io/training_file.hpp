#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "upsweep/base/error.hpp"
#include "upsweep/io/yaml.hpp"
#include "upsweep/search/frame_request.hpp"
#include "upsweep/training/study.hpp"

namespace upsweep {

/// Where costs come from that are not in the training file itself.
struct CostSource {
  std::string model_file;  ///< a model file or a layers file
  std::string model;
  std::string machine;
  std::string link;          ///< empty without a link file
  FrameRequest frame = {};   ///< the machine's file, how kernels of a gpu are started, the library, and the batch: the
                             ///< samples of a step (data parallel: on a device)
  bool is_csr = false;       ///< sparse products with Jacobians; otherwise dense kernels
  unsigned value_bytes = 4;  ///< of a number
  std::vector<std::string> layer_names;
};

/// A training file, read and checked.
struct TrainingFile {
  std::string file;  ///< as errors name it
  std::string name;
  std::string kind;                  ///< "pipeline", "data_parallel", "reverse_first_k_memory" or "multi_region"
  int line = 0;                      ///< of `kind`
  std::string note;                  ///< free text for people, such as what was measured elsewhere
  std::string content_hash;          ///< of everything that figures depend on
  std::optional<CostSource> source;  ///< times are then seconds, sizes bytes
  std::variant<PipelineStudy, DataParallelStudy, FirstKMemoryStudy, MultiRegionStudy> study;

  /// The error "FILE:LINE: message".
  [[nodiscard]] InputError error(int at_line, const std::string& message) const { return {file, at_line, message}; }
};

/// Reads a training file: one flat YAML mapping, whose keys are described in docs/training-steps.md. What `frame` has
/// of machine, launch, library and batch stands instead of the file's.
///
/// Throws InputError, "FILE:LINE: what is wrong, what was found, what is accepted"; also for the files that it names.
[[nodiscard]] TrainingFile load_training(const YamlDocument& document, const FrameRequest& frame = {});

}  // namespace upsweep

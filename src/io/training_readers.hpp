#pragma once

#include <string>

#include "network_costs.hpp"
#include "upsweep/io/training_file.hpp"
#include "upsweep/io/yaml.hpp"

namespace upsweep {

/// A training file while it is read: its mapping, and the network that costs come from, if any.
struct TrainingInput {
  YamlMap& map;
  NetworkCosts* network = nullptr;

  [[nodiscard]] const YamlDocument& document() const { return map.document(); }
  /// `layers`: required, or with a network optional and equal to its. Throws InputError.
  [[nodiscard]] std::size_t layers() const;
  /// `skip_o1`, true by default.
  [[nodiscard]] bool skips_first_output_gradient() const;
};

// One kind of file each; they throw InputError.
[[nodiscard]] PipelineStudy read_pipeline(const TrainingInput& input);
[[nodiscard]] DataParallelStudy read_data_parallel(const TrainingInput& input);
[[nodiscard]] FirstKMemoryStudy read_first_k_memory(const TrainingInput& input);
[[nodiscard]] MultiRegionStudy read_multi_region(const TrainingInput& input);

}  // namespace upsweep

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "upsweep/training/step_op.hpp"

namespace upsweep {

/// How a tensor moves between two devices.
enum class CommModel : std::uint8_t {
  delay,  ///< it departs as soon as it is there
  link,   ///< it waits for the link of the two devices, first come first served; the link is held for the wire time
};

/// Bytes of a layer: of its tensors per micro-batch, of its weights whatever the micro-batch.
struct LayerBytes {
  std::uint64_t input = 0;   ///< what its F reads and its W needs again: an activation
  std::uint64_t output = 0;  ///< of the gradient of what it makes, too
  std::uint64_t weights = 0;

  friend bool operator==(const LayerBytes&, const LayerBytes&) = default;
};

/// One training step of a chain of layers, spread over devices: what a pipeline policy orders.
///
/// Shapes: cost lists and device_of have an entry per layer, transfer_sizes one per pair of neighbours. Units: times in
/// any one unit, sizes in the unit of bandwidth times that unit. Costs are per micro-batch but for updates.
/// Definitions: training-schedules, section 1; after H. Oh et al., Out-Of-Order BackProp, EuroSys '22.
struct Pipeline {
  std::size_t devices = 1;
  std::size_t micro_batches = 1;
  std::vector<double> forward;
  std::vector<double> output_gradient;  ///< 0: does not exist
  std::vector<double> weight_gradient;  ///< 0: does not exist (a layer without weights)
  std::vector<double> update;           ///< 0: free; there is none without weights
  std::vector<std::uint32_t> device_of;
  bool skip_first_output_gradient = true;  ///< nobody needs the gradient of the network's input
  std::vector<double> transfer_sizes;      ///< of the activation, and of the gradient, between layers i and i + 1
  std::optional<double> bandwidth;         ///< nothing: infinite
  double latency = 0;                      ///< from the end of the wire time to the arrival
  CommModel comm_model = CommModel::delay;
  std::vector<LayerBytes> bytes;  ///< by layer; empty where nobody knows them

  [[nodiscard]] std::size_t layers() const { return forward.size(); }

  /// Cost of an operation; 0 where it does not exist.
  [[nodiscard]] double cost(const StepOp& op) const;
  [[nodiscard]] bool exists(const StepOp& op) const { return cost(op) > 0; }
};

/// A maximal run of consecutive layers on one device.
struct Chunk {
  std::uint32_t first_layer = 0;
  std::uint32_t last_layer = 0;  ///< inclusive
  std::uint32_t device = 0;
  std::uint32_t number = 0;  ///< among the chunks of its device, by ascending layer
};

/// The chunks of an allocation; its devices must exist.
struct Chunks {
  std::vector<Chunk> all;  ///< by ascending layer
  std::vector<std::vector<Chunk>> of_device;
  std::vector<std::uint32_t> number_of_layer;  ///< Chunk::number of the chunk that a layer is in
  std::size_t most_on_a_device = 0;
};
[[nodiscard]] Chunks chunks_of(const Pipeline& pipeline);

/// The device of each layer: the first (layers mod devices) devices take one layer more than the others. At least one
/// device.
[[nodiscard]] std::vector<std::uint32_t> contiguous_allocation(std::size_t layers, std::size_t devices);

/// The device of each layer: groups of `group` layers go round the devices. Source: Out-Of-Order BackProp, section
/// 5.2.1 (group 1). At least one device and a group of at least 1.
[[nodiscard]] std::vector<std::uint32_t> modulo_allocation(std::size_t layers, std::size_t devices, std::size_t group);

}  // namespace upsweep

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/io/content_hash.hpp"
#include "upsweep/io/layers_file.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/io/training_file.hpp"
#include "upsweep/io/yaml.hpp"
#include "upsweep/machine/machine.hpp"
#include "upsweep/training/layer_costs.hpp"
#include "upsweep/training/link.hpp"

namespace upsweep {

/// Costs that a training file takes from a network: keys `model`, `machine`, `launch`, `library`, `link`, `kernels` and
/// `batch`.
class NetworkCosts {
 public:
  /// Reads the keys and the files that they name, or that `asked` does instead; nothing where the map has no `model`.
  /// Throws InputError.
  [[nodiscard]] static std::unique_ptr<NetworkCosts> read(YamlMap& map, const FrameRequest& asked, ContentHash& hash);

  [[nodiscard]] std::size_t layers() const;
  /// Costs of `samples` samples; counted once for each number.
  [[nodiscard]] const LayerCosts& of(std::uint64_t samples);
  /// Bytes that the first layer reads for `samples` samples; 0 of a layers file, which does not say.
  [[nodiscard]] double input_bytes(std::uint64_t samples) const;
  /// The link file, if the map names one.
  [[nodiscard]] const std::optional<Link>& link() const { return link_; }
  /// Samples of the whole step: as the map says, else `otherwise`.
  std::uint64_t settle_batch(std::uint64_t otherwise) { return *(frame_.batch = frame_.batch.value_or(otherwise)); }
  /// What the results say of where costs come from.
  [[nodiscard]] CostSource source() const;

 private:
  void read_machine(YamlMap& map, const YamlNode& model, const FrameRequest& asked, ContentHash& hash);
  void read_files(const YamlDocument& document, YamlMap& map, const YamlNode& model, ContentHash& hash);
  void read_kernels(YamlMap& map);

  std::string model_file_;
  FrameRequest frame_;
  std::optional<Model> model_;
  std::optional<LayersModel> layers_model_;
  std::vector<LayerWork> works_;
  Machine machine_;
  std::optional<Link> link_;
  bool is_csr_ = false;
  const YamlDocument* document_ = nullptr;  // of the machine's place, for errors
  const YamlNode* machine_node_ = nullptr;
  std::map<std::uint64_t, LayerCosts> known_;  // by samples
};

}  // namespace upsweep

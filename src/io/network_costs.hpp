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

/// Costs that a training file takes from a network: keys `model`, `machine`, `launch`, `link`, `kernels` and `batch`.
class NetworkCosts {
 public:
  /// Reads the keys and the files that they name; nothing where the map has no `model`. Throws InputError.
  [[nodiscard]] static std::unique_ptr<NetworkCosts> read(YamlMap& map, ContentHash& hash);

  [[nodiscard]] std::size_t layers() const;
  /// Costs of `samples` samples; counted once for each number.
  [[nodiscard]] const LayerCosts& of(std::uint64_t samples);
  /// The link file, if the map names one.
  [[nodiscard]] const std::optional<Link>& link() const { return link_; }
  /// Samples of the whole step: as the map says, else `otherwise`.
  std::uint64_t settle_batch(std::uint64_t otherwise) { return *(batch_ = batch_.value_or(otherwise)); }
  /// What the results say of where costs come from.
  [[nodiscard]] CostSource source() const;

 private:
  void read_files(const YamlDocument& document, YamlMap& map, const YamlNode& model, ContentHash& hash);
  void read_kernels(YamlMap& map);
  /// The machine with kernels started as a key says.
  [[nodiscard]] Machine with_launch(const YamlDocument& document, const YamlNode& node, const std::string& key) const;

  std::string model_file_, machine_file_;
  std::optional<Model> model_;
  std::optional<LayersModel> layers_model_;
  std::vector<LayerWork> works_;
  Machine machine_;
  std::optional<Link> link_;
  bool is_csr_ = false;
  std::optional<std::uint64_t> batch_;
  const YamlDocument* document_ = nullptr;  // of the machine's place, for errors
  const YamlNode* machine_node_ = nullptr;
  std::map<std::uint64_t, LayerCosts> known_;  // by samples
};

}  // namespace upsweep

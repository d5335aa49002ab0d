#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <stdexcept>

#include "cost_lists.hpp"
#include "training_readers.hpp"

namespace upsweep {
namespace {

constexpr double kTolerance = 1e-9;  // of the main stream's time, between what is stated and what follows

class MultiRegionReader {
 public:
  explicit MultiRegionReader(const TrainingInput& input)
      : map_(input.map), document_(input.document()), layers_(input.layers()) {}

  MultiRegionStudy read() {
    step_.forward = read_list(map_, "F", layers_, NumberSign::positive);
    step_.output_gradient = read_list(map_, "O", layers_, NumberSign::positive, std::nullopt, true);
    step_.output_gradient.front() = 0;  // whatever stands there: nobody needs O(1)
    step_.weight_gradient = read_list(map_, "W", layers_, NumberSign::positive);
    read_main_stream();
    read_kernels();
    step_.co_run = per_kernel_and_region("T_sub", NumberSign::positive);
    step_.speedup_percent = per_kernel_and_region("speedup_percent", NumberSign::any);
    step_.hold = per_kernel("hold", NumberSign::not_negative);
    step_.base_memory = read_number(document_, map_.require("base"), map_.name("base"), NumberSign::not_negative);
    step_.memory_limit =
        yaml_number(document_, map_.require("memory_limit"), map_.name("memory_limit") + ", in the units of base,");
    check_derived(document_.at(map_.node(), [&] { return region_times(step_); }));
    return {std::move(step_)};
  }

 private:
  [[nodiscard]] StepOp read_op(const YamlNode& node) const {
    const std::string text = yaml_text(document_, node, "an op of " + map_.name("main_stream"));
    const std::string kinds = "FOW";
    const std::size_t kind = text.empty() ? std::string::npos : kinds.find(text.front());
    const bool is_number = text.size() > 1 && text.size() < 9 &&
                           text.find_first_not_of("0123456789", 1) == std::string::npos && text[1] != '0';
    const std::size_t layer = is_number ? std::stoul(text.substr(1)) : 0;
    if (kind == std::string::npos || layer == 0 || layer > layers_) {
      throw document_.error(node, fmt::format("an op of {} is '{}', accepted are F, O, W with a layer, 1 to {}: O{}",
                                              map_.name("main_stream"), text, layers_, layers_));
    }
    return {static_cast<StepOpKind>(kind), static_cast<std::uint32_t>(layer - 1), 0};
  }

  void read_main_stream() {
    const std::string what = map_.name("main_stream");
    for (const auto& region : read_sequence(document_, map_.require("main_stream"), what)) {
      std::vector<StepOp> ops;
      for (const auto& op : read_sequence(document_, *region, "a region of " + what)) ops.push_back(read_op(*op));
      step_.main_stream.push_back(std::move(ops));
    }
  }

  void read_kernels() {
    const YamlNode& node = map_.require("kernels");
    const auto& entries = read_sequence(document_, node, map_.name("kernels"));
    bool is_right = entries.size() + 1 == layers_;
    for (std::size_t i = 0; i < entries.size(); ++i)
      is_right = yaml_integer(document_, *entries[i], "an entry of " + map_.name("kernels")) == i + 2 && is_right;
    if (!is_right) {
      throw document_.error(node, fmt::format("{} are not all layers but the first, accepted is the list 2 to {}",
                                              map_.name("kernels"), layers_));
    }
  }

  /// Reads one value per kernel.
  void for_each_kernel(
      const std::string& key,
      const std::function<void(std::size_t layer, const YamlNode& node, const std::string& what)>& use) {
    YamlMap map(document_, map_.require(key), map_.name(key));
    for (std::size_t layer = 1; layer < layers_; ++layer) {
      const std::string kernel = fmt::format("{}", layer + 1);
      use(layer, map.require(kernel), fmt::format("{} of kernel {}", key, kernel));
    }
    map.finish();
  }

  std::vector<double> per_kernel(const std::string& key, NumberSign sign) {
    std::vector<double> numbers(layers_);
    for_each_kernel(key, [&](std::size_t layer, const YamlNode& node, const std::string& what) {
      numbers[layer] = read_number(document_, node, what, sign);
    });
    return numbers;
  }

  std::vector<std::vector<double>> per_kernel_and_region(const std::string& key, NumberSign sign) {
    std::vector<std::vector<double>> numbers(layers_);
    for_each_kernel(key, [&](std::size_t layer, const YamlNode& node, const std::string& what) {
      numbers[layer] = read_numbers(document_, node, what, step_.regions(), sign);
    });
    return numbers;
  }

  void check_derived(const RegionTimes& times) {
    main_end_ = times.scale.units(times.start.back() + times.main.back());
    const auto main = read_list(map_, "T_main", step_.regions(), NumberSign::positive);
    for (std::size_t region = 0; region < main.size(); ++region) {
      agree(map_.require("T_main"), fmt::format("T_main of region {}", region + 1), main[region],
            times.scale.units(times.main[region]));
    }
    for (const bool is_deadline : {false, true}) {
      const char* key = is_deadline ? "deadline" : "available";
      const auto& derived = is_deadline ? times.deadline : times.available;
      for_each_kernel(key, [&](std::size_t layer, const YamlNode& node, const std::string& what) {
        agree(node, what, read_number(document_, node, what, NumberSign::not_negative),
              times.scale.units(derived[layer]));
      });
    }
    const std::uint64_t stated = map_.integer("backward_regions");
    if (stated != times.backward_regions) {
      throw document_.error(map_.require("backward_regions"),
                            fmt::format("backward_regions is {}, accepted is {}, which follows from main_stream",
                                        stated, times.backward_regions));
    }
  }

  void agree(const YamlNode& node, const std::string& what, double stated, double derived) const {
    if (std::abs(stated - derived) <= kTolerance * main_end_) return;
    throw document_.error(node, fmt::format("{} is {}, accepted is {}, which follows from main_stream and F, O, W",
                                            what, stated, derived));
  }

  YamlMap& map_;
  const YamlDocument& document_;
  std::size_t layers_;
  MultiRegion step_;
  double main_end_ = 0;  // end of the main stream
};

}  // namespace

MultiRegionStudy read_multi_region(const TrainingInput& input) { return MultiRegionReader(input).read(); }

}  // namespace upsweep

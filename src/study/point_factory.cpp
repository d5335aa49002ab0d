#include "upsweep/study/point_factory.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "coordinates.hpp"
#include "point_numbers.hpp"
#include "settings_text.hpp"
#include "upsweep/base/kept_last.hpp"
#include "upsweep/io/text_file.hpp"
#include "variants.hpp"

namespace upsweep {
namespace {

// Models and machines that are kept: small ones many, in parts that threads seldom meet at; networks with their masks
// as the memory allows.
constexpr std::size_t kShards = 16;
constexpr std::size_t kSmallOnes = 4096;
constexpr std::size_t kNetworks = 64;
constexpr std::uint64_t kNetworkBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kMaskBytes = std::uint64_t{256} << 20;
constexpr double kMostImage = 1e6;  // pixels of height or width
constexpr std::size_t kMostImages = 10'000;
constexpr std::uint64_t kSmallBytes = std::uint64_t{4} << 20;

/// The columns of a study below "model" or "machine", and the axes that have such columns.
struct VariantColumns {
  struct Column {
    ColumnPlace place;
    std::string path;  // below the root
  };
  std::vector<Column> columns;
  std::vector<std::size_t> axes;  // ascending

  void add(const ColumnPlace& place, const std::string& path) {
    columns.push_back({place, below_root(path)});
    if (axes.empty() || axes.back() != place.axis) axes.push_back(place.axis);
  }

  [[nodiscard]] VariantKey key(const PointValues& values, const Grid& grid) const {
    VariantKey key;
    for (const std::size_t axis : axes) {
      const bool is_replaced = values.replaced() && values.replaced()->axis == axis;
      if (is_replaced) {
        key.replaced = std::bit_cast<std::uint64_t>(values.replaced()->value);
        key.replaced_axis = axis + 1;
      }
      key.number = key.number * grid.size(axis) + (is_replaced ? 0 : values.place(axis));
    }
    return key;
  }

  [[nodiscard]] std::vector<PathValue> path_values(const PointValues& values) const {
    std::vector<PathValue> list;
    list.reserve(columns.size());
    for (const Column& column : columns) {
      list.push_back({column.path, values.of(column.place), values.column(column.place).is_factor});
    }
    return list;
  }
};

struct SettingColumn {
  ColumnPlace place;
  std::string name;
};

std::shared_ptr<const std::vector<std::string>> texts_of(const AxisColumn& column) {
  auto texts = std::make_shared<std::vector<std::string>>();
  for (const AxisValue& value : column.values) texts->push_back(value.text);
  return texts;
}

/// A column over the height or width of images, on an axis that changes no more of the model.
struct ImageColumn {
  std::size_t axis = 0;
  std::vector<std::uint64_t> values;
};

std::optional<ImageColumn> image_column(const StudySpec& spec, const std::string& path) {
  const auto is_image = [](const AxisColumn& column) {
    return !column.is_factor && (column.path == "model.input[1]" || column.path == "model.input[2]");
  };
  for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
    const std::vector<AxisColumn>& columns = spec.axes[axis].columns;
    const auto column = std::ranges::find(columns, path, &AxisColumn::path);
    if (column == columns.end()) continue;
    const bool is_alone = std::ranges::all_of(
        columns, [&](const AxisColumn& other) { return root_of(other.path) != "model" || is_image(other); });
    if (!is_alone) return std::nullopt;
    ImageColumn mine{axis, {}};
    for (const AxisValue& value : column->values) {
      if (!value.number || *value.number < 1 || *value.number > kMostImage) return std::nullopt;
      mine.values.push_back(static_cast<std::uint64_t>(*value.number));
    }
    return mine;
  }
  return std::nullopt;
}

/// Null where no axis is over the size of images, where constraints may leave sizes out, and where there are so many
/// sizes that looking through them would cost more than counting.
std::shared_ptr<const std::vector<StudyImage>> images_of(const StudySpec& spec) {
  if (!spec.constraints.empty()) return nullptr;
  const std::optional<ImageColumn> heights = image_column(spec, "model.input[1]");
  const std::optional<ImageColumn> widths = image_column(spec, "model.input[2]");
  if (!heights && !widths) return nullptr;
  auto images = std::make_shared<std::vector<StudyImage>>();
  if (!heights || !widths) {
    for (const std::uint64_t value : (heights ? heights : widths)->values)
      images->push_back(heights ? StudyImage{value, std::nullopt} : StudyImage{std::nullopt, value});
  } else if (heights->axis == widths->axis) {
    for (std::size_t i = 0; i < heights->values.size(); ++i) images->push_back({heights->values[i], widths->values[i]});
  } else if (heights->values.size() * widths->values.size() > kMostImages) {
    return nullptr;
  } else {
    for (const std::uint64_t height : heights->values) {
      for (const std::uint64_t width : widths->values) images->push_back({height, width});
    }
  }
  return images;
}

/// Whether a document is read as a list of operators: neither a chain nor a recurrent network.
bool is_network(const YamlDocument& document) {
  if (document.root == nullptr || document.root->kind != YamlNode::Kind::mapping) return false;
  for (std::size_t i = 0; i + 1 < document.root->children.size(); i += 2) {
    const std::string& key = document.root->children[i]->text;
    if (key == "chain" || key == "recurrent") return false;
  }
  return true;
}

bool is_network_file(const std::string& path, const std::string& folder_of) {
  try {
    return is_network(read_yaml(beside(folder_of, path)));
  } catch (const InputError&) {
    return false;  // its points are invalid and say why
  }
}

bool study_has_networks(const StudyFile& study) {
  for (const Axis& axis : study.spec.axes) {
    for (const AxisColumn& column : axis.columns) {
      if (column.path != "model") continue;
      for (const AxisValue& value : column.values) {
        if (is_network_file(value.text, study.file)) return true;
      }
      return false;
    }
  }
  return is_network(study.model);
}

}  // namespace

struct PointFactory::Impl {
  Impl(const StudyFile& file, std::string version)
      : study(file),
        tool_version(std::move(version)),
        grid(grid_of(file.spec.axes)),
        writer(file.spec),
        numbers(file),
        has_networks(study_has_networks(file)),
        models(has_networks ? 1 : kShards, has_networks ? kNetworks : kSmallOnes / kShards,
               has_networks ? kNetworkBytes : kSmallBytes),
        machines(kShards, kSmallOnes / kShards, kSmallBytes) {
    for (std::size_t axis = 0; axis < file.spec.axes.size(); ++axis) {
      for (std::size_t column = 0; column < file.spec.axes[axis].columns.size(); ++column) classify({axis, column});
    }
  }

  void classify(const ColumnPlace& place) {
    const std::string& path = study.spec.axes[place.axis].columns[place.column].path;
    if (const std::string name = setting_of(path); !name.empty()) {
      setting_columns.push_back({place, name});
      if (name == "schedule") schedules = texts_of(study.spec.axes[place.axis].columns[place.column]);
    } else if (root_of(path) == "model") {
      model_columns.add(place, path);
    } else if (root_of(path) == "machine") {
      machine_columns.add(place, path);
    } else {
      throw std::logic_error("an axis of a study that was read sets nothing");
    }
  }

  [[nodiscard]] std::shared_ptr<const ModelVariant> model_at(const PointValues& values, bool has_numbers) {
    VariantKey key = model_columns.key(values, grid);
    key.has_numbers = has_numbers;
    return models.get(key, [&] { return make_model(study, model_columns.path_values(values), has_numbers, masks); });
  }

  [[nodiscard]] std::shared_ptr<const MachineVariant> machine_at(const PointValues& values) {
    return machines.get(machine_columns.key(values, grid),
                        [&] { return make_machine(study, machine_columns.path_values(values)); });
  }

  /// Sets inputs.settings but for the batch of the model; false with the error where a value is not accepted or a
  /// constraint does not hold.
  bool set_settings(const PointValues& values, PointInputs& inputs);
  /// Sets model and machine; false with the error where there are none.
  bool set_variants(const PointValues& values, PointInputs& inputs);

  const StudyFile& study;
  std::string tool_version;
  Grid grid;
  CoordinatesWriter writer;
  PointNumbers numbers;
  bool has_networks;
  std::vector<SettingColumn> setting_columns;
  std::shared_ptr<const std::vector<std::string>> schedules;  // of the axis over them
  std::shared_ptr<const std::vector<StudyImage>> images = images_of(study.spec);
  VariantColumns model_columns;
  VariantColumns machine_columns;
  SeededMasks masks{kMaskBytes};
  KeptLast<VariantKey, ModelVariant, VariantKeyHash> models;
  KeptLast<VariantKey, MachineVariant, VariantKeyHash> machines;
};

namespace {

/// The batch of a point without one of its own.
std::uint64_t batch_of(const StudyModel& model) {
  const ChainModel* chain = std::get_if<ChainModel>(&model);
  return chain == nullptr ? 1 : chain->batch;
}

}  // namespace

bool PointFactory::Impl::set_settings(const PointValues& values, PointInputs& inputs) {
  inputs.settings = study.spec.base;
  try {
    for (const SettingColumn& column : setting_columns)
      set_setting(inputs.settings, column.name, values.of(column.place));
    if (study.spec.constraints.empty()) return true;
    const auto default_batch = [&]() -> std::optional<double> {
      const auto model = model_at(values, inputs.settings.pattern == PatternKind::sample);
      if (!model->model) return std::nullopt;
      return static_cast<double>(batch_of(*model->model));
    };
    if (const Constraint* broken = numbers.broken(values, {inputs.settings, default_batch})) {
      inputs.is_excluded = true;
      inputs.excluded_by = broken->text();
    }
  } catch (const std::invalid_argument& error) {
    inputs.error = error.what();
  }
  return inputs.error.empty() && !inputs.is_excluded;
}

bool PointFactory::Impl::set_variants(const PointValues& values, PointInputs& inputs) {
  const bool has_numbers = inputs.settings.pattern == PatternKind::sample;
  inputs.model = *model_at(values, has_numbers);
  inputs.error = inputs.model.error;
  if (!inputs.error.empty()) return false;
  inputs.machine = *machine_at(values);
  inputs.error = inputs.machine.error;
  if (inputs.error.empty() && has_numbers && std::holds_alternative<ChainModel>(*inputs.model.model)) {
    inputs.error = "the pattern is sample, but the model is a chain, which has no inputs: accepted is guaranteed";
  }
  return inputs.error.empty();
}

PointFactory::PointFactory(const StudyFile& study, std::string tool_version)
    : impl_(std::make_unique<Impl>(study, std::move(tool_version))) {}
PointFactory::~PointFactory() = default;

const Grid& PointFactory::grid() const { return impl_->grid; }

PointInputs PointFactory::at(std::uint64_t position, const std::optional<Replaced>& replaced) const {
  const PointValues values(impl_->study.spec, impl_->grid, position, replaced);
  PointInputs inputs;
  inputs.study_schedules = impl_->schedules;
  inputs.study_images = impl_->images;
  if (!impl_->set_settings(values, inputs) || !impl_->set_variants(values, inputs)) return inputs;
  inputs.settings.point.batch = inputs.settings.batch.value_or(batch_of(*inputs.model.model));
  inputs.key = point_key(inputs, impl_->tool_version);
  return inputs;
}

std::uint64_t PointFactory::model_number(std::uint64_t position) const {
  return impl_->model_columns.key(PointValues(impl_->study.spec, impl_->grid, position), impl_->grid).number;
}

std::string PointFactory::coordinates_json(std::uint64_t position) const {
  return impl_->writer.json(PointValues(impl_->study.spec, impl_->grid, position));
}

bool PointFactory::has_networks() const { return impl_->has_networks; }

}  // namespace upsweep

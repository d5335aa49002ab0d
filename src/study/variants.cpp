#include "variants.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "upsweep/base/checked.hpp"
#include "upsweep/io/content_hash.hpp"
#include "upsweep/io/machine_file.hpp"

namespace upsweep {
namespace {

/// Runs `make`; what a user's values did not make is the text of `error`.
template <class Make>
void guarded(std::string& error, const Make& make) {
  try {
    make();
  } catch (const InputError& fault) {
    error = fault.what();
  } catch (const std::invalid_argument& fault) {
    error = fault.what();
  } catch (const CountOverflow& fault) {
    error = fault.what();
  }
}

std::uint64_t weight_of_network(const Model& model) {
  constexpr std::uint64_t kOperator = 512;  // with its name, shapes and links, about
  std::uint64_t bytes = kOperator * model.network.operators().size();
  for (const OperatorWeights& weights : model.weights) {
    bytes += weights.kept.size();
    const std::size_t numbers =
        weights.values.size() + weights.bias.size() + weights.running_mean.size() + weights.running_var.size();
    bytes += sizeof(double) * numbers;
  }
  if (model.sample) bytes += sizeof(double) * model.sample->values.size();
  return bytes;
}

}  // namespace

ModelVariant make_model(const StudyFile& study, std::span<const PathValue> values, bool has_numbers,
                        SeededMasks& masks) {
  ModelVariant variant;
  guarded(variant.error, [&] {
    auto model = std::make_shared<const StudyModel>(model_with(study.model, values, study.file, has_numbers, &masks));
    variant.hash = std::visit([](const auto& one) { return one.content_hash; }, *model);
    variant.model = std::move(model);
  });
  return variant;
}

MachineVariant make_machine(const StudyFile& study, std::span<const PathValue> values) {
  MachineVariant variant;
  if (!study.machine && values.empty()) return variant;
  guarded(variant.error, [&] {
    auto machine =
        std::make_shared<const Machine>(machine_with(study.machine ? &*study.machine : nullptr, values, study.file));
    ContentHash hash;
    hash.add("machine", machine_text(*machine));
    variant.hash = hash.text();
    variant.machine = std::move(machine);
  });
  return variant;
}

std::uint64_t weight_of(const ModelVariant& variant) {
  constexpr std::uint64_t kEntry = 1024;
  if (!variant.model) return kEntry;
  const Model* network = std::get_if<Model>(variant.model.get());
  return kEntry + (network == nullptr ? 0 : weight_of_network(*network));
}

std::uint64_t weight_of(const MachineVariant& variant) {
  constexpr std::uint64_t kEntry = 2048;
  return kEntry + (variant.machine ? variant.machine->rates.size() * sizeof(Rates) : 0);
}

}  // namespace upsweep

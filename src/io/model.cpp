#include "upsweep/io/model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "importer.hpp"

namespace upsweep {

const char* kind_text(const AnyModel& model) {
  const RecurrentModel* recurrent = std::get_if<RecurrentModel>(&model);
  if (recurrent != nullptr && recurrent->layers > 1) return "a stack of recurrent layers";
  return std::ranges::find(importers(), model.index(), &Importer::alternative)->what;
}

const std::string& file_of(const AnyModel& model) {
  return std::visit([](const auto& one) -> const std::string& { return one.file; }, model);
}

namespace {

ModelSource source_of(const std::string& path, const OnnxOptions& onnx) {
  if (looks_like_onnx(path)) return {{path, nullptr}, onnx};
  if (!onnx.inputs.empty() || onnx.output || !onnx.fold_norms || onnx.prune || onnx.budget) {
    throw InputError(fmt::format(
        "{}: `input`, `output`, `fold_norms` or `prune`, accepted are these of ONNX files, which it is not", path));
  }
  return {read_yaml(path)};
}

}  // namespace

ModelFile::ModelFile(const std::string& path, const OnnxOptions& onnx) : ModelFile(source_of(path, onnx)) {}

ModelFile::ModelFile(YamlDocument document, SeededMasks* masks)
    : ModelFile(ModelSource{std::move(document), std::nullopt, masks}) {}

ModelFile::ModelFile(ModelSource source)
    : source_(std::make_shared<const ModelSource>(std::move(source))),
      importer_(&*std::ranges::find_if(importers(), [&](const Importer& one) { return one.takes(*source_); })) {}

const char* ModelFile::what() const { return importer_->what; }

AnyModel ModelFile::load(Numbers numbers) const { return importer_->load(*source_, numbers); }

bool ModelFile::holds_alternative(std::size_t index) const { return importer_->alternative == index; }

AnyModel load_model(const std::string& path, Numbers numbers) { return ModelFile(path).load(numbers); }

Model require_network(AnyModel model, const std::string& command) {
  if (Model* network = std::get_if<Model>(&model)) return std::move(*network);
  throw InputError(
      fmt::format("{}: {}, accepted by {} are networks of operators", file_of(model), kind_text(model), command));
}

}  // namespace upsweep

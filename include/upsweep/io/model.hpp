#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <variant>

#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/chain_file.hpp"
#include "upsweep/io/layers_file.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/io/recurrent_file.hpp"

namespace upsweep {

/// What a model file describes: a network of operators, a recurrent network (of one layer or a stack), a synthetic
/// chain, or the dense work of layers.
using AnyModel = std::variant<Model, RecurrentModel, ChainModel, LayersModel>;

/// "a network of operators", "a recurrent model", "a stack of recurrent layers", "a synthetic chain", "a layers file":
/// for messages.
[[nodiscard]] const char* kind_text(const AnyModel& model);

/// The file of a model, as errors name it.
[[nodiscard]] const std::string& file_of(const AnyModel& model);

struct Importer;

/// What importers are given: a document, or a file that is none.
struct ModelSource {
  YamlDocument document;                           ///< without a root where the file is no text
  std::optional<OnnxOptions> onnx = std::nullopt;  ///< of an ONNX file
  SeededMasks* masks = nullptr;                    ///< see load_network()
};

/// A model file of any format, read and parsed once: which importer takes it is known, what it says is checked by
/// load(). Cheap to copy.
class ModelFile {
 public:
  /// Throws InputError where the file cannot be read or is of no known format, or where there are settings of ONNX
  /// files and it is none.
  explicit ModelFile(const std::string& path, const OnnxOptions& onnx = {});
  /// A document that was read already; `masks` as load_network() has it.
  explicit ModelFile(YamlDocument document, SeededMasks* masks = nullptr);

  /// True for a model of this type: holds<RecurrentModel>().
  template <class Model>
  [[nodiscard]] bool holds() const {
    return [this]<class... All>(const std::variant<All...>*) {
      std::size_t index = 0;
      (void)((std::is_same_v<Model, All> || (++index, false)) || ...);
      return holds_alternative(index);
    }(static_cast<const AnyModel*>(nullptr));
  }
  /// As kind_text(), a stack of layers as "a recurrent model".
  [[nodiscard]] const char* what() const;

  [[nodiscard]] const YamlDocument& document() const { return source_->document; }
  /// The model, checked. `numbers` is for networks of operators. Throws InputError, one line that names file and line.
  [[nodiscard]] AnyModel load(Numbers numbers) const;

 private:
  explicit ModelFile(ModelSource source);
  [[nodiscard]] bool holds_alternative(std::size_t index) const;

  std::shared_ptr<const ModelSource> source_;
  const Importer* importer_ = nullptr;
};

/// ModelFile(path).load(numbers).
[[nodiscard]] AnyModel load_model(const std::string& path, Numbers numbers);

/// Takes a network of operators out of a model. Throws InputError for another kind, which says that `command` takes
/// networks of operators alone.
[[nodiscard]] Model require_network(AnyModel model, const std::string& command);

/// Does `work` on a model; what it throws about counts or sizes (CountOverflow, std::invalid_argument, OperatorError of
/// a network) becomes an InputError that names the model's file, and its line where that is known.
template <class Work>
auto located(const AnyModel& model, const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const OperatorError& error) {
    if (const Model* network = std::get_if<Model>(&model)) throw network->located(error);
    throw InputError(file_of(model) + ": " + error.what());
  } catch (const CountOverflow& error) {
    throw InputError(file_of(model) + ": " + error.what() + ", accepted are smaller models");
  } catch (const std::invalid_argument& error) {
    throw InputError(file_of(model) + ": " + error.what());
  }
}

}  // namespace upsweep

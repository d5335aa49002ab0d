#include <cstddef>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

#include "upsweep/base/error.hpp"
#include "upsweep/io/link_file.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/io/model.hpp"
#include "upsweep/io/study_file.hpp"
#include "upsweep/io/train_file.hpp"
#include "upsweep/io/training_file.hpp"

namespace {

const char* const kFile = "/nonexistent/fuzz.yaml";

/// Whatever a reader makes of a document: something, or an InputError.
template <class Read>
void read(const Read& reader) {
  try {
    reader();
  } catch (const upsweep::InputError&) {  // it is another kind of file
  }
}

/// What is accepted and small is evaluated.
void read_training(const upsweep::YamlDocument& document) {
  const upsweep::TrainingFile file = upsweep::load_training(document);
  const auto* pipeline = std::get_if<upsweep::PipelineStudy>(&file.study);
  if (pipeline == nullptr) return;
  const upsweep::PipelineChoice& choice = pipeline->choices.front();
  if (choice.pipeline.layers() * choice.pipeline.micro_batches > 1000 || choice.pipeline.devices > 1000) return;
  try {
    (void)upsweep::evaluate(choice, {});
  } catch (const std::invalid_argument&) {  // a policy that does not fit the pipeline
  }
}

}  // namespace

/// Any bytes as a model, machine, link, study, training or train file. Numbers of models are made up only where pruning
/// asks for them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace upsweep;
  const std::string text(reinterpret_cast<const char*>(data), size);
  read([&] {
    std::istringstream in(text);
    const YamlDocument document = parse_yaml(in, kFile);
    read([&] {
      const AnyModel model = ModelFile(document).load(Numbers::structure);
      const auto* network = std::get_if<Model>(&model);
      if (network != nullptr && network->network.links().empty()) __builtin_trap();
    });
    read([&] { (void)load_machine(document); });
    read([&] { (void)load_link(document); });
    read([&] { (void)load_train(document); });
    read([&] { read_training(document); });
  });
  read([&] {
    std::istringstream in(text);
    (void)load_study(in, kFile);
  });
  return 0;
}

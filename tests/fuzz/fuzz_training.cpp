#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

#include "upsweep/base/error.hpp"
#include "upsweep/io/training_file.hpp"

/// Any text is a training file or an InputError; what is accepted and small is evaluated.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const upsweep::TrainingFile file = upsweep::load_training(upsweep::parse_yaml(in, "training.yaml"));
    const auto* pipeline = std::get_if<upsweep::PipelineStudy>(&file.study);
    if (pipeline == nullptr) return 0;
    const upsweep::PipelineChoice& choice = pipeline->choices.front();
    if (choice.pipeline.layers() * choice.pipeline.micro_batches > 1000 || choice.pipeline.devices > 1000) return 0;
    (void)upsweep::evaluate(choice, {});
  } catch (const upsweep::InputError&) {
  } catch (const std::invalid_argument&) {
    // A policy that does not fit the pipeline.
  }
  return 0;
}

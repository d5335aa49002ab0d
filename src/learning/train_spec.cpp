#include "upsweep/learning/train_spec.hpp"

namespace upsweep {
namespace {

struct Kind {
  std::string operator()(const BitstreamData&) const { return "bitstream"; }
  std::string operator()(const FeatureData&) const { return "features"; }
  std::string operator()(const SyntheticFeatureData&) const { return "synthetic_features"; }
  std::string operator()(const CifarData&) const { return "images: cifar10"; }
  std::string operator()(const SyntheticImageData&) const { return "images: synthetic"; }
};

}  // namespace

std::string kind_of(const TrainData& data) { return std::visit(Kind{}, data); }

}  // namespace upsweep

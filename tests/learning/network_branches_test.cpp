#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "upsweep/learning/network_backward.hpp"
#include "upsweep/learning/network_training.hpp"

namespace upsweep {
namespace {

/// The error of a call, which must be an OperatorError of operator 2, or "accepted".
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const OperatorError& error) {
    EXPECT_EQ(error.index(), 2U);
    return error.what();
  }
  return "accepted";
}

TEST(TrainingANetworkWithBranches, IsRefusedByEveryPart) {
  const Network network(
      {1, 2, 2},
      {{"flat", Flatten{}, {}}, {"fc", Linear{4}, {}}, {"sum", Add{}, {{"fc", "flat"}}}, {"out", Linear{2}, {}}});
  NetworkWeights weights(4);
  weights[1].values.assign(16, 1);
  weights[3].values.assign(8, 1);
  const std::string want = "add 'sum' joins branches, accepted for training are networks without";
  EXPECT_EQ(refusal([&] { static_cast<void>(forward_batch(network, weights, {{1, 2, 3, 4}})); }), want);
  EXPECT_EQ(refusal([&] { static_cast<void>(plain_backward(network)); }), want);
  EXPECT_EQ(refusal([&] { ScanBackward<float>(network, weights, "linear"); }), want);
  const ImageData images = ImageData::synthetic({1, 2, 2}, 2, 4, 1);
  EXPECT_EQ(refusal([&] {
              static_cast<void>(train_network_by_all<float>(network, weights, {}, images, {"bp", "linear"}));
            }),
            want);
}

}  // namespace
}  // namespace upsweep

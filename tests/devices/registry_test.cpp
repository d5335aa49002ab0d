#include "upsweep/devices/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace upsweep {
namespace {

using ::testing::ElementsAre;

TEST(Registry, TellsWhatEachBackendCanDo) {
  EXPECT_THAT(backend_names(Ability::networks),
              ElementsAre("reference", "cpu", "eigen", "cuda", "cusparse", "cusparse-reuse"));
  EXPECT_THAT(backend_names(Ability::recurrent), ElementsAre("reference", "cpu", "cuda", "cudnn"));
  EXPECT_THAT(backend_names(Ability::recurrent_scans), ElementsAre("cpu", "cuda"));
  EXPECT_THAT(backend_names(Ability::network_training), ElementsAre("cpu"));
  EXPECT_THAT(backend_names(Ability::recurrent_training), ElementsAre("reference", "cpu", "cuda"));
  EXPECT_THAT(backend_names(Ability::calibration), ElementsAre("cpu", "cuda"));
}

TEST(Registry, FindsBackendsThatKnowTheirNames) {
  for (const BackendEntry& one : backends()) {
    if (one.can(Ability::networks)) {
      EXPECT_EQ(make_backend(one.name)->name(), one.name);
    }
    if (!one.can(Ability::recurrent)) continue;
    EXPECT_EQ(&recurrent_backend(one.name), one.recurrent);
    EXPECT_EQ(one.recurrent->name(), one.name);
    EXPECT_NO_THROW(static_cast<void>(recurrent_backend(one.recurrent->outer().name()))) << one.name;
    if (one.recurrent->availability().available) {
      EXPECT_EQ(one.recurrent->facts().is_processor, one.name == "cpu" || one.name == "reference");
    }
  }
}

TEST(Registry, SaysWhatIsAcceptedInstead) {
  const auto refusal = [](const char* name, Ability ability) -> std::string {
    try {
      return find_backend(name, ability).name;
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal("cpu", Ability::calibration), "cpu");
  EXPECT_EQ(refusal("cudnn", Ability::calibration), "'cudnn' is no backend to calibrate, accepted are cpu, cuda");
  EXPECT_EQ(refusal("eigen", Ability::recurrent_scans),
            "'eigen' is no backend of scans over recurrent models, accepted are cpu, cuda");
  EXPECT_EQ(refusal("reference", Ability::network_training),
            "'reference' is no backend for the training of a network of operators, accepted are cpu");
}

}  // namespace
}  // namespace upsweep

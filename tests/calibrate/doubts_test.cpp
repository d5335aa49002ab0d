#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "upsweep/calibrate/calibrate.hpp"

namespace upsweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Calibration sound() {
  Calibration calibration{.cache_error = 0.05};
  calibration.machine.kind = MachineKind::cpu;
  calibration.machine.cache_bytes = std::uint64_t{508} << 20;
  calibration.machine.near_cache_bytes = 1 << 20;
  calibration.machine.first_cache_bytes = 48 << 10;
  return calibration;
}

TEST(Doubts, AreNoneOfASoundCalibration) { EXPECT_THAT(doubts(sound()), IsEmpty()); }

TEST(Doubts, TellOfCachesThatNobodyNames) {
  Calibration calibration = sound();
  calibration.machine.near_cache_bytes = 0;
  EXPECT_THAT(doubts(calibration), ElementsAre(HasSubstr("how large the caches of a core are")));
  calibration.machine.near_cache_bytes = 1 << 20;
  calibration.machine.first_cache_bytes = 0;
  EXPECT_THAT(doubts(calibration), ElementsAre(HasSubstr("how large the caches of a core are")));
}

TEST(Doubts, TellOfACacheWhoseEndWasNotSeen) {
  Calibration calibration = sound();
  calibration.cache_error = std::nullopt;
  calibration.machine.cache_bytes = 64 << 20;
  EXPECT_THAT(doubts(calibration),
              ElementsAre(HasSubstr("it counts with 64 MiB, what the processor names up to 64 MiB")));
}

TEST(Doubts, TellOfTimesThatFitNoCache) {
  Calibration calibration = sound();
  calibration.cache_error = 0.15;
  EXPECT_THAT(doubts(calibration), ElementsAre(HasSubstr("off by 16 % in the mean")));
}

TEST(Doubts, AreOfProcessorsAlone) {
  Calibration calibration;
  calibration.machine.kind = MachineKind::gpu;
  EXPECT_THAT(doubts(calibration), IsEmpty());
}

}  // namespace
}  // namespace upsweep

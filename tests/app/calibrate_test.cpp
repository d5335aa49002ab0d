#include "upsweep/app/calibrate.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/app.hpp"
#include "support/files.hpp"
#include "upsweep/backend/backend.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::testing::app_calibrate_test {
namespace {

TEST(CalibrateRequest, NamesTheFieldThatIsWrong) {
  CalibrateRequest request;
  EXPECT_EQ(wrong_field(request), "out");
  request.out = "machine.yaml";
  request.backend = "eigen";
  EXPECT_EQ(wrong_field(request), "backend");
  request.backend = "cpu";
  request.value_bytes = 2;
  EXPECT_EQ(wrong_field(request), "value_bytes");
}

TEST(CalibrateRequest, IsRefusedBeforeAMinuteOfMeasuring) {
  CalibrateRequest request;
  request.out = "/no/such/folder/m.yaml";
  EXPECT_NE(refusal<InputError>(request), "");
}

TEST(CalibrateRequest, WritesNothingWhenItIsStopped) {
  const TemporaryFolder folder;
  CalibrateRequest request;
  request.out = folder.path("m.yaml");
  request.quick = true;
  EXPECT_TRUE(is_interrupted(request));
  EXPECT_FALSE(std::filesystem::exists(request.out));
}

}  // namespace
}  // namespace upsweep::testing::app_calibrate_test

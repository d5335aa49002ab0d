#include "upsweep/base/near_file.hpp"

#include <gtest/gtest.h>

#include "support/files.hpp"

namespace upsweep {
namespace {

TEST(NearFile, IsAFileBesideTheOneThatIsNotThere) {
  const testing::TemporaryFolder folder;
  for (const char* name : {"lenet5.yaml", "lenet5-cifar10.yaml", "v100-sxm2-32gb.yaml"}) folder.write(name, "");
  const auto hint = [&](const char* name) { return near_file(folder.path(name)); };
  EXPECT_EQ(hint("lenet6.yaml"), ": did you mean lenet5.yaml?");
  EXPECT_EQ(hint("lenet.yaml"), ": did you mean lenet5.yaml?") << "the shortest that begins with it";
  EXPECT_EQ(hint("lenet5"), ": did you mean lenet5.yaml?") << "no ending";
  EXPECT_EQ(hint("lenet5.yml"), ": did you mean lenet5.yaml?") << "another ending";
  EXPECT_EQ(hint("v100.yaml"), ": did you mean v100-sxm2-32gb.yaml?");
  EXPECT_EQ(hint("none.yaml"), "") << "endings alone are not near";
  for (const char* name : {"README.md", "mynet-weights.npy", "net.onnx"}) folder.write(name, "");
  EXPECT_EQ(hint("README.yaml"), "") << "that is no YAML file";
  EXPECT_EQ(hint("mynet.yaml"), "");
  EXPECT_EQ(hint("nets.onnx"), ": did you mean net.onnx?");
  EXPECT_EQ(hint("folder/lenet5.yaml"), "") << "no such folder";
}

}  // namespace
}  // namespace upsweep

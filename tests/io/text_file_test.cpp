#include "upsweep/io/text_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/files.hpp"

namespace upsweep {
namespace {

TEST(TextFile, BesideAnotherIsNamedWithoutDetours) {
  EXPECT_EQ(beside("configs/studies/a.yaml", "../machines/b.yaml"), "configs/machines/b.yaml");
  EXPECT_EQ(beside("a.yaml", "b.yaml"), "b.yaml");
  EXPECT_EQ(beside("studies/a.yaml", "/machines/b.yaml"), "/machines/b.yaml");
}

TEST(TextFile, BesideOneBehindALinkIsWhereTheLinkLeads) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("real/deep"));
  std::filesystem::create_directory_symlink(folder.path("real/deep"), folder.path("link"));
  folder.write("real/b.yaml", "right");
  folder.write("b.yaml", "wrong");
  EXPECT_TRUE(std::filesystem::equivalent(beside(folder.path("link/a.yaml"), "../b.yaml"), folder.path("real/b.yaml")));
}

}  // namespace
}  // namespace upsweep

#include "upsweep/io/own_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "support/files.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/npy.hpp"
#include "upsweep/io/text_file.hpp"

namespace upsweep::testing {
namespace {

TEST(OwnFile, IsKnownByItsMarkAndOthersAreNot) {
  const TemporaryFolder folder;
  EXPECT_TRUE(is_own_file(folder.write("m.yaml", std::string(kMachineMark) + "name: m\n"), kMachineMark));
  EXPECT_FALSE(is_own_file(folder.write("net.yaml", "name: net\n"), kMachineMark));
  EXPECT_FALSE(is_own_file(folder.write("i.yaml", std::string(kModelMark)), kMachineMark))
      << "a model is no machine file";
  EXPECT_FALSE(is_own_file(folder.path("none"), kMachineMark));
  EXPECT_FALSE(is_own_file(folder.path(), kMachineMark));
}

TEST(OwnFile, GradientsDifferFromArraysOfNumPyAndAreReadAsThey) {
  const TemporaryFolder folder;
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  for (const std::vector<std::uint64_t>& shape : {std::vector<std::uint64_t>{6}, {2, 3}}) {
    write_npy(folder.path("g.npy"), shape, values);
    EXPECT_TRUE(is_own_file(folder.path("g.npy"), kGradientMark));
    EXPECT_EQ(read_npy(folder.path("g.npy")).shape, shape);
    EXPECT_EQ(read_npy(folder.path("g.npy")).to_doubles(), values);
  }
  EXPECT_FALSE(is_own_file(folder.write("n.npy", npy<double>("<f8", "(3,)", {1, 2, 3})), kGradientMark));
  EXPECT_FALSE(is_own_file(folder.write("n.npy", npy<double>("<f8", "(1, 3)", {1, 2, 3})), kGradientMark));
}

TEST(TextFile, ThatIsReadOnlyIsNotReplaced) {
  const TemporaryFolder folder;
  const std::string path = folder.write("page.html", "kept");
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  EXPECT_THROW(require_text_file(path), InputError);
  EXPECT_THROW(write_text_file(path, "new"), InputError);
  EXPECT_EQ(read_file(path), "kept");
}

}  // namespace
}  // namespace upsweep::testing

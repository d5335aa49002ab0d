#include "upsweep/base/unfinished_path.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "support/files.hpp"

namespace upsweep::testing {
namespace {

TEST(UnfinishedPath, GoesWhereTheProcessEndsBeforeItIsDone) {
  const TemporaryFolder folder;
  const std::string inner = folder.path("inner");
  std::filesystem::create_directory(inner);
  const std::string kept = folder.write("kept", "x");
  const std::string done = folder.write("done", "x");
  const std::string file = folder.write("inner/store.sqlite", "x");
  const std::string journal = folder.write("inner/store.sqlite-journal", "x");
  const UnfinishedPath in(inner);
  const UnfinishedDatabase database(file);
  std::optional<UnfinishedPath> becomes_done(done);
  becomes_done.reset();
  remove_unfinished_paths();
  EXPECT_TRUE(std::filesystem::exists(kept));
  EXPECT_TRUE(std::filesystem::exists(done));
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_FALSE(std::filesystem::exists(journal));
  EXPECT_FALSE(std::filesystem::exists(inner)) << "folders come after what is in them";
}

TEST(UnfinishedPath, TooManyAreLeftAlone) {
  const TemporaryFolder folder;
  std::vector<std::string> files;
  std::vector<std::optional<UnfinishedPath>> paths(40);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    files.push_back(folder.write(std::to_string(i), "x"));
    paths[i].emplace(files.back());
  }
  paths[0].reset();
  paths[0].emplace(files[39]);
  remove_unfinished_paths();
  EXPECT_TRUE(std::filesystem::exists(files[0]));
  EXPECT_FALSE(std::filesystem::exists(files[1]));
  EXPECT_FALSE(std::filesystem::exists(files[39])) << "a place that is free again is taken";
  EXPECT_TRUE(std::filesystem::exists(files[38]));
}

}  // namespace
}  // namespace upsweep::testing

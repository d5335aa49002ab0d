#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "made_up_run.hpp"
#include "older_databases.hpp"
#include "study_rows.hpp"
#include "support/files.hpp"
#include "upsweep/store/run_store.hpp"
#include "upsweep/store/store_reader.hpp"

namespace upsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MadeUpRun;
using testing::TemporaryFolder;

StoredPicture picture(std::uint32_t first, std::uint32_t last, const std::string& name = "conv1") {
  StoredPicture picture;
  picture.first = first;
  picture.last = last;
  picture.name = name;
  picture.rows = 4'000'000'000;
  picture.cols = 10;
  picture.nnz = std::uint64_t{1} << 40;
  picture.grid_rows = 2;
  picture.grid_cols = 3;
  picture.cells = {0, 1, 255, 128, 0, 7};
  return picture;
}

std::vector<std::string> names(const StoreReader& reader, const std::string& hash, const std::string& pattern) {
  std::vector<std::string> names;
  for (const StoredPicture& one : reader.pictures(hash, pattern)) names.push_back(one.name);
  return names;
}

TEST(PictureRows, AreReadAsTheyWereWritten) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  RunStore store(file, RunStore::Open::create);
  const std::string name = "a <b> & \"c\"\n\xff \u22c4 d";
  store.save_pictures("00ff", "guaranteed", std::vector{picture(3, 5, name)});
  const std::vector<StoredPicture> pictures = StoreReader(file).pictures("00ff", "guaranteed");
  ASSERT_EQ(pictures.size(), 1U);
  const StoredPicture& one = pictures[0];
  EXPECT_EQ(one.first, 3U);
  EXPECT_EQ(one.last, 5U);
  EXPECT_EQ(one.name, name);
  EXPECT_EQ(one.rows, 4'000'000'000U);
  EXPECT_EQ(one.cols, 10U);
  EXPECT_EQ(one.nnz, std::uint64_t{1} << 40);
  EXPECT_EQ(one.grid_rows, 2U);
  EXPECT_EQ(one.grid_cols, 3U);
  EXPECT_THAT(one.cells, ElementsAre(0, 1, 255, 128, 0, 7)) << "zeros do not end it";
}

TEST(PictureRows, ComeWithJacobiansFirstAndThenLevelByLevel) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  RunStore store(file, RunStore::Open::create);
  // The last product of four is one of three.
  store.save_pictures("00ff", "guaranteed",
                      std::vector{picture(8, 10, "8-10"), picture(4, 7, "4-7"), picture(2, 3, "2-3"),
                                  picture(10, 10, "10"), picture(2, 2, "2"), picture(8, 9, "8-9")});
  EXPECT_THAT(names(StoreReader(file), "00ff", "guaranteed"), ElementsAre("2", "10", "2-3", "8-9", "4-7", "8-10"));
}

TEST(PictureRows, OfAModelInAPatternAreReplacedAsAWhole) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  RunStore store(file, RunStore::Open::create);
  EXPECT_FALSE(store.reader().has_pictures("00ff", "sample"));
  store.save_pictures("00ff", "sample", std::vector{picture(1, 1, "old"), picture(2, 2, "older")});
  EXPECT_TRUE(store.reader().has_pictures("00ff", "sample"));
  EXPECT_FALSE(store.reader().has_pictures("00ff", "guaranteed"));
  EXPECT_FALSE(store.reader().has_pictures("11ff", "sample"));
  store.save_pictures("00ff", "guaranteed", std::vector{picture(1, 1, "guaranteed")});
  store.save_pictures("00ff", "sample", std::vector{picture(1, 1, "new")});
  const StoreReader reader(file);
  EXPECT_THAT(names(reader, "00ff", "sample"), ElementsAre("new"));
  EXPECT_THAT(names(reader, "00ff", "guaranteed"), ElementsAre("guaranteed"));
  EXPECT_THAT(names(reader, "11ff", "sample"), IsEmpty());
}

TEST(PictureRows, GoWithTheLastRunOfTheirModelAndPattern) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  RunStore store(file, RunStore::Open::create);
  const MadeUpRun made_up;  // in the pattern sample
  store.save(made_up.context("m", "00ff"), {made_up.record(), made_up.record()}, std::nullopt);
  store.save(made_up.context("other", "11ff"), {made_up.record()}, std::nullopt);
  store.save(TrainingRecord{});
  for (const char* hash : {"00ff", "11ff"}) {
    for (const char* pattern : {"sample", "guaranteed"}) {
      store.save_pictures(hash, pattern, std::vector{picture(1, 1)});
    }
  }
  const auto kept = [&] {
    return testing::query(file, "SELECT model_hash, pattern FROM pattern_pictures ORDER BY model_hash, pattern");
  };
  EXPECT_TRUE(store.remove(1));
  EXPECT_TRUE(store.remove(4)) << "a training has no pictures";
  EXPECT_FALSE(store.remove(99));
  EXPECT_EQ(kept(), "00ff|guaranteed\n00ff|sample\n11ff|guaranteed\n11ff|sample\n") << "run 2 has them";
  EXPECT_TRUE(store.remove(2));
  EXPECT_EQ(kept(), "00ff|guaranteed\n11ff|guaranteed\n11ff|sample\n");
}

TEST(PictureRows, ADatabaseOfVersionSevenIsBroughtUpToDateAndKeepsItsRuns) {
  const TemporaryFolder folder;
  const std::string file = folder.path("old.sqlite");
  testing::make_older_database(file, 7);
  EXPECT_EQ(testing::query(file, "UPDATE runs SET depth = -1 WHERE id = 5"), "");
  {
    const StoreReader reader(file);
    EXPECT_THAT(reader.pictures("00ff", "sample"), IsEmpty());
    ASSERT_EQ(reader.runs().size(), 5U);
    EXPECT_EQ(reader.runs()[0].rule, "a rule");
    EXPECT_EQ(reader.runs()[0].depth, std::nullopt);
    EXPECT_EQ(reader.runs()[1].depth, 1U);
  }
  RunStore(file, RunStore::Open::existing).save_pictures("00ff", "sample", std::vector{picture(1, 1)});
  EXPECT_EQ(testing::query(file, "SELECT COUNT(*) FROM pattern_pictures; PRAGMA integrity_check"), "1\nok\n");
}

}  // namespace
}  // namespace upsweep

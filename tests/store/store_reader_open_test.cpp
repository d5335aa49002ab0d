#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>

#include "made_up_run.hpp"
#include "older_databases.hpp"
#include "study_rows.hpp"
#include "support/files.hpp"
#include "support/refusal.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/store/run_diff.hpp"
#include "upsweep/store/store_reader.hpp"
#include "upsweep/store/study_store.hpp"

namespace upsweep::store_reader_open_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MadeUpRun;
using testing::TemporaryFolder;

std::string refusal(const std::string& file) {
  return testing::refusal_of([&] { return StoreReader(file); });
}

/// This process without the rights of the superuser, who may write everywhere, while it lives.
class OrdinaryUser {
 public:
  OrdinaryUser() {
    constexpr uid_t kNobody = 65534;
    if (was_root_) is_ordinary_ = seteuid(kNobody) == 0;
  }
  ~OrdinaryUser() {
    if (was_root_ && seteuid(0) != 0) std::abort();
  }
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;
  [[nodiscard]] bool is_ordinary() const { return is_ordinary_; }

 private:
  bool was_root_ = geteuid() == 0;
  bool is_ordinary_ = !was_root_;
};

TEST(StoreReaderOpening, SeesOneMomentWhateverOthersWriteMeanwhile) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const MadeUpRun made_up;
  RunStore store(file, RunStore::Open::create);
  store.save(made_up.context(), {made_up.record()}, std::nullopt);
  {
    const StoreReader reader(file);
    store.save(made_up.context(), {made_up.record()}, std::nullopt);
    StudyStore(file).open_study(testing::study_record());
    EXPECT_TRUE(store.remove(1));
    EXPECT_EQ(reader.runs().size(), 1U);
    EXPECT_EQ(reader.runs()[0].id, 1);
    EXPECT_EQ(reader.details(1)->ops.size(), 3U) << "deleted since";
    EXPECT_THAT(reader.study_ids(), IsEmpty());
  }
  const StoreReader later(file);
  EXPECT_EQ(later.runs().size(), 1U);
  EXPECT_EQ(later.runs()[0].id, 2);
  EXPECT_THAT(later.study_ids(), ElementsAre(1));
}

TEST(StoreReaderOpening, RefusesWhatItCannotRead) {
  const TemporaryFolder folder;
  const std::string missing = folder.path("missing.sqlite");
  EXPECT_THAT(refusal(missing), HasSubstr(missing + ": no such database, accepted is a file that upsweep wrote: "));
  EXPECT_FALSE(std::filesystem::exists(missing)) << "reading makes nothing";
  EXPECT_THAT(refusal(folder.path()), HasSubstr("not a regular file"));
  EXPECT_THAT(refusal(""), HasSubstr("no such database"));
  const std::string text = folder.write("text.sqlite", std::string(5000, 'x'));
  EXPECT_THAT(refusal(text), HasSubstr(text + ": file is not a database"));
  const std::string foreign = folder.path("foreign.sqlite");
  testing::query(foreign, "CREATE TABLE t (x)");
  EXPECT_THAT(refusal(foreign), HasSubstr(foreign + ": a database of another program"));
  const std::string newer = folder.path("newer.sqlite");
  { const RunStore store(newer, RunStore::Open::create); }
  testing::query(newer, "PRAGMA user_version = 99");
  EXPECT_THAT(refusal(newer), HasSubstr(newer + ": its schema version is 99"));
}

TEST(StoreReaderOpening, RefusesAnEmptyFileAndLeavesItEmpty) {
  const TemporaryFolder folder;
  const std::string file = folder.write("empty.sqlite", "");
  const std::string wanted = file + ": the file is empty, accepted is a file that upsweep wrote";
  EXPECT_EQ(refusal(file), wanted);
  const auto message = [](const std::function<void()>& read) {
    try {
      read();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message([&] { const RunStore store(file, RunStore::Open::existing); }), wanted);
  EXPECT_EQ(message([&] { static_cast<void>(diff_runs(StoreReader(file), 1, 2)); }), wanted);
  EXPECT_EQ(message([&] { remove_study(file, 1); }), wanted);
  EXPECT_EQ(std::filesystem::file_size(file), 0U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "and nothing beside it";
  { const RunStore store(file, RunStore::Open::create); }
  EXPECT_EQ(refusal(file), "accepted") << "--db may fill it";
}

TEST(StoreReaderOpening, BringsAnOlderDatabaseUpToDate) {
  const TemporaryFolder folder;
  const std::string file = folder.path("old.sqlite");
  testing::make_older_database(file, 1);
  const StoreReader reader(file);
  ASSERT_EQ(reader.runs().size(), 5U);
  EXPECT_EQ(reader.runs()[0].model, "old");
  EXPECT_EQ(reader.runs()[0].rule, std::nullopt);
  EXPECT_EQ(testing::query(file, "PRAGMA user_version"), std::to_string(kSchemaVersion) + "\n");
  ASSERT_EQ(reader.runs_of(2).size(), 2U) << "of one validation";
  EXPECT_EQ(reader.runs_of(2)[0].id, 2);
  EXPECT_EQ(reader.runs_of(2)[1].id, 3);
}

/// A database with one run in a folder of this name, which others may enter.
std::string database_in(const TemporaryFolder& folder, const std::string& name) {
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0755});
  const std::string place = folder.path(name);
  std::filesystem::create_directory(place);
  const MadeUpRun made_up;
  RunStore(place + "/r.sqlite", RunStore::Open::create).save(made_up.context(), {made_up.record()}, std::nullopt);
  return place + "/r.sqlite";
}

TEST(StoreReaderOpening, OpensAReadOnlyFileInAFolderInWhichNothingCanBeWritten) {
  const TemporaryFolder folder;
  // Characters that mean something in a URI.
  const std::string file = database_in(folder, "read only?a=b#c%20");
  const std::string place = std::filesystem::path(file).parent_path();
  std::filesystem::permissions(file, std::filesystem::perms{0444});
  std::filesystem::permissions(place, std::filesystem::perms{0555});
  {
    const OrdinaryUser user;
    if (!user.is_ordinary()) GTEST_SKIP() << "this process may write everywhere";
    const StoreReader reader(file);
    EXPECT_EQ(reader.runs().size(), 1U);
    EXPECT_EQ(reader.details(1)->ops.size(), 3U);
    RunStore store(file, RunStore::Open::existing);
    EXPECT_EQ(store.reader().run_list().rows.size(), 1U);
    EXPECT_TRUE(store.reader().run_tables(1).has_value());
    EXPECT_TRUE(diff_runs(StoreReader(file), 1, 1).rows.empty());
    try {
      store.remove(1);
      ADD_FAILURE() << "nothing can be written there";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(file + ": nothing can be written there"));
    }
  }
  std::filesystem::permissions(place, std::filesystem::perms{0755});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place), {}), 1) << "nothing was left there";
}

TEST(StoreReaderOpening, OpensAReadOnlyFileInAFolderThatCanBeWritten) {
  const TemporaryFolder folder;
  const std::string file = database_in(folder, "shared");
  const std::string place = std::filesystem::path(file).parent_path();
  std::filesystem::permissions(file, std::filesystem::perms{0444});
  std::filesystem::permissions(place, std::filesystem::perms{0777});
  {
    const OrdinaryUser user;
    if (!user.is_ordinary()) GTEST_SKIP() << "this process may write everywhere";
    for (int again = 0; again < 2; ++again) {
      const StoreReader reader(file);
      EXPECT_EQ(reader.runs().size(), 1U);
    }
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place), {}), 1) << "nothing was left there";
}

TEST(StoreReaderOpening, DoesNotOverlookChangesThatOnlyTheLogHas) {
  const TemporaryFolder folder;
  const std::string file = database_in(folder, "killed");
  const std::string place = std::filesystem::path(file).parent_path();
  // The log as a killed process leaves it: copied while it is in use.
  {
    const MadeUpRun made_up;
    RunStore store(file, RunStore::Open::create);
    store.save(made_up.context(), {made_up.record()}, std::nullopt);
    const std::string copy = folder.path("copy");
    std::filesystem::create_directory(copy);
    for (const char* part : {"", "-wal"}) std::filesystem::copy_file(file + part, copy + "/r.sqlite" + part);
  }
  const std::string copy = folder.path("copy/r.sqlite");
  for (const char* part : {"", "-wal"}) std::filesystem::permissions(copy + part, std::filesystem::perms{0444});
  std::filesystem::permissions(folder.path("copy"), std::filesystem::perms{0555});
  {
    const OrdinaryUser user;
    if (!user.is_ordinary()) GTEST_SKIP() << "this process may write everywhere";
    EXPECT_THAT(refusal(copy), HasSubstr("its last changes are in " + copy + "-wal"));
  }
  std::filesystem::permissions(folder.path("copy"), std::filesystem::perms{0755});
  EXPECT_EQ(StoreReader(copy).runs().size(), 2U);
}

}  // namespace
}  // namespace upsweep::store_reader_open_test

#include "upsweep/store/waiting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "made_up_run.hpp"
#include "support/files.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/base/work_meter.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MadeUpRun;
using testing::TemporaryFolder;

TEST(Waiting, ForADatabaseThatStaysLockedIsSaidOnceAndIsBusyInTheEnd) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const MadeUpRun made_up;
  RunStore store(file, RunStore::Open::create);
  store.save(made_up.context("net"), {made_up.record()}, std::nullopt);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  std::vector<std::string> notes;
  {
    using std::chrono::milliseconds;
    const WaitingNote note([&](const std::string& text) { notes.push_back(text); },
                           {milliseconds(20), milliseconds(200)});
    try {
      store.save(made_up.context("net"), {made_up.record()}, std::nullopt);
      ADD_FAILURE() << "it was not locked";
    } catch (const BusyError& error) {
      EXPECT_THAT(error.what(), HasSubstr("another program keeps it locked"));
    }
  }
  EXPECT_THAT(notes, ElementsAre(HasSubstr("another program keeps the database locked")));
  {
    const std::atomic<bool> stop = true;
    const WaitingStop stops(&stop);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_THROW(store.save(made_up.context("net"), {made_up.record()}, std::nullopt), Interrupted);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));  // a minute, had it waited
  }
  sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  store.save(made_up.context("net"), {made_up.record()}, std::nullopt);
}

}  // namespace
}  // namespace upsweep

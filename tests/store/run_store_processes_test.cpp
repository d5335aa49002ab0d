#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "made_up_run.hpp"
#include "sql_query.hpp"
#include "support/files.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep {
namespace {

using testing::made_up_search;
using testing::MadeUpRun;
using testing::query;
using testing::TemporaryFolder;

TEST(RunStoreProcesses, LetsSeveralProcessesWriteAtOnce) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  constexpr int kWriters = 4;
  constexpr int kRuns = 15;
  std::vector<pid_t> writers;
  for (int w = 0; w < kWriters; ++w) {
    const pid_t writer = fork();
    if (writer == 0) {
      int code = 0;
      try {
        const MadeUpRun made_up;
        RunStore store(file, RunStore::Open::create);
        for (int i = 0; i < kRuns; ++i)
          store.save(made_up.context("writer" + std::to_string(w)), {made_up.record()}, made_up_search());
      } catch (const std::exception& error) {
        fprintf(stderr, "writer %d: %s\n", w, error.what());
        code = 1;
      }
      _exit(code);
    }
    writers.push_back(writer);
  }
  for (const pid_t writer : writers) {
    int status = 0;
    waitpid(writer, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(query(file, "SELECT model, COUNT(*) FROM runs GROUP BY model"),
            "writer0|15\nwriter1|15\nwriter2|15\nwriter3|15\n");
}

TEST(RunStoreProcesses, HoldsWholeRunsOnlyAfterAKillAtAnyMoment) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  { const RunStore store(file, RunStore::Open::create); }
  const auto count = [&] { return query(file, "SELECT COUNT(*) FROM runs"); };
  // A busy machine may need longer for the first rows than the ten rounds give.
  for (int round = 0; round < 10 || (round < 16 && count() == "0\n"); ++round) {
    const pid_t writer = fork();
    if (writer == 0) {
      const MadeUpRun made_up;
      RunStore store(file, RunStore::Open::create);
      for (;;) store.save(made_up.context(), {made_up.record(), made_up.record()}, made_up_search());
    }
    usleep(static_cast<useconds_t>(round < 10 ? 3000 + 2500 * round : 100000 << (round - 10)));
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    EXPECT_EQ(query(file, "PRAGMA integrity_check; PRAGMA foreign_key_check"), "ok\n");
    EXPECT_EQ(query(file,
                    "SELECT COUNT(*) FROM runs r WHERE (SELECT COUNT(*) FROM ops WHERE run_id = r.id) != r.ops "
                    "OR (SELECT COUNT(*) FROM levels WHERE run_id = r.id) != r.levels OR (SELECT COUNT(*) FROM "
                    "operators WHERE run_id = r.id) != 4"),
              "0\n");
    EXPECT_EQ(
        query(file, "SELECT COUNT(*) FROM searches s WHERE (SELECT COUNT(*) FROM runs WHERE search_id = s.id) != 2"),
        "0\n");
  }
  EXPECT_NE(count(), "0\n") << "the writers never got anywhere";
}

}  // namespace
}  // namespace upsweep

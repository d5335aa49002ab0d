#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "store/study_rows.hpp"
#include "support/files.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/store/study_store.hpp"

namespace upsweep::study_crash_test {
namespace {

using testing::done_record;
using testing::key_of;
using testing::point;
using testing::query;
using testing::study_record;
using testing::TemporaryFolder;

TEST(StudyStoreThatFails, KeepsEarlierPointsWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  std::int64_t study = 0;
  {
    StudyStore store(file);
    study = store.open_study(study_record());
    store.save(study, std::vector{point(0, done_record(1))});
  }
  std::vector<StudyPoint> many;
  for (std::uint64_t i = 1; i < 3000; ++i) {
    PointRecord record = done_record(2);
    record.key = key_of(static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i));
    record.key[7] = 9;
    many.push_back(point(i, record));
  }
  const pid_t writer = fork();
  if (writer == 0) {
    signal(SIGXFSZ, SIG_IGN);
    int code = 1;
    try {
      StudyStore store(file);
      // No file can grow beyond what a small batch needs.
      const rlimit limit{300'000, 300'000};
      setrlimit(RLIMIT_FSIZE, &limit);
      store.save(study, std::vector{many[0]});
      code = 2;
      store.save(study, many);
    } catch (const InputError& error) {
      const std::string text = error.what();
      const bool is_clear =
          text.find(file + ": ") == 0 && text.find("accepted is a disk with room") != std::string::npos;
      code = code == 2 && is_clear ? 0 : 3;
      if (code != 0) fprintf(stderr, "%s\n", error.what());
    } catch (...) {
      code = 4;
    }
    _exit(code);
  }
  int status = 0;
  waitpid(writer, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(
      query(file, "SELECT COUNT(*) FROM study_members; SELECT COUNT(*) FROM point_results; PRAGMA integrity_check"),
      "2\n2\nok\n");
  StudyStore store(file);
  store.save(study, many);
  EXPECT_EQ(query(file, "SELECT COUNT(*) FROM study_points"), "3000\n");
}

/// Writes batches of ten points, and a byte after each, until it is killed; never returns into the test.
[[noreturn]] void write_batches(const std::string& file, int ready) {
  try {
    StudyStore store(file);
    const std::int64_t study = store.open_study(study_record());
    for (std::uint64_t batch = 0;; ++batch) {
      std::vector<StudyPoint> points;
      for (std::uint64_t i = 0; i < 10; ++i) {
        PointRecord record = done_record(1);
        record.key = key_of(static_cast<std::uint8_t>(batch), static_cast<std::uint8_t>(i));
        points.push_back(point(10 * batch + i, record));
      }
      store.save(study, points);
      if (write(ready, "x", 1) != 1) _exit(1);
    }
  } catch (...) {
    _exit(9);
  }
}

TEST(StudyStoreThatFails, HoldsWholeBatchesOnlyAfterAKill) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  { const StudyStore store(file); }
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    write_batches(file, ready[1]);
  }
  close(ready[1]);  // a child that ends is the end of its pipe
  char batch = 0;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(read(ready[0], &batch, 1), 1);
  kill(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
  close(ready[0]);
  EXPECT_EQ(query(file, "PRAGMA integrity_check; PRAGMA foreign_key_check"), "ok\n");
  EXPECT_EQ(query(file, "SELECT COUNT(*) >= 50, COUNT(*) % 10 FROM study_members"), "1|0\n");
  StudyStore store(file);
  EXPECT_EQ(store.open_study(study_record()), 1);
}

}  // namespace
}  // namespace upsweep::study_crash_test

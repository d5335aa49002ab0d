#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/files.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/store/study_store.hpp"

namespace upsweep::study_lock_test {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

constexpr const char* kKey = "0123456789abcdef";

std::string refusal(const std::string& file, const std::string& key = kKey) {
  try {
    const StudyLock lock(file, key);
  } catch (const BusyError& error) {
    return error.what();
  }
  return "free";
}

TEST(StudyLock, KeepsASecondHolderOutAndNamesTheFirst) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  const StudyLock lock(file, kKey);
  const std::string text = refusal(file);
  EXPECT_EQ(text.find(file + ": study "), 0U) << text;
  EXPECT_THAT(text, HasSubstr("is being run by process " + std::to_string(getpid()) +
                              ", accepted is to wait for it or another database"));
  EXPECT_EQ(refusal(file, "fedcba9876543210"), "free") << "another study";
  EXPECT_EQ(refusal(folder.path("other.sqlite")), "free") << "another database";
}

TEST(StudyLock, KeepsAnotherProcessOut) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  const StudyLock lock(file, kKey);
  const std::string holder = "process " + std::to_string(getpid());
  const pid_t other = fork();
  if (other == 0) {
    try {
      _exit(refusal(file).find(holder) != std::string::npos ? 0 : 1);
    } catch (...) {
      _exit(9);
    }
  }
  int status = 0;
  waitpid(other, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(StudyLock, IsTheSameUnderAnotherNameOfTheDatabase) {
  const TemporaryFolder folder;
  const std::string file = folder.write("s.sqlite", "");
  const std::string name = folder.path("link.sqlite");
  std::filesystem::create_symlink(file, name);
  const StudyLock lock(file, kKey);
  EXPECT_THAT(refusal(name), HasSubstr("being run by"));
  EXPECT_THAT(refusal(folder.path("./s.sqlite")), HasSubstr("being run by"));
}

TEST(StudyLock, IsFreeAndLeavesNoFileAfterItsHolder) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  { const StudyLock lock(file, kKey); }
  EXPECT_EQ(refusal(file), "free");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

/// Says by a byte that it holds the lock; never returns into the test.
[[noreturn]] void hold_until_killed(const std::string& file, int ready) {
  try {
    const StudyLock lock(file, kKey);
    if (write(ready, "x", 1) != 1) _exit(1);
    for (;;) pause();
  } catch (...) {
    _exit(9);
  }
}

TEST(StudyLock, IsFreeAfterAKilledHolder) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t holder = fork();
  if (holder == 0) hold_until_killed(file, ready[1]);
  close(ready[1]);  // a child that ends is the end of its pipe
  char held = 0;
  ASSERT_EQ(read(ready[0], &held, 1), 1);
  EXPECT_THAT(refusal(file), HasSubstr("process " + std::to_string(holder)));
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  close(ready[0]);
  EXPECT_TRUE(std::filesystem::exists(file + ".study-01234567.lock")) << "it had no time to remove it";
  const StudyLock lock(file, kKey);
  EXPECT_THAT(refusal(file), HasSubstr("process " + std::to_string(getpid()))) << "not the one that was killed";
}

/// Takes the lock so many times, and ends with 1 where somebody else was inside too; never returns into the test.
[[noreturn]] void enter_again_and_again(const std::string& file, const std::string& inside, int times) {
  try {
    int code = 0;
    while (times > 0) {
      try {
        const StudyLock lock(file, kKey);
        // A folder can be made by one only.
        if (!std::filesystem::create_directory(inside)) code = 1;
        std::filesystem::remove(inside);
        --times;
      } catch (const BusyError&) {
        sched_yield();
      }
    }
    _exit(code);
  } catch (...) {
    _exit(9);
  }
}

TEST(StudyLock, LetsOneOfManyProcessesInAtATime) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  std::vector<pid_t> processes;
  for (int i = 0; i < 4; ++i) {
    const pid_t process = fork();
    if (process == 0) enter_again_and_again(file, folder.path("inside"), 25);
    processes.push_back(process);
  }
  for (const pid_t process : processes) {
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST(StudyLock, NamesTheFileThatCannotBeMade) {
  const TemporaryFolder folder;
  try {
    const StudyLock lock(folder.path("none/s.sqlite"), kKey);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("none/s.sqlite.study-01234567.lock: No such file or directory"));
  }
}

}  // namespace
}  // namespace upsweep::study_lock_test

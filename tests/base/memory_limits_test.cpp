#include "base/memory_limits.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/files.hpp"
#include "upsweep/base/memory.hpp"

namespace upsweep::testing {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

TEST(MemoryLimits, OfASecondVersionGroupAreTheSmallestOnItsPathUpToTheRoot) {
  const TemporaryFolder system;
  system.write("proc/self/cgroup", "0::/pod/box\n");
  system.write("sys/fs/cgroup/pod/box/memory.max", "max\n");
  system.write("sys/fs/cgroup/pod/box/memory.high", "8589934592\n");
  system.write("sys/fs/cgroup/pod/box/memory.current", "1073741824\n");
  system.write("sys/fs/cgroup/pod/memory.max", "4294967296\n");
  system.write("sys/fs/cgroup/pod/memory.current", "3221225472\n");
  system.write("sys/fs/cgroup/pod/memory.stat", "anon 5\ninactive_file 1073741824\n");
  const auto groups = memory_groups(system.path());
  EXPECT_EQ(groups.size(), 3U);
  EXPECT_EQ(group_limit(groups), (MemoryLimit{4 * kGiB, 2 * kGiB})) << "cached files count as left";
  system.write("sys/fs/cgroup/pod/box/memory.high", "2147483648\n");
  EXPECT_EQ(group_limit(groups), (MemoryLimit{2 * kGiB, kGiB})) << "memory.high limits too";
}

TEST(MemoryLimits, OfAFirstVersionGroupAreSeenBelowItsOwnMount) {
  const TemporaryFolder system;
  system.write("proc/self/cgroup", "9:name=systemd:/\n4:cpuset,memory:/docker/abc\n0::/\n");
  // A container sees its own group as the root of the mount.
  system.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n");
  system.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "1610612736\n");
  system.write("sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 536870912\n");
  EXPECT_EQ(group_limit(memory_groups(system.path())), (MemoryLimit{2 * kGiB, kGiB}));
  system.write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "1073741824\n");
  EXPECT_EQ(group_limit(memory_groups(system.path())), (MemoryLimit{kGiB, kGiB}));
}

TEST(MemoryLimits, AreNoneWhereTheSystemHasNoneOrSaysAHugeNumber) {
  const TemporaryFolder system;
  EXPECT_EQ(group_limit(memory_groups(system.path())), MemoryLimit{});
  system.write("proc/self/cgroup", "4:memory:/\n0::/../..\n");
  system.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(group_limit(memory_groups(system.path())), MemoryLimit{});
}

TEST(MemoryLimits, OfTheAddressSpaceAreSeen) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{std::uint64_t{1} << 50, std::uint64_t{1} << 50};  // sanitizers map many tebibytes
    const bool is_set = setrlimit(RLIMIT_AS, &limit) == 0;
    const MemoryLimit seen = address_limit();
    _exit(is_set && seen.most == limit.rlim_cur && seen.left < seen.most && seen.left > 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace upsweep::testing

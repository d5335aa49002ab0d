#include "child_process.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

namespace upsweep::bench {
namespace {

constexpr int kFailed = 1;
constexpr int kOutOfMemory = 2;

[[noreturn]] void throw_errno(const char* call) { throw std::system_error(errno, std::generic_category(), call); }

void write_all(int pipe, const std::vector<std::uint64_t>& values) {
  const auto* bytes = reinterpret_cast<const char*>(values.data());
  std::size_t left = values.size() * sizeof(std::uint64_t);
  while (left > 0) {
    const ssize_t written = write(pipe, bytes, left);
    if (written < 0) throw_errno("write");
    bytes += written;
    left -= static_cast<std::size_t>(written);
  }
}

std::vector<std::uint64_t> read_all(int pipe) {
  std::vector<char> bytes;
  char buffer[4096];
  for (;;) {
    const ssize_t got = read(pipe, buffer, sizeof buffer);
    if (got < 0) throw_errno("read");
    if (got == 0) break;
    bytes.insert(bytes.end(), buffer, buffer + got);
  }
  std::vector<std::uint64_t> values(bytes.size() / sizeof(std::uint64_t));
  std::copy_n(bytes.data(), values.size() * sizeof(std::uint64_t), reinterpret_cast<char*>(values.data()));
  return values;
}

/// The child's life; returns its exit code.
int run_and_send(const std::function<std::vector<std::uint64_t>()>& work, int pipe) {
  try {
    write_all(pipe, work());
    return 0;
  } catch (const std::bad_alloc&) {
    return kOutOfMemory;
  } catch (const std::exception& error) {
    fmt::print(stderr, "upsweep_bench: {}\n", error.what());
    return kFailed;
  }
}

}  // namespace

ChildResult run_in_child(const std::function<std::vector<std::uint64_t>()>& work) {
  int ends[2];
  if (pipe(ends) != 0) throw_errno("pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw_errno("fork");
  if (child == 0) {
    close(ends[0]);
    _exit(run_and_send(work, ends[1]));
  }
  close(ends[1]);
  ChildResult result;
  result.values = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child) throw_errno("wait4");
  result.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return result;
  result.values.clear();
  result.out_of_memory = (WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemory) ||
                         (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  if (!result.out_of_memory) throw std::runtime_error(fmt::format("a child process ended with status {}", status));
  return result;
}

}  // namespace upsweep::bench

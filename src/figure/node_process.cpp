#include "node_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>
#include <thread>

#include "upsweep/base/error.hpp"

namespace upsweep {
namespace {

using Clock = std::chrono::steady_clock;

/// A pipe that ends with this object.
struct Pipe {
  std::array<int, 2> ends = {-1, -1};

  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void close_end(std::size_t end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
};

/// While this lives, writing to a pipe that nobody reads is an error and no signal, in this thread.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_signal_);
    sigaddset(&pipe_signal_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_signal_, &before_);
  }
  ~NoPipeSignal() {
    const timespec no_time{};
    while (!was_pending_ && sigtimedwait(&pipe_signal_, nullptr, &no_time) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_signal_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

/// A started node; ends it where nobody waited for its end.
class NodeProcess {
 public:
  NodeProcess(const Pipe& in, const Pipe& out, const Pipe& err) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.ends[1], STDERR_FILENO);
    std::string name = "node";
    std::string dash = "-";
    std::array<char*, 3> arguments = {name.data(), dash.data(), nullptr};
    const int error = posix_spawnp(&id_, name.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
      throw BusyError(fmt::format("node: {}, accepted is Node.js on the PATH, which draws figures",
                                  std::generic_category().message(error)));
    }
  }
  ~NodeProcess() {
    if (id_ == 0) return;
    kill(id_, SIGKILL);
    while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  NodeProcess(const NodeProcess&) = delete;
  NodeProcess& operator=(const NodeProcess&) = delete;

  /// Waits for its end; false where it still runs at `deadline`.
  bool wait(Clock::time_point deadline, int& exit_code) {
    int status = 0;
    for (;;) {
      const pid_t ended = waitpid(id_, &status, WNOHANG);
      if (ended == id_) break;
      if (ended < 0 && errno == ECHILD) break;  // whoever started this program ignores SIGCHLD: it is gone
      if (ended < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
      if (Clock::now() >= deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    id_ = 0;
    exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
  }

 private:
  pid_t id_ = 0;
};

/// Reads what is there; false at the end.
bool take(int descriptor, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

/// Writes as much of `text` as the pipe takes now; closes it at the end, and where nobody reads it any more. Throws
/// BusyError where it cannot be written.
void give(Pipe& in, std::string_view& text) {
  const ssize_t count = write(in.ends[1], text.data(), std::min<std::size_t>(text.size(), 65536));
  if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  const bool has_failed = count < 0 && errno != EINTR && errno != EAGAIN;
  if (has_failed && errno != EPIPE) {
    throw BusyError(fmt::format("node: its program cannot be written ({}), accepted is a system that gives it a pipe",
                                std::generic_category().message(errno)));
  }
  if (text.empty() || has_failed) in.close_end(1);
}

/// Writes `text` to node and reads both its outputs at the same time, until it has closed them; false where it has not
/// at `deadline`.
bool exchange(std::string_view text, Pipe& in, Pipe& out, Pipe& err, Clock::time_point deadline, NodeResult& result) {
  const NoPipeSignal quiet;
  bool is_out_open = true;
  bool is_err_open = true;
  while (is_out_open || is_err_open) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    std::array<pollfd, 3> all = {pollfd{is_out_open ? out.ends[0] : -1, POLLIN, 0},
                                 pollfd{is_err_open ? err.ends[0] : -1, POLLIN, 0}, pollfd{in.ends[1], POLLOUT, 0}};
    if (poll(all.data(), all.size(), static_cast<int>(std::min<long>(left, 1'000'000))) < 0) {
      if (errno == EINTR) continue;
      throw std::system_error(errno, std::generic_category(), "poll");
    }
    if (all[0].revents != 0) is_out_open = take(out.ends[0], result.out);
    if (all[1].revents != 0) is_err_open = take(err.ends[0], result.err);
    if (in.ends[1] >= 0 && all[2].revents != 0) give(in, text);
  }
  return true;
}

}  // namespace

NodeResult run_node(const std::string& program, std::chrono::milliseconds limit) {
  const Clock::time_point deadline = Clock::now() + limit;
  Pipe in;
  Pipe out;
  Pipe err;
  NodeProcess node(in, out, err);
  in.close_end(0);
  out.close_end(1);
  err.close_end(1);
  // A node that reads nothing must not hold this up: what the pipe does not take now is written later.
  if (fcntl(in.ends[1], F_SETFL, O_NONBLOCK) != 0) throw std::system_error(errno, std::generic_category(), "fcntl");
  NodeResult result;
  if (!exchange(program, in, out, err, deadline, result) || !node.wait(deadline, result.exit_code)) {
    throw BusyError(
        fmt::format("node: not done after {:.3g} s and ended, accepted is one that draws a figure in that time",
                    std::chrono::duration<double>(limit).count()));
  }
  return result;
}

}  // namespace upsweep

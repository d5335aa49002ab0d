#include "upsweep/figure/svg.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "upsweep/base/error.hpp"

extern char** environ;

namespace upsweep {
namespace {

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

struct NodeResult {
  int status = 0;
  std::string out;
  std::string err;
};

/// Reads what is there; false at the end.
bool take(int descriptor, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

/// Writes `text` to node and reads both its outputs at the same time, until it has closed them.
void exchange(std::string_view text, Pipe& in, Pipe& out, Pipe& err, NodeResult& result) {
  bool is_out_open = true;
  bool is_err_open = true;
  while (is_out_open || is_err_open) {
    std::array<pollfd, 3> all = {pollfd{is_out_open ? out.ends[0] : -1, POLLIN, 0},
                                 pollfd{is_err_open ? err.ends[0] : -1, POLLIN, 0}, pollfd{in.ends[1], POLLOUT, 0}};
    if (poll(all.data(), all.size(), -1) < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "poll");
    if (all[0].revents != 0) is_out_open = take(out.ends[0], result.out);
    if (all[1].revents != 0) is_err_open = take(err.ends[0], result.err);
    if (in.ends[1] < 0 || all[2].revents == 0) continue;
    const ssize_t count = write(in.ends[1], text.data(), std::min<std::size_t>(text.size(), 65536));
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
    if (text.empty() || (count < 0 && errno != EINTR)) in.close_end(1);  // node may have ended early
  }
}

/// Runs node with a program on its standard input. Throws BusyError where there is no node.
NodeResult run_node(const std::string& program) {
  Pipe in;
  Pipe out;
  Pipe err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.ends[1], STDERR_FILENO);
  std::string name = "node";
  std::string dash = "-";
  std::array<char*, 3> arguments = {name.data(), dash.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, name.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw BusyError(fmt::format("node: {}, accepted is Node.js on the PATH, which draws figures",
                                std::generic_category().message(error)));
  in.close_end(0);
  out.close_end(1);
  err.close_end(1);
  NodeResult result;
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  exchange(program, in, out, err, result);
  std::signal(SIGPIPE, before);
  while (waitpid(child, &result.status, 0) < 0 && errno == EINTR) {
  }
  return result;
}

/// JSON in the middle of a script.
std::string script_json(const FigureData& data) {
  return data.dump(-1, ' ', true, FigureData::error_handler_t::replace);
}

}  // namespace

bool has_charts() { return !charts_script().empty(); }

std::string draw_svg(const Figure& figure, Theme theme, unsigned width) {
  if (!has_charts())
    throw BusyError(
        "this program was built without the charting library, accepted is one built with node-vega and esbuild");
  const std::string program = fmt::format(
      "{}\nupsweepCharts.svg({}, {}, \"{}\", {}).then((svg) => process.stdout.write(svg), (error) => {{\n"
      "  console.error(String(error));\n  process.exitCode = 1;\n}});\n",
      charts_script(), script_json(figure_template(figure.kind)), script_json(to_json(figure)),
      theme == Theme::dark ? "dark" : "light", width);
  NodeResult result = run_node(program);
  if (!WIFEXITED(result.status) || WEXITSTATUS(result.status) != 0 || result.out.empty()) {
    throw std::runtime_error(
        fmt::format("node did not draw the figure {}: {}", figure.kind, result.err.substr(0, result.err.find('\n'))));
  }
  return std::move(result.out);
}

}  // namespace upsweep

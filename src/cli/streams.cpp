#include "streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <system_error>

#include "upsweep/base/error.hpp"
#include "upsweep/document/text_lines.hpp"

namespace upsweep::cli {

void guard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest free number is this one. It is opened for what nobody does with it.
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

void say_line(std::string_view text) {
  const std::string line = visible_text(text) + '\n';
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

void write_output(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  const int error = errno;
  if (error == EPIPE) throw ReaderGone();
  throw InputError(fmt::format("standard output cannot be written: {}, accepted is a file or pipe that can",
                               std::generic_category().message(error)));
}

void end_by_pipe_signal() {
  std::signal(SIGPIPE, SIG_DFL);
  static_cast<void>(std::raise(SIGPIPE));
}

}  // namespace upsweep::cli

#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "support/files.hpp"

namespace upsweep::testing {

/// What a finished program left behind.
struct Finished {
  int exit_code = -1;  ///< -1: ended by a signal
  std::string out;
  std::string err;
};

/// Starts a program with its output in files; returns its process id. Where it would keep results unasked, it keeps
/// none.
[[nodiscard]] inline pid_t start_program(const std::vector<std::string>& command, const std::string& out,
                                         const std::string& err) {
  const pid_t child = fork();
  if (child != 0) return child;
  setenv("UPSWEEP_DB", "", 0);
  dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

/// Runs a program to its end.
[[nodiscard]] inline Finished run_program(const std::vector<std::string>& command) {
  const TemporaryFolder folder;
  const pid_t child = start_program(command, folder.path("out"), folder.path("err"));
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder.path("out")), read_file(folder.path("err"))};
}

}  // namespace upsweep::testing

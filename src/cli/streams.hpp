#pragma once

#include <string_view>

namespace upsweep::cli {

/// Before anything is opened. A standard stream that is closed is replaced by one that cannot be written, so that no
/// file of ours gets its number; a reader that goes and a limit of file sizes become errors, which clean up, and no
/// signals.
void guard_streams();

/// Writes a line to standard error, with what a terminal would obey made visible. What cannot be written there is lost:
/// nothing depends on it.
void say_line(std::string_view text);

/// Writes to standard output, whole. Throws InputError where that fails, ReaderGone where nobody reads it any more.
void write_output(std::string_view text);

/// Whoever read standard output has gone (`| head`): the program ends as one that SIGPIPE ends, in good order.
struct ReaderGone {};

/// Ends the process by SIGPIPE.
void end_by_pipe_signal();

}  // namespace upsweep::cli

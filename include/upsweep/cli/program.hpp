#pragma once

namespace upsweep::cli {

/// The whole program: parses, runs, prints, handles signals. `argv` has `argc` texts, the first of them the program's
/// name. Returns the exit code, or ends the process. Throws nothing.
[[nodiscard]] int run_program(int argc, const char* const* argv) noexcept;

}  // namespace upsweep::cli

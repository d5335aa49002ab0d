#pragma once

#include <stdexcept>
#include <string>

namespace upsweep {

/// Input that a user gave is wrong: a model file, an array file, a database. Exit code 3.
///
/// The text is one line: where, what is wrong, what was found, what is accepted.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  /// An error at a line of a text file; `line` is 1-based.
  InputError(const std::string& file, int line, const std::string& message);
};

/// Something that is needed is in use or not available now. Exit code 4.
class BusyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The command line is wrong. Exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace upsweep

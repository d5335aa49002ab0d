#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "upsweep/base/temporary_folder.hpp"
#include "upsweep/cli/named_command.hpp"

// What stands behind the opaque types of upsweep/upsweep.h.

struct upsweep_input {
  std::string path;
  std::unique_ptr<upsweep::TemporaryFolder> folder = nullptr;  ///< of an input from memory
  std::string fault = {};                                      ///< why its file is not there
};

struct upsweep_stop {
  std::atomic<bool> is_requested = false;
};

struct upsweep_result {
  upsweep::cli::Answer answer;
  std::map<std::string, std::string> texts = {};  ///< by format, those that were asked for
  std::vector<std::string> hidden = {};           ///< paths of temporary folders, which texts leave out
};

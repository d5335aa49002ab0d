#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <variant>

#include "refusal.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/training_file.hpp"

namespace upsweep::testing {

[[nodiscard]] inline TrainingFile parse_training(const std::string& text, const std::string& path = "t.yaml") {
  std::istringstream in(text);
  return load_training(parse_yaml(in, path));
}

/// Whether the file at `path` is one of `upsweep train` instead.
[[nodiscard]] inline bool is_train_file(const std::string& path) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("train:")) return true;
  }
  return false;
}

/// The message of a file that is refused.
[[nodiscard]] inline std::string training_refusal(const std::string& text, const std::string& path = "t.yaml") {
  return refusal_of([&] { return parse_training(text, path); });
}

/// A key and its value on a line, in place of those that a file has; adds them where it has none.
[[nodiscard]] inline std::string with(const std::string& file, const std::string& key, const std::string& value) {
  const std::string line = key + ": " + value + "\n";
  const std::string head = "\n" + key + ": ";
  const std::size_t at = ("\n" + file).find(head);
  if (at == std::string::npos) return file + line;
  return file.substr(0, at) + line + file.substr(file.find('\n', at) + 1);
}

/// A file without the line of a key.
[[nodiscard]] inline std::string without(const std::string& file, const std::string& key) {
  const std::size_t at = ("\n" + file).find("\n" + key + ": ");
  return file.substr(0, at) + file.substr(file.find('\n', at) + 1);
}

/// A flat file of each kind; `key: value` on a line each.
inline const std::string kPipelineFile =
    "name: x\nkind: pipeline\nlayers: 4\ndevices: 2\nmicro_batches: 2\nF: 1\nO: 1\nW: 1\nalloc: contiguous\n"
    "policy: gpipe\n";
inline const std::string kDataParallelFile =
    "name: x\nkind: data_parallel\nlayers: 3\nF: 1\nO: 1\nW: 1\nS: [1, 2, 3]\n";
inline const std::string kFirstKFile =
    "name: x\nkind: reverse_first_k_memory\nlayers: 3\nM_fwd: 10\nM_O: 1\nM_W: [1, 2, 3]\nlimits: [5, 9.5, 20]\n";
inline const std::string kMultiRegionFile =
    "name: x\nkind: multi_region\nlayers: 3\nF: 2\nO: 3\nW: [2, 3, 4]\n"
    "main_stream: [[O3, O2], [W1, F1], [F2, F3]]\nT_main: [6, 4, 4]\nkernels: [2, 3]\n"
    "T_sub: {2: [4, 3, 3], 3: [3, 4, 4]}\nspeedup_percent: {2: [10, 40, 5], 3: [20, 30, -5]}\n"
    "available: {2: 3, 3: 0}\ndeadline: {2: 10, 3: 12}\nhold: {2: 5, 3: 2}\nbase: 10\nmemory_limit: 100\n"
    "backward_regions: 2\n";

}  // namespace upsweep::testing

#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

/// The name of a file in memory, which goes with the process.
struct ScratchFile {
  explicit ScratchFile(const std::string& ending)
      : path("/dev/shm/upsweep-fuzz-" + std::to_string(getpid()) + ending) {}
  ~ScratchFile() { std::remove(path.c_str()); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  std::string path;
};

#include <exception>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>

#include "handles.hpp"
#include "upsweep/app/failure.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/upsweep.h"

namespace {

namespace fs = std::filesystem;

/// Writes below a folder. Throws InputError, also for a path that leads out of it.
void write_below(const std::string& folder, const std::string& name, const void* bytes, std::size_t size) {
  const fs::path path = fs::path(name).lexically_normal();
  if (path.empty() || path.is_absolute() || *path.begin() == ".." || !path.has_filename())
    throw upsweep::InputError("'" + name + "' is no name of a file beside others, accepted is one as masks/conv1.npy");
  const fs::path to = folder / path;
  fs::create_directories(to.parent_path());
  std::ofstream out(to, std::ios::binary);
  out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  out.close();
  if (!out) throw upsweep::InputError(name + ": it cannot be written, accepted is a TMPDIR with room for it");
}

}  // namespace

upsweep_input* upsweep_input_file(const char* path) try {
  return new upsweep_input{path == nullptr ? "" : path};
} catch (...) {
  return nullptr;
}

upsweep_input* upsweep_input_bytes(const char* name, const void* bytes, size_t size) try {
  auto input = std::make_unique<upsweep_input>();
  try {
    const std::string file = name == nullptr ? "" : name;
    input->folder = std::make_unique<upsweep::TemporaryFolder>();
    input->path = (fs::path(input->folder->path()) / file).string();
    write_below(input->folder->path(), file, bytes, bytes == nullptr ? 0 : size);
  } catch (const std::exception& error) {
    input->fault = error.what();
  }
  return input.release();
} catch (...) {
  return nullptr;
}

int upsweep_input_add(upsweep_input* input, const char* path, const void* bytes, size_t size) try {
  if (input != nullptr && !input->fault.empty()) return UPSWEEP_INPUT;  // upsweep_run() says why
  if (input == nullptr || input->folder == nullptr || path == nullptr) return UPSWEEP_USAGE;
  write_below(input->folder->path(), path, bytes, bytes == nullptr ? 0 : size);
  return UPSWEEP_DONE;
} catch (...) {
  return upsweep::failure_of(std::current_exception()).code;
}

void upsweep_input_close(upsweep_input* input) { delete input; }

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "io/array_source.hpp"
#include "scratch_file.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/anchor_file.hpp"

namespace {

std::string written(const std::string& suffix, const std::string& bytes) {
  static std::map<std::string, ScratchFile> files;
  const std::string& path = files.try_emplace(suffix, suffix).first->second.path;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

void read_archive(const std::string& suffix, const std::string& bytes) {
  const auto source = upsweep::open_arrays(written(suffix, bytes));
  for (const char* name : {"a", "b", "conv1"}) {
    if (source->exists(name)) static_cast<void>(source->read(name, {2, 3}));
  }
}

}  // namespace

/// Bytes as an archive, a sparse matrix or a table of published times; the first says which: what stands in it, or an
/// InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    std::istringstream in(bytes);
    switch (data[0]) {
      case 'z':
        read_archive(".npz", bytes);
        break;
      case 's':
        read_archive(".safetensors", bytes);
        break;
      case 'm':
        static_cast<void>(upsweep::read_smtx(in, bytes.size(), {3, 2, 2, 2}, "fuzz.smtx"));
        break;
      case 'a':
        static_cast<void>(upsweep::load_anchors(written(".csv", bytes)));
        break;
      default:
        static_cast<void>(upsweep::read_matrix_market(in, bytes.size(), {3, 2, 2, 2}, "fuzz.mtx"));
        break;
    }
  } catch (const upsweep::InputError&) {
    return 0;
  }
  return 0;
}

#include "array_source.hpp"

#include <fmt/format.h>

#include "regular_file.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/network/shape.hpp"

namespace upsweep {
namespace {

class ArrayFolder : public ArraySource {
 public:
  explicit ArrayFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  [[nodiscard]] bool exists(const std::string& name) const override {
    // What cannot be looked at is left to read(), which says why.
    std::error_code error;
    return std::filesystem::exists(folder_ / (name + ".npy"), error) || error != std::error_code() ||
           suffix_of(name) != ".npy";
  }
  [[nodiscard]] NpyArray read(const std::string& name, const std::vector<std::uint64_t>& shape) const override {
    const std::string suffix = suffix_of(name);
    if (suffix == ".npy") return read_finite_npy(place(name));
    RegularFile file = open_regular_file(place(name), "a " + suffix + " file");
    return (suffix == ".smtx" ? read_smtx : read_matrix_market)(file.stream, file.length, shape, place(name));
  }
  [[nodiscard]] std::string place(const std::string& name) const override {
    return (folder_ / (name + suffix_of(name))).string();
  }

 private:
  /// A .npy file comes first, and is what is missing where there is none.
  [[nodiscard]] std::string suffix_of(const std::string& name) const {
    for (const char* suffix : {".npy", ".smtx", ".mtx"}) {
      std::error_code error;
      if (std::filesystem::exists(folder_ / (name + suffix), error)) return suffix;
    }
    return ".npy";
  }

  std::filesystem::path folder_;
};

}  // namespace

std::unique_ptr<const ArraySource> open_arrays(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return std::make_unique<ArrayFolder>(path);
  if (path.extension() == ".npz") return open_npz(path);
  if (path.extension() == ".safetensors") return open_safetensors(path);
  throw InputError(
      fmt::format("{}, which is no folder; accepted is a folder of .npy, .smtx or .mtx files, a .npz or a "
                  ".safetensors file",
                  path.string()));
}

}  // namespace upsweep

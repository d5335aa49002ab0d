#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "upsweep/io/npy.hpp"

namespace upsweep {

/// Arrays by name: a folder of .npy, .smtx and .mtx files, a .npz file, or a .safetensors file.
class ArraySource {
 public:
  virtual ~ArraySource() = default;
  /// Whether there is an array of this name, or something that read() will say why it is none.
  [[nodiscard]] virtual bool exists(const std::string& name) const = 0;
  /// The array of a name. `shape` is what is expected: a .smtx file does not say where its columns belong. Throws
  /// InputError that names the file, and the array.
  [[nodiscard]] virtual NpyArray read(const std::string& name, const std::vector<std::uint64_t>& shape) const = 0;
  /// The place of an array, for errors.
  [[nodiscard]] virtual std::string place(const std::string& name) const = 0;
};

/// Opens a source by what it is. Throws InputError: neither a folder nor a file of these formats, or a broken one.
[[nodiscard]] std::unique_ptr<const ArraySource> open_arrays(const std::filesystem::path& path);

/// The mask of a .smtx file for a weight of `shape`, [outputs, inputs, kernel height, kernel width] or [outputs,
/// inputs].
///
/// Three lines: `rows, columns, nonzeros`; row pointers; column indices from 0, rising within each row. A row is an
/// output, a column (ky · kernel width + kx) · inputs + input. Source: the Deep Learning Matrix Collection (Gale et
/// al., "Sparse GPU Kernels for Deep Learning", 2020). Throws InputError.
[[nodiscard]] NpyArray read_smtx(std::istream& in, std::uint64_t length, const std::vector<std::uint64_t>& shape,
                                 const std::string& name);

/// The numbers of a Matrix Market file (coordinate or array; real, integer or pattern; general) for a weight of
/// `shape`: a row is an output, a column the number of a weight among those of its output, row-major. Source:
/// math.nist.gov/MatrixMarket/formats.html. Throws InputError.
[[nodiscard]] NpyArray read_matrix_market(std::istream& in, std::uint64_t length,
                                          const std::vector<std::uint64_t>& shape, const std::string& name);

/// Where the arrays of a .npz file (a zip archive, stored or deflated) or of a .safetensors file stand.
[[nodiscard]] std::unique_ptr<const ArraySource> open_npz(const std::filesystem::path& path);
[[nodiscard]] std::unique_ptr<const ArraySource> open_safetensors(const std::filesystem::path& path);

}  // namespace upsweep

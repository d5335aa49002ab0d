#pragma once

#include <cstdint>
#include <istream>
#include <span>
#include <string>
#include <vector>

namespace upsweep {

/// A NumPy array, row-major whatever its order in the file.
struct NpyArray {
  std::vector<std::uint64_t> shape;  ///< empty for a scalar
  std::string dtype;                 ///< NumPy's code without byte order: b1, u1, i1, i2, i4, i8, f2, f4 or f8
  std::vector<std::byte> bytes;      ///< elements in this machine's byte order, row-major

  [[nodiscard]] std::uint64_t size() const;

  /// The elements as numbers; i8 beyond 2^53 is rounded.
  [[nodiscard]] std::vector<double> to_doubles() const;

  /// For every element whether it is nonzero. NaN is nonzero.
  [[nodiscard]] std::vector<std::uint8_t> nonzero() const;

  /// Position of the first NaN or infinity, or size().
  [[nodiscard]] std::uint64_t first_non_finite() const;
};

/// Reads a .npy file of format version 1 to 3.
///
/// Types: b1, u1, i1, i2, i4, i8, f2, f4, f8 of either byte order; C and Fortran order. Throws InputError that names
/// the file, what was found and what is accepted: not a regular file, truncated, too long, a header that does not parse
/// or whose sizes do not agree with the file. Allocates no more than the file is long.
[[nodiscard]] NpyArray read_npy(const std::string& path);

/// read_npy() of finite numbers; throws InputError for others, too.
[[nodiscard]] NpyArray read_finite_npy(const std::string& path);

/// The same as read_npy() from a stream of `length` bytes; `name` stands for the file in errors.
[[nodiscard]] NpyArray read_npy(std::istream& in, std::uint64_t length, const std::string& name);

/// Writes numbers of a shape, row-major, as a .npy file (f8) that is there whole or not at all. Throws InputError.
void write_npy(const std::string& path, const std::vector<std::uint64_t>& shape, std::span<const double> values);

}  // namespace upsweep

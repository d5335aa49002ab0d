#include "host_structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "upsweep/backend/backend.hpp"
#include "upsweep/backend/schedule_plan.hpp"

namespace upsweep::kernels {

void require_32_bits(std::uint64_t size, const char* what) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (size > kMost)
    throw BackendError(fmt::format("a matrix with {} {}, cuSPARSE is used for up to {}", size, what, kMost));
}

HostStructure host_structure(const Pattern& pattern) {
  require_32_bits(pattern.nnz(), "entries");
  require_32_bits(pattern.rows(), "rows");
  require_32_bits(pattern.cols(), "columns");
  HostStructure structure{pattern.rows(), pattern.cols(), {0}, {}};
  structure.offsets.reserve(pattern.rows() + std::size_t{1});
  structure.indices.reserve(pattern.nnz());
  for (Index r = 0; r < pattern.rows(); ++r) {
    pattern.row(r).for_each([&](Index column) { structure.indices.push_back(static_cast<std::int32_t>(column)); });
    structure.offsets.push_back(static_cast<std::int32_t>(structure.indices.size()));
  }
  return structure;
}

std::uint64_t digest_of(const HostStructure& structure) {
  StructureDigest digest(static_cast<std::uint64_t>(structure.rows), static_cast<std::uint64_t>(structure.cols));
  std::vector<Index> row;
  for (std::size_t r = 0; r + 1 < structure.offsets.size(); ++r) {
    row.assign(structure.indices.begin() + structure.offsets[r], structure.indices.begin() + structure.offsets[r + 1]);
    std::sort(row.begin(), row.end());
    digest.row(row);
  }
  return digest.value();
}

std::uint64_t products_of(const HostStructure& x, const HostStructure& y) {
  std::uint64_t products = 0;
  for (const std::int32_t column : x.indices) {
    const auto k = static_cast<std::size_t>(column);
    products += static_cast<std::uint64_t>(y.offsets[k + 1] - y.offsets[k]);
  }
  return products;
}

}  // namespace upsweep::kernels

#pragma once

#include <cstdint>
#include <string>

#include "upsweep/anchors/anchors.hpp"

namespace upsweep {

/// A run of `upsweep anchors` to be kept.
struct AnchorRecord {
  std::string tool_version;
  std::string parameters;  ///< the command line as a JSON array
  std::string files;       ///< names of the tables, with commas
  std::string content_hash;
  AnchorReport report;  ///< read back without the sizes of rows
};

/// The same with its id.
struct StoredAnchors {
  std::int64_t id = 0;
  std::string created_utc;
  AnchorRecord record;
};

}  // namespace upsweep

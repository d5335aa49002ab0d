#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sqlite.hpp"
#include "upsweep/store/stored_picture.hpp"

namespace upsweep {

/// Whether there are pictures of a model in a pattern.
[[nodiscard]] bool has_picture_rows(Sqlite& database, const std::string& model_hash, const std::string& pattern);

/// Replaces the pictures of a model in a pattern; inside a transaction.
void save_picture_rows(Sqlite& database, const std::string& model_hash, const std::string& pattern,
                       std::span<const StoredPicture> pictures);

/// Removes the pictures of a model in a pattern where it has no run; inside a transaction.
void remove_unused_pictures(Sqlite& database, const std::string& model_hash, const std::string& pattern);

/// Pictures of a model in a pattern: Jacobians by place, then products of two, of up to four, of up to eight, ...
[[nodiscard]] std::vector<StoredPicture> read_pictures(Sqlite& database, const std::string& model_hash,
                                                       const std::string& pattern);

}  // namespace upsweep

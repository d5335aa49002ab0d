#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sqlite.hpp"
#include "upsweep/store/stored_picture.hpp"

namespace upsweep {

/// Replaces the pictures of a model in a pattern; inside a transaction.
void save_picture_rows(Sqlite& database, const std::string& model_hash, const std::string& pattern,
                       std::span<const StoredPicture> pictures);

/// Removes the pictures of a model in a pattern where it has no run; inside a transaction.
void remove_unused_pictures(Sqlite& database, const std::string& model_hash, const std::string& pattern);

}  // namespace upsweep

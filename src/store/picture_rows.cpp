#include "picture_rows.hpp"

#include <algorithm>
#include <bit>

#include "rows.hpp"
#include "store_reader.hpp"

namespace upsweep {

void columns(auto& visit, StoredPicture& one) {
  visit("first", one.first);
  visit("last", one.last);
  visit("name", one.name);
  visit("rows", one.rows);
  visit("cols", one.cols);
  visit("nnz", one.nnz);
  visit("grid_rows", one.grid_rows);
  visit("grid_cols", one.grid_cols);
  visit("cells", one.cells);
}

void save_picture_rows(Sqlite& database, const std::string& model_hash, const std::string& pattern,
                       std::span<const StoredPicture> pictures) {
  Statement erase(database, "DELETE FROM pattern_pictures WHERE model_hash = ? AND pattern = ?");
  erase.bind(model_hash, pattern).run();
  Insert<StoredPicture> insert(database, "pattern_pictures", "model_hash, pattern");
  for (const StoredPicture& one : pictures) insert(one, model_hash, pattern);
}

void remove_unused_pictures(Sqlite& database, const std::string& model_hash, const std::string& pattern) {
  Statement erase(database,
                  "DELETE FROM pattern_pictures WHERE model_hash = ?1 AND pattern = ?2 AND NOT EXISTS "
                  "(SELECT 1 FROM schedule_runs WHERE model_hash = ?1 AND pattern = ?2)");
  erase.bind(model_hash, pattern).run();
}

bool StoreReader::has_pictures(const std::string& model_hash, const std::string& pattern) const {
  Statement select(impl_->database, "SELECT 1 FROM pattern_pictures WHERE model_hash = ? AND pattern = ? LIMIT 1");
  return select.bind(model_hash, pattern).step();
}

std::vector<StoredPicture> StoreReader::pictures(const std::string& model_hash, const std::string& pattern) const {
  std::vector<StoredPicture> pictures = all_rows<StoredPicture>(
      impl_->database, "FROM pattern_pictures WHERE model_hash = ? AND pattern = ? ORDER BY first, last", model_hash,
      pattern);
  // The last product of a level may be of fewer elements than the others.
  std::stable_sort(pictures.begin(), pictures.end(), [](const StoredPicture& a, const StoredPicture& b) {
    return std::bit_width(a.last - a.first) < std::bit_width(b.last - b.first);
  });
  return pictures;
}

}  // namespace upsweep

#include "picture_rows.hpp"

#include <algorithm>
#include <bit>

#include "column_reader.hpp"

namespace upsweep {

bool has_picture_rows(Sqlite& database, const std::string& model_hash, const std::string& pattern) {
  Statement select(database, "SELECT 1 FROM pattern_pictures WHERE model_hash = ? AND pattern = ? LIMIT 1");
  return select.bind(model_hash, pattern).step();
}

void save_picture_rows(Sqlite& database, const std::string& model_hash, const std::string& pattern,
                       std::span<const StoredPicture> pictures) {
  Statement erase(database, "DELETE FROM pattern_pictures WHERE model_hash = ? AND pattern = ?");
  erase.bind(model_hash, pattern).run();
  Statement insert(database,
                   "INSERT INTO pattern_pictures (model_hash, pattern, first, last, name, rows, cols, nnz, grid_rows, "
                   "grid_cols, cells) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const StoredPicture& one : pictures) {
    insert
        .bind(model_hash, pattern, one.first, one.last, one.name, one.rows, one.cols, one.nnz, one.grid_rows,
              one.grid_cols, Statement::Blob{one.cells})
        .run();
  }
}

void remove_unused_pictures(Sqlite& database, const std::string& model_hash, const std::string& pattern) {
  Statement erase(database,
                  "DELETE FROM pattern_pictures WHERE model_hash = ?1 AND pattern = ?2 AND NOT EXISTS "
                  "(SELECT 1 FROM runs WHERE model_hash = ?1 AND pattern = ?2)");
  erase.bind(model_hash, pattern).run();
}

std::vector<StoredPicture> read_pictures(Sqlite& database, const std::string& model_hash, const std::string& pattern) {
  Statement select(database,
                   "SELECT first, last, name, rows, cols, nnz, grid_rows, grid_cols, cells FROM pattern_pictures "
                   "WHERE model_hash = ? AND pattern = ? ORDER BY first, last");
  select.bind(model_hash, pattern);
  std::vector<StoredPicture> pictures;
  while (select.step()) {
    StoredPicture& one = pictures.emplace_back();
    ColumnReader(select).into(one.first, one.last, one.name, one.rows, one.cols, one.nnz, one.grid_rows, one.grid_cols);
    const std::span<const std::uint8_t> cells = select.bytes(8);
    one.cells.assign(cells.begin(), cells.end());
  }
  // The last product of a level may be of fewer elements than the others.
  std::stable_sort(pictures.begin(), pictures.end(), [](const StoredPicture& a, const StoredPicture& b) {
    return std::bit_width(a.last - a.first) < std::bit_width(b.last - b.first);
  });
  return pictures;
}

}  // namespace upsweep

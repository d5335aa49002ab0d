#include "run_ids.hpp"

namespace upsweep {

std::int64_t next_run_id(Sqlite& database) {
  database.execute(
      "INSERT INTO sqlite_sequence (name, seq) SELECT 'runs', 0 WHERE NOT EXISTS "
      "(SELECT 1 FROM sqlite_sequence WHERE name = 'runs')");
  database.execute("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'runs'");
  return database.integer("SELECT seq FROM sqlite_sequence WHERE name = 'runs'");
}

}  // namespace upsweep

#pragma once

#include <memory>
#include <optional>

#include "sqlite.hpp"
#include "upsweep/store/store_reader.hpp"

namespace upsweep {

// What it reads of a table is defined beside what is written to it.
struct StoreReader::Impl {
  std::shared_ptr<Sqlite> shared;  // where the file was opened, in a transaction, which ends with the connection
  Sqlite& database = *shared;
  std::optional<Statement> select_result = {};  // asked for thousands of times
};

}  // namespace upsweep

#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "upsweep/store/store_reader.hpp"

namespace upsweep {

/// What a page is about.
struct PageOptions {
  std::string tool_version;
  std::optional<std::int64_t> run = std::nullopt;    ///< this run alone, of any kind
  std::optional<std::int64_t> study = std::nullopt;  ///< this study alone
  std::size_t most_bytes = 2'900'000;  ///< of the page: older runs go without pictures where they would not fit
};

/// One self-contained HTML page about the runs, validations and studies of a database: no network, no other file.
///
/// Every text of the database is shown as text. Throws InputError for a run or study that is not there, and as the
/// reader does.
[[nodiscard]] std::string report_page(const StoreReader& store, const PageOptions& options);

}  // namespace upsweep

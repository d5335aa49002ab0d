#include "written_file.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "upsweep/base/error.hpp"
#include "upsweep/report/format.hpp"

namespace upsweep::cli {

void check_out(const std::string& out, const std::string& ending, const std::string& db) {
  if (!out.ends_with(ending) || out.size() == ending.size())
    throw UsageError(fmt::format("--out is '{}', accepted is a name that ends with {}", out, ending));
  std::error_code error;
  if (out == db || std::filesystem::equivalent(out, db, error))
    throw UsageError(fmt::format("--out is the database {}, accepted is another file", db));
}

void report_written(const std::string& out, std::size_t bytes) {
  fmt::print(stderr, "upsweep: wrote {} ({})\n", out, short_bytes(static_cast<double>(bytes)));
}

}  // namespace upsweep::cli

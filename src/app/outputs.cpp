#include "written_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "upsweep/app/session.hpp"

namespace upsweep {

void check_out(const std::string& out, const std::string& ending, const std::string& db) {
  if (!out.ends_with(ending) || out.size() == ending.size())
    throw RequestError("out", fmt::format("is '{}', accepted is a name that ends with {}", out, ending));
  std::error_code error;
  if (out == db || std::filesystem::equivalent(out, db, error))
    throw RequestError("out", fmt::format("is the database {}, accepted is another file", db));
}

}  // namespace upsweep

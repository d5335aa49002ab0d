#pragma once

#include <istream>
#include <string>

namespace upsweep {

/// What a file is that is no text, and what takes it, by its first bytes: "a picture, which no command reads";
/// empty where it may be text. The stream stands where it stood.
[[nodiscard]] std::string foreign_file(std::istream& in);

}  // namespace upsweep

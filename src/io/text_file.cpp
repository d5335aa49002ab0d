#include "upsweep/io/text_file.hpp"

#include "replace_file.hpp"

namespace upsweep {

void write_text_file(const std::string& path, const std::string& content) { replace_file(path, content); }

}  // namespace upsweep

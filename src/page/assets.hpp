#pragma once

#include <string>

namespace upsweep {

/// The style sheet of pages: src/page/page.css, embedded by the build.
[[nodiscard]] const std::string& page_style();

/// The script of pages: src/page/page.js, embedded by the build.
[[nodiscard]] const std::string& page_script();

}  // namespace upsweep

#include "upsweep/page/page.hpp"

#include <algorithm>

#include "page_maker.hpp"

namespace upsweep {

std::string report_page(const StoreReader& store, const PageOptions& options) {
  // Sizes are guessed before sections are made; where names are long, the guess was too small.
  constexpr int kMostTries = 3;
  PageOptions smaller = options;
  std::string page;
  for (int i = 0; i < kMostTries; ++i) {
    page = PageMaker(store, smaller).page();
    if (page.size() <= options.most_bytes) break;
    const std::size_t excess = page.size() - options.most_bytes;
    smaller.most_bytes -= std::min(smaller.most_bytes, excess + excess / 4);
  }
  return page;
}

}  // namespace upsweep

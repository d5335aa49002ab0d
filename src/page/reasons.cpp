#include <fmt/format.h>

#include "sections.hpp"
#include "upsweep/report/stored_explanation.hpp"

namespace upsweep {

Markup reasons_markup(const std::optional<StoredExplanation>& stored) {
  if (!stored || stored->sentences.empty()) return {};
  const Explanation& explanation = stored->explanation;
  Markup out("<details class=\"why\"><summary>Why: ");
  out.text(fmt::format("the best scan, {}, beside plain back-propagation, {}", shortened(explanation.schedule),
                       shortened(explanation.against)));
  out.add("</summary>\n<ul>\n");
  for (const std::string& sentence : stored->sentences) out.element("li", shortened(sentence, 1000)).add("\n");
  out.add("</ul>\n");
  const std::size_t levels = explanation.levels.size();
  const std::string caption = levels > kMostLevelsShown
                                  ? fmt::format("Levels of the scan, the first {} of {}", kMostLevelsShown, levels)
                                  : "Levels of the scan";
  out.add(html_table(caption, levels_table(explanation, kMostLevelsShown)).markup());
  if (!explanation.products.empty()) {
    out.add(html_table("Products of matrices, entries of operands and result",
                       products_table(explanation, stored->links, "", kMostProductsShown))
                .markup());
  }
  return out.add("</details>\n");
}

}  // namespace upsweep

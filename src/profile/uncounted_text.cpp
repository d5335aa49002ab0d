#include "upsweep/profile/uncounted_text.hpp"

#include <fmt/format.h>

#include "upsweep/base/memory.hpp"
#include "upsweep/jacobian/patterns.hpp"

namespace upsweep {
namespace {

/// The links that a range of the scan array covers: positions in links(), from the first to the last.
std::pair<std::size_t, std::size_t> links_of(const Network& network, ValueRange range) {
  const std::size_t links = network.links().size();
  return {links - range.last, links - range.first};
}

/// Why rows have no classes, as a part of a sentence; empty where all operators of a product have them.
std::string lost_classes_text(const NetworkView& view, PatternKind pattern, ValueRange range) {
  if (pattern == PatternKind::sample) return "rows at concrete inputs are no shifts of each other";
  const auto [first, last] = links_of(view.network, range);
  for (std::size_t link = first; link <= last; ++link) {
    for (const std::size_t o : view.network.link(link).operators) {
      const Operator& op = view.network.operators()[o];
      if (is_view(op.kind) || is_join(op.kind) || operator_classes(op, view.weights[o])) continue;
      return fmt::format("classes of rows are lost at {} '{}', which takes no image to an image", kind_name(op.kind),
                         op.name);
    }
  }
  return "";
}

}  // namespace

std::size_t first_operator(const Network& network, ValueRange range) {
  return network.link(links_of(network, range).first).operators.front();
}

std::string uncounted_text(const NetworkView& view, PatternKind pattern, const UncountedSchedule& uncounted) {
  const auto [first, last] = links_of(view.network, uncounted.refused);
  const std::vector<Operator>& operators = view.network.operators();
  const std::string lost = lost_classes_text(view, pattern, uncounted.refused);
  const std::string what =
      uncounted.is_memory ? fmt::format("needs patterns of about {}", memory_text(uncounted.bytes))
                          : fmt::format("takes counting of about {:.2g} pairs", static_cast<double>(uncounted.pairs));
  return fmt::format("{}: the product of the Jacobians from '{}' to '{}' {}{}", uncounted.least.schedule.name,
                     operators[view.network.link(first).operators.front()].name,
                     operators[view.network.link(last).output()].name, what, lost.empty() ? "" : ": " + lost);
}

}  // namespace upsweep

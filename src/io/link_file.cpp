#include "upsweep/io/link_file.hpp"

#include "quantity.hpp"
#include "upsweep/io/yaml.hpp"

namespace upsweep {
namespace {}  // namespace

Link load_link(const YamlDocument& document) {
  YamlMap map(document, *document.root, "the link");
  Link link;
  link.name = map.text("name");
  QuantityReader quantities(map, "", link.sources);
  link.bytes_per_s = quantities.require("bandwidth", kBandwidthUnits, kPositive);
  link.latency_s = quantities.require("latency", kTimeUnits, kZeroOrMore);
  map.finish();
  return link;
}

}  // namespace upsweep

#include "upsweep/io/link_file.hpp"

#include "quantity.hpp"
#include "upsweep/io/yaml.hpp"

namespace upsweep {
namespace {

Link read_link(const YamlDocument& document) {
  YamlMap map(document, *document.root, "the link");
  Link link;
  link.name = yaml_text(document, map.require("name"), map.name("name"));
  QuantityReader quantities(map, "", link.sources);
  link.bytes_per_s = quantities.require("bandwidth", kBandwidthUnits, kPositive);
  link.latency_s = quantities.require("latency", kTimeUnits, kZeroOrMore);
  map.finish();
  return link;
}

}  // namespace

Link load_link(const std::string& path) { return read_link(read_yaml(path)); }

Link load_link(std::istream& in, const std::string& path) { return read_link(parse_yaml(in, path)); }

}  // namespace upsweep

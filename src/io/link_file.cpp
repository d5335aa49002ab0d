#include "upsweep/io/link_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "named_file.hpp"
#include "quantity.hpp"
#include "upsweep/base/edit_distance.hpp"
#include "upsweep/io/embedded_files.hpp"
#include "upsweep/io/yaml.hpp"

namespace upsweep {

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

YamlDocument link_document(const std::string& file_or_name, const std::string& beside_file) {
  if (const auto path = named_file(file_or_name, beside_file)) return read_yaml(*path);
  const std::vector<EmbeddedFile>& links = embedded_links();
  const auto found = std::ranges::find(links, file_or_name, &EmbeddedFile::name);
  if (found != links.end()) {
    std::istringstream in(found->text);
    return parse_yaml(in, found->name);
  }
  std::vector<std::string> names;
  for (const EmbeddedFile& link : links) names.push_back(link.name);
  throw std::invalid_argument(fmt::format("no such file and no link{}, accepted is a YAML file or one of {}",
                                          hint_of(file_or_name, names), fmt::join(names, ", ")));
}

}  // namespace upsweep

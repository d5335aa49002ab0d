#include "upsweep/figure/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "templates.hpp"

namespace upsweep {
namespace {

/// By kind. A crossover is drawn as lines of studies are.
const FigureData& all_templates() {
  // It stays until the process ends: its destructor takes memory, which is not there where that is why the process
  // ends.
  static const FigureData& all = *new FigureData([] {
    FigureData templates = FigureData::parse(figure_templates());
    templates["crossover"] = templates.at("study-lines");
    return templates;
  }());
  return all;
}

}  // namespace

FigureData figure_table(const std::vector<std::string>& columns) {
  return {{"columns", columns}, {"rows", FigureData::array()}};
}

FigureData to_json(const Figure& figure) {
  FigureData json = {{"kind", figure.kind}, {"title", figure.title}, {"caption", figure.caption}};
  if (!figure.context.empty()) json["context"] = figure.context;
  json["tables"] = figure.tables;
  json["signals"] = figure.signals;
  return json;
}

const std::vector<std::string>& figure_kinds() {
  static const std::vector<std::string> kinds = [] {
    std::vector<std::string> list;
    for (const auto& [kind, specification] : all_templates().items()) list.push_back(kind);
    std::ranges::sort(list);
    return list;
  }();
  return kinds;
}

const FigureData& figure_template(const std::string& kind) {
  const auto found = all_templates().find(kind);
  if (found == all_templates().end()) throw std::invalid_argument(fmt::format("there is no template '{}'", kind));
  return *found;
}

}  // namespace upsweep

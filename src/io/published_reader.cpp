#include "published_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>

#include "quantity.hpp"
#include "quoted.hpp"
#include "yaml_choice.hpp"

namespace upsweep {
namespace {

ErrorFigures read_errors(const YamlDocument& document, const YamlNode& node, const std::string& what) {
  YamlMap map(document, node, what);
  ErrorFigures errors;
  errors.points = map.integer("points");
  errors.mean = map.number("mean_error");
  errors.median = map.number("median_error");
  errors.p90 = map.number("p90_error");
  errors.max = map.number("max_error");
  map.finish();
  return errors;
}

/// Keys of rows: words of eight hexadecimal digits.
std::vector<std::uint32_t> read_keys(const YamlDocument& document, const YamlNode& node) {
  std::istringstream words(yaml_text(document, node, "keys of fitted_on"));
  std::vector<std::uint32_t> keys;
  for (std::string word; words >> word;) {
    std::uint32_t key = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), key, 16);
    if (error != std::errc() || stop != word.data() + word.size() || word.size() != 8) {
      throw document.error(
          node,
          fmt::format("keys of fitted_on have '{}', accepted are words of eight hexadecimal digits, one a row", word));
    }
    keys.push_back(key);
  }
  std::ranges::sort(keys);
  return keys;
}

void read_fitted_on(const YamlDocument& document, const YamlNode& node, FittedOn& from) {
  YamlMap map(document, node, "fitted_on");
  from.file = map.text("file");
  from.structures = map.integer("structures", 1);
  from.rows = read_keys(document, map.require("keys"));
  from.in_sample = read_errors(document, map.require("in_sample"), "in_sample of fitted_on");
  from.left_out = read_errors(document, map.require("left_out"), "left_out of fitted_on");
  map.finish();
}

TimeFactors read_interval(const YamlDocument& document, const YamlNode& node) {
  YamlMap map(document, node, "interval");
  const TimeFactors factors{map.number("low"), map.number("high")};
  map.finish();
  if (factors.low > 0 && factors.low <= 1 && factors.high >= 1) return factors;
  throw document.error(node,
                       fmt::format("interval is {} to {}, accepted are factors of the predicted time: low above 0 and "
                                   "at most 1, high at least 1",
                                   factors.low, factors.high));
}

PublishedRates read_entry_of(const YamlDocument& document, const YamlNode& node, std::size_t number) {
  YamlMap map(document, node, fmt::format("entry {} of published", number));
  PublishedRates rates;
  rates.kind =
      yaml_value(document, map.require("kind"), map.name("kind"), {PublishedKind::product, PublishedKind::pass});
  rates.library = map.text("library");
  rates.algorithm = map.find_text("algorithm").value_or("");
  rates.cell = map.find_text("cell").value_or("");
  rates.launch = map.find_text("launch").value_or("");
  rates.covers = map.find_text("covers").value_or("");
  std::map<std::string, std::string> sources;
  QuantityReader quantities(map, "", sources);
  rates.start_up_s = quantities.find("start_up", kTimeUnits, kZeroOrMore).value_or(0);
  for (const std::string& unit : published_units(rates.kind))
    rates.unit_s.push_back(quantities.find(unit, kTimeUnits, kZeroOrMore).value_or(0));
  rates.most_products = map.find_integer("most_products", 1);
  rates.interval = read_interval(document, map.require("interval"));
  const YamlNode* fitted = map.find("fitted_on");
  const YamlNode* carried = map.find("carried_from");
  map.finish();
  if ((fitted == nullptr) == (carried == nullptr)) {
    throw document.error(
        node, fmt::format("entry {} of published has {}, accepted is one of fitted_on and carried_from", number,
                          fitted == nullptr ? "neither" : "both"));
  }
  if (fitted != nullptr) read_fitted_on(document, *fitted, rates.from);
  if (carried != nullptr) rates.from.carried_from = yaml_text(document, *carried, "carried_from");
  return rates;
}

}  // namespace

std::vector<PublishedRates> read_published(const YamlDocument& document, const YamlNode& node) {
  std::vector<PublishedRates> published;
  for (const auto& entry : yaml_list(document, node, "published of the machine", "mapping"))
    published.push_back(read_entry_of(document, *entry, published.size() + 1));
  return published;
}

std::string published_text(const std::vector<PublishedRates>& published) {
  if (published.empty()) return "";
  std::string out = "published:\n";
  const auto put = [&out]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
  };
  const auto errors = [&](const char* name, const ErrorFigures& of) {
    put("      {}: {{points: {}, mean_error: {}, median_error: {}, p90_error: {}, max_error: {}}}\n", name, of.points,
        of.mean, of.median, of.p90, of.max);
  };
  for (const PublishedRates& rates : published) {
    put("  - kind: {}\n    library: {}\n", to_string(rates.kind), quoted(rates.library));
    const std::pair<const char*, const std::string*> texts[] = {
        {"algorithm", &rates.algorithm}, {"cell", &rates.cell}, {"launch", &rates.launch}, {"covers", &rates.covers}};
    for (const auto& [name, text] : texts) {
      if (!text->empty()) put("    {}: {}\n", name, quoted(*text));
    }
    if (rates.start_up_s > 0) put("    start_up_s: {}\n", rates.start_up_s);
    const std::vector<std::string>& units = published_units(rates.kind);
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (rates.unit_s[i] > 0) put("    {}_s: {}\n", units[i], rates.unit_s[i]);
    }
    if (rates.most_products) put("    most_products: {}\n", *rates.most_products);
    put("    interval: {{low: {}, high: {}}}\n", rates.interval.low, rates.interval.high);
    if (!rates.from.carried_from.empty()) {
      put("    carried_from: {}\n", quoted(rates.from.carried_from));
      continue;
    }
    put("    fitted_on:\n      file: {}\n      structures: {}\n", quoted(rates.from.file), rates.from.structures);
    put("      keys: \"{:08x}\"\n", fmt::join(rates.from.rows, " "));
    errors("in_sample", rates.from.in_sample);
    errors("left_out", rates.from.left_out);
  }
  return out;
}

}  // namespace upsweep

#include "card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "upsweep/document/numbers.hpp"

namespace upsweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostText = 600;
constexpr std::size_t kMostBars = 8;
constexpr int kMostDepth = 6;          // of the JSON of a verdict, which has 3
constexpr double kLeastDecades = 0.3;  // half the width of bars that are all near 1x
constexpr double kMostDecades = 12;

/// A text of an object; empty where it has none: a database may hold anything.
std::string text_at(const Json& object, const char* key) {
  const Json found = object.value(key, Json());
  return found.is_string() ? found.get<std::string>() : "";
}

/// Its texts, one after the other.
std::string texts_at(const Json& object, const char* key) {
  std::string texts;
  for (const Json& text : object.value(key, Json::array())) {
    if (text.is_string()) texts += (texts.empty() ? "" : "; ") + text.get<std::string>();
  }
  return texts;
}

/// Of a verdict without parts, as earlier versions stored it: the first of its lines that says something of a scan.
std::string earlier_standing(const std::string& text) {
  std::string first;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (line.find("the scan ") != std::string::npos) return line;
    if (first.empty()) first = line;
    begin = end + 1;
  }
  return first;
}

/// As a sentence; other first words are names of schedules.
std::string sentence_of(std::string text) {
  if (text.starts_with("the ")) text.front() = 'T';
  if (text.starts_with("over ")) text.front() = 'O';
  return text.ends_with('.') ? text : text + '.';
}

/// As many whole sentences as have room; of the first one what has.
std::string first_sentences(const std::string& text) {
  const std::string cut = shortened(text, kMostText);
  const std::size_t end = cut == text ? std::string::npos : cut.rfind(". ");
  return end == std::string::npos ? cut : cut.substr(0, end + 1) + " …";
}

std::string headline_of(const Json& details, const Json& parts) {
  if (details.value("uncertain", Json()).is_boolean() && details["uncertain"].get<bool>())
    return "Within the uncertainty";
  const Json pays = details.value("pays", Json());
  if (pays == "yes") return "The scan pays";
  if (pays == "no") return "The scan does not pay";
  return pays == "only-if-ops-are-whole" ? "Pays only if each op has a worker to itself" : text_at(parts, "headline");
}

std::string baseline_name(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames{
      {{"sparse-bp", "plain BP"},
       {"sparse-bp-whole", "plain BP, an op per worker"},
       {"sparse-bp-shared", "plain BP, workers share ops"},
       {"dense-bp", "dense BP"},
       {"graph-bp", "plain BP over the graph"},
       {"best-policy", "the best policy"}}};
  const auto known = std::ranges::find(kNames, std::string_view(name), [](const auto& pair) { return pair.first; });
  return known == kNames.end() ? name : std::string(known->second);
}

/// A scan beside a baseline, in speed.
struct Bar {
  std::string name;
  std::string scan;
  double speedup = 0;
  double low = 0;  ///< of its interval; both are `speedup` without one
  double high = 0;
};

/// Its ends, where both are finite and above 0.
std::optional<std::pair<double, double>> interval_of(const Json& json) {
  if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number()) return std::nullopt;
  const std::pair<double, double> ends(json[0], json[1]);
  if (!(ends.first > 0) || !(ends.second >= ends.first) || !std::isfinite(ends.second)) return std::nullopt;
  return ends;
}

std::vector<Bar> bars_of(const Json& details) {
  std::vector<Bar> bars;
  for (const Json& baseline : details.value("baselines", Json::array())) {
    if (!baseline.is_object() || !baseline.value("ratio", Json()).is_number()) continue;
    const double ratio = baseline["ratio"];
    if (!(ratio > 0) || !std::isfinite(ratio) || !std::isfinite(1 / ratio) || bars.size() == kMostBars) continue;
    Bar bar{baseline_name(text_at(baseline, "name")), text_at(baseline, "best_scan"), 1 / ratio, 1 / ratio, 1 / ratio};
    const auto mine = interval_of(baseline.value("scan_interval", Json()));
    const auto other = interval_of(baseline.value("interval", Json()));
    if (mine && other && std::isfinite(other->second / mine->first)) {
      bar.low = other->first / mine->second;
      bar.high = other->second / mine->first;
    }
    bars.push_back(std::move(bar));
  }
  return bars;
}

/// Bars from 1x to the right where the scan is faster, to the left where it is slower, on one logarithmic scale.
Markup bars_markup(const std::vector<Bar>& bars) {
  double decades = kLeastDecades;
  for (const Bar& bar : bars) {
    for (const double end : {bar.low, bar.high}) decades = std::max(decades, std::abs(std::log10(end)));
  }
  decades = std::min(decades, kMostDecades);
  const auto place = [&](double speedup) { return 50 + 50 * std::clamp(std::log10(speedup) / decades, -1.0, 1.0); };
  Markup out("<ul class=\"bars\">\n");
  for (const Bar& bar : bars) {
    const bool has_interval = bar.low < bar.high;
    const double at = place(bar.speedup);
    std::string about = fmt::format("{} beside {}: {}", bar.scan, bar.name, short_ratio(bar.speedup));
    if (has_interval) about += fmt::format(", {} to {}", short_ratio(bar.low), short_ratio(bar.high));
    out.add("<li");
    out.attribute("title", about).add("><span class=\"of\">").text("vs " + bar.name);
    out.add("</span><span class=\"track\"><span").attribute("class", bar.speedup > 1 ? "bar faster" : "bar slower");
    out.attribute("style", fmt::format("left:{:.2f}%;width:{:.2f}%", std::min(50.0, at), std::abs(at - 50)));
    out.add("></span>");
    if (has_interval) {
      const double low = place(bar.low);
      out.add("<span class=\"whisker\"");
      out.attribute("style", fmt::format("left:{:.2f}%;width:{:.2f}%", low, std::max(0.5, place(bar.high) - low)));
      out.add("></span>");
    }
    out.add("</span><b>").text(short_ratio(bar.speedup)).add("</b></li>\n");
  }
  const std::string end = fmt::format("{:.3g}", std::pow(10, decades));
  return out.add("</ul>\n<p class=\"note\">")
      .text(fmt::format("Middle: as fast; left end: {} times slower, right end: {} times faster.", end, end))
      .add("</p>\n");
}

/// From how many workers on a scan overtakes; empty where that was not looked for.
std::string crossover_text(const Json& details) {
  const Json from = details.value("overtakes_from", Json());
  const Json first = details.value("overtakes_first", Json());
  const Json known = details.value("overtakes_known", Json());
  const auto of = [&](const char* rule) -> std::string {
    if (!known.is_object() || known.value(rule, Json()) != true) return "";
    const Json workers = from.is_object() ? from.value(rule, Json()) : Json();
    if (!workers.is_number()) return "never";
    const std::string scan = first.is_object() ? text_at(first, rule) : "";
    return fmt::format("{}from {} workers on", scan.empty() ? "" : shortened(scan, 40) + " ",
                       short_count(workers.get<double>()));
  };
  const std::string whole = of("whole");
  const std::string shared = of("shared");
  std::string text = whole.empty() ? "" : fmt::format("{}, an op per worker", whole);
  if (!shared.empty()) text += fmt::format("{}{}, workers share ops", text.empty() ? "" : "; ", shared);
  return text;
}

/// The object of a verdict; an empty one where a database has anything else there, or values that are nested deep.
Json details_of(const std::optional<std::string>& text) {
  if (!text) return Json::object();
  const auto is_shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kMostDepth; };
  Json details = Json::parse(*text, is_shallow, false);
  return details.is_object() ? details : Json::object();
}

}  // namespace

Markup card(const SectionEntry& entry) {
  if (!entry.verdict.text || entry.verdict.text->empty()) return {};
  const Json details = details_of(entry.verdict.details);
  const Json found = details.value("parts", Json());
  const Json parts = found.is_object() ? found : Json::object();
  const std::string under = text_at(parts, "under");
  const std::string standing = text_at(parts, "standing");
  const std::string headline = headline_of(details, parts);
  Markup out("<article class=\"card\"><h3>");
  if (entry.id.empty()) {
    out.text(shortened(entry.model, 80));
  } else {
    out.add("<a").attribute("href", "#" + entry.id).add(">").text(shortened(entry.model, 80)).add("</a>");
  }
  out.add("</h3>\n<p class=\"about\">").text(entry.what);
  if (!under.empty()) out.text(" · " + shortened(under, kMostText));
  out.add("</p>\n");
  if (!headline.empty()) out.add("<p class=\"answer\">").text(headline).add("</p>\n");
  out.element("p", first_sentences(sentence_of(standing.empty() ? earlier_standing(*entry.verdict.text) : standing)))
      .add("\n");
  if (const std::vector<Bar> bars = bars_of(details); !bars.empty()) out.add(bars_markup(bars));
  Markup facts;
  const auto fact = [&facts](const char* name, const std::string& text) {
    if (text.empty()) return;
    facts.add("<div>").element("dt", name).add(" ").element("dd", shortened(text, kMostText)).add("</div>\n");
  };
  const std::string overtakes = text_at(parts, "overtakes");
  fact("Overtakes", overtakes.empty() ? crossover_text(details) : overtakes);
  constexpr std::string_view kBinds = " binds";  // as the name of the fact says
  std::string binds = text_at(parts, "binds");
  if (binds.ends_with(kBinds)) binds.resize(binds.size() - kBinds.size());
  fact("Binds", binds);
  fact("Turned by", texts_at(parts, "turned_by"));
  if (!facts.empty()) out.add("<dl>\n").add(facts).add("</dl>\n");
  return out.add("</article>\n");
}

}  // namespace upsweep

#include "page_maker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "assets.hpp"
#include "candidates.hpp"
#include "card.hpp"
#include "sha256.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/figure/svg.hpp"
#include "upsweep/io/own_file.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kFrameBytes = 12'000;      // of a page without any section
constexpr std::size_t kSmallestSection = 4'000;  // of a run, without figures
constexpr std::size_t kUsualSection = 9'000;     // likewise
constexpr std::size_t kMostCards = 12;           // of the newest
constexpr std::size_t kWorthwhileRoom = 20'000;  // for a further candidate of a search

std::size_t less(std::size_t from, std::size_t what) { return from > what ? from - what : 0; }

}  // namespace

PageMaker::PageMaker(const StoreReader& store, const PageOptions& options)
    : store_(store),
      options_(options),
      shelf_(0),
      context_{store_, shelf_, options.run.has_value() || options.study.has_value()} {
  collect();
}

bool PageMaker::add_stored(Item::Kind kind, std::int64_t id, const auto& stored) {
  if (!stored) return false;
  items_.push_back({kind, ids_.size(), entry_of(*stored), {}});
  ids_.push_back(id);
  return true;
}

void PageMaker::collect_run(std::int64_t id) {
  if (auto details = store_.details(id)) {
    RunGroup group;
    group.kind = details->run.command == "validate" ? RunGroup::Kind::validation : RunGroup::Kind::single;
    group.machine = details->machine;
    group.verdict = store_.verdict_of(details->run.command_id);
    group.runs.push_back(std::move(details->run));
    add_group(std::move(group));
  } else if (!add_stored(Item::Kind::passes, id, store_.passes(id)) &&
             !add_stored(Item::Kind::training, id, store_.training(id)) &&
             !add_stored(Item::Kind::anchors, id, store_.anchors(id))) {
    throw InputError(fmt::format("{}: there is no run {}, `upsweep runs` lists them", store_.file(), id));
  }
}

void PageMaker::collect() {
  if (options_.run) collect_run(*options_.run);
  if (options_.study) {
    if (!store_.study(*options_.study)) {
      throw InputError(
          fmt::format("{}: there is no study {}, `upsweep runs` lists them", store_.file(), *options_.study));
    }
    add_study(*options_.study);
  }
  if (!context_.is_alone) {
    for (RunGroup& group : groups_of(store_, store_.runs())) add_group(std::move(group));
    for (const std::int64_t id : store_.passes_ids()) add_stored(Item::Kind::passes, id, store_.passes(id));
    for (const std::int64_t id : store_.training_ids()) add_stored(Item::Kind::training, id, store_.training(id));
    for (const std::int64_t id : store_.anchors_ids()) add_stored(Item::Kind::anchors, id, store_.anchors(id));
    for (const std::int64_t id : store_.study_ids()) add_study(id);
  }
  std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
    return std::tie(a.entry.created_utc, a.entry.number) > std::tie(b.entry.created_utc, b.entry.number);
  });
}

void PageMaker::add_group(RunGroup group) {
  const Item::Kind kind = group.kind == RunGroup::Kind::search       ? Item::Kind::search
                          : group.kind == RunGroup::Kind::validation ? Item::Kind::validation
                                                                     : Item::Kind::profile;
  items_.push_back({kind, groups_.size(), entry_of(group), {}});
  groups_.push_back(std::move(group));
}

void PageMaker::add_study(std::int64_t id) {
  if (auto study = store_.study(id)) {
    items_.push_back({Item::Kind::study, studies_.size(), entry_of(*study), {}});
    studies_.push_back(std::move(*study));
  }
}

Markup PageMaker::section_of(Item& item) {
  switch (item.kind) {
    case Item::Kind::search: {
      const RunGroup& group = groups_[item.place];
      SearchParts& parts = searches_[item.place];
      parts.why = search_reasons(context_, group);
      parts.figures = search_figures(context_, group);
      parts.bodies.resize(group.runs.size());
      for (const StoredRun* run : {best_of(*group.search, group.runs), plain_of(group.runs)}) {
        if (run == nullptr) continue;
        const auto place = static_cast<std::size_t>(run - group.runs.data());
        if (parts.bodies[place].empty()) parts.bodies[place] = candidate_body(context_, group, place);
      }
      return search_section(group, parts);
    }
    case Item::Kind::profile:
      return single_section(context_, groups_[item.place]);
    case Item::Kind::validation:
      return validation_section(context_, groups_[item.place], item.entry);
    case Item::Kind::passes:
      return passes_section(context_, *store_.passes(ids_[item.place]));
    case Item::Kind::training:
      return training_section(context_, *store_.training(ids_[item.place]));
    case Item::Kind::anchors:
      return anchors_section(context_, *store_.anchors(ids_[item.place]));
    case Item::Kind::study:
      break;
  }
  return study_section(context_, studies_[item.place]);
}

void PageMaker::add_model(const StoredRun& run) {
  if (!models_.insert(model_id(run)).second || text_room_ < kSmallestSection) return;
  const auto details = store_.details(run.id);
  if (!details) return;
  const FigureShelf shelf = shelf_;
  const std::size_t before = shelf_.taken();
  const Markup section = model_section(context_, *details);
  const std::size_t text = section.size() - (shelf_.taken() - before);
  if (text > text_room_) {
    shelf_ = shelf;  // its figures leave with it
    return;
  }
  text_room_ -= text;
  model_sections_.add(section);
}

std::vector<SectionEntry> PageMaker::entries(bool with_studies) const {
  std::vector<SectionEntry> list;
  for (const Item& item : items_) {
    if (with_studies || item.kind != Item::Kind::study) list.push_back(item.entry);
  }
  return list;
}

void PageMaker::make_sections() {
  const std::size_t fixed = kFrameBytes + charts_script().size() + page_style().size() + page_script().size();
  const std::size_t free = less(options_.most_bytes, fixed);
  most_entries_ = items_.size();
  std::size_t tables = cards().size() + index().size() + provenance(entries(true), most_entries_).size();
  if (tables > free / 3) {
    most_entries_ = most_entries_ * (free / 3) / tables;
    tables = free / 3;
  }
  const std::size_t room = free - tables;
  // A study or a validation may have more text than any guess by the number of sections: a quarter is theirs at least.
  text_room_ = std::min(room / 2, std::max(room / 4, items_.size() * 3 * kUsualSection));
  shelf_.set_room(room - text_room_);
  for (Item& item : items_) {
    const FigureShelf shelf = shelf_;
    const std::size_t before = shelf_.taken();
    if (text_room_ >= kSmallestSection) item.section = section_of(item);
    const std::size_t text = item.section.size() - (item.section.empty() ? 0 : shelf_.taken() - before);
    if (item.section.empty() || text > text_room_) {
      item.section = {};
      item.entry.id.clear();
      shelf_ = shelf;  // its figures leave with it
      continue;
    }
    text_room_ -= text;
    if (item.kind <= Item::Kind::validation) add_model(groups_[item.place].runs.front());
  }
  add_candidates();
}

void PageMaker::add_candidates() {
  std::size_t room = text_room_ + shelf_.room();  // for text and figures
  for (Item& item : items_) {
    if (item.kind != Item::Kind::search || item.section.empty()) continue;
    const RunGroup& group = groups_[item.place];
    SearchParts& parts = searches_[item.place];
    for (std::size_t i = 0; i < group.runs.size() && room >= kWorthwhileRoom; ++i) {
      if (!parts.bodies[i].empty()) continue;
      shelf_.set_room(room - kUsualSection);
      const std::size_t given = shelf_.room();  // none without charts
      const std::size_t before = shelf_.taken();
      parts.bodies[i] = candidate_body(context_, group, i);
      const std::size_t text = parts.bodies[i].size() - (shelf_.taken() - before);
      const std::size_t figures = given - shelf_.room();  // and templates
      room = less(room, text + figures);
    }
    item.section = search_section(group, parts);
  }
}

Markup PageMaker::introduction() const {
  std::string about = fmt::format("Upsweep {}: does a parallel scan pay off for back-propagation, and at ",
                                  shortened(options_.tool_version, 60));
  about += fmt::format("which depth? From {}", shortened(store_.file(), 300));
  if (!items_.empty()) about += fmt::format(", newest entry of {}", shown_time(items_.front().entry.created_utc));
  Markup out("<header>\n<div class=\"top\"><h1>");
  out.text(context_.is_alone && items_.size() == 1 ? items_.front().entry.title : "Upsweep report");
  out.add("</h1><button type=\"button\" id=\"theme\" hidden></button></div>\n<p class=\"about\">");
  out.text(about).add(".</p>\n");
  if (!has_charts()) out.add("<p class=\"note\">This program was built without charts: there are no pictures.</p>\n");
  return out.add("<noscript><p class=\"note\">Pictures and sorting need JavaScript.</p></noscript>\n</header>\n");
}

Markup PageMaker::cards() const {
  Markup cards;
  std::size_t count = 0;
  for (const Item& item : items_) {
    const Markup one = card(item.entry);
    if (one.empty() || ++count > kMostCards) continue;
    cards.add(one);
  }
  if (count > kMostCards)
    cards.add("<p class=\"note\">")
        .text(fmt::format("The {} newest of {} answers; all of them stand below.", kMostCards, count))
        .add("</p>\n");
  return cards.empty() ? cards
                       : Markup("<h2 id=\"answers\">Answers</h2>\n<div class=\"cards\">\n").add(cards).add("</div>\n");
}

Markup PageMaker::index() const {
  Markup out;
  const std::vector<SectionEntry> runs = entries(false);
  if (context_.is_alone || items_.empty()) return out;
  out.add("<h2 id=\"index\">What is here</h2>\n");
  if (!runs.empty()) out.add(runs_index(runs, most_entries_));
  if (!studies_.empty()) out.add(studies_index(studies_, most_entries_));
  const auto dropped =
      std::count_if(items_.begin(), items_.end(), [](const Item& item) { return item.entry.id.empty(); });
  if (dropped > 0) {
    out.add("<p class=\"note\">").text(fmt::format("The {} without a link would make this page too large: ", dropped));
    out.add("<code>upsweep report --run ID --out FILE.html</code>, of studies <code>--study ID</code></p>\n");
  }
  return out;
}

Markup PageMaker::sections() const {
  struct Chapter {
    Item::Kind kind;
    Literal id;
    Literal title;
  };
  static constexpr Chapter kChapters[] = {{Item::Kind::search, "searches", "Searches"},
                                          {Item::Kind::profile, "profiles", "Profiles"},
                                          {Item::Kind::validation, "validations", "Validations"},
                                          {Item::Kind::passes, "passes", "Recurrent networks and trainings"},
                                          {Item::Kind::training, "steps", "Training steps"},
                                          {Item::Kind::anchors, "anchors", "Published times"},
                                          {Item::Kind::study, "studies", "Studies"}};
  Markup links;
  Markup chapters;
  const auto chapter = [&](Literal id, Literal title, const Markup& content) {
    if (content.empty()) return;
    links.add("<li><a href=\"#").add(id).add("\">").add(title).add("</a></li>\n");
    chapters.add("<h2 id=\"").add(id).add("\">").add(title).add("</h2>\n").add(content);
  };
  for (const Chapter& entry : kChapters) {
    Markup content;
    for (const Item& item : items_) {
      if (item.kind == entry.kind) content.add(item.section);
    }
    const bool is_run = context_.is_alone && entry.kind == Item::Kind::profile;
    chapter(is_run ? Literal("run") : entry.id, is_run ? Literal("The run") : entry.title, content);
  }
  chapter("models", "Models", model_sections_);
  links.add("<li><a href=\"#provenance\">Where this comes from</a></li>\n");
  Markup out("<nav aria-label=\"Parts of this page\"><ul>\n");
  return out.add(links).add("</ul></nav>\n").add(cards()).add(index()).add(chapters);
}

std::string PageMaker::page() {
  make_sections();
  Markup main;
  if (items_.empty()) {
    main.add("<p class=\"verdict\">This database holds no runs and no studies yet.</p>\n<p>Fill it, then make this ");
    main.add("page again:</p>\n<pre><code>upsweep search MODEL.yaml --db ").text(shortened(store_.file(), 300));
    main.add("\nupsweep report --db ").text(shortened(store_.file(), 300)).add(" --out report.html</code></pre>\n");
  } else {
    main.add(sections()).add(provenance(entries(true), most_entries_));
  }
  const bool draws = has_charts() && shelf_.taken() > 0;
  std::string hashes = fmt::format("'sha256-{}'", sha256_base64(inline_code(page_script())));
  if (draws) hashes += fmt::format(" 'sha256-{}'", sha256_base64(inline_code(charts_script())));
  Markup out("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  out.add("<meta name=\"generator\"").attribute("content", kPageGenerator).add(">\n");
  out.add("<meta http-equiv=\"Content-Security-Policy\"");
  out.attribute("content", fmt::format("default-src 'none'; style-src 'unsafe-inline'; script-src {}; img-src data:; "
                                       "base-uri 'none'; form-action 'none'",
                                       hashes));
  out.add(">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  out.element("title", fmt::format("Upsweep report: {}", shortened(store_.file(), 120))).add("\n");
  out.style(page_style()).add("</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n");
  out.add(introduction())
      .add("<main id=\"main\">\n")
      .add(main)
      .add("</main>\n<div id=\"tip\" role=\"tooltip\" hidden></div>\n");
  out.add(shelf_.templates());
  if (draws) out.script(charts_script());
  return out.script(page_script()).add("</body>\n</html>\n").html();
}

}  // namespace upsweep

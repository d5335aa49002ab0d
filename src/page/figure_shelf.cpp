#include "figure_shelf.hpp"

#include <fmt/format.h>

#include <utility>

#include "upsweep/figure/svg.hpp"

namespace upsweep {
namespace {

/// Less room than this holds no figure.
constexpr std::size_t kSmallestFigure = 1500;

Markup template_markup(const std::string& kind) {
  Markup id;
  id.attribute("id", fmt::format("template-{}", kind));
  return Markup().data(id, figure_template(kind));
}

}  // namespace

FigureShelf::FigureShelf(std::size_t room) : has_figures_(has_charts()), room_(has_figures_ ? room : 0) {}

bool FigureShelf::is_open() const { return room_ >= kSmallestFigure; }

bool FigureShelf::is_full() const { return has_figures_ && !is_open(); }

void FigureShelf::put(const std::optional<Figure>& figure, Markup& section) {
  if (!figure) return;
  const std::string id = fmt::format("figure-{}", figures_ + 1);
  Markup id_attribute;
  id_attribute.attribute("id", id);
  Markup made("<figure><figcaption><b>");
  made.text(figure->title).add("</b> ").text(figure->caption).add("</figcaption>\n<div class=\"chart\" role=\"img\"");
  made.attribute("data-kind", figure->kind).attribute("data-figure", id);
  made.attribute("aria-label", shortened(fmt::format("{}. {}", figure->title, figure->caption), 1000));
  made.add("></div>\n").data(id_attribute, to_json(*figure)).add("</figure>\n");
  const std::size_t shared = kinds_.contains(figure->kind) ? 0 : template_markup(figure->kind).size();
  if (made.size() + shared > room_) {
    ++left_out_;
    return;
  }
  room_ -= made.size() + shared;
  taken_ += made.size();
  kinds_.insert(figure->kind);
  ++figures_;
  section.add(made);
}

std::size_t FigureShelf::take_left_out() { return std::exchange(left_out_, 0); }

Markup FigureShelf::templates() const {
  Markup all;
  for (const std::string& kind : kinds_) all.add(template_markup(kind)).add("\n");
  return all;
}

}  // namespace upsweep

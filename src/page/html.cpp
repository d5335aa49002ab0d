#include "html.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <array>
#include <cstdint>
#include <utility>

#include "upsweep/document/numbers.hpp"
#include "upsweep/document/short_text.hpp"

namespace upsweep {
namespace {

constexpr char32_t kReplacement = 0xfffd;

/// A character of UTF-8 text and how many bytes it takes; a byte that begins none is U+FFFD.
struct HtmlCharacter {
  char32_t code = kReplacement;
  std::size_t bytes = 1;
};

HtmlCharacter character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > text.size()) return {};
  char32_t code = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0U) != 0x80U) return {};
    code = code << 6U | (byte(at + i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[length] || code > 0x10ffff || is_surrogate) return {};
  return {code, length};
}

/// Whether a character would not be seen as itself: of C1, one that turns the direction of writing, no character.
bool misleads(char32_t code) {
  return (code >= 0x80 && code <= 0x9f) || code == 0x061c || code == 0x200e || code == 0x200f ||
         (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || (code & 0xfffeU) == 0xfffe ||
         (code >= 0xfdd0 && code <= 0xfdef);
}

void append_utf8(char32_t code, std::string& out) {
  // Only for three-byte characters: U+FFFD and the pictures of control characters.
  out += static_cast<char>(0xe0U | code >> 12U);
  out += static_cast<char>(0x80U | (code >> 6U & 0x3fU));
  out += static_cast<char>(0x80U | (code & 0x3fU));
}

bool is_number(const Column& column) {
  return column.unit != Unit::text && column.unit != Unit::moment && column.unit != Unit::code;
}

/// The end of an opened tag, with its number to sort by, exactly, where it has one, and the value as people see it.
void add_value(const Value& value, Unit of_column, Markup& out) {
  constexpr std::size_t kMostCode = 2000;
  const Unit unit = value.unit(of_column);
  const std::string text = value.text(unit);
  if (const std::optional<double> number = value.as_number()) out.attribute("data-value", fmt::format("{}", *number));
  out.add(">");
  if (value.is_bad()) {
    out.add("<span class=\"bad\">").text(shortened(text)).add("</span>");
  } else if (!value.link().empty()) {
    out.add("<a").attribute("href", fmt::format("#{}", value.link())).add(">").text(shortened(text)).add("</a>");
  } else if (unit == Unit::moment) {
    out.element("time", shown_time(text).substr(0, 16));
  } else if (unit == Unit::code) {
    out.element("code", shortened(text, kMostCode));
  } else {
    out.text(shortened(text));
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, bytes] = character_at(text, at);
    switch (code) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\n':
      case '\t':
        out += static_cast<char>(code);
        break;
      default:
        if (code < 0x20) {
          append_utf8(0x2400 + code, out);
        } else if (code == 0x7f) {
          append_utf8(0x2421, out);
        } else if (code == kReplacement || misleads(code)) {
          append_utf8(kReplacement, out);
        } else {
          out += text.substr(at, bytes);
        }
    }
    at += bytes;
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t most) { return cut_text(text, most); }

std::string script_json(const FigureData& json) {
  const std::string plain = json.dump(-1, ' ', false, FigureData::error_handler_t::replace);
  std::string out;
  out.reserve(plain.size() + plain.size() / 16);
  for (std::size_t at = 0; at < plain.size();) {
    const auto [code, bytes] = character_at(plain, at);
    if (code == '<' || code == '>' || code == '&' || code == 0x2028 || code == 0x2029) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
    } else if (misleads(code)) {
      append_utf8(kReplacement, out);
    } else {
      out += std::string_view(plain).substr(at, bytes);
    }
    at += bytes;
  }
  return out;
}

std::string inline_code(const std::string& code) {
  std::string out;
  out.reserve(code.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i] == '\r') continue;  // a page's line breaks are "\n" before they are hashed
    out += code[i];
    // It can stand in strings and patterns alone, where "<\/script" is the same.
    if (strncasecmp(code.c_str() + i, "</script", 8) == 0) out += '\\';
  }
  return out;
}

Markup& Markup::add(Literal markup) {
  html_ += markup.text;
  return *this;
}

Markup& Markup::add(const Markup& other) {
  html_ += other.html_;
  return *this;
}

Markup& Markup::text(std::string_view text) {
  html_ += escaped(text);
  return *this;
}

Markup& Markup::attribute(Literal name, std::string_view value) {
  html_ += fmt::format(" {}=\"{}\"", name.text, escaped(value));
  return *this;
}

Markup& Markup::element(Literal tag, std::string_view text) {
  html_ += fmt::format("<{0}>{1}</{0}>", tag.text, escaped(text));
  return *this;
}

Markup& Markup::data(const Markup& attributes, const FigureData& json) {
  html_ += fmt::format("<script type=\"application/json\"{}>{}</script>", attributes.html(), script_json(json));
  return *this;
}

Markup& Markup::script(const std::string& code) {
  html_ += fmt::format("<script>{}</script>\n", inline_code(code));
  return *this;
}

Markup& Markup::style(const std::string& sheet) {
  html_ += fmt::format("<style>\n{}</style>\n", sheet);
  return *this;
}

std::string shown_time(const std::string& utc) {
  // "2026-01-02T03:04:05Z", with or without a fraction.
  std::string text = shortened(utc, 40);
  if (text.size() < 19 || text[10] != 'T') return text;
  return fmt::format("{} {} UTC", text.substr(0, 10), text.substr(11, 8));
}

namespace {

/// Where the bar behind a speed-up begins and ends: in the middle of its cell, and a sixth of it for each power of ten.
std::string bar_style(double speedup) {
  const double at = 50 + 50 * std::clamp(std::log10(speedup) / 3, -1.0, 1.0);
  return fmt::format("--from:{:.1f}%;--to:{:.1f}%", std::min(50.0, at), std::max(50.0, at));
}

}  // namespace

HtmlTable::HtmlTable(std::string caption, std::vector<Column> columns)
    : caption_(std::move(caption)), columns_(std::move(columns)) {}

void HtmlTable::row(const std::vector<Value>& cells, bool is_best) {
  body_.add(is_best ? Literal("<tr class=\"best\">") : Literal("<tr>"));
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::optional<double> speed = columns_[c].unit == Unit::speedup ? cells[c].as_number() : std::nullopt;
    body_.add(speed                    ? Literal("<td class=\"n speed\"")
              : is_number(columns_[c]) ? Literal("<td class=\"n\"")
                                       : Literal("<td"));
    if (speed && *speed > 0) body_.attribute("style", bar_style(*speed));
    add_value(cells[c], columns_[c].unit, body_);
    body_.add("</td>");
  }
  body_.add("</tr>\n");
  ++rows_;
}

Markup HtmlTable::markup() const {
  Markup table("<div class=\"scroller\"><table>");
  table.element("caption", caption_).add("<thead><tr>");
  for (const Column& column : columns_) {
    table.add(is_number(column) ? Literal(R"(<th scope="col" class="n">)") : Literal("<th scope=\"col\">"));
    table.text(column.head.value_or("")).add("</th>");
  }
  return table.add("</tr></thead><tbody>\n").add(body_).add("</tbody></table></div>\n");
}

HtmlTable html_table(std::string caption, const Table& table) {
  std::vector<Column> columns;
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    if (!table.columns()[c].head) continue;
    columns.push_back(table.columns()[c]);
    shown.push_back(c);
  }
  HtmlTable html(std::move(caption), std::move(columns));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::vector<Value> cells;
    for (const std::size_t c : shown) cells.push_back(table.value(row, c));
    html.row(cells, table.is_best(row));
  }
  return html;
}

void FactList::fact(std::string_view name, const Value& value, Unit unit) {
  body_.add("<div>").element("dt", name).add("<dd");
  add_value(value, unit, body_);
  body_.add("</dd></div>\n");
}

Markup FactList::markup() const { return Markup("<dl class=\"facts\">\n").add(body_).add("</dl>\n"); }

}  // namespace upsweep

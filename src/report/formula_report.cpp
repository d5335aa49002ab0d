#include "upsweep/report/formula_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace upsweep {
namespace {

constexpr std::array kTerms = {"h w", "h", "w", ""};
constexpr std::array<std::size_t, 4> kTermOrder = {3, 1, 2, 0};

std::string size_text(ImageSize size) { return fmt::format("{} x {}", size.height, size.width); }

Json size_json(ImageSize size) { return Json::array({size.height, size.width}); }

Json formula_json(const ImageFormula& formula) {
  Json object = {{"of", formula.of},  {"what", formula.what}, {"formula", Json()},      {"coefficients", Json()},
                 {"divisor", Json()}, {"from", Json()},       {"status", "none found"}, {"checks", 0}};
  if (!formula.polynomial) return object;
  object["formula"] = polynomial_text(*formula.polynomial);
  object["coefficients"] = {{"1", formula.polynomial->c[0]},
                            {"h", formula.polynomial->c[1]},
                            {"w", formula.polynomial->c[2]},
                            {"hw", formula.polynomial->c[3]}};
  object["divisor"] = formula.polynomial->divisor;
  object["from"] = size_json(formula.from);
  object["status"] = "checked";
  object["checks"] = formula.checks;
  return object;
}

}  // namespace

std::string polynomial_text(const ImagePolynomial& polynomial) {
  std::string sum;
  std::size_t terms = 0;
  for (std::size_t t = 0; t < kTerms.size(); ++t) {
    const std::int64_t c = polynomial.c[kTermOrder[t]];
    if (c == 0) continue;
    const bool is_negative = c < 0;
    const std::uint64_t size = is_negative ? ~static_cast<std::uint64_t>(c) + 1 : static_cast<std::uint64_t>(c);
    const std::string name = kTerms[t];
    if (terms++ > 0)
      sum += is_negative ? " - " : " + ";
    else if (is_negative)
      sum += "-";
    sum += name.empty() ? fmt::format("{}", size) : size == 1 ? name : fmt::format("{} {}", size, name);
  }
  if (terms == 0) return "0";
  if (polynomial.divisor == 1) return sum;
  return terms == 1 ? fmt::format("{} / {}", sum, polynomial.divisor)
                    : fmt::format("({}) / {}", sum, polynomial.divisor);
}

Json formulas_json(const std::string& model, std::span<const ImageFormulas> residues) {
  Json all = Json::array();
  for (const ImageFormulas& mine : residues) {
    Json formulas = Json::array();
    for (const ImageFormula& formula : mine.formulas) formulas.push_back(formula_json(formula));
    all.push_back({{"residue", size_json(mine.residue)},
                   {"smallest", size_json(mine.smallest)},
                   {"largest_counted", size_json(mine.largest)},
                   {"sizes_counted", mine.sizes},
                   {"formulas", std::move(formulas)}});
  }
  return {{"model", model},
          {"axis", "image"},
          {"schedule", residues.empty() ? Json() : Json(residues.front().schedule)},
          {"step", residues.empty() ? Json() : Json(residues.front().step)},
          {"residues", std::move(all)}};
}

std::string formulas_csv(std::span<const ImageFormulas> residues) {
  std::string csv = csv_line({"residue_h", "residue_w", "of", "what", "formula", "c_1", "c_h", "c_w", "c_hw", "divisor",
                              "from_h", "from_w", "status", "checks"});
  for (const ImageFormulas& mine : residues) {
    for (const ImageFormula& formula : mine.formulas) {
      std::vector<std::string> cells = {fmt::format("{}", mine.residue.height), fmt::format("{}", mine.residue.width),
                                        formula.of, formula.what};
      if (formula.polynomial) {
        cells.push_back(polynomial_text(*formula.polynomial));
        for (const std::int64_t c : formula.polynomial->c) cells.push_back(fmt::format("{}", c));
        cells.push_back(fmt::format("{}", formula.polynomial->divisor));
        cells.push_back(fmt::format("{}", formula.from.height));
        cells.push_back(fmt::format("{}", formula.from.width));
      } else {
        cells.resize(12);
      }
      cells.emplace_back(formula.polynomial ? "checked" : "none found");
      cells.push_back(fmt::format("{}", formula.checks));
      csv += csv_line(cells);
    }
  }
  return csv;
}

std::string formulas_text(const std::string& model, std::span<const ImageFormulas> residues, const TextStyle& style) {
  std::string text;
  for (const ImageFormulas& mine : residues) {
    if (!text.empty()) text += '\n';
    text +=
        fmt::format("{}, {}: counts on images of h x w, guaranteed pattern, for h mod {} = {} and w mod {} = {}\n\n",
                    model, mine.schedule, mine.step, mine.residue.height, mine.step, mine.residue.width);
    TextTable table({{"of", TextTable::Align::left},
                     {"what", TextTable::Align::left},
                     {"formula", TextTable::Align::left},
                     {"from"},
                     {"checks"}},
                    2);
    std::size_t missing = 0;
    for (const ImageFormula& formula : mine.formulas) {
      if (!formula.polynomial) ++missing;
      table.row({formula.of, formula.what, formula.polynomial ? polynomial_text(*formula.polynomial) : "none found",
                 formula.polynomial ? size_text(formula.from) : "-", fmt::format("{}", formula.checks)});
    }
    text += table.text(style);
    text += fmt::format(
        "\nEach formula is made from four of the {} sizes that were counted, {} to {}, and equals the counts at all "
        "others of them from its first size on (checks). That is checked, not proven.\n",
        mine.sizes, size_text(mine.smallest), size_text(mine.largest));
    if (missing > 0) text += fmt::format("{} counts have no formula of this kind up to there.\n", missing);
  }
  return text;
}

}  // namespace upsweep

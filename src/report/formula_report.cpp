#include "upsweep/report/formula_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace upsweep {
namespace {

constexpr std::array kTerms = {"h w", "h", "w", ""};
constexpr std::array<std::size_t, 4> kTermOrder = {3, 1, 2, 0};
constexpr std::array kCoefficients = {"c_1", "c_h", "c_w", "c_hw"};  // of polynomials, in CSV

std::string size_text(ImageSize size) { return fmt::format("{} x {}", size.height, size.width); }

Json size_json(ImageSize size) { return Json::array({size.height, size.width}); }

const char* status_of(const ImageFormula& formula) {
  if (!formula.polynomial) return "none found";
  return formula.is_derived ? "derived" : "checked";
}

Json formula_json(const ImageFormula& formula) {
  Json object = {{"of", formula.of},
                 {"what", formula.what},
                 {"formula", Json()},
                 {"coefficients", Json()},
                 {"divisor", Json()},
                 {"from", Json()},
                 {"status", status_of(formula)},
                 {"checks", 0}};
  if (!formula.polynomial) return object;
  object["formula"] = polynomial_text(*formula.polynomial);
  object["coefficients"] = {{"1", formula.polynomial->c[0]},
                            {"h", formula.polynomial->c[1]},
                            {"w", formula.polynomial->c[2]},
                            {"hw", formula.polynomial->c[3]}};
  object["divisor"] = formula.polynomial->divisor;
  object["from"] = size_json(formula.from);
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
    if (terms++ > 0) {
      sum += is_negative ? " - " : " + ";
    } else if (is_negative) {
      sum += "-";
    }
    sum += name.empty() ? fmt::format("{}", size) : size == 1 ? name : fmt::format("{} {}", size, name);
  }
  if (terms == 0) return "0";
  if (polynomial.divisor == 1) return sum;
  return terms == 1 ? fmt::format("{} / {}", sum, polynomial.divisor)
                    : fmt::format("({}) / {}", sum, polynomial.divisor);
}

namespace {

struct ResidueFormula {
  const ImageFormulas* residue;
  const ImageFormula* formula;
};

std::vector<ResidueFormula> rows_of(const ImageFormulas& residue) {
  std::vector<ResidueFormula> rows;
  for (const ImageFormula& formula : residue.formulas) rows.push_back({&residue, &formula});
  return rows;
}

std::vector<Field<ResidueFormula>> formula_fields() {
  using Item = const ResidueFormula&;
  const auto found = [](Item row, auto value) {
    return row.formula->polynomial ? Value(value(*row.formula)) : Value();
  };
  using F = const ImageFormula&;
  std::vector<Field<ResidueFormula>> fields = {
      {"residue_h", {}, Unit::exact, [](Item row) { return row.residue->residue.height; }},
      {"residue_w", {}, Unit::exact, [](Item row) { return row.residue->residue.width; }},
      {"of", "of", Unit::text, [](Item row) { return row.formula->of; }},
      {"what", "what", Unit::text, [](Item row) { return row.formula->what; }},
      {"formula", "formula", Unit::text, [=](Item row) {
         return found(row, [](F f) { return polynomial_text(*f.polynomial); }).otherwise("none found");
       }}};
  for (std::size_t c = 0; c < kCoefficients.size(); ++c) {
    fields.emplace_back(kCoefficients[c], std::nullopt, Unit::exact,
                        [=](Item row) { return found(row, [c](F f) { return f.polynomial->c[c]; }); });
  }
  const std::vector<Field<ResidueFormula>> rest = {
      {"divisor", {}, Unit::exact, [=](Item row) { return found(row, [](F f) { return f.polynomial->divisor; }); }},
      {"from_h", {}, Unit::exact, [=](Item row) { return found(row, [](F f) { return f.from.height; }); }},
      {"from_w", {}, Unit::exact, [=](Item row) { return found(row, [](F f) { return f.from.width; }); }},
      {"", "from", Unit::exact, [=](Item row) { return found(row, [](F f) { return size_text(f.from); }); }},
      {"status", {}, Unit::text, [](Item row) { return status_of(*row.formula); }},
      {"checks", "checks", Unit::exact, [](Item row) { return row.formula->checks; }}};
  fields.insert(fields.end(), rest.begin(), rest.end());
  return fields;
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

}  // namespace

Document formulas_document(const std::string& model, std::span<const ImageFormulas> residues) {
  Document document;
  document.facts([&model, residues] { return formulas_json(model, residues); });
  std::vector<ResidueFormula> rows;
  for (const ImageFormulas& mine : residues) std::ranges::copy(rows_of(mine), std::back_inserter(rows));
  document.sheet({"", std::move(rows), formula_fields()});
  for (const ImageFormulas& mine : residues) {
    const auto missing = std::ranges::count_if(mine.formulas, [](const ImageFormula& f) { return !f.polynomial; });
    document
        .say(fmt::format(
            "{}{}, {}: counts on images of h x w, guaranteed pattern, for h mod {} = {} and w mod {} = {}\n\n",
            &mine == residues.data() ? "" : "\n", model, mine.schedule, mine.step, mine.residue.height, mine.step,
            mine.residue.width))
        .show(Table("", rows_of(mine), formula_fields()).keys(2))
        .say(fmt::format("\nEach formula is made from four of the {} sizes that were counted, {} to {}, and equals the "
                         "counts at all others of them from its first size on (checks). That is checked, not proven. "
                         "Critical paths follow from the ops' "
                         "formulas: from their first size on one path is the longest at all.\n",
                         mine.sizes, size_text(mine.smallest), size_text(mine.largest)));
    if (missing > 0) document.say(fmt::format("{} counts have no formula of this kind up to there.\n", missing));
  }
  return document;
}

}  // namespace upsweep

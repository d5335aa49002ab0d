#pragma once

#include <span>
#include <string>

#include "upsweep/report/format.hpp"
#include "upsweep/search/image_formula.hpp"

namespace upsweep {

/// The object that `formula --format json` prints; see docs/formulas.md.
[[nodiscard]] Json formulas_json(const std::string& model, std::span<const ImageFormulas> residues);
/// A line for each formula; columns are the names of the JSON, coefficients with `c_` before them.
[[nodiscard]] std::string formulas_csv(std::span<const ImageFormulas> residues);
/// A table for each residue.
[[nodiscard]] std::string formulas_text(const std::string& model, std::span<const ImageFormulas> residues,
                                        const TextStyle& style = {});

/// "(27 h w - 3 h + 5) / 4", with h and w for height and width.
[[nodiscard]] std::string polynomial_text(const ImagePolynomial& polynomial);

}  // namespace upsweep

#pragma once

#include <span>
#include <string>

#include "upsweep/document/document.hpp"
#include "upsweep/search/image_formula.hpp"

namespace upsweep {

/// See docs/formulas.md. CSV: a line for each formula, coefficients with `c_` before them; people see a table for each
/// residue.
[[nodiscard]] Document formulas_document(const std::string& model, std::span<const ImageFormulas> residues);

/// "(27 h w - 3 h + 5) / 4", with h and w for height and width.
[[nodiscard]] std::string polynomial_text(const ImagePolynomial& polynomial);

}  // namespace upsweep

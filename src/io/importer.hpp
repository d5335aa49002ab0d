#pragma once

#include <cstddef>
#include <span>

#include "upsweep/io/model.hpp"

namespace upsweep {

/// A format of model files. A new one is a file with a function like those in importers.cpp, named in its table.
struct Importer {
  std::size_t alternative = 0;  ///< index of what it makes in AnyModel
  const char* what = "";        ///< "a recurrent model"
  bool (*takes)(const ModelSource& source) = nullptr;
  AnyModel (*load)(const ModelSource& source, Numbers numbers) = nullptr;
};

/// All importers; the first that takes a document has it, and the last takes all.
[[nodiscard]] std::span<const Importer> importers();

}  // namespace upsweep

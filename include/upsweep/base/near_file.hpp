#pragma once

#include <string>

namespace upsweep {

/// hint_of() the files beside one that is not there, by what stands before its ending: ": did you mean lenet5.yaml?".
/// Those of another ending are left out, where it has one.
[[nodiscard]] std::string near_file(const std::string& file);

}  // namespace upsweep

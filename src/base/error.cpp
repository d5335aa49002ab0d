#include "upsweep/base/error.hpp"

#include <fmt/format.h>

namespace upsweep {

InputError::InputError(const std::string& file, int line, const std::string& message)
    : std::runtime_error(fmt::format("{}:{}: {}", file, line, message)) {}

}  // namespace upsweep

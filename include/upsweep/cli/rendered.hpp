#pragma once

#include <string>

#include "upsweep/document/document.hpp"

namespace upsweep::cli {

/// A document in a format of --format: "json", "csv", else text for people, of `style`; or as
/// "packed", JSON in one line whose long tables are {"columns": names, "cells": rows of values}. What is not UTF-8 (a
/// path, say) is replaced in JSON.
[[nodiscard]] std::string rendered(const Document& document, const std::string& format, const TextStyle& style = {});

}  // namespace upsweep::cli

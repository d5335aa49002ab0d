#include "upsweep/machine/published_rates.hpp"

#include <cassert>
#include <numeric>

namespace upsweep {

std::string to_string(PublishedKind kind) { return kind == PublishedKind::product ? "product" : "pass"; }

const std::vector<std::string>& published_units(PublishedKind kind) {
  static const std::vector<std::string> product = {"call",         "short_row",        "middle_row",
                                                   "long_row",     "short_product",    "middle_product",
                                                   "long_product", "scattered_product"};
  static const std::vector<std::string> pass = {"call", "doubling", "step", "element", "byte"};
  return kind == PublishedKind::product ? product : pass;
}

double published_seconds(const PublishedRates& rates, const std::vector<double>& counts) {
  assert(counts.size() == rates.unit_s.size() && "rates and counts are of one kind");
  return std::inner_product(counts.begin(), counts.end(), rates.unit_s.begin(), 0.0);
}

std::uint32_t row_key(const std::vector<std::string>& fields) {
  // FNV-1a, with a separator that no field of a table has.
  std::uint32_t hash = 2166136261U;
  const auto mix = [&hash](unsigned char byte) { hash = (hash ^ byte) * 16777619U; };
  for (const std::string& field : fields) {
    for (const char c : field) mix(static_cast<unsigned char>(c));
    mix(0x1f);
  }
  return hash;
}

}  // namespace upsweep

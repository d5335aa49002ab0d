#include "upsweep/report/machines_report.hpp"

#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace upsweep {
namespace {

/// A rate in 10^9 a second; nothing where it is free or unknown.
std::optional<double> giga(double rate) {
  return std::isfinite(rate) && rate > 0 ? std::optional(rate / 1e9) : std::nullopt;
}

Value libraries_of(const Machine& machine) {
  std::set<std::string> names;
  for (const PublishedRates& rates : machine.published) {
    if (rates.kind == PublishedKind::product) names.insert(rates.library);
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return Value::unless_empty(text);
}

Value bytes_or_nothing(std::uint64_t bytes) { return bytes > 0 ? Value(bytes) : Value(); }

/// Of all workers.
Value flops_of(const NamedMachine& of, unsigned value_bytes) {
  const std::optional<double> rate = giga(of.machine->rates.back().of(value_bytes).mm.flops_per_s);
  return rate ? Value(*rate / 1000) : Value();
}

}  // namespace

Document machines_document(const std::vector<NamedMachine>& machines) {
  const std::vector<Field<NamedMachine>> fields = {
      {"name", "machine", Unit::text, [](const NamedMachine& of) -> Value { return of.name; }},
      {"kind", "kind", Unit::text, [](const NamedMachine& of) -> Value { return to_string(of.machine->kind); }},
      {"fp32_TFLOPps", "fp32 TFLOP/s", Unit::count, [](const NamedMachine& of) { return flops_of(of, 4); }},
      {"fp64_TFLOPps", "fp64 TFLOP/s", Unit::count, [](const NamedMachine& of) { return flops_of(of, 8); }},
      {"bandwidth_GBps", "GB/s", Unit::count,
       [](const NamedMachine& of) -> Value { return giga(of.machine->rates.back().of(4).mm.bytes_per_s); }},
      {"memory_bytes", "memory", Unit::bytes,
       [](const NamedMachine& of) { return bytes_or_nothing(of.machine->memory_bytes); }},
      {"cache_bytes", "cache", Unit::bytes,
       [](const NamedMachine& of) { return bytes_or_nothing(of.machine->cache_bytes); }},
      {"libraries", "sparse products by", Unit::text, [](const NamedMachine& of) { return libraries_of(*of.machine); }},
      {"origin", "figures from", Unit::text,
       [](const NamedMachine& of) { return Value::unless_empty(of.machine->provenance.origin); }}};
  Document document;
  document.show_sheet(Table("machines", machines, fields));
  return document;
}

}  // namespace upsweep

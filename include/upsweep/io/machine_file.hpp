#pragma once

#include <string>

#include "upsweep/io/yaml.hpp"
#include "upsweep/machine/machine.hpp"

namespace upsweep {

/// Reads a machine file: a YAML mapping of `name`, `kind`, `memory`, `cache`, `near_cache`, `first_cache`,
/// `fill_teams`, `provenance` (optional) and `rates`; of a gpu, optional, `small_products` (the members of
/// SmallProducts), `names` of the device in published tables and `published` (a list of PublishedRates).
///
/// Every quantity has its unit in its key and is kept in s, B, B/s or FLOP/s: `bandwidth_GBps: 900`, or with where it
/// is from, `bandwidth_GBps: {value: 900, source: "..."}`, which goes to Provenance::sources under
/// "rates[16].bandwidth" for the rates of 16 workers. Rates are of either form: `compute` of a datasheet, or `mv` and
/// `mm` as a calibration fits them, each with a cost for every name in kWorkNames and, as `memory`, the same out of the
/// cache; FLOP/s need a bandwidth, costs need one or `memory`. A combine has the bandwidths of its `mv` or `mm`, else
/// those of its rates. Without a cached bandwidth, a datasheet's cache is as fast as its memory, and measured costs
/// have theirs in them. A pram needs no more than an op latency: what it lacks costs nothing.
///
/// Throws InputError, "FILE:LINE: what is wrong, what was found, what is accepted", for unknown and repeated keys,
/// unknown units, missing quantities, numbers that are not accepted, and workers that do not ascend.
[[nodiscard]] Machine load_machine(const YamlDocument& document);

/// The file of a machine: load_machine() reads it back to equal values, each number in the shortest form that does so.
///
/// Throws InputError for a machine that a file cannot hold: no rates, both costs and FLOP/s, FLOP/s that differ between
/// mv and mm, FLOP/s with an infinite bandwidth, memory beyond 8 PiB, empty texts, sources of what the file does not
/// have.
[[nodiscard]] std::string machine_text(const Machine& machine);

/// Writes machine_text() to `path`, whole or not at all: to a temporary file beside it that is then renamed. An
/// existing file is replaced; a symbolic link is replaced, not followed.
///
/// Throws InputError naming the path where that fails, and leaves what was there.
void write_machine(const Machine& machine, const std::string& path);

}  // namespace upsweep

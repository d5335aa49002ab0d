#pragma once

#include <string>

#include "upsweep/io/yaml.hpp"
#include "upsweep/training/link.hpp"

namespace upsweep {

/// Reads a link file: a YAML mapping of `name`, `bandwidth_UNIT` above 0 (Bps, KBps, MBps, GBps, TBps, GiBps) and
/// `latency_UNIT` of at least 0 (s, ms, us, ns, ps), each a number or `{value: NUMBER, source: TEXT}`.
///
///     name: nvlink
///     bandwidth_GBps: {value: 50, source: "..."}
///     latency_us: {value: 0, source: "..."}
///
/// Throws InputError, "FILE:LINE: what is wrong, what was found, what is accepted", for missing, unknown and repeated
/// keys, unknown units and numbers that are not accepted.
[[nodiscard]] Link load_link(const YamlDocument& document);

/// The document of a link that the file `beside_file` names: of a file, relative to that one, or else of configs/links,
/// which the program carries: "nvlink". Throws InputError; std::invalid_argument where neither is there, which says
/// what is near.
[[nodiscard]] YamlDocument link_document(const std::string& file_or_name, const std::string& beside_file);

}  // namespace upsweep

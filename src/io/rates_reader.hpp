#pragma once

#include <string>

#include "upsweep/io/yaml.hpp"
#include "upsweep/machine/machine.hpp"

namespace upsweep {

/// Reads `rates` of a machine file into `machine`, of which kind, team_room and sources are used: what the sources of
/// its numbers say goes there, under "rates[2].op_latency".
///
/// Throws InputError where one is missing, unknown or not accepted.
void read_rates(const YamlDocument& document, const YamlNode& node, Machine& machine);

/// Throws InputError where the machine is none of kind gpu: `key`, at `node`, stands in those alone.
void require_gpu(const YamlDocument& document, const YamlNode& node, const Machine& machine, const std::string& key);

}  // namespace upsweep

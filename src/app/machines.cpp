#include "upsweep/app/machines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "outputs.hpp"
#include "upsweep/io/own_file.hpp"
#include "upsweep/io/text_file.hpp"
#include "upsweep/report/machines_report.hpp"

namespace upsweep {
namespace {

const PresetMachine& required_preset(const std::string& name) {
  if (const PresetMachine* preset = preset_of(name)) return *preset;
  std::string names;
  for (const PresetMachine& preset : presets()) names += (names.empty() ? "" : ", ") + preset.name;
  throw RequestError("name", fmt::format("is '{}'{}, accepted are {}", name, preset_hint(name), names));
}

/// Whether a file is a preset's as it was written.
bool is_preset_file(const std::string& path) {
  return std::ranges::any_of(presets(), [&](const PresetMachine& preset) { return is_file_of(path, preset.text); });
}

}  // namespace

Document document(const MachinesOutcome& outcome) {
  std::vector<NamedMachine> machines;
  for (const PresetMachine* preset : outcome.machines) machines.push_back({preset->name, &preset->machine});
  Document document = machines_document(machines);
  if (outcome.written) document.say(fmt::format("Wrote {}: `machine` takes it.\n", *outcome.written));
  return document;
}

MachinesOutcome run(const MachinesRequest& request, const Caller&, const Watch&) {
  MachinesOutcome outcome{{}, request.out};
  if (request.name) {
    outcome.machines.push_back(&required_preset(*request.name));
  } else {
    for (const PresetMachine& preset : presets()) outcome.machines.push_back(&preset);
  }
  if (!request.out) return outcome;
  if (!request.name) throw RequestError("out", "is where a machine file is written, accepted is with `name`");
  check_output({"out", *request.out, kMachineMark}, {}, request.force || is_preset_file(*request.out));
  write_text_file(*request.out, outcome.machines.front()->text);
  return outcome;
}

}  // namespace upsweep

#include "upsweep/app/anchors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "outputs.hpp"
#include "upsweep/app/loading.hpp"
#include "upsweep/app/own_times.hpp"
#include "upsweep/app/storing.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/anchor_file.hpp"
#include "upsweep/io/content_hash.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/io/own_file.hpp"
#include "upsweep/io/preset_machines.hpp"
#include "upsweep/io/yaml.hpp"

namespace upsweep {
namespace {

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::vector<AnchorRow> rows_of(const AnchorsRequest& request) {
  std::vector<AnchorRow> rows;
  for (const std::string& file : request.files)
    std::ranges::move(is_database(file) ? own_times(file) : load_anchors(file), std::back_inserter(rows));
  std::erase_if(rows, [&](const AnchorRow& row) {
    if (request.family && row.family != *request.family) return true;
    return request.device && lower_case(row.device).find(lower_case(*request.device)) == std::string::npos;
  });
  return rows;
}

/// Of everything that predictions depend on.
std::string hash_of(const std::vector<AnchorRow>& rows, const AnchorMachines& machines) {
  ContentHash hash;
  for (const AnchorRow& row : rows) {
    hash.add("row", fmt::format("{} {} {} {} {} {}", row.family, row.device, row.library, row.key, row.status,
                                row.time_s.value_or(0)));
    if (row.own) hash.add("predicted", fmt::format("{} {}", row.own->machine, row.own->seconds));
  }
  for (const std::vector<Machine>* list : {&machines.given, &machines.presets}) {
    for (const Machine& machine : *list) hash.add("machine", machine_text(machine));
  }
  return hash.text();
}

}  // namespace

AnchorsOutcome run(const AnchorsRequest& request, const Caller& caller, const Watch&) {
  if (request.files.empty()) throw RequestError("files", "are none, accepted is at least one table");
  if (request.fit_out && request.machines.size() != 1)
    throw RequestError("fit_out", "is given, accepted is with exactly one `machine`, which is fitted");
  if (request.fit_out) {
    std::vector<NamedFile> others = {{"machine", request.machines.front()}};
    for (const std::string& file : request.files) others.push_back({"files", file});
    if (request.db) others.push_back({"db", *request.db});
    check_output({"fit_out", *request.fit_out, kMachineMark}, others, request.force);
  }
  AnchorMachines machines;
  for (const std::string& file : request.machines) machines.given.push_back(named_machine(file));
  machines.presets = preset_machines();
  const std::vector<AnchorRow> rows = rows_of(request);
  if (request.fit_out) {
    try {
      machines.given.front() = fitted_machine(machines.given.front(), rows, machines.presets);
    } catch (const std::invalid_argument& error) {
      throw InputError(fmt::format("{}: {}", request.machines.front(), error.what()));
    }
    write_machine(machines.given.front(), *request.fit_out);
  }
  const std::unique_ptr<RunStore> store = open_store(request.db);
  AnchorsOutcome outcome{anchors(rows, machines)};
  if (!store) return outcome;
  outcome.run_ids = {store->save(AnchorRecord{caller.tool_version, arguments_json(caller),
                                              fmt::format("{}", fmt::join(request.files, ", ")),
                                              hash_of(rows, machines), outcome.report})};
  return outcome;
}

}  // namespace upsweep

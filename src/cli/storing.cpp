#include "storing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "upsweep/io/machine_file.hpp"

namespace upsweep::cli {

std::unique_ptr<RunStore> open_store(const std::optional<std::string>& db) {
  return db ? std::make_unique<RunStore>(*db, RunStore::Open::create) : nullptr;
}

std::string arguments_json(const Invocation& invocation) {
  return nlohmann::json(invocation.arguments).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

RunContext run_context(const Invocation& invocation, const std::string& command, const ModelOptions& options,
                       const Model& model, const NetworkProfile& profile) {
  const std::string parameters = arguments_json(invocation);
  return {invocation.tool_version, command,  parameters, model.name, options.model, model.content_hash, options.pattern,
          &model.network,          &profile, nullptr,    "",         std::nullopt};
}

void add_machine(RunContext& context, const Machine* machine, std::size_t workers, unsigned value_bytes) {
  if (machine == nullptr) return;
  context.machine = machine;
  context.machine_text = machine_text(*machine);
  context.predicted_build_s = predict_build_seconds(*context.network_profile, *machine, workers, value_bytes);
}

void report_stored(const std::string& db, const std::vector<std::int64_t>& ids) {
  fmt::print(stderr, "upsweep: stored in {} as run{} {}\n", db, ids.size() == 1 ? "" : "s", fmt::join(ids, ", "));
}

}  // namespace upsweep::cli

#include "upsweep/app/storing.hpp"

#include <nlohmann/json.hpp>

#include "upsweep/io/machine_file.hpp"

namespace upsweep {

std::unique_ptr<RunStore> open_store(const std::optional<std::string>& db) {
  return db ? std::make_unique<RunStore>(*db, RunStore::Open::create) : nullptr;
}

std::exception_ptr try_to_keep(const std::function<void()>& keep) {
  try {
    keep();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

std::string arguments_json(const Caller& invocation) {
  return nlohmann::json(invocation.arguments).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

RunContext run_context(const Caller& invocation, const std::string& command, PatternKind pattern, const Model& model,
                       const NetworkProfile& profile) {
  const std::string parameters = arguments_json(invocation);
  return {invocation.tool_version, command,        parameters, model.name, model.file, model.content_hash,
          to_string(pattern),      &model.network, &profile,   nullptr,    "",         std::nullopt};
}

void add_machine(RunContext& context, const Machine* machine, std::size_t workers, unsigned value_bytes) {
  if (machine == nullptr) return;
  context.machine = machine;
  context.machine_text = machine_text(*machine);
  context.predicted_build_s =
      predict_build_seconds(*context.network, *context.network_profile, *machine, workers, value_bytes);
}

}  // namespace upsweep

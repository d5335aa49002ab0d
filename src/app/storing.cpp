#include "upsweep/app/storing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "upsweep/io/machine_file.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/store/database_mark.hpp"

namespace upsweep {

std::unique_ptr<RunStore> open_store(const std::optional<std::string>& db) {
  return db ? std::make_unique<RunStore>(*db, RunStore::Open::create) : nullptr;
}

std::optional<std::string> why_not_kept(const std::string& db) {
  const auto refusal = [](const std::string& path) {
    return fmt::format("{}: {}", path, std::generic_category().message(errno));
  };
  std::error_code error;
  const std::string folder = std::filesystem::absolute(db, error).parent_path().string();
  if (access(folder.c_str(), W_OK | X_OK) != 0) return refusal(folder);  // files beside it are made, too
  if (!std::filesystem::exists(db, error)) return std::nullopt;
  if (access(db.c_str(), W_OK) != 0) return refusal(db);
  return is_ours_or_empty(db) ? std::nullopt : std::optional(db + ": another program wrote it");
}

std::exception_ptr try_to_keep(const std::function<void()>& keep) {
  try {
    keep();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

KeptVerdict kept(const Verdict& verdict) {
  KeptVerdict kept{fmt::format("{}", fmt::join(verdict.sentences, "\n")), verdict.ratio()};
  if (verdict.frame || !verdict.baselines.empty())
    kept.details = verdict_json(verdict).dump(-1, ' ', false, Json::error_handler_t::replace);
  return kept;
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

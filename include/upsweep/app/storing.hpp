#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "upsweep/app/session.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep {

/// Opens the store of a request's `db`, or nothing without it.
[[nodiscard]] std::unique_ptr<RunStore> open_store(const std::optional<std::string>& db);

/// Why a command that was told of no database cannot keep its results in `db`; nothing where it can. Makes nothing.
[[nodiscard]] std::optional<std::string> why_not_kept(const std::string& db);

/// Keeps what took long to come by, and returns what the store throws, if anything: the caller shows the outcome first.
[[nodiscard]] std::exception_ptr try_to_keep(const std::function<void()>& keep);

/// A verdict as it is kept; an empty text of one without sentences.
[[nodiscard]] KeptVerdict kept(const Verdict& verdict);

/// The command line as a JSON array. Arguments need not be UTF-8; what is not is replaced.
[[nodiscard]] std::string arguments_json(const Caller& invocation);

/// What all runs of this command have in common. Refers to `model` and `profile`.
[[nodiscard]] RunContext run_context(const Caller& invocation, const std::string& command, PatternKind pattern,
                                     const Model& model, const NetworkProfile& profile);

/// Adds the machine that made the predictions, if any, and the predicted time to build the chain.
void add_machine(RunContext& context, const Machine* machine, std::size_t workers, unsigned value_bytes);

}  // namespace upsweep

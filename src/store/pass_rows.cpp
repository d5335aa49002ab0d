#include "pass_rows.hpp"

#include <optional>

#include "run_ids.hpp"

namespace upsweep {
namespace {

void save_pass(Statement& insert, std::int64_t id, std::uint64_t index, const PassRow& row) {
  const auto part = [](const std::optional<PassSeconds>& times, double PassSeconds::*phase) {
    return times ? std::optional(times.value().*phase) : std::nullopt;
  };
  const auto total = [](const std::optional<PassSeconds>& times) {
    return times ? std::optional(times->total()) : std::nullopt;
  };
  insert
      .bind(id, index, row.method, unless_empty(row.backend), row.best, row.failure, row.mismatch, row.flops, row.bytes,
            row.critical_path_flops, row.makespan_flops, part(row.predicted, &PassSeconds::jacobians),
            part(row.predicted, &PassSeconds::up), part(row.predicted, &PassSeconds::middle),
            part(row.predicted, &PassSeconds::down), total(row.predicted), part(row.measured, &PassSeconds::jacobians),
            part(row.measured, &PassSeconds::up), part(row.measured, &PassSeconds::middle),
            part(row.measured, &PassSeconds::down), total(row.measured), row.worst_share, row.loss_difference)
      .run();
}

}  // namespace

std::int64_t save_pass_run(Sqlite& database, const std::string& created, const PassRecord& record) {
  const std::int64_t id = next_run_id(database);
  const auto unless_zero = [](std::uint64_t x) { return x > 0 ? std::optional(x) : std::nullopt; };
  Statement run(database,
                "INSERT INTO pass_runs (id, created_utc, tool_version, command, parameters, model, model_file, "
                "content_hash, network, hidden, steps, batch, fused, dtype, machine, device, driver, workers, "
                "forward_s, parameters_s) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  run.bind(id, created, record.tool_version, record.command, record.parameters, record.model, record.model_file,
           record.content_hash, record.network, unless_zero(record.hidden), unless_zero(record.steps), record.batch,
           record.is_fused, std::string(record.value_bytes == 8 ? "fp64" : "fp32"), unless_empty(record.machine),
           unless_empty(record.device), unless_empty(record.driver), record.workers, record.forward_s,
           record.parameters_s)
      .run();
  Statement pass(database,
                 "INSERT INTO passes (run_id, pass, method, backend, best, failure, mismatch, flops, bytes, "
                 "critical_path_flops, makespan_flops, predicted_jacobians_s, predicted_up_s, predicted_middle_s, "
                 "predicted_down_s, predicted_s, measured_jacobians_s, measured_up_s, measured_middle_s, "
                 "measured_down_s, measured_s, worst_share_of_bound, loss_difference) "
                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (std::uint64_t i = 0; i < record.passes.size(); ++i) save_pass(pass, id, i, record.passes[i]);
  Statement loss(database, "INSERT INTO losses (run_id, pass, iteration, loss, accuracy) VALUES (?, ?, ?, ?, ?)");
  for (const LossPoint& point : record.losses) {
    loss.bind(id, std::uint64_t{point.pass}, point.iteration, point.loss, point.accuracy).run();
  }
  return id;
}

}  // namespace upsweep

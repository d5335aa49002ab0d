#include "upsweep/store/run_store.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include "measurement_rows.hpp"
#include "migrations.hpp"
#include "pass_rows.hpp"
#include "sqlite.hpp"
#include "training_rows.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/sim/graph_backprop.hpp"

namespace upsweep {
namespace {

using Mean = Statement::Mean;

/// runs.depth of a schedule that is not cut at one; no best_depth.
constexpr std::int64_t kNoDepth = -1;

/// Schema version of a database that is ours or empty; throws for any other. Inside a transaction, so that what it
/// reads belongs together while other processes write.
std::int64_t our_version(Sqlite& database) {
  const auto newest = static_cast<std::int64_t>(migrations().size());
  const std::int64_t application = database.integer("PRAGMA application_id");
  const std::int64_t version = database.integer("PRAGMA user_version");
  const std::int64_t tables = database.integer("SELECT COUNT(*) FROM sqlite_master");
  if (application != kApplicationId && (application != 0 || tables != 0 || version != 0)) {
    throw InputError(
        fmt::format("{}: a database of another program (application id {}, {} tables and views), accepted is one that "
                    "upsweep wrote, or a new name",
                    database.file(), application, tables));
  }
  if (version > newest) {
    throw InputError(
        fmt::format("{}: its schema version is {}, accepted are versions up to {}: a newer upsweep wrote it",
                    database.file(), version, newest));
  }
  return version;
}

void migrate(Sqlite& database) {
  const auto newest = static_cast<std::int64_t>(migrations().size());
  {
    Transaction reading(database, Transaction::Kind::read);
    if (our_version(database) == newest) return;
  }
  Transaction writing(database, Transaction::Kind::write);
  const std::int64_t version = our_version(database);  // another process may have been here meanwhile
  if (version == newest) return;
  database.execute(fmt::format("PRAGMA application_id = {}", kApplicationId));
  for (std::int64_t next = version; next < newest; ++next) {
    database.execute(migrations()[static_cast<std::size_t>(next)]);
  }
  database.execute(fmt::format("PRAGMA user_version = {}", newest));
  writing.commit();
}

/// Write-ahead logging; the change of mode does not wait for other processes on its own.
void use_wal(Sqlite& database) {
  constexpr int kTries = 200;
  for (int attempt = 0;; ++attempt) {
    try {
      database.execute("PRAGMA journal_mode = WAL");
      return;
    } catch (const InputError&) {
      const int code = sqlite3_errcode(database.handle());
      if (attempt >= kTries || (code != SQLITE_BUSY && code != SQLITE_LOCKED)) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
}

/// Makes a database that has its schema from the moment in which it has its name, whenever this process ends.
void create_whole(const std::string& file) {
  std::error_code error;
  if (file.empty() || std::filesystem::symlink_status(file, error).type() != std::filesystem::file_type::not_found)
    return;
  const std::string fresh = fmt::format("{}.new-{}", file, getpid());
  std::filesystem::remove(fresh, error);
  {
    Sqlite database(fresh, true);
    migrate(database);
    use_wal(database);
  }
  // Another process may have been faster: then its file stays.
  std::filesystem::create_hard_link(fresh, file, error);
  std::filesystem::remove(fresh, error);
}

std::string now_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

std::int64_t save_search(Sqlite& database, const SearchRecord& search) {
  Statement insert(database,
                   "INSERT INTO searches (objective, execution, scope, workers, memory_limit_bytes, best_depth, "
                   "margin, best_schedule, scheme_margin) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert
      .bind(search.objective, search.execution, search.scope, search.workers, search.memory_limit, search.best_depth,
            search.margin, search.best_schedule, search.scheme_margin)
      .run();
  return database.last_row_id();
}

std::int64_t save_run(Sqlite& database, const std::string& created, const RunContext& context, const RunRecord& run,
                      std::optional<std::int64_t> search_id, std::optional<std::int64_t> machine_id) {
  static constexpr const char* kInsert =
      "INSERT INTO runs (created_utc, tool_version, command, parameters, search_id, score, feasible, reason, model, "
      "model_file, model_hash, "
      "pattern, inputs, requested, schedule, depth, length, levels, workers, ops, flops, critical_path_level_flops, "
      "critical_path_dag_flops, "
      "live_ops, live_flops, live_critical_path_level_flops, live_critical_path_dag_flops, baseline_flops, "
      "linear_flops, chain_build_values, "
      "chain_build_bytes, steps, per_step_flops, makespan_level_unit, makespan_level_flops, makespan_dag_unit, "
      "makespan_dag_flops, peak_live_bytes, machine_id, predicted_level_s, predicted_dag_s, predicted_build_s, "
      "graph_bp_flops, "
      "formation_flops) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  const ScheduleProfile& profile = *run.profile;
  const NetworkProfile& network = *context.network_profile;
  const std::uint64_t inputs = profile.inputs;
  const Totals all = totals(profile, Scope::all);
  const Totals live = totals(profile, Scope::live);
  const auto mean = [inputs](std::uint64_t sum) { return Mean{sum, inputs}; };
  const std::optional<std::uint32_t> depth = profile.schedule.hybrid_depth();
  std::optional<Mean> graph_flops;
  std::optional<Mean> formation_flops;
  if (context.network->has_blocks()) {
    std::uint64_t flops = 0;
    for (const GraphTask& task : graph_backprop_tasks(*context.network, network)) add_to(flops, task.flops);
    graph_flops = mean(flops);
    formation_flops = mean(network.formation_flops);
  }
  Statement insert(database, kInsert);
  insert
      .bind(created, context.tool_version, context.command, context.parameters, search_id, run.score, run.feasible,
            run.reason, context.model, context.model_file, context.model_hash, context.pattern, inputs, run.requested,
            profile.schedule.name, depth ? std::int64_t{*depth} : kNoDepth, std::uint64_t{profile.schedule.length},
            std::uint64_t{profile.schedule.levels}, std::uint64_t{run.pram.workers}, all.ops, mean(all.flops),
            mean(all.critical_path_level), mean(all.critical_path_dag), live.ops, mean(live.flops),
            mean(live.critical_path_level), mean(live.critical_path_dag), mean(network.baseline_flops),
            mean(network.linear_flops), mean(network.build_values), mean(network.build_bytes), run.pram.steps,
            mean(run.pram.per_step_flops), run.pram.level.unit, mean(run.pram.level.flops), run.pram.dag.unit,
            mean(run.pram.dag.flops), mean(run.pram.peak_live_bytes), machine_id, run.predicted_level_s,
            run.predicted_dag_s, context.predicted_build_s, graph_flops, formation_flops)
      .run();
  return database.last_row_id();
}

void save_operators(Sqlite& database, std::int64_t run, const RunContext& context) {
  Statement insert(
      database,
      "INSERT INTO operators (run_id, idx, name, kind, in_shape, out_shape, rows, cols, nnz, bytes, baseline_flops) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const NetworkProfile& profile = *context.network_profile;
  for (std::size_t o = 0; o < profile.operators.size(); ++o) {
    const Operator& op = context.network->operators()[o];
    const OperatorProfile& mine = profile.operators[o];
    const auto unless_view = [&](auto value) {
      return is_view(op.kind) || is_join(op.kind) ? std::nullopt : std::optional(value);
    };
    insert
        .bind(run, std::uint64_t{o + 1}, op.name, kind_name(op.kind), to_string(op.in_shape), to_string(op.out_shape),
              unless_view(mine.rows), unless_view(mine.cols), unless_view(Mean{mine.nnz, profile.inputs}),
              unless_view(Mean{mine.bytes, profile.inputs}), Mean{mine.baseline_flops, profile.inputs})
        .run();
  }
}

void save_levels(Sqlite& database, std::int64_t run, const ScheduleProfile& profile) {
  Statement insert(database,
                   "INSERT INTO levels (run_id, level, phase, ops, flops_sum, flops_max) VALUES (?, ?, ?, ?, ?, ?)");
  for (std::size_t level = 0; level < profile.levels.size(); ++level) {
    const LevelProfile& mine = profile.levels[level];
    insert
        .bind(run, std::uint64_t{level}, to_string(mine.phase), mine.ops, Mean{mine.flops_sum, profile.inputs},
              Mean{mine.flops_max, profile.inputs})
        .run();
  }
}

void save_ops(Sqlite& database, std::int64_t run, const ScheduleProfile& profile) {
  Statement insert(database,
                   "INSERT INTO ops (run_id, id, level, left, right, target, kind, dead, m, k, n, left_nnz, right_nnz, "
                   "nnz, products, flops, bytes) "
                   "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const auto mean = [&](std::uint64_t sum) { return Mean{sum, profile.inputs}; };
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    const OpProfile& op = profile.ops[id];
    const Combine& combine = profile.schedule.combines[id];
    insert
        .bind(run, std::uint64_t{id}, combine.level, combine.left, combine.right, combine.target,
              op.is_mv ? "mv" : "mm", op.dead, op.m, op.k, op.n, mean(op.left_nnz), mean(op.right_nnz), mean(op.nnz),
              mean(op.products), mean(op.flops), mean(op.bytes))
        .run();
  }
}

Cell cell(const Statement& row, int column) {
  if (row.is_null(column)) return std::monostate();
  if (row.is_integer(column)) return row.integer(column);
  if (row.is_float(column)) return row.number(column);
  return row.text(column);
}

QueryResult collect(Statement& statement) {
  QueryResult result;
  for (int c = 0; c < statement.columns(); ++c) result.columns.push_back(statement.column_name(c));
  while (statement.step()) {
    std::vector<Cell> row;
    for (int c = 0; c < statement.columns(); ++c) row.push_back(cell(statement, c));
    result.rows.push_back(std::move(row));
  }
  return result;
}

}  // namespace

struct RunStore::Impl {
  Sqlite database;
};

RunStore::RunStore(const std::string& file, Open open) {
  if (open == Open::create) create_whole(file);
  impl_ = std::make_unique<Impl>(Impl{Sqlite(file, open == Open::create)});
  Sqlite& database = impl_->database;
  migrate(database);
  if (open == Open::create) use_wal(database);
  database.execute("PRAGMA foreign_keys = ON");
}

RunStore::~RunStore() = default;

std::vector<std::int64_t> RunStore::save(const RunContext& context, const std::vector<RunRecord>& runs,
                                         const std::optional<SearchRecord>& search) {
  Sqlite& database = impl_->database;
  const std::string created = now_utc();
  std::vector<std::int64_t> ids;
  Transaction transaction(database, Transaction::Kind::write);
  std::optional<std::int64_t> search_id;
  if (search) search_id = save_search(database, *search);
  std::optional<std::int64_t> machine_id;
  if (context.machine != nullptr) machine_id = machine_row(database, *context.machine, context.machine_text);
  for (const RunRecord& run : runs) {
    const std::int64_t id = save_run(database, created, context, run, search_id, machine_id);
    save_operators(database, id, context);
    save_levels(database, id, *run.profile);
    save_ops(database, id, *run.profile);
    if (run.measurement) save_measurement(database, id, *run.measurement);
    ids.push_back(id);
  }
  transaction.commit();
  return ids;
}

std::int64_t RunStore::save(const TrainingRecord& record) {
  Transaction transaction(impl_->database, Transaction::Kind::write);
  const std::int64_t id = save_training_run(impl_->database, now_utc(), record);
  transaction.commit();
  return id;
}

std::int64_t RunStore::save(const PassRecord& record) {
  Transaction transaction(impl_->database, Transaction::Kind::write);
  const std::int64_t id = save_pass_run(impl_->database, now_utc(), record);
  transaction.commit();
  return id;
}

std::optional<QueryResult> RunStore::show_passes(std::int64_t id) {
  Statement select(impl_->database, "SELECT * FROM pass_runs WHERE id = ?");
  select.bind(id);
  QueryResult wide = collect(select);
  if (wide.rows.empty()) return std::nullopt;
  return wide;
}

QueryResult RunStore::passes(std::int64_t id) {
  Statement select(impl_->database, "SELECT * FROM passes WHERE run_id = ? ORDER BY pass");
  select.bind(id);
  return collect(select);
}

QueryResult RunStore::pass_summary(std::int64_t id) {
  Statement select(impl_->database,
                   "SELECT method, backend, flops, bytes, predicted_s, measured_s, error, ratio_to_first, "
                   "worst_share_of_bound, loss_difference, mismatch, failure FROM pass_summary WHERE run = ?");
  select.bind(id);
  return collect(select);
}

QueryResult RunStore::losses(std::int64_t id) {
  Statement select(
      impl_->database,
      "SELECT p.method, l.iteration, l.loss, l.accuracy FROM losses l JOIN passes p ON p.run_id = l.run_id "
      "AND p.pass = l.pass WHERE l.run_id = ? ORDER BY l.pass, l.iteration");
  select.bind(id);
  return collect(select);
}

std::optional<QueryResult> RunStore::show_training(std::int64_t id) {
  Statement select(impl_->database, "SELECT * FROM training_runs WHERE id = ?");
  select.bind(id);
  QueryResult wide = collect(select);
  if (wide.rows.empty()) return std::nullopt;
  return wide;
}

QueryResult RunStore::training_summary(std::int64_t id) {
  Statement select(impl_->database,
                   "SELECT variant, makespan, bubble_fraction, peak_tensors, best FROM training_summary WHERE run = ?");
  select.bind(id);
  return collect(select);
}

QueryResult RunStore::training_figures(std::int64_t id) {
  Statement select(
      impl_->database,
      "SELECT v.name AS variant, f.figure, f.idx, f.value FROM training_figures f JOIN training_variants v "
      "ON v.run_id = f.run_id AND v.variant = f.variant WHERE f.run_id = ? ORDER BY f.rowid");
  select.bind(id);
  return collect(select);
}

std::int64_t RunStore::save_machine(const Machine& machine, const std::string& text) {
  Transaction transaction(impl_->database, Transaction::Kind::write);
  const std::int64_t id = machine_row(impl_->database, machine, text);
  transaction.commit();
  return id;
}

QueryResult RunStore::measurements(std::int64_t id) {
  Statement select(impl_->database,
                   "SELECT measurement, backend, workers, execution, level, predicted_s, measured_s, error FROM "
                   "prediction_vs_measurement WHERE run = ? ORDER BY measurement, level IS NOT NULL, level");
  select.bind(id);
  return collect(select);
}

QueryResult RunStore::list() {
  Statement select(impl_->database, "SELECT * FROM run_summary ORDER BY id DESC");
  return collect(select);
}

std::optional<QueryResult> RunStore::show(std::int64_t id) {
  Statement select(impl_->database, "SELECT * FROM runs WHERE id = ?");
  select.bind(id);
  QueryResult wide = collect(select);
  if (wide.rows.empty()) return std::nullopt;
  const auto depth = std::find(wide.columns.begin(), wide.columns.end(), "depth") - wide.columns.begin();
  Cell& cell = wide.rows[0][static_cast<std::size_t>(depth)];
  if (cell == Cell(kNoDepth)) cell = std::monostate();
  return wide;
}

QueryResult RunStore::levels(std::int64_t id) {
  Statement select(impl_->database,
                   "SELECT level, phase, ops, dead_ops, flops_sum, flops_max, share_of_flops, nnz, bytes FROM "
                   "level_profile WHERE run_id = ? ORDER BY level");
  select.bind(id);
  return collect(select);
}

bool RunStore::remove(std::int64_t id) {
  Sqlite& database = impl_->database;
  Transaction transaction(database, Transaction::Kind::write);
  Statement erase(database, "DELETE FROM runs WHERE id = ?");
  erase.bind(id).run();
  bool found = database.changed_rows() > 0;
  for (const char* others : {"DELETE FROM training_runs WHERE id = ?", "DELETE FROM pass_runs WHERE id = ?"}) {
    Statement erase_other(database, others);
    erase_other.bind(id).run();
    found = found || database.changed_rows() > 0;
  }
  database.execute("DELETE FROM searches WHERE id NOT IN (SELECT search_id FROM runs WHERE search_id IS NOT NULL)");
  transaction.commit();
  return found;
}

}  // namespace upsweep

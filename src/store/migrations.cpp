#include "migrations.hpp"

#include <array>

#include "comparison_schema.hpp"
#include "picture_schema.hpp"
#include "study_schema.hpp"

namespace upsweep {
namespace {

// Counts are means over the inputs of the run: integers where the mean is one.
constexpr const char* kTables = R"sql(
CREATE TABLE searches (
  id INTEGER PRIMARY KEY,
  objective TEXT NOT NULL,            -- time, critical-flops or work-flops
  execution TEXT NOT NULL,            -- level or dag
  scope TEXT NOT NULL,                -- all, or live: without dead ops
  workers INTEGER NOT NULL,
  memory_limit_bytes INTEGER,         -- NULL: none
  best_depth INTEGER,                 -- NULL: no candidate fits
  margin REAL                         -- runner-up's score / best score - 1
);
CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  created_utc TEXT NOT NULL,          -- ISO 8601
  tool_version TEXT NOT NULL,
  command TEXT NOT NULL,              -- profile or search
  parameters TEXT NOT NULL,           -- the command line, as JSON
  search_id INTEGER REFERENCES searches(id) ON DELETE CASCADE,
  score REAL,                         -- of the search's objective
  feasible INTEGER,                   -- of the search
  reason TEXT,                        -- why it is not feasible
  model TEXT NOT NULL,
  model_file TEXT NOT NULL,
  model_hash TEXT NOT NULL,           -- of the content: network, masks, values, inputs, seeds
  pattern TEXT NOT NULL,              -- guaranteed or sample
  inputs INTEGER NOT NULL,            -- over which the counts are means
  requested TEXT NOT NULL,            -- the schedule as it was asked for
  schedule TEXT NOT NULL,             -- linear or hybrid:D
  depth INTEGER NOT NULL,
  length INTEGER NOT NULL,            -- of the scan array
  levels INTEGER NOT NULL,
  workers INTEGER NOT NULL,
  ops INTEGER NOT NULL,
  flops NUMERIC NOT NULL,
  critical_path_level_flops NUMERIC NOT NULL,
  critical_path_dag_flops NUMERIC NOT NULL,
  live_ops INTEGER NOT NULL,
  live_flops NUMERIC NOT NULL,
  live_critical_path_level_flops NUMERIC NOT NULL,
  live_critical_path_dag_flops NUMERIC NOT NULL,
  baseline_flops NUMERIC NOT NULL,
  linear_flops NUMERIC NOT NULL,
  chain_build_values NUMERIC NOT NULL,
  chain_build_bytes NUMERIC NOT NULL,
  steps INTEGER NOT NULL,
  per_step_flops NUMERIC NOT NULL,
  makespan_level_unit INTEGER NOT NULL,
  makespan_level_flops NUMERIC NOT NULL,
  makespan_dag_unit INTEGER NOT NULL,
  makespan_dag_flops NUMERIC NOT NULL,
  peak_live_bytes NUMERIC NOT NULL
);
CREATE INDEX runs_by_model ON runs(model_hash, depth);
CREATE INDEX runs_by_search ON runs(search_id);
CREATE TABLE operators (
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  idx INTEGER NOT NULL,               -- 1-based
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  in_shape TEXT NOT NULL,
  out_shape TEXT NOT NULL,
  rows INTEGER,                       -- of the transposed Jacobian; NULL for a view
  cols INTEGER,
  nnz NUMERIC,
  bytes NUMERIC,
  baseline_flops NUMERIC NOT NULL,
  PRIMARY KEY (run_id, idx)
) WITHOUT ROWID;
CREATE TABLE levels (
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  level INTEGER NOT NULL,
  phase TEXT NOT NULL,                -- up, middle or down
  ops INTEGER NOT NULL,
  flops_sum NUMERIC NOT NULL,
  flops_max NUMERIC NOT NULL,
  PRIMARY KEY (run_id, level)
) WITHOUT ROWID;
CREATE TABLE ops (
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  id INTEGER NOT NULL,
  level INTEGER NOT NULL,
  left INTEGER NOT NULL,              -- positions of the scan array, -1: the running reduction
  right INTEGER NOT NULL,
  target INTEGER NOT NULL,
  kind TEXT NOT NULL,                 -- mm or mv
  dead INTEGER NOT NULL,
  m INTEGER NOT NULL,
  k INTEGER NOT NULL,
  n INTEGER NOT NULL,
  left_nnz NUMERIC NOT NULL,
  right_nnz NUMERIC NOT NULL,
  nnz NUMERIC NOT NULL,
  products NUMERIC NOT NULL,
  flops NUMERIC NOT NULL,
  bytes NUMERIC NOT NULL,
  PRIMARY KEY (run_id, id)
) WITHOUT ROWID;
)sql";

constexpr const char* kViews = R"sql(
CREATE VIEW run_summary AS
SELECT r.id, r.created_utc, r.command, r.search_id, r.model, r.pattern, r.schedule, r.depth, r.levels, r.ops, r.workers, r.flops,
       r.critical_path_level_flops, r.critical_path_dag_flops, r.steps, r.makespan_level_flops, r.makespan_dag_flops, r.peak_live_bytes,
       r.linear_flops, 1.0 * r.makespan_dag_flops / NULLIF(r.linear_flops, 0) AS makespan_dag_ratio_to_linear,
       r.baseline_flops, 1.0 * r.makespan_dag_flops / NULLIF(r.baseline_flops, 0) AS makespan_dag_ratio_to_baseline,
       s.objective, s.execution, s.scope, r.score, r.feasible, r.reason, r.depth IS s.best_depth AND s.id IS NOT NULL AS best
FROM runs r LEFT JOIN searches s ON s.id = r.search_id;
CREATE VIEW level_profile AS
SELECT l.run_id, r.model, r.pattern, r.schedule, l.level, l.phase, l.ops, l.flops_sum, l.flops_max,
       1.0 * l.flops_sum / NULLIF(r.flops, 0) AS share_of_flops,
       (SELECT SUM(o.dead) FROM ops o WHERE o.run_id = l.run_id AND o.level = l.level) AS dead_ops,
       (SELECT SUM(o.nnz) FROM ops o WHERE o.run_id = l.run_id AND o.level = l.level) AS nnz,
       (SELECT SUM(o.bytes) FROM ops o WHERE o.run_id = l.run_id AND o.level = l.level) AS bytes
FROM levels l JOIN runs r ON r.id = l.run_id;
CREATE VIEW op_profile AS
SELECT o.run_id, r.model, r.pattern, r.schedule, o.id, l.phase, o.level, o.left, o.right, o.target, o.kind, o.dead, o.m, o.k, o.n,
       o.left_nnz, o.right_nnz, o.nnz, 1.0 * o.nnz / (1.0 * o.m * o.n) AS density, o.products, o.flops, o.bytes
FROM ops o JOIN levels l ON l.run_id = o.run_id AND l.level = o.level JOIN runs r ON r.id = o.run_id;
)sql";

// Predictions of machine models and measurements. Times are those of one input.
constexpr const char* kMeasurements = R"sql(
CREATE TABLE machines (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,                 -- pram, cpu or gpu
  origin TEXT NOT NULL,               -- datasheet, calibration or definition
  device TEXT,
  driver TEXT,
  date TEXT,                          -- of the calibration
  tool_version TEXT,
  workers INTEGER NOT NULL,
  fit_points INTEGER,                 -- of the calibration; its errors are relative
  fit_median_error REAL,
  fit_p90_error REAL,
  fit_max_error REAL,
  text TEXT NOT NULL UNIQUE           -- the whole machine file
);
ALTER TABLE runs ADD COLUMN machine_id INTEGER REFERENCES machines(id);
ALTER TABLE runs ADD COLUMN predicted_level_s REAL;
ALTER TABLE runs ADD COLUMN predicted_dag_s REAL;
ALTER TABLE runs ADD COLUMN predicted_build_s REAL;  -- writing the Jacobian values of one iteration
CREATE TABLE measurements (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  backend TEXT NOT NULL,
  device TEXT NOT NULL,
  driver TEXT NOT NULL,
  workers INTEGER NOT NULL,
  execution TEXT NOT NULL,            -- level or dag
  value_bytes INTEGER NOT NULL,
  input INTEGER NOT NULL,             -- of the model's sample, from 0
  repetitions INTEGER NOT NULL,
  predicted_s REAL,                   -- one iteration; NULL without a machine
  measured_s REAL NOT NULL,           -- the median
  fastest_s REAL NOT NULL,
  measured_build_s REAL NOT NULL,
  plan_s REAL NOT NULL,
  plan_bytes INTEGER NOT NULL,
  value_memory_bytes INTEGER NOT NULL,
  workspace_bytes INTEGER NOT NULL,
  worst_share_of_bound REAL,          -- largest |difference| / rounding bound; NULL after a mismatch in structure
  mismatch TEXT,                      -- NULL: structure, counts and values are right
  notes TEXT NOT NULL
);
CREATE INDEX measurements_by_run ON measurements(run_id);
CREATE TABLE measured_levels (
  measurement_id INTEGER NOT NULL REFERENCES measurements(id) ON DELETE CASCADE,
  level INTEGER NOT NULL,
  predicted_s REAL,
  measured_s REAL NOT NULL,
  PRIMARY KEY (measurement_id, level)
) WITHOUT ROWID;
CREATE TABLE measured_ops (
  measurement_id INTEGER NOT NULL REFERENCES measurements(id) ON DELETE CASCADE,
  op INTEGER NOT NULL,
  predicted_alone_s REAL,             -- with the machine to itself
  measured_busy_s REAL NOT NULL,      -- added up over its workers
  nnz INTEGER NOT NULL,               -- counted by the backend
  products INTEGER NOT NULL,
  PRIMARY KEY (measurement_id, op)
) WITHOUT ROWID;
CREATE VIEW prediction_vs_measurement AS
SELECT m.run_id AS run, m.id AS measurement, r.model, r.pattern, m.backend, m.workers, m.execution, r.schedule,
       NULL AS level, m.predicted_s, m.measured_s, m.predicted_s / m.measured_s - 1 AS error
FROM measurements m JOIN runs r ON r.id = m.run_id
UNION ALL
SELECT m.run_id, m.id, r.model, r.pattern, m.backend, m.workers, m.execution, r.schedule,
       l.level, l.predicted_s, l.measured_s, l.predicted_s / NULLIF(l.measured_s, 0) - 1
FROM measured_levels l JOIN measurements m ON m.id = l.measurement_id JOIN runs r ON r.id = m.run_id;
DROP VIEW run_summary;
CREATE VIEW run_summary AS
SELECT r.id, r.created_utc, r.command, r.search_id, r.model, r.pattern, r.schedule, r.depth, r.levels, r.ops, r.workers, r.flops,
       r.critical_path_level_flops, r.critical_path_dag_flops, r.steps, r.makespan_level_flops, r.makespan_dag_flops, r.peak_live_bytes,
       r.linear_flops, 1.0 * r.makespan_dag_flops / NULLIF(r.linear_flops, 0) AS makespan_dag_ratio_to_linear,
       r.baseline_flops, 1.0 * r.makespan_dag_flops / NULLIF(r.baseline_flops, 0) AS makespan_dag_ratio_to_baseline,
       s.objective, s.execution, s.scope, r.score, r.feasible, r.reason, r.depth IS s.best_depth AND s.id IS NOT NULL AS best,
       a.name AS machine, r.predicted_level_s, r.predicted_dag_s,
       (SELECT m.backend FROM measurements m WHERE m.run_id = r.id ORDER BY m.id DESC LIMIT 1) AS backend,
       (SELECT m.measured_s FROM measurements m WHERE m.run_id = r.id ORDER BY m.id DESC LIMIT 1) AS measured_s
FROM runs r LEFT JOIN searches s ON s.id = r.search_id LEFT JOIN machines a ON a.id = r.machine_id;
)sql";

// Simulated training steps. Their ids and those of runs are one sequence. Times are seconds where unit is 's', else in
// the unit of the training file.
constexpr const char* kTraining = R"sql(
CREATE TABLE training_runs (
  id INTEGER PRIMARY KEY,
  created_utc TEXT NOT NULL,          -- ISO 8601
  tool_version TEXT NOT NULL,
  parameters TEXT NOT NULL,           -- the command line, as JSON
  name TEXT NOT NULL,
  kind TEXT NOT NULL,                 -- pipeline, data_parallel, multi_region or reverse_first_k_memory
  file TEXT NOT NULL,
  content_hash TEXT NOT NULL,         -- of everything that figures depend on
  unit TEXT,                          -- s, or NULL: the file's own
  model TEXT,                         -- NULL: the costs stand in the file
  machine TEXT,
  link TEXT,
  kernels TEXT,                       -- csr or dense
  devices INTEGER NOT NULL,
  best TEXT,                          -- name of the variant of the smallest makespan that fits; NULL: none
  best_makespan REAL
);
CREATE TABLE training_variants (
  run_id INTEGER NOT NULL REFERENCES training_runs(id) ON DELETE CASCADE,
  variant INTEGER NOT NULL,           -- from 0
  name TEXT NOT NULL,                 -- a policy, a link rule and k, ...
  best INTEGER NOT NULL,              -- the smallest makespan that fits
  PRIMARY KEY (run_id, variant)
) WITHOUT ROWID;
CREATE TABLE training_figures (
  run_id INTEGER NOT NULL REFERENCES training_runs(id) ON DELETE CASCADE,
  variant INTEGER NOT NULL,           -- of training_variants
  figure TEXT NOT NULL,               -- as in the JSON: makespan, busy, ...
  idx INTEGER,                        -- of a list's entry: device, layer, ...
  value NUMERIC NOT NULL
);
CREATE INDEX training_figures_by_run ON training_figures(run_id, variant, figure);
CREATE TABLE training_tasks (
  run_id INTEGER NOT NULL REFERENCES training_runs(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  variant INTEGER NOT NULL,           -- of training_variants
  resource TEXT NOT NULL,             -- device, stream or link
  kind TEXT NOT NULL,                 -- F, O, W or U; of a transfer: of what made the tensor
  transfer INTEGER NOT NULL,
  layer INTEGER NOT NULL,             -- 1-based
  micro_batch INTEGER NOT NULL,
  starts REAL NOT NULL,
  ends REAL NOT NULL,
  PRIMARY KEY (run_id, seq)
) WITHOUT ROWID;
CREATE VIEW training_summary AS
SELECT t.id AS run, t.name, t.kind, v.name AS variant, t.unit, f.value AS makespan,
       (SELECT b.value FROM training_figures b WHERE b.run_id = t.id AND b.variant = f.variant AND b.figure = 'bubble_fraction') AS bubble_fraction,
       (SELECT MAX(m.value) FROM training_figures m WHERE m.run_id = t.id AND m.variant = f.variant AND m.figure = 'peak_act_plus_grad')
         * COALESCE((SELECT s.value FROM training_figures s WHERE s.run_id = t.id AND s.variant = f.variant AND s.figure = 'tensor_size'), 1)
         AS peak_tensors,  -- in tensors of one of the file's micro-batches
      
       v.best, t.model, t.machine, t.link
FROM training_runs t JOIN training_variants v ON v.run_id = t.id
     JOIN training_figures f ON f.run_id = t.id AND f.variant = v.variant AND f.figure = 'makespan';
DROP VIEW run_summary;
CREATE VIEW run_summary AS
SELECT r.id, r.created_utc, r.command, r.search_id, r.model, r.pattern, r.schedule, r.depth, r.levels, r.ops, r.workers, r.flops,
       r.critical_path_level_flops, r.critical_path_dag_flops, r.steps, r.makespan_level_flops, r.makespan_dag_flops, r.peak_live_bytes,
       r.linear_flops, 1.0 * r.makespan_dag_flops / NULLIF(r.linear_flops, 0) AS makespan_dag_ratio_to_linear,
       r.baseline_flops, 1.0 * r.makespan_dag_flops / NULLIF(r.baseline_flops, 0) AS makespan_dag_ratio_to_baseline,
       s.objective, s.execution, s.scope, r.score, r.feasible, r.reason, r.depth IS s.best_depth AND s.id IS NOT NULL AS best,
       a.name AS machine, r.predicted_level_s, r.predicted_dag_s,
       (SELECT m.backend FROM measurements m WHERE m.run_id = r.id ORDER BY m.id DESC LIMIT 1) AS backend,
       (SELECT m.measured_s FROM measurements m WHERE m.run_id = r.id ORDER BY m.id DESC LIMIT 1) AS measured_s
FROM runs r LEFT JOIN searches s ON s.id = r.search_id LEFT JOIN machines a ON a.id = r.machine_id
UNION ALL
SELECT id, created_utc, 'training', NULL, name, NULL, best, NULL, NULL, NULL, devices, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL,
       NULL, NULL,
       NULL, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL, 0,
       machine, CASE unit WHEN 's' THEN best_makespan END, CASE unit WHEN 's' THEN best_makespan END,
       NULL, NULL
FROM training_runs;
)sql";

// Runs of recurrent models, and trainings: backward passes beside each other. Ids as before.
constexpr const char* kPasses = R"sql(
CREATE TABLE pass_runs (
  id INTEGER PRIMARY KEY,
  created_utc TEXT NOT NULL,          -- ISO 8601
  tool_version TEXT NOT NULL,
  command TEXT NOT NULL,              -- profile, search, validate or train
  parameters TEXT NOT NULL,           -- the command line, as JSON
  model TEXT NOT NULL,
  model_file TEXT NOT NULL,
  content_hash TEXT NOT NULL,         -- of the files; what options replaced stands in columns and parameters
  network TEXT NOT NULL,              -- rnn tanh, rnn relu, gru or operators
  hidden INTEGER,                     -- elements; NULL with operators
  steps INTEGER,                      -- T; NULL with operators
  batch INTEGER NOT NULL,
  fused INTEGER NOT NULL,             -- one Jacobian per step
  dtype TEXT NOT NULL,                -- fp32 or fp64
  machine TEXT,                       -- of a machine file
  device TEXT,                        -- what it ran on
  driver TEXT,
  workers INTEGER NOT NULL,
  forward_s REAL,                     -- measured, or with a machine predicted
  parameters_s REAL                   -- the same of the gradients of the parameters
);
CREATE TABLE passes (
  run_id INTEGER NOT NULL REFERENCES pass_runs(id) ON DELETE CASCADE,
  pass INTEGER NOT NULL,              -- from 0; 0 is the baseline of validate and train
  method TEXT NOT NULL,               -- bptt, linear, hybrid:L, blelloch, blocked:P, bp
  backend TEXT,
  best INTEGER,                       -- of the search, or the fastest that ran
  failure TEXT,                       -- why it did not run, or is infeasible
  mismatch TEXT,
  flops NUMERIC,                      -- of the batch; of one sequence in profile and search without a machine
  bytes NUMERIC,
  critical_path_flops NUMERIC,
  makespan_flops NUMERIC,
  predicted_jacobians_s REAL, predicted_up_s REAL, predicted_middle_s REAL, predicted_down_s REAL, predicted_s REAL,
  measured_jacobians_s REAL, measured_up_s REAL, measured_middle_s REAL, measured_down_s REAL, measured_s REAL,
  worst_share_of_bound REAL,
  loss_difference REAL,               -- largest from the curve of pass 0
  PRIMARY KEY (run_id, pass)
) WITHOUT ROWID;
CREATE TABLE losses (
  run_id INTEGER NOT NULL,
  pass INTEGER NOT NULL,
  iteration INTEGER NOT NULL,         -- from 0
  loss REAL NOT NULL,
  accuracy REAL NOT NULL,             -- of the batch
  PRIMARY KEY (run_id, pass, iteration),
  FOREIGN KEY (run_id, pass) REFERENCES passes(run_id, pass) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE VIEW pass_summary AS
SELECT r.id AS run, r.command, r.model, r.network, r.hidden, r.steps, r.batch, r.dtype, r.machine, r.workers,
       p.method, p.backend, p.flops, p.bytes, p.predicted_s, p.measured_s,
       p.predicted_s / NULLIF(p.measured_s, 0) - 1 AS error,
       COALESCE(p.measured_s, p.predicted_s) / NULLIF(COALESCE(b.measured_s, b.predicted_s), 0) AS ratio_to_first,
       p.worst_share_of_bound, p.mismatch, p.failure, p.loss_difference, p.best
FROM pass_runs r JOIN passes p ON p.run_id = r.id JOIN passes b ON b.run_id = r.id AND b.pass = 0;
DROP VIEW run_summary;
CREATE VIEW run_summary AS
SELECT r.id, r.created_utc, r.command, r.search_id, r.model, r.pattern, r.schedule, r.depth, r.levels, r.ops, r.workers, r.flops,
       r.critical_path_level_flops, r.critical_path_dag_flops, r.steps, r.makespan_level_flops, r.makespan_dag_flops, r.peak_live_bytes,
       r.linear_flops, 1.0 * r.makespan_dag_flops / NULLIF(r.linear_flops, 0) AS makespan_dag_ratio_to_linear,
       r.baseline_flops, 1.0 * r.makespan_dag_flops / NULLIF(r.baseline_flops, 0) AS makespan_dag_ratio_to_baseline,
       s.objective, s.execution, s.scope, r.score, r.feasible, r.reason, r.depth IS s.best_depth AND s.id IS NOT NULL AS best,
       a.name AS machine, r.predicted_level_s, r.predicted_dag_s,
       (SELECT m.backend FROM measurements m WHERE m.run_id = r.id ORDER BY m.id DESC LIMIT 1) AS backend,
       (SELECT m.measured_s FROM measurements m WHERE m.run_id = r.id ORDER BY m.id DESC LIMIT 1) AS measured_s
FROM runs r LEFT JOIN searches s ON s.id = r.search_id LEFT JOIN machines a ON a.id = r.machine_id
UNION ALL
SELECT id, created_utc, 'training', NULL, name, NULL, best, NULL, NULL, NULL, devices, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL,
       NULL, NULL,
       NULL, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL, 0,
       machine, CASE unit WHEN 's' THEN best_makespan END, CASE unit WHEN 's' THEN best_makespan END,
       NULL, NULL
FROM training_runs
UNION ALL
SELECT r.id, r.created_utc, r.command, NULL, r.model, NULL, p.method, NULL, NULL, NULL, r.workers, p.flops,
       NULL, p.critical_path_flops, NULL, NULL, p.makespan_flops, p.bytes,
       NULL, NULL,
       NULL, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL, r.command = 'search' AND COALESCE(p.best, 0),
       r.machine, p.predicted_s, NULL,
       p.backend, p.measured_s
FROM pass_runs r LEFT JOIN passes p ON p.run_id = r.id
     AND p.pass = COALESCE((SELECT q.pass FROM passes q WHERE q.run_id = r.id AND q.best = 1 ORDER BY q.pass LIMIT 1), 0);
)sql";

// Schedules that are not cut at a depth (runs.depth is -1), and networks with branches.
constexpr const char* kSchemes = R"sql(
ALTER TABLE searches ADD COLUMN best_schedule TEXT;     -- of all depths and schemes; NULL: none fits, or only depths were asked for
ALTER TABLE searches ADD COLUMN scheme_margin REAL;     -- runner-up's score over that of best_schedule, minus 1
ALTER TABLE runs ADD COLUMN graph_bp_flops NUMERIC;     -- plain back-propagation over the graph; NULL: no branches
ALTER TABLE runs ADD COLUMN formation_flops NUMERIC;    -- forming the Jacobians of blocks, additions included; NULL: no branches
DROP VIEW run_summary;
CREATE VIEW run_summary AS
SELECT r.id, r.created_utc, r.command, r.search_id, r.model, r.pattern, r.schedule, NULLIF(r.depth, -1) AS depth, r.levels, r.ops, r.workers, r.flops,
       r.critical_path_level_flops, r.critical_path_dag_flops, r.steps, r.makespan_level_flops, r.makespan_dag_flops, r.peak_live_bytes,
       r.linear_flops, 1.0 * r.makespan_dag_flops / NULLIF(r.linear_flops, 0) AS makespan_dag_ratio_to_linear,
       r.baseline_flops, 1.0 * r.makespan_dag_flops / NULLIF(r.baseline_flops, 0) AS makespan_dag_ratio_to_baseline,
       s.objective, s.execution, s.scope, r.score, r.feasible, r.reason, r.depth IS s.best_depth AND s.id IS NOT NULL AS best,
       a.name AS machine, r.predicted_level_s, r.predicted_dag_s,
       (SELECT m.backend FROM measurements m WHERE m.run_id = r.id ORDER BY m.id DESC LIMIT 1) AS backend,
       (SELECT m.measured_s FROM measurements m WHERE m.run_id = r.id ORDER BY m.id DESC LIMIT 1) AS measured_s,
       s.id IS NOT NULL AND r.schedule IS s.best_schedule AS best_of_all, r.graph_bp_flops, r.formation_flops
FROM runs r LEFT JOIN searches s ON s.id = r.search_id LEFT JOIN machines a ON a.id = r.machine_id
UNION ALL
SELECT id, created_utc, 'training', NULL, name, NULL, best, NULL, NULL, NULL, devices, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL,
       NULL, NULL,
       NULL, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL, 0,
       machine, CASE unit WHEN 's' THEN best_makespan END, CASE unit WHEN 's' THEN best_makespan END,
       NULL, NULL,
       0, NULL, NULL
FROM training_runs
UNION ALL
SELECT r.id, r.created_utc, r.command, NULL, r.model, NULL, p.method, NULL, NULL, NULL, r.workers, p.flops,
       NULL, p.critical_path_flops, NULL, NULL, p.makespan_flops, p.bytes,
       NULL, NULL,
       NULL, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL, r.command = 'search' AND COALESCE(p.best, 0),
       r.machine, p.predicted_s, NULL,
       p.backend, p.measured_s,
       r.command = 'search' AND COALESCE(p.best, 0), NULL, NULL
FROM pass_runs r LEFT JOIN passes p ON p.run_id = r.id
     AND p.pass = COALESCE((SELECT q.pass FROM passes q WHERE q.run_id = r.id AND q.best = 1 ORDER BY q.pass LIMIT 1), 0);
)sql";

}  // namespace

std::span<const char* const> migrations() {
  static const std::array kAll = {kTables,  kViews,         kMeasurements,    kTraining,          kPasses,
                                  kSchemes, study_schema(), picture_schema(), comparison_schema()};
  return kAll;
}

}  // namespace upsweep

-- The database as it stands now, and all that the program knows of it: a new one is made from this text, and one of an
-- older version gets from here what it has not or has otherwise (upgrade.hpp). Whoever changes something raises
-- kSchemaVersion in schema.hpp.
--
-- Counts are means over the inputs of a run: integers where the mean is one. Times of day are UTC, as ISO 8601.

-- Commands ------------------------------------------------------------------------------------------------------------

-- Every command that kept something. It goes with the last of what it kept. What it kept is in schedule_runs (with its
-- search, if it was one), step_runs, pass_sets, anchor_sets or study_grids; all runs of one validation have one command.
CREATE TABLE commands (
  id INTEGER PRIMARY KEY,
  created_utc TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  command TEXT NOT NULL,              -- profile, search, validate, train, training, anchors or study
  parameters TEXT NOT NULL,           -- the command line, as JSON
  rule TEXT,                          -- by which everything was counted; NULL: by a version that did not keep it
  verdict TEXT,                       -- sentences that it ended with; NULL: by a version that did not keep them
  verdict_ratio REAL,                 -- of the best scan to back-propagation of the kind that decides; NULL: none was compared
  verdict_details TEXT,               -- the object `verdict` of its JSON; NULL: nothing was compared, or a version that kept none
  explanation TEXT                    -- of a search, why: what `explain` says of its best scan, as JSON; NULL: not explained
);

-- Searches and runs of schedules --------------------------------------------------------------------------------------

CREATE TABLE searches (
  id INTEGER PRIMARY KEY,
  command_id INTEGER NOT NULL UNIQUE REFERENCES commands(id) ON DELETE CASCADE,
  objective TEXT NOT NULL,            -- time, critical-flops or work-flops
  execution TEXT NOT NULL,            -- level or dag
  scope TEXT NOT NULL,                -- all, or live: without dead ops
  workers INTEGER NOT NULL,
  memory_limit_bytes INTEGER,         -- NULL: none
  best_depth INTEGER,                 -- NULL: no candidate fits
  margin REAL,                        -- runner-up's score / best score - 1
  best_schedule TEXT,                 -- of all depths and schemes; NULL: none fits, or only depths were asked for
  scheme_margin REAL                  -- runner-up's score over that of best_schedule, minus 1
);

-- A schedule that was profiled, was a candidate of a search or was validated. Its id is no other's of step_runs,
-- pass_sets and anchor_sets: these take theirs from the sequence of this table. The view runs has the columns of its command, too.
CREATE TABLE schedule_runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  command_id INTEGER NOT NULL REFERENCES commands(id) ON DELETE CASCADE,
  search_id INTEGER REFERENCES searches(id) ON DELETE CASCADE,
  score REAL,                         -- of the search's objective; of a profile that of its verdict
  feasible INTEGER,                   -- of the search
  reason TEXT,                        -- why it is not feasible
  model TEXT NOT NULL,
  model_file TEXT NOT NULL,
  model_hash TEXT NOT NULL,           -- of the content: network, masks, values, inputs, seeds
  pattern TEXT NOT NULL,              -- guaranteed or sample
  inputs INTEGER NOT NULL,            -- over which the counts are means
  requested TEXT NOT NULL,            -- the schedule as it was asked for
  schedule TEXT NOT NULL,             -- linear, hybrid:D or the name of a scheme
  depth INTEGER NOT NULL,             -- -1: not cut at a depth
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
  peak_live_bytes NUMERIC NOT NULL,
  machine_id INTEGER REFERENCES machines(id),
  predicted_level_s REAL,             -- NULL, as the next two: no machine
  predicted_dag_s REAL,
  predicted_build_s REAL,             -- writing the Jacobian values of one iteration
  binding TEXT,                       -- workers, latency, bandwidth or arithmetic: twice as much of it helps most; NULL: no machine
  -- Of networks with branches, in FLOPs, makespans on the run's workers; NULL: no branches.
  graph_bp_flops NUMERIC,             -- plain back-propagation over the graph
  formation_flops NUMERIC,            -- forming the Jacobians of blocks, additions included
  graph_bp_makespan_level_flops NUMERIC,
  graph_bp_makespan_dag_flops NUMERIC,
  branch_makespan_level_flops NUMERIC,  -- what a scan leaves to do: Jacobians of blocks before it, gradients inside them after it
  branch_makespan_dag_flops NUMERIC,
  makespan_shared_flops NUMERIC,      -- where workers share ops, a barrier after each level; NULL, as the next: before version 12
  bound_shared_flops NUMERIC,         -- no schedule of such ops is shorter
  exact INTEGER,                      -- 0: counts of some products are estimates; NULL: before version 16, which had none
  flops_low REAL,                     -- 95 % intervals where counts are estimates, else NULL
  flops_high REAL,
  score_low REAL,
  score_high REAL,
  makespan_dag_low REAL,              -- of makespan_dag_flops
  makespan_dag_high REAL,
  makespan_shared_low REAL,
  makespan_shared_high REAL
);
CREATE INDEX runs_by_command ON schedule_runs(command_id);
CREATE INDEX runs_by_model ON schedule_runs(model_hash, depth);
CREATE INDEX runs_by_search ON schedule_runs(search_id);

CREATE TABLE operators (
  run_id INTEGER NOT NULL REFERENCES schedule_runs(id) ON DELETE CASCADE,
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
  run_id INTEGER NOT NULL REFERENCES schedule_runs(id) ON DELETE CASCADE,
  level INTEGER NOT NULL,
  phase TEXT NOT NULL,                -- up, middle or down
  ops INTEGER NOT NULL,
  flops_sum NUMERIC NOT NULL,
  flops_max NUMERIC NOT NULL,
  PRIMARY KEY (run_id, level)
) WITHOUT ROWID;
CREATE TABLE ops (
  run_id INTEGER NOT NULL REFERENCES schedule_runs(id) ON DELETE CASCADE,
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
  span NUMERIC,                       -- the least FLOPs, one after the other, where workers share it; NULL: before version 14
  exact INTEGER,                      -- as of schedule_runs, like the next
  flops_low REAL,
  flops_high REAL,
  nnz_low REAL,
  nnz_high REAL,
  PRIMARY KEY (run_id, id)
) WITHOUT ROWID;

-- Sparsity patterns of models, downsampled; those of models without runs go with the last run.
CREATE TABLE pattern_pictures (
  model_hash TEXT NOT NULL,           -- as schedule_runs.model_hash
  pattern TEXT NOT NULL,              -- guaranteed, or sample: at the first input
  first INTEGER NOT NULL,             -- of the scan array, from 1: the product of a[first] to a[last]
  last INTEGER NOT NULL,              -- equal to first for a Jacobian
  name TEXT NOT NULL,                 -- of the operator, the block, or the factors of the product
  rows INTEGER NOT NULL,
  cols INTEGER NOT NULL,
  nnz INTEGER NOT NULL,
  grid_rows INTEGER NOT NULL,         -- cell y covers rows floor(y * rows / grid_rows) to the next cell's
  grid_cols INTEGER NOT NULL,
  cells BLOB NOT NULL,                -- row by row, a byte each: ceil(255 * share of its places that are entries)
  PRIMARY KEY (model_hash, pattern, first, last)
) WITHOUT ROWID;

CREATE VIEW runs AS
SELECT r.id, c.created_utc, c.tool_version, c.command, c.parameters, r.search_id, r.score, r.feasible, r.reason, r.model,
       r.model_file, r.model_hash, r.pattern, r.inputs, r.requested, r.schedule, r.depth, r.length, r.levels, r.workers,
       r.ops, r.flops, r.critical_path_level_flops, r.critical_path_dag_flops, r.live_ops, r.live_flops,
       r.live_critical_path_level_flops, r.live_critical_path_dag_flops, r.baseline_flops, r.linear_flops,
       r.chain_build_values, r.chain_build_bytes, r.steps, r.per_step_flops, r.makespan_level_unit,
       r.makespan_level_flops, r.makespan_dag_unit, r.makespan_dag_flops, r.peak_live_bytes, r.machine_id,
       r.predicted_level_s, r.predicted_dag_s, r.predicted_build_s, r.graph_bp_flops, r.formation_flops, c.rule,
       r.binding, r.graph_bp_makespan_level_flops, r.graph_bp_makespan_dag_flops, r.branch_makespan_level_flops,
       r.branch_makespan_dag_flops, r.command_id, c.verdict, c.verdict_ratio, r.makespan_shared_flops,
       r.bound_shared_flops, COALESCE(r.exact, 1) AS exact, r.flops_low, r.flops_high, r.score_low, r.score_high,
       r.makespan_dag_low, r.makespan_dag_high, r.makespan_shared_low, r.makespan_shared_high, c.verdict_details
FROM schedule_runs r JOIN commands c ON c.id = r.command_id;

CREATE VIEW level_profile AS
SELECT l.run_id, r.model, r.pattern, r.schedule, l.level, l.phase, l.ops, l.flops_sum, l.flops_max,
       1.0 * l.flops_sum / NULLIF(r.flops, 0) AS share_of_flops,
       (SELECT SUM(o.dead) FROM ops o WHERE o.run_id = l.run_id AND o.level = l.level) AS dead_ops,
       (SELECT SUM(o.nnz) FROM ops o WHERE o.run_id = l.run_id AND o.level = l.level) AS nnz,
       (SELECT SUM(o.bytes) FROM ops o WHERE o.run_id = l.run_id AND o.level = l.level) AS bytes
FROM levels l JOIN schedule_runs r ON r.id = l.run_id;

CREATE VIEW op_profile AS
SELECT o.run_id, r.model, r.pattern, r.schedule, o.id, l.phase, o.level, o.left, o.right, o.target, o.kind, o.dead, o.m, o.k, o.n,
       o.left_nnz, o.right_nnz, o.nnz, 1.0 * o.nnz / (1.0 * o.m * o.n) AS density, o.products, o.flops, o.bytes, o.span,
       COALESCE(o.exact, 1) AS exact, o.flops_low, o.flops_high, o.nnz_low, o.nnz_high
FROM ops o JOIN levels l ON l.run_id = o.run_id AND l.level = o.level JOIN schedule_runs r ON r.id = o.run_id;

-- Machines and measurements -------------------------------------------------------------------------------------------

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

-- A run of a schedule on a backend. Times are those of one input.
CREATE TABLE measurements (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id INTEGER NOT NULL REFERENCES schedule_runs(id) ON DELETE CASCADE,
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
       NULL AS level, m.predicted_s, m.measured_s, m.predicted_s / m.measured_s - 1 AS error, r.command_id
FROM measurements m JOIN schedule_runs r ON r.id = m.run_id
UNION ALL
SELECT m.run_id, m.id, r.model, r.pattern, m.backend, m.workers, m.execution, r.schedule,
       l.level, l.predicted_s, l.measured_s, l.predicted_s / NULLIF(l.measured_s, 0) - 1, r.command_id
FROM measured_levels l JOIN measurements m ON m.id = l.measurement_id JOIN schedule_runs r ON r.id = m.run_id;

-- Simulated training steps --------------------------------------------------------------------------------------------

-- Times are seconds where unit is 's', else in the unit of the training file. The view training_runs has the columns of
-- its command, too.
CREATE TABLE step_runs (
  id INTEGER PRIMARY KEY,             -- of the sequence of schedule_runs
  command_id INTEGER NOT NULL UNIQUE REFERENCES commands(id) ON DELETE CASCADE,
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
  run_id INTEGER NOT NULL REFERENCES step_runs(id) ON DELETE CASCADE,
  variant INTEGER NOT NULL,           -- from 0
  name TEXT NOT NULL,                 -- a policy, a link rule and k, ...
  best INTEGER NOT NULL,              -- the smallest makespan that fits
  PRIMARY KEY (run_id, variant)
) WITHOUT ROWID;
CREATE TABLE training_figures (
  run_id INTEGER NOT NULL REFERENCES step_runs(id) ON DELETE CASCADE,
  variant INTEGER NOT NULL,           -- of training_variants
  figure TEXT NOT NULL,               -- as in the JSON: makespan, busy, ...
  idx INTEGER,                        -- of a list's entry: device, layer, ...
  value NUMERIC NOT NULL
);
CREATE INDEX training_figures_by_run ON training_figures(run_id, variant, figure);
CREATE TABLE training_tasks (
  run_id INTEGER NOT NULL REFERENCES step_runs(id) ON DELETE CASCADE,
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

CREATE VIEW training_runs AS
SELECT t.id, c.created_utc, c.tool_version, c.parameters, t.name, t.kind, t.file, t.content_hash, t.unit, t.model, t.machine,
       t.link, t.kernels, t.devices, t.best, t.best_makespan, t.command_id, c.verdict, c.verdict_ratio, c.verdict_details
FROM step_runs t JOIN commands c ON c.id = t.command_id;

CREATE VIEW training_summary AS
SELECT t.id AS run, t.name, t.kind, v.name AS variant, t.unit, f.value AS makespan,
       (SELECT b.value FROM training_figures b WHERE b.run_id = t.id AND b.variant = f.variant AND b.figure = 'bubble_fraction') AS bubble_fraction,
       (SELECT MAX(m.value) FROM training_figures m WHERE m.run_id = t.id AND m.variant = f.variant AND m.figure = 'peak_act_plus_grad')
         * COALESCE((SELECT s.value FROM training_figures s WHERE s.run_id = t.id AND s.variant = f.variant AND s.figure = 'tensor_size'), 1)
         AS peak_tensors,  -- in tensors of one of the file's micro-batches
       v.best, t.model, t.machine, t.link
FROM step_runs t JOIN training_variants v ON v.run_id = t.id
     JOIN training_figures f ON f.run_id = t.id AND f.variant = v.variant AND f.figure = 'makespan';

-- Backward passes beside each other: runs of recurrent models, and trainings ------------------------------------------

-- The view pass_runs has the columns of its command, too.
CREATE TABLE pass_sets (
  id INTEGER PRIMARY KEY,             -- of the sequence of schedule_runs
  command_id INTEGER NOT NULL UNIQUE REFERENCES commands(id) ON DELETE CASCADE,
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
  run_id INTEGER NOT NULL REFERENCES pass_sets(id) ON DELETE CASCADE,
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

CREATE VIEW pass_runs AS
SELECT p.id, c.created_utc, c.tool_version, c.command, c.parameters, p.model, p.model_file, p.content_hash, p.network, p.hidden,
       p.steps, p.batch, p.fused, p.dtype, p.machine, p.device, p.driver, p.workers, p.forward_s, p.parameters_s,
       p.command_id, c.verdict, c.verdict_ratio, c.verdict_details
FROM pass_sets p JOIN commands c ON c.id = p.command_id;

CREATE VIEW pass_summary AS
SELECT r.id AS run, r.command, r.model, r.network, r.hidden, r.steps, r.batch, r.dtype, r.machine, r.workers,
       p.method, p.backend, p.flops, p.bytes, p.predicted_s, p.measured_s,
       p.predicted_s / NULLIF(p.measured_s, 0) - 1 AS error,
       COALESCE(p.measured_s, p.predicted_s) / NULLIF(COALESCE(b.measured_s, b.predicted_s), 0) AS ratio_to_first,
       p.worst_share_of_bound, p.mismatch, p.failure, p.loss_difference, p.best
FROM pass_runs r JOIN passes p ON p.run_id = r.id JOIN passes b ON b.run_id = r.id AND b.pass = 0;

-- Published times beside predictions -----------------------------------------------------------------------------------

-- The view anchor_runs has the columns of its command, too.
CREATE TABLE anchor_sets (
  id INTEGER PRIMARY KEY,             -- of the sequence of schedule_runs
  command_id INTEGER NOT NULL UNIQUE REFERENCES commands(id) ON DELETE CASCADE,
  files TEXT NOT NULL,                -- the tables, with commas
  content_hash TEXT NOT NULL          -- of the tables and the machines that predict
);
CREATE TABLE anchor_families (
  run_id INTEGER NOT NULL REFERENCES anchor_sets(id) ON DELETE CASCADE,
  number INTEGER NOT NULL,            -- from 0
  family TEXT NOT NULL,               -- spgemm, scan, recurrent, ...
  device TEXT NOT NULL,
  library TEXT NOT NULL,
  machine TEXT,                       -- NULL: nobody knows the device
  line_count INTEGER NOT NULL,        -- of the tables
  skipped INTEGER NOT NULL,           -- of these neither predicted nor a failure of the library
  fitted INTEGER NOT NULL,            -- of the predicted ones those that rates rest on
  left_out INTEGER NOT NULL,          -- of these those that are predicted without their structure
  coverage REAL,                      -- share of times within their intervals
  failures_predicted INTEGER NOT NULL,
  failures_missed INTEGER NOT NULL,
  false_alarms INTEGER NOT NULL,
  fitted_on TEXT NOT NULL,            -- a sentence for each line
  -- Errors |predicted / measured - 1|: of predictions, of those with all rows, of the datasheet's roofline; NULL: of no point.
  error_points INTEGER NOT NULL, error_mean REAL, error_median REAL, error_p90 REAL, error_max REAL,
  in_sample_points INTEGER NOT NULL, in_sample_mean REAL, in_sample_median REAL, in_sample_p90 REAL, in_sample_max REAL,
  bound_points INTEGER NOT NULL, bound_mean REAL, bound_median REAL, bound_p90 REAL, bound_max REAL,
  PRIMARY KEY (run_id, number)
) WITHOUT ROWID;
CREATE TABLE anchor_points (
  run_id INTEGER NOT NULL REFERENCES anchor_sets(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,               -- in the order of the tables
  family INTEGER NOT NULL,            -- anchor_families.number
  file TEXT NOT NULL,
  line INTEGER NOT NULL,
  matrix TEXT,
  algorithm TEXT,
  status TEXT NOT NULL,               -- ok, library_error, ...
  predicted_status TEXT,              -- NULL: nothing is predicted
  measured_s REAL,
  predicted_s REAL,                   -- where left_out, by rates without its structure
  low_s REAL,                         -- four times in five it is from here
  high_s REAL,                        -- to here
  in_sample_s REAL,                   -- where fitted, by rates with its structure
  bound_s REAL,                       -- by the datasheet alone
  binds TEXT,                         -- what most of the predicted time is
  fitted INTEGER NOT NULL,
  left_out INTEGER NOT NULL,
  skipped TEXT,                       -- why nothing is predicted
  PRIMARY KEY (run_id, seq)
) WITHOUT ROWID;

CREATE VIEW anchor_runs AS
SELECT a.id, c.created_utc, c.tool_version, c.parameters, a.files, a.content_hash, a.command_id
FROM anchor_sets a JOIN commands c ON c.id = a.command_id;

CREATE VIEW anchor_summary AS
SELECT run_id AS run, family, device, library, machine, error_points AS points, error_median, error_p90, in_sample_median,
       in_sample_p90, bound_median, bound_p90, coverage, skipped, failures_predicted, failures_missed, false_alarms
FROM anchor_families;

-- Runs of every kind --------------------------------------------------------------------------------------------------

CREATE VIEW run_summary AS
SELECT r.id, r.created_utc, r.command, r.search_id, r.model, r.pattern, r.schedule, NULLIF(r.depth, -1) AS depth, r.levels, r.ops, r.workers, r.flops,
       r.critical_path_level_flops, r.critical_path_dag_flops, r.steps, r.makespan_level_flops, r.makespan_dag_flops, r.peak_live_bytes,
       r.linear_flops, 1.0 * r.makespan_dag_flops / NULLIF(r.linear_flops, 0) AS makespan_dag_ratio_to_linear,
       r.baseline_flops, 1.0 * r.makespan_dag_flops / NULLIF(r.baseline_flops, 0) AS makespan_dag_ratio_to_baseline,
       s.objective, s.execution, s.scope, r.score, r.feasible, r.reason, r.depth IS s.best_depth AND s.id IS NOT NULL AS best,
       a.name AS machine, r.predicted_level_s, r.predicted_dag_s,
       (SELECT m.backend FROM measurements m WHERE m.run_id = r.id ORDER BY m.id DESC LIMIT 1) AS backend,
       (SELECT m.measured_s FROM measurements m WHERE m.run_id = r.id ORDER BY m.id DESC LIMIT 1) AS measured_s,
       s.id IS NOT NULL AND r.schedule IS s.best_schedule AS best_of_all, r.graph_bp_flops, r.formation_flops, r.command_id,
       r.exact, r.flops_low, r.flops_high
FROM runs r LEFT JOIN searches s ON s.id = r.search_id LEFT JOIN machines a ON a.id = r.machine_id
UNION ALL
SELECT id, created_utc, 'training', NULL, name, NULL, best, NULL, NULL, NULL, devices, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL,
       NULL, NULL,
       NULL, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL, 0,
       machine, CASE unit WHEN 's' THEN best_makespan END, CASE unit WHEN 's' THEN best_makespan END,
       NULL, NULL,
       0, NULL, NULL, command_id,
       NULL, NULL, NULL
FROM training_runs
UNION ALL
SELECT r.id, r.created_utc, r.command, NULL, r.model, NULL, p.method, NULL, NULL, NULL, r.workers, p.flops,
       NULL, p.critical_path_flops, NULL, NULL, p.makespan_flops, p.bytes,
       NULL, NULL,
       NULL, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL, r.command = 'search' AND COALESCE(p.best, 0),
       r.machine, p.predicted_s, NULL,
       p.backend, p.measured_s,
       r.command = 'search' AND COALESCE(p.best, 0), NULL, NULL, r.command_id,
       NULL, NULL, NULL
FROM pass_runs r LEFT JOIN passes p ON p.run_id = r.id
     AND p.pass = COALESCE((SELECT q.pass FROM passes q WHERE q.run_id = r.id AND q.best = 1 ORDER BY q.pass LIMIT 1), 0)
UNION ALL
SELECT id, created_utc, 'anchors', NULL, files, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL,
       NULL, NULL,
       NULL, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL, 0,
       NULL, NULL, NULL,
       NULL, NULL,
       0, NULL, NULL, command_id,
       NULL, NULL, NULL
FROM anchor_runs;

-- What-if studies -----------------------------------------------------------------------------------------------------

-- There is one of a content, rule and tool version; its command is the one that began it. The view studies has the
-- columns of that, too.
CREATE TABLE study_grids (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  command_id INTEGER NOT NULL UNIQUE REFERENCES commands(id) ON DELETE CASCADE,
  finished_utc TEXT,                  -- of the last answers; NULL: none yet
  name TEXT NOT NULL,
  file TEXT NOT NULL,
  content_hash TEXT NOT NULL,         -- of the file and of the models and machines that it names; not of
                                      -- what these name (masks, weights, samples), which is in point_results.key
  text TEXT NOT NULL,                 -- of the file
  points INTEGER NOT NULL,            -- of the grid
  complete INTEGER NOT NULL           -- 1: every point has its row, and the answers are those of all points
);
CREATE INDEX studies_by_content ON study_grids(content_hash);
CREATE TABLE study_axes (
  study_id INTEGER NOT NULL REFERENCES study_grids(id) ON DELETE CASCADE,
  axis INTEGER NOT NULL,              -- from 0, the last one fastest
  name TEXT NOT NULL,
  axis_values TEXT NOT NULL,          -- of its first column, as a JSON array
  PRIMARY KEY (study_id, axis)
) WITHOUT ROWID;

-- What a point comes to, by the content of everything that this depends on; studies share these. Counts are those of
-- the whole batch, means over the inputs of the pattern: integers where the mean is one.
CREATE TABLE point_results (
  key BLOB PRIMARY KEY,               -- 16 bytes: a hash of model, pattern, machine, settings, rule and tool version
  status TEXT NOT NULL,               -- done or infeasible
  reason TEXT,                        -- why it is infeasible
  unit TEXT NOT NULL,                 -- of scores: s or FLOPs
  exact INTEGER NOT NULL,             -- 0: counts are expectations
  workers INTEGER NOT NULL,
  elements INTEGER NOT NULL,          -- of the chain
  margin REAL,                        -- runner-up's score / best score - 1; NULL without a runner-up
  chain_build_values NUMERIC,
  largest_jacobian_bytes NUMERIC,     -- as CSR
  largest_vector_bytes NUMERIC,       -- of the gradients between the elements
  bppsa_bytes NUMERIC,                -- of one worker, by formula
  pipeline_bytes NUMERIC,             -- of one worker, by formula
  memory_limit NUMERIC,               -- bytes; NULL: none
  dense_score REAL,                   -- seconds of dense back-propagation; NULL where not predicted
  graph_score REAL,                   -- plain back-propagation over a graph with branches, in unit; NULL without, and before version 15
  blocks_score REAL,                  -- on top of a scan beside that: forming Jacobians of blocks, gradients inside them
  model_hash TEXT NOT NULL,
  machine_hash TEXT,                  -- NULL without a machine
  settings TEXT NOT NULL,
  best_schedule TEXT,                 -- the best feasible one of those asked for; all best_ columns are NULL without one
  best_depth INTEGER,                 -- of linear and hybrids
  best_feasible INTEGER,
  best_reason TEXT,                   -- why it is infeasible
  best_score REAL,                    -- of the objective, in unit
  best_levels NUMERIC,
  best_ops NUMERIC,
  best_flops NUMERIC,
  best_critical_path_flops NUMERIC,   -- of one input
  best_steps NUMERIC,                 -- S_p
  best_per_step_flops NUMERIC,        -- P
  best_peak_live_bytes NUMERIC,
  -- The same of plain back-propagation; NULL where it is the best one.
  plain_is_best INTEGER NOT NULL,
  plain_schedule TEXT, plain_depth INTEGER, plain_feasible INTEGER, plain_reason TEXT, plain_score REAL, plain_levels NUMERIC,
  plain_ops NUMERIC, plain_flops NUMERIC, plain_critical_path_flops NUMERIC, plain_steps NUMERIC, plain_per_step_flops NUMERIC,
  plain_peak_live_bytes NUMERIC,
  -- The same of the best scan: the schedule with the smallest score that is not plain back-propagation, of the feasible
  -- ones where there are such; NULL where it is the best one, or without scans.
  scan_is_best INTEGER NOT NULL,
  scan_schedule TEXT, scan_depth INTEGER, scan_feasible INTEGER, scan_reason TEXT, scan_score REAL, scan_levels NUMERIC,
  scan_ops NUMERIC, scan_flops NUMERIC, scan_critical_path_flops NUMERIC, scan_steps NUMERIC, scan_per_step_flops NUMERIC,
  scan_peak_live_bytes NUMERIC
);
CREATE TABLE study_members (
  study_id INTEGER NOT NULL REFERENCES study_grids(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,          -- in the grid, from 0
  key BLOB REFERENCES point_results(key),  -- NULL: excluded or invalid
  status TEXT NOT NULL,               -- done, infeasible, invalid or excluded
  reason TEXT,                        -- why it is invalid or excluded
  coordinates TEXT NOT NULL,          -- JSON object: value by axis path
  PRIMARY KEY (study_id, position)
) WITHOUT ROWID;
CREATE TABLE study_answers (
  study_id INTEGER NOT NULL REFERENCES study_grids(id) ON DELETE CASCADE,
  answer INTEGER NOT NULL,            -- from 0
  question TEXT NOT NULL,             -- best, crossover, capacity, fewest_workers, top or pareto; ops: what rules of ops mean here
  place TEXT,                         -- values of the other axes as a JSON object; NULL: of all points
  sentence TEXT NOT NULL,
  details TEXT NOT NULL,              -- JSON object
  PRIMARY KEY (study_id, answer)
) WITHOUT ROWID;
-- A cache: what is missing here is counted again.
CREATE TABLE counted_models (
  key BLOB PRIMARY KEY,               -- 16 bytes: a hash of model and pattern
  used INTEGER NOT NULL,              -- the larger, the later
  bytes INTEGER NOT NULL,             -- of content
  content BLOB NOT NULL
);
CREATE INDEX counted_models_by_use ON counted_models(used, bytes);

CREATE VIEW studies AS
SELECT s.id, c.created_utc, s.finished_utc, c.tool_version, c.parameters, c.rule, s.name, s.file, s.content_hash, s.text, s.points,
       s.complete, s.command_id, c.verdict, c.verdict_ratio, c.verdict_details
FROM study_grids s JOIN commands c ON c.id = s.command_id;

CREATE VIEW study_points AS
SELECT study, position, coordinates, status, reason, schedule, depth, score, unit, plain_score, dense_score, graph_score,
       blocks_score, scan_schedule, scan_score,
       -- of the scan over back-propagation without one, plain or, where known and faster, dense or over the graph; beside
       -- these two with what blocks take
       MIN(plain_score / NULLIF(scan_score, 0),
           COALESCE(MIN(dense_score, graph_score), dense_score, graph_score, plain_score)
             / NULLIF(scan_score + COALESCE(blocks_score, 0), 0)) AS speedup,
       margin, workers, flops, levels, ops, steps, per_step_flops, critical_path_flops, peak_live_bytes, plain_bytes,
       scan_bytes, bppsa_bytes, pipeline_bytes, memory_limit, exact, elements, model_hash, machine_hash, settings
FROM (SELECT m.study_id AS study, m.position, m.coordinates, m.status, COALESCE(m.reason, r.reason) AS reason,
             r.best_schedule AS schedule, r.best_depth AS depth, r.best_score AS score, r.unit,
             IIF(r.plain_is_best, r.best_score, r.plain_score) AS plain_score, r.dense_score,
             r.graph_score, r.blocks_score,
             IIF(r.scan_is_best, r.best_schedule, r.scan_schedule) AS scan_schedule,
             CASE WHEN r.scan_is_best THEN r.best_score WHEN r.scan_feasible THEN r.scan_score END AS scan_score,
             r.margin, r.workers, r.best_flops AS flops, r.best_levels AS levels, r.best_ops AS ops,
             r.best_steps AS steps, r.best_per_step_flops AS per_step_flops,
             r.best_critical_path_flops AS critical_path_flops, r.best_peak_live_bytes AS peak_live_bytes,
             IIF(r.plain_is_best, r.best_peak_live_bytes, r.plain_peak_live_bytes) AS plain_bytes,
             IIF(r.scan_is_best, r.best_peak_live_bytes, r.scan_peak_live_bytes) AS scan_bytes,
             r.bppsa_bytes, r.pipeline_bytes, r.memory_limit, r.exact, r.elements, r.model_hash, r.machine_hash, r.settings
      FROM study_members m LEFT JOIN point_results r ON r.key = m.key);

-- Of each study, and of each unit where some points are scored in seconds and others in FLOPs.
CREATE VIEW study_best AS
SELECT s.id AS study, s.name, p.best, p.position, p.coordinates, p.schedule, p.score, p.unit, p.plain_score, p.dense_score,
       p.graph_score, p.blocks_score, p.scan_schedule, p.scan_score, p.speedup, p.workers, p.peak_live_bytes
FROM (SELECT 'score' AS best, *, ROW_NUMBER() OVER (PARTITION BY study, unit ORDER BY score, position) AS place
      FROM study_points WHERE score IS NOT NULL
      UNION ALL
      SELECT 'speedup', *, ROW_NUMBER() OVER (PARTITION BY study, unit ORDER BY speedup DESC, position)
      FROM study_points WHERE speedup IS NOT NULL) p
     JOIN study_grids s ON s.id = p.study
WHERE p.place = 1;

-- Runs of recurrent models, and trainings: backward passes beside each other. Ids as before.
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

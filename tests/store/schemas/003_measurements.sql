-- Predictions of machine models and measurements. Times are those of one input.
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

-- Simulated training steps. Their ids and those of runs are one sequence. Times are seconds where unit is 's', else in
-- the unit of the training file.
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

-- Counts are means over the inputs of the run: integers where the mean is one.
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

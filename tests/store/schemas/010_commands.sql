-- One row for each command, on which all that it kept hangs: before, every table repeated what it says of its command,
-- and what one validation wrote had the command line and the second in common.
--
-- Ids of commands here: that of a command's first run; of studies, which are numbered by themselves, what follows.

CREATE TABLE commands (
  id INTEGER PRIMARY KEY,
  created_utc TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  command TEXT NOT NULL,
  parameters TEXT NOT NULL,
  rule TEXT
);

-- Command by run. Runs of one search were written together, and so were validations of one model by one command line in
-- one second.
CREATE TABLE commands_of_runs AS
SELECT id AS run_id,
       MIN(id) OVER (PARTITION BY search_id,
                                  IIF(search_id IS NULL AND command <> 'validate', id, NULL),
                                  IIF(search_id IS NULL, created_utc, NULL),
                                  IIF(search_id IS NULL, parameters, NULL),
                                  IIF(search_id IS NULL, model_hash, NULL),
                                  IIF(search_id IS NULL, tool_version, NULL),
                                  IIF(search_id IS NULL, rule, NULL)) AS command_id
FROM runs;
CREATE UNIQUE INDEX commands_by_run ON commands_of_runs(run_id);
-- Studies come behind all ids that runs had.
CREATE TABLE commands_of_studies AS
SELECT id AS study_id, id + (SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = 'runs') AS command_id FROM studies;

INSERT INTO commands
SELECT id, created_utc, tool_version, command, parameters, rule FROM runs WHERE id IN (SELECT command_id FROM commands_of_runs)
UNION ALL
SELECT id, created_utc, tool_version, 'training', parameters, NULL FROM training_runs
UNION ALL
SELECT id, created_utc, tool_version, command, parameters, NULL FROM pass_runs
UNION ALL
SELECT c.command_id, s.created_utc, s.tool_version, 'study', s.parameters, s.rule
FROM studies s JOIN commands_of_studies c ON c.study_id = s.id;

-- Searches without runs, as nothing of ours leaves them, go.
CREATE TABLE searches_new (
  id INTEGER PRIMARY KEY,
  command_id INTEGER NOT NULL UNIQUE REFERENCES commands(id) ON DELETE CASCADE,
  objective TEXT NOT NULL,
  execution TEXT NOT NULL,
  scope TEXT NOT NULL,
  workers INTEGER NOT NULL,
  memory_limit_bytes INTEGER,
  best_depth INTEGER,
  margin REAL,
  best_schedule TEXT,
  scheme_margin REAL
);
INSERT INTO searches_new
SELECT t.id, c.command_id, t.objective, t.execution, t.scope, t.workers, t.memory_limit_bytes, t.best_depth,
       t.margin, t.best_schedule, t.scheme_margin
FROM searches t JOIN (SELECT r.search_id, MIN(c.command_id) AS command_id FROM runs r JOIN commands_of_runs c ON c.run_id = r.id
                       GROUP BY r.search_id) c ON c.search_id = t.id;
DROP TABLE searches;
ALTER TABLE searches_new RENAME TO searches;

-- A table is renamed first, so that those that refer to it go along, and then replaced by one of the same name.
ALTER TABLE runs RENAME TO schedule_runs;
CREATE TABLE schedule_runs_new (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  command_id INTEGER NOT NULL REFERENCES commands(id) ON DELETE CASCADE,
  search_id INTEGER REFERENCES searches(id) ON DELETE CASCADE,
  score REAL,
  feasible INTEGER,
  reason TEXT,
  model TEXT NOT NULL,
  model_file TEXT NOT NULL,
  model_hash TEXT NOT NULL,
  pattern TEXT NOT NULL,
  inputs INTEGER NOT NULL,
  requested TEXT NOT NULL,
  schedule TEXT NOT NULL,
  depth INTEGER NOT NULL,
  length INTEGER NOT NULL,
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
  predicted_level_s REAL,
  predicted_dag_s REAL,
  predicted_build_s REAL,
  binding TEXT,
  graph_bp_flops NUMERIC,
  formation_flops NUMERIC,
  graph_bp_makespan_level_flops NUMERIC,
  graph_bp_makespan_dag_flops NUMERIC,
  branch_makespan_level_flops NUMERIC,
  branch_makespan_dag_flops NUMERIC
);
INSERT INTO schedule_runs_new
SELECT t.id, c.command_id, t.search_id, t.score, t.feasible, t.reason, t.model, t.model_file, t.model_hash,
       t.pattern, t.inputs, t.requested, t.schedule, t.depth, t.length, t.levels, t.workers, t.ops, t.flops,
       t.critical_path_level_flops, t.critical_path_dag_flops, t.live_ops, t.live_flops,
       t.live_critical_path_level_flops, t.live_critical_path_dag_flops, t.baseline_flops, t.linear_flops,
       t.chain_build_values, t.chain_build_bytes, t.steps, t.per_step_flops, t.makespan_level_unit,
       t.makespan_level_flops, t.makespan_dag_unit, t.makespan_dag_flops, t.peak_live_bytes, t.machine_id,
       t.predicted_level_s, t.predicted_dag_s, t.predicted_build_s, t.binding, t.graph_bp_flops,
       t.formation_flops, t.graph_bp_makespan_level_flops, t.graph_bp_makespan_dag_flops,
       t.branch_makespan_level_flops, t.branch_makespan_dag_flops
FROM schedule_runs t JOIN commands_of_runs c ON c.run_id = t.id;
DELETE FROM sqlite_sequence WHERE name = 'schedule_runs_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'schedule_runs_new', seq FROM sqlite_sequence WHERE name = 'schedule_runs';
DROP TABLE schedule_runs;
ALTER TABLE schedule_runs_new RENAME TO schedule_runs;

CREATE INDEX runs_by_command ON schedule_runs(command_id);
CREATE INDEX runs_by_model ON schedule_runs(model_hash, depth);
CREATE INDEX runs_by_search ON schedule_runs(search_id);

ALTER TABLE training_runs RENAME TO step_runs;
CREATE TABLE step_runs_new (
  id INTEGER PRIMARY KEY,
  command_id INTEGER NOT NULL UNIQUE REFERENCES commands(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  file TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  unit TEXT,
  model TEXT,
  machine TEXT,
  link TEXT,
  kernels TEXT,
  devices INTEGER NOT NULL,
  best TEXT,
  best_makespan REAL
);
INSERT INTO step_runs_new
SELECT t.id, t.id AS command_id, t.name, t.kind, t.file, t.content_hash, t.unit, t.model, t.machine, t.link,
       t.kernels, t.devices, t.best, t.best_makespan
FROM step_runs t;
DROP TABLE step_runs;
ALTER TABLE step_runs_new RENAME TO step_runs;

ALTER TABLE pass_runs RENAME TO pass_sets;
CREATE TABLE pass_sets_new (
  id INTEGER PRIMARY KEY,
  command_id INTEGER NOT NULL UNIQUE REFERENCES commands(id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  model_file TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  network TEXT NOT NULL,
  hidden INTEGER,
  steps INTEGER,
  batch INTEGER NOT NULL,
  fused INTEGER NOT NULL,
  dtype TEXT NOT NULL,
  machine TEXT,
  device TEXT,
  driver TEXT,
  workers INTEGER NOT NULL,
  forward_s REAL,
  parameters_s REAL
);
INSERT INTO pass_sets_new
SELECT t.id, t.id AS command_id, t.model, t.model_file, t.content_hash, t.network, t.hidden, t.steps, t.batch,
       t.fused, t.dtype, t.machine, t.device, t.driver, t.workers, t.forward_s, t.parameters_s
FROM pass_sets t;
DROP TABLE pass_sets;
ALTER TABLE pass_sets_new RENAME TO pass_sets;

ALTER TABLE studies RENAME TO study_grids;
CREATE TABLE study_grids_new (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  command_id INTEGER NOT NULL UNIQUE REFERENCES commands(id) ON DELETE CASCADE,
  finished_utc TEXT,
  name TEXT NOT NULL,
  file TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  text TEXT NOT NULL,
  points INTEGER NOT NULL,
  complete INTEGER NOT NULL
);
INSERT INTO study_grids_new
SELECT t.id, c.command_id, t.finished_utc, t.name, t.file, t.content_hash, t.text, t.points, t.complete
FROM study_grids t JOIN commands_of_studies c ON c.study_id = t.id;
DELETE FROM sqlite_sequence WHERE name = 'study_grids_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'study_grids_new', seq FROM sqlite_sequence WHERE name = 'study_grids';
DROP TABLE study_grids;
ALTER TABLE study_grids_new RENAME TO study_grids;

CREATE INDEX studies_by_content ON study_grids(content_hash);

DROP TABLE commands_of_runs;
DROP TABLE commands_of_studies;

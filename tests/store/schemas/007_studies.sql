ALTER TABLE runs ADD COLUMN rule TEXT;  -- by which everything was counted; NULL: written before schema version 7
CREATE TABLE studies (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  created_utc TEXT NOT NULL,          -- ISO 8601
  finished_utc TEXT,                  -- of the last answers; NULL: none yet
  tool_version TEXT NOT NULL,
  parameters TEXT NOT NULL,           -- the command line that began it, as JSON
  rule TEXT NOT NULL,                 -- by which everything is counted
  name TEXT NOT NULL,
  file TEXT NOT NULL,
  content_hash TEXT NOT NULL,         -- of the file and of the models and machines that it names; not of
                                      -- what these name (masks, weights, samples), which is in point_results.key
  text TEXT NOT NULL,                 -- of the file
  points INTEGER NOT NULL,            -- of the grid
  complete INTEGER NOT NULL,          -- 1: every point has its row, and the answers are those of all points
  UNIQUE (content_hash, rule, tool_version)
);
CREATE TABLE study_axes (
  study_id INTEGER NOT NULL REFERENCES studies(id) ON DELETE CASCADE,
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
  study_id INTEGER NOT NULL REFERENCES studies(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,          -- in the grid, from 0
  key BLOB REFERENCES point_results(key),  -- NULL: excluded or invalid
  status TEXT NOT NULL,               -- done, infeasible, invalid or excluded
  reason TEXT,                        -- why it is invalid or excluded
  coordinates TEXT NOT NULL,          -- JSON object: value by axis path
  PRIMARY KEY (study_id, position)
) WITHOUT ROWID;
CREATE TABLE study_answers (
  study_id INTEGER NOT NULL REFERENCES studies(id) ON DELETE CASCADE,
  answer INTEGER NOT NULL,            -- from 0
  question TEXT NOT NULL,             -- best, crossover, capacity, fewest_workers, top or pareto
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
CREATE VIEW study_points AS
SELECT study, position, coordinates, status, reason, schedule, depth, score, unit, plain_score, scan_schedule, scan_score,
       plain_score / NULLIF(scan_score, 0) AS speedup,  -- of the scan over plain back-propagation
       margin, workers, flops, levels, ops, steps, per_step_flops, critical_path_flops, peak_live_bytes, plain_bytes,
       scan_bytes, bppsa_bytes, pipeline_bytes, memory_limit, exact, elements, model_hash, machine_hash, settings
FROM (SELECT m.study_id AS study, m.position, m.coordinates, m.status, COALESCE(m.reason, r.reason) AS reason,
             r.best_schedule AS schedule, r.best_depth AS depth, r.best_score AS score, r.unit,
             IIF(r.plain_is_best, r.best_score, r.plain_score) AS plain_score,
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
SELECT s.id AS study, s.name, p.best, p.position, p.coordinates, p.schedule, p.score, p.unit, p.plain_score,
       p.scan_schedule, p.scan_score, p.speedup, p.workers, p.peak_live_bytes
FROM (SELECT 'score' AS best, *, ROW_NUMBER() OVER (PARTITION BY study, unit ORDER BY score, position) AS place
      FROM study_points WHERE score IS NOT NULL
      UNION ALL
      SELECT 'speedup', *, ROW_NUMBER() OVER (PARTITION BY study, unit ORDER BY speedup DESC, position)
      FROM study_points WHERE speedup IS NOT NULL) p
     JOIN studies s ON s.id = p.study
WHERE p.place = 1;

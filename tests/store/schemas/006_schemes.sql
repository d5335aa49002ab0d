-- Schedules that are not cut at a depth (runs.depth is -1), and networks with branches.
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

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

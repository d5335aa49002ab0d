ALTER TABLE runs ADD COLUMN binding TEXT;                        -- workers, latency, bandwidth or arithmetic: twice as much of it helps most; NULL: no machine
-- Of networks with branches, on the run's workers, in FLOPs; NULL: no branches.
ALTER TABLE runs ADD COLUMN graph_bp_makespan_level_flops NUMERIC;  -- plain back-propagation over the graph
ALTER TABLE runs ADD COLUMN graph_bp_makespan_dag_flops NUMERIC;
ALTER TABLE runs ADD COLUMN branch_makespan_level_flops NUMERIC;    -- what a scan leaves to do: Jacobians of blocks before it, gradients inside them after it
ALTER TABLE runs ADD COLUMN branch_makespan_dag_flops NUMERIC;

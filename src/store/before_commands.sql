-- Makes of a database from before version 10, without its views, one that upgrade() can make the present one of. Before,
-- every table repeated what it says of its command; now all that a command kept hangs on one row of `commands`. Tables
-- get their new names and a column command_id here; what is too much in them goes when they are made anew.

-- A table that this version did not have yet is empty, and has what is asked for below.
CREATE TABLE IF NOT EXISTS training_runs (id, created_utc, tool_version, parameters);
CREATE TABLE IF NOT EXISTS pass_runs (id, created_utc, tool_version, command, parameters);
CREATE TABLE IF NOT EXISTS studies (id, created_utc, tool_version, parameters, rule);

-- Those that refer to a table go along.
ALTER TABLE runs RENAME TO schedule_runs;
ALTER TABLE training_runs RENAME TO step_runs;
ALTER TABLE pass_runs RENAME TO pass_sets;
ALTER TABLE studies RENAME TO study_grids;
ALTER TABLE searches ADD COLUMN command_id;
ALTER TABLE schedule_runs ADD COLUMN command_id;
ALTER TABLE step_runs ADD COLUMN command_id;
ALTER TABLE pass_sets ADD COLUMN command_id;
ALTER TABLE study_grids ADD COLUMN command_id;

-- The id of a command is that of its first run. Runs of one search were written together, and so were validations of one
-- model by one command line in one second.
UPDATE schedule_runs SET command_id = c.first
FROM (SELECT id AS run,
             MIN(id) OVER (PARTITION BY search_id,
                                        CASE WHEN search_id IS NOT NULL THEN NULL
                                             WHEN command <> 'validate' THEN id
                                             ELSE printf('%Q %Q %Q %Q %Q', created_utc, parameters, model_hash, tool_version, rule)
                                        END) AS first
      FROM schedule_runs) c
WHERE c.run = schedule_runs.id;
UPDATE step_runs SET command_id = id;
UPDATE pass_sets SET command_id = id;
-- Studies are numbered by themselves: they come behind all ids that runs had.
UPDATE study_grids SET command_id = id + (SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = 'schedule_runs');
-- Searches without runs, as nothing of ours leaves them, go.
UPDATE searches SET command_id = (SELECT MIN(command_id) FROM schedule_runs WHERE search_id = searches.id);
DELETE FROM searches WHERE command_id IS NULL;

CREATE TABLE commands AS
SELECT id, created_utc, tool_version, command, parameters, rule FROM schedule_runs WHERE id = command_id
UNION ALL
SELECT id, created_utc, tool_version, 'training', parameters, NULL FROM step_runs
UNION ALL
SELECT id, created_utc, tool_version, command, parameters, NULL FROM pass_sets
UNION ALL
SELECT command_id, created_utc, tool_version, 'study', parameters, rule FROM study_grids;

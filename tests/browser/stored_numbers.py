"""That the numbers of a page are those of the database, read by SQL of its own."""
import json
import sqlite3

from claims import claim
from open_pages import table_rows


def rows_of(database, question, *values):
    """Rows as dictionaries."""
    with sqlite3.connect(database) as store:
        store.row_factory = sqlite3.Row
        return [dict(row) for row in store.execute(question, values)]


def compare(where, shown, stored, columns):
    """Rows of a table beside rows of the database; `columns`: a column of the database by the head of the table's."""
    claim(len(shown) == len(stored), f"{where}: {len(shown)} rows for {len(stored)} in the database")
    for row, there in zip(shown, stored):
        for head, column in columns.items():
            claim(head in row, f"{where}: no column \"{head}\" but {list(row)}")
            expected = "-" if there[column] is None else there[column]
            claim(row[head] == expected, f"{where}: {head} is {row[head]!r}, {expected!r} in the database")


def check_candidates(browser, database):
    """The runs of each search."""
    columns = {"schedule": "schedule", "levels": "levels", "ops": "ops", "FLOPs": "flops", "memory": "peak_live_bytes",
               "critical path (FLOPs)": "critical_path_dag_flops", "makespan, level (FLOPs)": "makespan_level_flops",
               "makespan, dag (FLOPs)": "makespan_dag_flops"}
    for search in rows_of(database, "select id from searches"):
        shown = table_rows(browser, f"#search-{search['id']}", "Candidates")
        stored = rows_of(database, "select * from runs where search_id = ?", search["id"])
        compare(f"search {search['id']}", sorted(shown, key=lambda row: row["schedule"]), sorted(stored, key=lambda row: row["schedule"]), columns)


def check_levels(browser, database):
    """The levels of every run that has its part in the page."""
    columns = {"level": "level", "phase": "phase", "ops": "ops", "FLOPs of all ops": "flops_sum", "FLOPs of the largest op": "flops_max"}
    tables = 0
    for run in rows_of(database, "select id from runs"):
        if browser.evaluate(f"document.getElementById('run-{run['id']}') === null"):
            continue
        stored = rows_of(database, "select * from levels where run_id = ? order by level limit 40", run["id"])
        compare(f"levels of run {run['id']}", table_rows(browser, f"#run-{run['id']}", "Levels"), stored, columns)
        tables += 1
    claim(tables > 2, f"levels of {tables} runs alone")


def check_measurements(browser, database):
    """What was measured, in each run's own table and in that of its validation."""
    own = {"backend": "backend", "device": "device", "workers": "workers", "execution": "execution", "measured": "measured_s",
           "fastest": "fastest_s", "predicted": "predicted_s", "repetitions": "repetitions", "building": "measured_build_s"}
    measured = rows_of(database, "select distinct run_id from measurements")
    claim(measured, "nothing was measured")
    for run in measured:
        stored = rows_of(database, "select * from measurements where run_id = ? order by id", run["run_id"])
        compare(f"measurements of run {run['run_id']}", table_rows(browser, f"#run-{run['run_id']}", "Measurements"), stored, own)
    common = {"schedule": "schedule", "FLOPs": "flops", "measured": "measured_s", "predicted": "predicted_s"}
    stored = rows_of(database, "select r.schedule, r.flops, m.measured_s, m.predicted_s from measurements m join runs r on r.id = m.run_id order by m.id")
    compare("the validation", table_rows(browser, "section[id^=validation-]", "Schedules that were run"), stored, common)


def check_studies(browser, database):
    """The points of each study, and its line in the index."""
    best = {"status": "status", "best schedule": "best_schedule", "memory": "best_peak_live_bytes"}
    studies = rows_of(database, "select * from studies")
    for study in studies:
        stored = rows_of(database, "select m.coordinates, m.status, r.* from study_members m left join point_results r on r.key = m.key "
                                   "where m.study_id = ? order by m.position limit 40", study["id"])
        shown = table_rows(browser, f"#study-{study['id']}", "Points")
        where = f"points of study {study['id']}"
        compare(where, shown, stored, best)
        for row, there in zip(shown, stored):
            claim(row.get("best score", row.get("best score (FLOPs)")) == there["best_score"], f"{where}: {row} for the score {there['best_score']}")
            for axis, value in json.loads(there["coordinates"]).items():
                claim(row[axis] == value, f"{where}: {axis} is {row[axis]}, {value} in the database")
    index = sorted(table_rows(browser, "main", "Studies, newest first"), key=lambda row: row["study"])
    compare("the index of studies", index, studies, {"name": "name", "points": "points"})


def check_index(browser, database):
    """A line for everything, and in that of a search what its best candidate has."""
    index = {row["run"]: row for row in table_rows(browser, "main", "Runs, newest first")}
    runs = rows_of(database, "select count(*) as n from (select distinct coalesce('s' || search_id, 'r' || created_utc || parameters) from runs)")
    others = rows_of(database, "select (select count(*) from pass_runs) + (select count(*) from training_runs) as n")
    claim(len(index) == runs[0]["n"] + others[0]["n"], f"{len(index)} lines in the index: {list(index)}")
    for search in rows_of(database, "select s.id, r.* from searches s join runs r on r.search_id = s.id and r.schedule = s.best_schedule"):
        line = next((row for name, row in index.items() if name.startswith(f"Search {search['search_id']}:")), None)
        claim(line is not None, f"search {search['search_id']} is not in the index")
        compare(f"the index, search {search['search_id']}", [line], [search], {
            "schedule": "schedule", "workers": "workers", "FLOPs": "flops", "memory": "peak_live_bytes"})
    for run in rows_of(database, "select * from runs where command = 'profile'"):
        compare(f"the index, run {run['id']}", [index[f"Run {run['id']}"]], [run], {
            "model": "model", "schedule": "schedule", "workers": "workers", "FLOPs": "flops", "memory": "peak_live_bytes"})
    for run in rows_of(database, "select id, name as model, devices as workers from training_runs union all select id, model, workers from pass_runs"):
        compare(f"the index, run {run['id']}", [index[f"Run {run['id']}"]], [run], {"model": "model", "workers": "workers"})


def check_numbers(browser, database):
    for check in (check_candidates, check_levels, check_measurements, check_studies, check_index):
        check(browser, database)

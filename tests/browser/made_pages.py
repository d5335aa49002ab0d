"""Databases and pages to look at, made by the program itself."""
import pathlib
import subprocess

from claims import claim

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HOSTILE = "<img src=x onerror=alert(1)>\"'&]]>"
MODEL = """name: "<img src=x onerror=alert(1)>\\"'&]]>"
input: [12]
weights: {init: he_normal, seed: 1}
sample: {count: 1, seed: 1}
operators:
  - linear: {name: "<svg onload=alert(2)>", out_features: 10}
  - relu: {name: on1}
  - linear: {name: "second \\u2028 line", out_features: 8}
  - tanh: {name: "turned \\u202e round \\u2066 names"}
  - linear: {name: last, out_features: 3}
"""
# 210 points: more than the tables of a page have rows.
STUDY = f"""name: "<b>small</b>"
base:
  model: {{name: chain, chain: {{length: 100, size: 4, kind: dense}}}}
axes:
  - {{path: model.chain.length, values: {list(range(10, 710, 10))}}}
  - {{path: workers, values: [1, 4, 64]}}
questions: [best, pareto, {{crossover: {{along: workers}}}}]
"""
MACHINE = """name: made
kind: pram
provenance: {origin: definition}
rates:
  - {workers: 64, op_latency_us: 2, level_latency_us: 3, bandwidth_GBps: 10, fp32: {compute_GFLOPps: 5}}
"""


def make_database(upsweep, folder):
    """A database with a run of every kind."""
    (folder / "made.yaml").write_text(MODEL)
    (folder / "small.yaml").write_text(STUDY)
    database = folder / "kept.sqlite"
    machine = folder / "machine.yaml"
    machine.write_text(MACHINE)
    commands = [
        ["search", folder / "made.yaml", "--workers", "2"],
        ["profile", folder / "made.yaml", "--schedule", "hybrid:1"],
        ["validate", folder / "made.yaml", "--backend", "cpu", "--all-depths", "--workers", "1", "--machine", machine],
        ["validate", ROOT / "models/rnn-bitstream.yaml", "--steps", "20", "--batch", "2"],
        ["train", ROOT / "configs/training/rnn-bitstream.yaml", "--iterations", "3", "--steps", "20", "--batch", "2"],
        ["training", ROOT / "configs/training/figure12.yaml"],
        ["study", folder / "small.yaml"],
    ]
    for command in commands:
        done = subprocess.run([upsweep, *map(str, command), "--db", database], capture_output=True, text=True, check=False)
        claim(done.returncode == 0, f"{command}: exit {done.returncode}: {done.stderr}")
    return database


def make_empty_database(upsweep, folder):
    """A database whose only run was deleted."""
    database = folder / "empty.sqlite"
    (folder / "one.yaml").write_text(MODEL)
    subprocess.run([upsweep, "profile", folder / "one.yaml", "--db", database], capture_output=True, check=True)
    subprocess.run([upsweep, "runs", "delete", "1", "--db", database], capture_output=True, check=True)
    return database


def write_page(upsweep, database, page, *options):
    done = subprocess.run([upsweep, "report", "--db", database, "--out", page, *options], capture_output=True, text=True, check=False)
    claim(done.returncode == 0, f"report: exit {done.returncode}: {done.stderr}")
    return page

"""Whether a command prints the same where it must not matter: jobs, ranks, locale, time zone, working folder."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

from judge import Fault
from normal import normal_text, rows_by_table
from scene import CASES, case_of
from stores import CHAINS, NETWORKS, Study, Violation, finish_and_compare, require_kept, require_whole, rows_of

MPIRUN = ("mpirun", "--oversubscribe", "--allow-run-as-root")
LOCALE = "de_DE.UTF-8"
ZONES = ("Pacific/Kiritimati", "America/St_Johns")


def german(folder):
    """The environment of a locale with a decimal comma, made where the machine has none; nothing where none can be made."""
    there = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.splitlines()
    if any(one.lower().replace("-", "") == "de_de.utf8" for one in there):
        return {"LC_ALL": LOCALE}
    place = os.path.join(folder, "locales")
    os.makedirs(place, exist_ok=True)
    if shutil.which("localedef") is None:
        return None
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", "--no-archive", os.path.join(place, LOCALE)], capture_output=True, check=False)
    return {"LC_ALL": LOCALE, "LOCPATH": place} if os.path.isdir(os.path.join(place, LOCALE)) else None


def has_mpi():
    return shutil.which("mpirun") is not None and subprocess.run([*MPIRUN, "-n", "3", "true"], capture_output=True, check=False).returncode == 0


class Sameness:
    """Compares answers; `findings` gets those that differ."""

    def __init__(self, scene, findings):
        self.scene, self.findings, self.compared, self.not_tried = scene, findings, {}, []

    def same(self, kind, case, one, other, how):
        self.compared[kind] = self.compared.get(kind, 0) + 1
        if one != other:
            self.findings.add(kind, Fault("another answer", f"{len(one)} and {len(other)} characters"), case.name, how)

    def answer(self, case, more=None, arguments=None):
        """What a case prints in a fresh folder, its files, and its rows."""
        folder = self.scene.fresh_folder()
        ended = self.scene.run(arguments or case.arguments(), folder, more)
        if ended.code != 0:
            raise Violation(f"upsweep {case.line} with {more}: exit code {ended.code}: {ended.err}")
        state = self.scene.look(case, folder)
        return normal_text(ended.out, case.measures) + repr(sorted(state.outputs.items())) + in_order(state.rows)

    def by_environment(self, cases, folder):
        locale = german(folder)
        if locale is None:
            self.not_tried.append(f"locale {LOCALE}: it cannot be made here")
        for case in cases:
            plain = self.answer(case, {"LC_ALL": "C"})
            if locale:
                self.same("locale C and " + LOCALE, case, plain, self.answer(case, locale), f"LC_ALL={LOCALE} upsweep {case.line}")
            zone = ZONES[0]
            self.same(f"time zone UTC and {zone}", case, plain, self.answer(case, {"LC_ALL": "C", "TZ": zone}), f"TZ={zone} upsweep {case.line}")

    def by_folder(self, cases):
        """Files are given absolutely: the folder of the process must not matter."""
        for case in cases:
            answers = []
            for place in ("/", None):
                folder = self.scene.fresh_folder()
                arguments = [os.path.join(folder, one) if is_path(one) else one for one in case.arguments()]
                ended = self.scene.finish(self.scene.start(arguments, folder, cwd=place or folder))
                if ended.code != 0:
                    raise Violation(f"upsweep {' '.join(arguments)} in {place}: exit code {ended.code}: {ended.err}")
                state = self.scene.look(case, folder)
                answers.append(normal_text(ended.out, case.measures) + repr(sorted(state.outputs.items())))
            self.same("two working folders", case, *answers, f"(cd /; upsweep {case.line}), all paths absolute")

    def by_jobs(self, text=NETWORKS):
        case = case_of("study, nothing kept")
        file = pathlib.Path(self.scene.base, "study.yaml")
        kept = file.read_text(encoding="utf-8")
        try:
            for study in (kept, text):
                file.write_text(study, encoding="utf-8")
                one, two, three = (self.answer(case, arguments=[*case.arguments(), "--jobs", str(jobs)]) for jobs in (1, 2, 3))
                for jobs, other in ((2, two), (3, three)):
                    self.same("jobs of a study: 1, 2 and 3", case, one, other, f"upsweep {case.line} --jobs {jobs}")
        finally:
            file.write_text(kept, encoding="utf-8")

    def by_ranks(self):
        if not has_mpi():
            self.not_tried.append("ranks of a study: mpirun is missing or starts nothing here")
            return
        case = case_of("study, nothing kept")
        answers = []
        for ranks in (1, 2, 3):
            folder = self.scene.fresh_folder()
            command = [*MPIRUN, "-n", str(ranks), self.scene.program, *case.arguments(), "--db", "new.sqlite"]
            done = subprocess.run(command, cwd=folder, env=self.scene.environment(folder), capture_output=True, check=False)
            if done.returncode != 0:
                raise Violation(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr.decode(errors='replace')}")
            answers.append(normal_text(done.stdout) + in_order(rows_by_table(os.path.join(folder, "new.sqlite"), without={"parameters"})))
        for ranks, other in zip((2, 3), answers[1:]):
            self.same("ranks of a study: 1, 2 and 3", case, answers[0], other, f"mpirun -n {ranks} upsweep {case.line} --db new.sqlite")


def in_order(rows):
    """Rows as a text that does not depend on which was first."""
    return repr(sorted((table, sorted(found.elements(), key=repr)) for table, found in rows.items()))


def is_path(argument):
    return argument.endswith((".yaml", ".sqlite", ".csv", ".onnx", ".npy", ".svg", ".html", ".json"))


def compare(scene, folder, findings, is_quick):
    sameness = Sameness(scene, findings)
    cases = [case for case in CASES if case.in_determinism]
    if is_quick:
        cases = [case_of(name) for name in ("search", "study, new store", "import")]
    sameness.by_environment(cases, folder)
    sameness.by_folder(cases)
    sameness.by_jobs()
    if not is_quick:
        sameness.by_ranks()
    return sameness


def lose_ranks(program, folder, generator, times):
    """Kills one of three ranks; returns how often that came before the end. The store is whole and the study goes on."""
    study = Study(program, folder, "ranks", CHAINS.replace("count: 400", "count: 150"))
    alone = study.fresh_store()
    study.finish(alone)
    wanted, lost = rows_of(alone), 0
    for _ in range(times):
        store = study.fresh_store()
        job = subprocess.Popen([*MPIRUN, "-n", "3", *study.command(store)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        victim, end = generator.randrange(3), time.monotonic() + 60
        while job.poll() is None and not os.path.exists(store + "-wal") and time.monotonic() < end:
            time.sleep(0.005)
        time.sleep(generator.uniform(0, 0.3))
        pids = children_of(job.pid)
        if len(pids) > victim:
            with contextlib.suppress(ProcessLookupError):  # over meanwhile
                os.kill(pids[victim], signal.SIGKILL)
        job.communicate(timeout=120)
        require_whole(store)
        before = rows_of(store)
        require_kept(before, wanted, f"rank {victim} was killed")
        if len(before) < len(wanted):
            lost += 1
            if job.returncode == 0:
                raise Violation(f"rank {victim} of 3 was killed with {len(before)} of {len(wanted)} points: exit code 0")
        finish_and_compare(study, store, wanted, f"rank {victim} was killed")
    return lost


def children_of(parent):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                if int(file.read().rpartition(b")")[2].split()[1]) == parent:
                    found.append(int(pid))
        except OSError:
            continue  # ended meanwhile
    return sorted(found)

"""The Python module against the library that UPSWEEP_LIBRARY names. Tests that need NumPy skip with the reason without."""

import contextlib
import copy
import csv
import io
import json
import os
import pathlib
import pickle
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import upsweep  # noqa: E402
from upsweep import _results  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None

LENET = ROOT / "models" / "lenet5.yaml"
SMALL = {"input": [3, 8, 8], "operators": [{"conv2d": {"name": "c", "out_channels": 4, "kernel": 3}}, "relu", "flatten",
                                           {"linear": {"name": "f", "out_features": 10}}]}
STUDY = {"base": {"model": {"dtype": "fp32", "chain": {"length": 1000, "size": 20, "kind": "dense"}}},
         "axes": [{"path": "model.chain.length", "values": [10, 100, 1000]}]}
TIMES = ("family,device,library,dtype,covers,time_ms,status,rows,cols,nnz_a,products,nnz_c\n"
         "spgemm,NVIDIA A100 80GB PCIe,cuSPARSE,fp64,compute only,26.24,ok,45330,45330,3213618,299381624,23716476\n")
needs_numpy = unittest.skipIf(numpy is None, "python3-numpy is not installed")


class Functions(unittest.TestCase):
    def test_search_is_what_the_program_prints(self):
        found = upsweep.search(LENET, workers=16)
        program = os.environ.get("UPSWEEP_BINARY")
        if program:
            done = subprocess.run([program, "search", str(LENET), "--workers", "16", "--format", "json"], check=True,
                                  capture_output=True, text=True)
            self.assertEqual(found.to_dict(), json.loads(done.stdout))
        self.assertEqual(found.workers, 16)
        self.assertEqual(found.best.schedule, found["best"]["schedule"])
        self.assertIn("Best: ", str(found))
        self.assertIn("<pre>", found._repr_html_())

    def test_keywords_are_the_settings_of_the_library(self):
        import inspect

        for name in ("profile", "search", "validate", "study", "training", "solve", "anchors", "order", "machines",
                     "new"):
            settings = {setting["name"] for setting in upsweep.commands()[name]["settings"]} - {"format"}
            function = getattr(upsweep, name)
            parameters = inspect.signature(function).parameters.values()
            own = {parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY} - {"progress"}
            if "input_index" in own:
                own = own - {"input_index"} | {"input"}
            self.assertEqual(own, settings, name)
            for parameter in own - {"input"}:
                self.assertIn(f"\n{parameter}: ", function.__doc__)

    def test_every_function_answers(self):
        self.assertGreater(len(upsweep.profile(SMALL, schedule="linear").ops), 1)
        self.assertTrue(upsweep.solve(LENET, method=["jacobi"]).to_dict())
        self.assertIn(upsweep.pays(SMALL, workers=4).pays, ("yes", "only-if-ops-are-whole", "no"))
        self.assertTrue(upsweep.training(ROOT / "configs" / "training" / "fig5a.yaml").to_dict())
        checked = upsweep.validate({**SMALL, "weights": {"init": "he_normal", "seed": 1}, "sample": {"count": 1, "seed": 1}},
                                   backend="reference", schedule="linear")
        self.assertTrue(checked.to_dict())
        self.assertTrue(upsweep.explain(SMALL, schedule="hybrid:1").to_dict())
        self.assertGreater(len(upsweep.machines().machines), 1)
        self.assertEqual(len(upsweep.machines("rtx-4090").machines), 1)
        with tempfile.TemporaryDirectory() as folder:
            written = upsweep.new("model", pathlib.Path(folder, "mine.yaml")).file
            self.assertTrue(upsweep.search(written).best.schedule)
        with self.assertRaises(AttributeError):
            upsweep.explode

    def test_studies_give_all_points(self):
        found = upsweep.study(STUDY)
        self.assertEqual(len(found.rows), 3)

    def test_long_tables_are_what_the_program_prints(self):
        grid = {"base": STUDY["base"], "axes": [{"path": "model.chain.length", "values": list(range(10, 1210))}]}
        found = upsweep.study(grid)
        self.assertIsInstance(found._read()["rows"], _results._Packed)
        rows = found.rows
        self.assertEqual((len(rows), rows[1199].coordinates.to_dict()), (1200, {"model.chain.length": 1209}))
        self.assertEqual(list(rows.flops[:2]), [row.flops for row in rows[:2]])
        self.assertEqual(rows.columns, list(rows.to_dict()[0]))
        self.assertIn("50 of 1200 rows", rows._repr_html_())
        with self.assertRaisesRegex(AttributeError, "is no column"):
            rows.flopses
        self.assertEqual(json.dumps(found.to_dict()), json.dumps(json.loads(found._text("json"))))
        self.assertEqual(list(found.rows.flops), list(rows.flops))

    def test_published_times_are_predicted(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder, "times.csv")
            table.write_text(TIMES)
            points = upsweep.anchors(table, device="A100").points
        self.assertEqual(list(points.measured_ms), [26.24])

    @unittest.skipUnless(shutil.which("node"), "Node.js, which draws, is not installed")
    def test_chains_in_memory_are_ordered(self):
        # Row 4,0 of the tables published with arXiv 2505.06056.
        rows = [{"sizes": [12, 20, 8, 45, 12], "edges": [3444, 7564, 9724, 3694]}, {"sizes": (7, 3), "edges": (100,)}]
        result = upsweep.order(rows, machines=2)
        self.assertEqual([row.makespan for row in result.instances], [108496, 300])
        self.assertEqual(result.instances[0].tree, "((1<2) (3>4))")
        self.assertEqual(result.proven, 2)
        with self.assertRaises(upsweep.InputError):
            upsweep.order([{"sizes": [1, 2, 3], "edges": [1]}])

    def test_figures_of_stored_runs_are_pictures(self):
        if "with charts" not in upsweep.version():
            self.skipTest("the library was built without charts")
        with tempfile.TemporaryDirectory() as folder:
            db = pathlib.Path(folder, "runs.sqlite")
            found = upsweep.profile(SMALL, db=db)
            self.assertIn("stored in", found.notes[0])
            drawn = upsweep.figure("op-flops", db, run_id=1)._repr_svg_()
            self.assertIn("<svg", drawn)
            self.assertIn(drawn, found._repr_html_())
            self.assertIn("<svg", upsweep.study(STUDY, db=db)._repr_html_())
        self.assertNotIn("<svg", upsweep.profile(SMALL)._repr_html_())

    def test_errors_have_kinds_and_name_settings(self):
        with self.assertRaisesRegex(upsweep.UsageError, "`workers` is '0'"):
            upsweep.search(SMALL, workers=0)
        with self.assertRaisesRegex(upsweep.UsageError, "'wrokers' is no setting of search, the nearest is `workers`"):
            upsweep.run("search", SMALL, wrokers=3)
        with self.assertRaisesRegex(upsweep.InputError, "none.yaml: no such file"):
            upsweep.search("none.yaml")
        with self.assertRaisesRegex(TypeError, "accepted are a path"):
            upsweep.search(3)

    def test_tables_are_rows_and_columns(self):
        found = upsweep.profile(LENET)
        table = found.ops
        rows = list(csv.DictReader(io.StringIO(found.to_csv())))
        self.assertEqual(len(table), len(rows))
        self.assertEqual(list(table.flops), [int(row["flops"]) for row in rows])
        self.assertEqual(table[0].to_dict(), table.to_dict()[0])
        self.assertIn("<table>", table._repr_html_())
        with self.assertRaisesRegex(AttributeError, "is no column"):
            table.flopses

    @needs_numpy
    def test_columns_are_arrays(self):
        flops = upsweep.search(LENET, workers=16).candidates.flops
        self.assertIsInstance(flops, numpy.ndarray)
        self.assertEqual(flops.dtype.kind, "i")

    @needs_numpy
    def test_masks_in_memory_prune(self):
        mask = numpy.zeros((4, 3, 3, 3), dtype=bool)
        mask[:, :, 1, 1] = True
        masks = {"c": mask, "f": numpy.ones((10, 144), dtype=bool)}
        pruned = upsweep.profile(upsweep.Model(SMALL, masks=masks), schedule="linear")
        whole = upsweep.profile(SMALL, schedule="linear")
        self.assertEqual(pruned.model.operators[0].jacobian.nnz, 4 * 3 * 36)
        self.assertLess(pruned.model.operators[0].jacobian.nnz, whole.model.operators[0].jacobian.nnz)

    @needs_numpy
    def test_values_and_inputs_in_memory_make_sample_patterns(self):
        values = {"c": -numpy.ones((4, 3, 3, 3)), "f": numpy.ones((10, 144))}
        model = upsweep.Model(SMALL, values=values, inputs=numpy.ones((1, 3, 8, 8)))
        relu = upsweep.profile(model, pattern="sample", schedule="linear").model.operators[1]
        self.assertEqual(relu.jacobian.nnz, 0)  # all are off


class Calls(unittest.TestCase):
    def test_progress_is_told_and_can_stop(self):
        told = []
        upsweep.profile(ROOT / "models" / "vgg11-quarter-pruned90.yaml", progress=told.append)
        self.assertTrue(any(told))
        with self.assertRaises(upsweep.Interrupted):
            upsweep.profile(ROOT / "models" / "vgg11-quarter-pruned90.yaml", progress=lambda doing: False)
        with self.assertRaises(ZeroDivisionError):
            upsweep.profile(ROOT / "models" / "vgg11-quarter-pruned90.yaml", progress=lambda doing: 1 / 0)

    def test_ctrl_c_ends_a_long_study(self):
        # Of minutes: it ends in time because it is stopped.
        long_study = {"base": STUDY["base"], "axes": [
            {"path": "model.chain.length", "geometric": {"from": 10, "to": 100000000, "count": 2000}},
            {"path": "workers", "geometric": {"from": 1, "to": 1048576, "count": 1000}}]}
        code = ("import json, sys, upsweep\nprint('ready', flush=True)\n"
                "try:\n  upsweep.study(json.loads(sys.argv[1]), progress=print)\n"
                "except KeyboardInterrupt:\n  print('stopped')\n")
        child = subprocess.Popen([sys.executable, "-u", "-c", code, json.dumps(long_study)], stdout=subprocess.PIPE, text=True,
                                 env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        self.assertEqual(child.stdout.readline(), "ready\n")
        child.stdout.readline()  # it is under way
        child.send_signal(signal.SIGINT)
        self.assertTrue(child.communicate(timeout=120)[0].endswith("stopped\n"))

    def test_ctrl_c_ends_a_wait_for_a_locked_database(self):
        code = ("import sys, upsweep\nupsweep.commands()\nprint('ready', flush=True)\n"
                "try:\n  upsweep.search(sys.argv[1], db=sys.argv[2])\n"
                "except KeyboardInterrupt:\n  print('stopped')\n")
        with tempfile.TemporaryDirectory() as folder:
            db = pathlib.Path(folder, "runs.sqlite")
            upsweep.search(LENET, db=db)
            with contextlib.closing(sqlite3.connect(db, isolation_level=None)) as other:
                other.execute("BEGIN EXCLUSIVE")
                child = subprocess.Popen([sys.executable, "-u", "-c", code, str(LENET), str(db)], stdout=subprocess.PIPE,
                                         text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
                self.assertEqual(child.stdout.readline(), "ready\n")
                time.sleep(1)  # it waits
                child.send_signal(signal.SIGINT)
                self.assertEqual(child.communicate(timeout=30)[0], "stopped\n")  # a minute, did it wait on

    def test_the_interpreter_goes_on_meanwhile_and_threads_agree(self):
        alone = upsweep.search(SMALL, workers=4).to_dict()
        found = []
        threads = [threading.Thread(target=lambda: found.append(upsweep.search(SMALL, workers=4).to_dict()))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [alone] * 4)

    def test_a_torch_module_goes_through_its_onnx_export(self):
        torch = types.ModuleType("torch")

        class Module:
            training = True

            def eval(self):
                self.training = False

            def train(self, mode):
                self.training = mode

        def export(module, example, to, dynamo):
            self.assertFalse(module.training)
            self.assertEqual((example, dynamo), (("tensor",), False))
            to.write(b"no onnx")

        torch.nn = types.SimpleNamespace(Module=Module)
        torch.onnx = types.SimpleNamespace(export=export)
        module = Module()
        with mock.patch.dict(sys.modules, {"torch": torch}):
            with self.assertRaisesRegex(upsweep.InputError, "Module.onnx"):
                upsweep.search(module, "tensor")
            with self.assertRaisesRegex(TypeError, "without example_input"):
                upsweep.search(module)
        self.assertTrue(module.training)

    def test_nothing_is_left_in_the_temporary_folder(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, TMPDIR=folder):
            upsweep.search(SMALL, workers=4)
            self.assertEqual(os.listdir(folder), [])
            with self.assertRaises(TypeError):
                upsweep.search(SMALL, workers={1, 2})
            with self.assertRaises(TypeError):
                upsweep.run("search", SMALL, 3)
            self.assertEqual(os.listdir(folder), [])

    def test_copies_of_a_result_are_that_result_and_it_stays_in_its_process(self):
        found = upsweep.search(SMALL, workers=4)
        other, deep = copy.copy(found), copy.deepcopy(found)
        del found
        self.assertEqual(other.workers, 4)
        self.assertEqual(deep.workers, 4)
        with self.assertRaises(TypeError):
            pickle.dumps(other)

    def test_an_error_without_an_answer_has_none(self):
        with self.assertRaises(upsweep.InputError) as caught:
            upsweep.search("nowhere.yaml")
        self.assertIsNone(caught.exception.result)


if __name__ == "__main__":
    unittest.main()

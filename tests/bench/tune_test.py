"""bench/solvers/tune.py: the checked-in table is what it writes, and its rules on made-up measurements."""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TUNE = ROOT / "bench/solvers/tune.py"
sys.path.insert(0, str(TUNE.parent))

import tune  # noqa: E402
import tuning_rules  # noqa: E402


def formats_file(cells, executor="host", machine="a machine", method="cg"):
    """{(problem, bits, asked): times} as formats.py writes it."""
    def cell(key, times):
        problem, bits, asked = key
        taken = {"format": "expansion" if bits <= 212 else "multidigit"} if asked == "auto" else {"format": asked}
        device = f"the {executor} of {machine}"
        return {"matrix": problem, "bits": bits, "asked": asked, "method": method, "device": device, "ms": times} | taken

    return {"date": "2026-11-22", "machine": machine, "cores": 4, "options": {"executor": executor, "threads": 4},
            "cells": [cell(*item) for item in cells.items()]}


def panels_file(cells):
    """{(format, bits, n, matrix): {way: times}} as dense_bench --panels writes it."""
    return {"machine": {"date": "2026-11-23T10:00:00Z", "processor": "a processor"}, "threads": 1,
            "panels": {"panel 16": 16, "panel 48": 48, "sums alone": None},
            "cells": [{"format": form, "bits": bits, "n": n, "matrix": matrix, "milliseconds": times}
                      for (form, bits, n, matrix), times in cells.items()]}


def products_file(cells):
    """{(format, bits, n): {way: times}} as dense_bench --cuda writes it."""
    return {"machine": {"date": "2026-11-23T10:00:00Z"}, "device": "a GPU", "least_work": {"all": 0, "large": 2.0**30},
            "cells": [{"format": form, "bits": bits, "n": n, "matrix": "random", "milliseconds": times}
                      for (form, bits, n), times in cells.items()]}


def rows(table, name):
    """[[bits, value, ...]] as text."""
    text = re.search(rf"\b{name}\[\] = {{(.*?)}};", table, re.S)[1]
    return [row.split(", ") for row in re.findall(r"{(.*)}", text)]


class Folder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    def table(self, *contents):
        return tune.table_from([self.write(f"{k}.json", content) for k, content in enumerate(contents)])

    def run_tune(self, *arguments):
        return subprocess.run([sys.executable, TUNE, *map(str, arguments)], capture_output=True, text=True, check=False)


class CheckedIn(Folder):
    def test_the_table_is_what_the_files_that_it_names_give(self):
        table = tune.TABLE.read_text(encoding="utf-8")
        files = tune.named_files(table)
        self.assertTrue(files)
        self.assertEqual(tune.table_from(files), table, "run bench/solvers/tune.py --from the files, do not edit")
        self.assertEqual(self.run_tune("--check").returncode, 0)

    def test_an_edited_table_is_found(self):
        table = tune.TABLE.read_text(encoding="utf-8")
        edited = self.write("table.hpp", table.replace("{4096, number_format", "{4095, number_format"))
        result = self.run_tune("--check", "--output", edited)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"^tune\.py: .* is not what the files that it names give.*\n$")

    def test_the_documents_tell_its_formats(self):
        formats = rows(tune.TABLE.read_text(encoding="utf-8"), "formats")
        self.assertEqual([name for _, name in formats],
                         [f"number_format::{name}" for name in ["native", "expansion", "multidigit"]])
        last = int(formats[1][0])
        for document, words in [("docs/solving.md", f"| 54 to {last} | `expansion` |"),
                                ("docs/solving.md", f"| {last + 1} to 4096 | `multidigit` |"),
                                ("README.md", f"| {last + 1} to 4096 | exactly so many | `multidigit`"),
                                ("docs/command-line.md", f"`expansion` up to {last} and `multidigit` above")]:
            self.assertIn(words, (ROOT / document).read_text(encoding="utf-8"), document)
        refine = rows(tune.TABLE.read_text(encoding="utf-8"), "refine_formats")
        self.assertEqual([name for _, name in refine], [name for _, name in formats])
        last = int(refine[1][0])
        for document, words in [("docs/solving.md", f"`refine` computes in `multidigit` from {last + 1} bits on"),
                                ("docs/command-line.md", f"`refine` takes `multidigit` above {last}")]:
            self.assertIn(words, (ROOT / document).read_text(encoding="utf-8"), document)


class Rules(unittest.TestCase):
    def test_the_least_worst_ratio_counts_and_not_the_sum(self):
        cells = {"a": {1: 1.0, 2: 1.5}, "b": {1: 3.0, 2: 1.5}, "c": {1: 1.0, 2: 1.5}}
        self.assertEqual(tuning_rules.least_of_worst(cells, 1)[0], 2)
        self.assertEqual(tuning_rules.least_of_worst(cells, 1)[1], {1: (2.0, "b"), 2: (1.5, "a")})

    def test_the_usual_choice_stays_for_a_gain_of_5_percent_and_less(self):
        self.assertEqual(tuning_rules.least_of_worst({"a": {1: 1.04, 2: 1.0}}, 1)[0], 1)
        self.assertEqual(tuning_rules.least_of_worst({"a": {1: 1.06, 2: 1.0}}, 1)[0], 2)
        self.assertEqual(tuning_rules.least_of_worst({"a": {1: 1.05, 2: 1.0}}, 1)[0], 1)

    def test_the_smaller_of_two_that_tie(self):
        self.assertEqual(tuning_rules.least_of_worst({"a": {1: 2.0, 2: 1.0, 3: 1.0}}, 1)[0], 2)

    def test_a_choice_that_a_cell_lacks_is_none_and_nothing_is_told_without_the_usual_one(self):
        self.assertEqual(tuning_rules.least_of_worst({"a": {1: 2.0, 2: 1.0, 3: 1.5}, "b": {1: 1.5, 3: 1.0}}, 1)[0], 3)
        self.assertEqual(tuning_rules.least_of_worst({"a": {2: 1.0, 3: 2.0}}, 1)[0], 1)
        self.assertEqual(tuning_rules.least_of_worst({}, 1), (1, {}))

    def test_what_did_not_end_in_time_loses_unless_nothing_did(self):
        self.assertEqual(tuning_rules.least_of_worst({"a": {1: math.inf, 2: 1.0}}, 1)[0], 2)
        self.assertEqual(tuning_rules.least_of_worst({"a": {1: math.inf, 2: math.inf}, "b": {1: 1.0, 2: 1.0}}, 1)[0], 1)
        self.assertEqual(tuning_rules.least_of_worst({"a": {1: math.inf, 2: math.inf}}, 1), (1, {}))

    def test_a_border_moves_only_where_it_was_measured_to_be_wrong(self):
        never = tuning_rules.NEVER
        for usual, gains, wanted in [
                (145, {}, 145), (145, {100: 0.5, 200: 2.0}, 145), (145, {100: 2.0, 200: 2.0}, 100),
                (145, {200: 0.5, 400: 2.0}, 400), (145, {100: 2.0, 200: 0.5, 400: 2.0}, 400), (145, {200: 0.5}, 201),
                (145, {100: 0.5}, 145), (145, {100: 1.04, 200: 0.96}, 145), (145, {145: 2.0}, 145),
                (never, {100: 0.5, 200: 1.02}, never), (never, {100: 0.5, 200: 2.0}, 200),
                (20000, {1024: math.inf, 4096: 2.0}, 1024)]:
            self.assertEqual(tuning_rules.border(usual, gains), wanted, (usual, gains))

    def test_a_measurement_speaks_for_precisions_within_four_times(self):
        def at(bits, found, usual=lambda bits: 1 if bits < 300 else 2):
            return tuning_rules.Table.nearest(found, bits, usual)

        self.assertEqual([at(b, {200: 5}) for b in [49, 50, 200, 201, 800, 801]], [1, 5, 5, 5, 5, 2])
        self.assertEqual([at(b, {200: 5, 400: 6}) for b in [200, 201, 400, 1600]], [5, 6, 6, 6])
        self.assertEqual([at(b, {400: 2}) for b in [200, 400]], [1, 2])  # the usual of there: the usual of here


class Decisions(Folder):
    def test_formats_by_precision_and_the_runs_of_auto_are_also_those_of_its_format(self):
        cells = {("p", bits, asked): times for bits, asked, times in [
            (106, "expansion", [3.0, 1.0, 9.0]), (106, "multidigit", [2.0]), (106, "auto", [3.2, 3.2, 1.0]),
            (318, "expansion", [1.7]), (318, "multidigit", [2.0]), (318, "auto", [1.5]),
            (424, "expansion", [1.0]), (424, "multidigit", [2.0])]}
        # 106 bits: a median of 3 to 2; 318 of 1.7 to 1.5; 159, 212 and from 636 bits on as usual
        self.assertEqual([(int(bits), value.removeprefix("number_format::"))
                          for bits, value in rows(self.table(formats_file(cells)), "formats")],
                         [(53, "native"), (106, "multidigit"), (212, "expansion"), (318, "multidigit"), (424, "expansion"),
                          (4096, "multidigit")])

    def test_the_worse_of_host_and_gpu_counts(self):
        def cells(expansion, multidigit):
            return {("p", 212, "expansion"): [expansion], ("p", 212, "multidigit"): [multidigit]}

        host, gpu = formats_file(cells(1.0, 1.5)), formats_file(cells(3.0, 1.0), "cuda")
        self.assertEqual(rows(self.table(host), "formats")[1], ["212", "number_format::expansion"])
        self.assertEqual(rows(self.table(host, gpu), "formats")[1], ["159", "number_format::expansion"])

    def test_refinement_has_formats_of_its_own(self):
        cells = {("p", 212, "expansion"): [1.5], ("p", 212, "multidigit"): [1.0]}
        for method, changed, usual in [("refine", "refine_formats", "formats"), ("cg", "formats", "refine_formats")]:
            table = self.table(formats_file(cells, method=method))
            self.assertEqual(rows(table, changed)[1], ["159", "number_format::expansion"], method)
            self.assertEqual(rows(table, usual)[1], ["212", "number_format::expansion"], method)

    def test_panels_and_from_where_they_pay(self):
        def cell(p16, p48, columns):
            return {"panel 16": [p16, 99.0, 0.1], "panel 48": p48, "sums alone": columns}

        table = self.table(panels_file({
            ("multidigit", 212, 96, "random"): cell(5.0, 2.0, 1.0),
            ("multidigit", 212, 192, "random"): cell(4.0, 5.0, 6.0),
            ("multidigit", 212, 192, "definite"): cell(2.0, 2.5, 3.0),
            ("expansion", 106, 192, "random"): cell(4.0, 3.0, 2.0)}))
        self.assertEqual(rows(table, "multidigit_panels"), [["848", "16", "145", "192"], ["4096", "48", "145", "289"]])
        self.assertEqual(rows(table, "expansion_panels"), [["159", "48", "never", "never"], ["424", "48", "145", "289"]])

    def test_a_panel_of_all_columns_is_column_by_column(self):
        table = self.table(panels_file({
            ("multidigit", 212, 40, "random"): {"panel 16": 1.0, "sums alone": 3.0},
            ("multidigit", 212, 400, "random"): {"panel 16": 2.0, "panel 48": 1.0, "sums alone": 3.0}}))
        # a panel of 48 is 3 times slower at n = 40, one of 16 twice at n = 400
        self.assertEqual(rows(table, "multidigit_panels"), [["848", "16", "40", "289"], ["4096", "48", "145", "289"]])

    def test_products_on_a_device(self):
        times = {("multidigit", 212, 200): {"host": 2.0, "large": 2.0, "all": [1.0, 1.1, 9.0], "FLINT": 0.1},
                 ("multidigit", 848, 200): {"host": 1.0, "large": 1.2, "all": 3.0}}
        self.assertEqual(rows(self.table(products_file(times)), "products"),
                         [["212", "0.0"], ["3392", "std::numeric_limits<double>::infinity()"], ["4096", "0x1p30"]])

    def test_gpus_by_iterations_on_one_machine(self):
        def cells(times):
            return {(f"poisson {n} x {n}, an iteration", 106, "expansion"): [t] for n, t in times.items()}

        host = formats_file(cells({16: 1.0, 64: 8.0, 128: 32.0}))
        self.assertEqual(rows(self.table(host, formats_file(cells({16: 2.0, 64: 2.0, 128: 2.0}), "cuda")), "devices"),
                         [["424", "4096"], ["4096", "20000"]])
        elsewhere = formats_file(cells({16: 2.0, 64: 2.0, 128: 2.0}), "cuda", "another machine")
        self.assertEqual(rows(self.table(host, elsewhere), "devices"), [["4096", "20000"]])

    def test_the_order_of_the_files_does_not_matter_and_the_first_lines_say_when_and_where(self):
        products = products_file({("multidigit", 212, 200): {"host": 2.0, "large": 1.0, "all": 1.0}})
        formats = formats_file({("p", 212, "expansion"): [1.0], ("p", 212, "multidigit"): [2.0]})
        files = [self.write("b.json", products), self.write("a.json", formats)]
        table = tune.table_from(files)
        self.assertEqual(table, tune.table_from([*reversed(files), files[0]]))
        self.assertTrue(table.startswith(
            "// Written by bench/solvers/tune.py by the rules of docs/tuning.md, from measurements of 2026-11-22 to "
            "2026-11-23\n// on a GPU, the host of a machine:\n//   a.json\n//   b.json\n"), table)


class Refusals(Folder):
    def test_garbage_ends_in_one_line_and_writes_nothing(self):
        good = formats_file({("p", 212, "expansion"): [1.0], ("p", 212, "multidigit"): [2.0]})
        bad_time = formats_file({("p", 212, "expansion"): [-1.0], ("p", 212, "multidigit"): [2.0]})
        no_machine = panels_file({("multidigit", 212, 96, "random"): {"panel 16": 1.0}})
        del no_machine["machine"]
        for content, says in [("", "Expecting value"), ("{", "Expecting"), ("[1, 2]", "no cells"),
                              ("{}", "'cells' is missing"), ({"cells": [1]}, "names no options"),
                              (good | {"cells": [{"bits": 1}]}, "missing"),
                              (good | {"date": "yesterday"}, "yesterday"), (bad_time, "not times"),
                              (no_machine, "'machine' is missing"), (good | {"cells": 5}, "not iterable"),
                              (panels_file({("multidigit", 212, 96, "random"): {"panel 16": ["x"]}}), "not times"),
                              (panels_file({("multidigit", 212, 96, "hilbert"): {"panel 16": 1.0}}), "'hilbert'")]:
            with self.subTest(content=content):
                result = self.run_tune("--from", self.write("x.json", content), "--output", self.folder / "table.hpp")
                self.assertEqual(result.returncode, 1)
                self.assertRegex(result.stderr, r"^tune\.py: .*x\.json: .*\n$")
                self.assertIn(says, result.stderr)
                self.assertFalse((self.folder / "table.hpp").exists())

    def test_a_file_or_a_program_that_is_not_there(self):
        for arguments in [["--from", self.folder / "none.json"], ["--check", "--output", self.folder / "none.hpp"],
                          ["--quick", "--build", self.folder]]:
            result = self.run_tune(*arguments)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, r"^tune\.py: .*(No such file|is not there).*\n$")

    def test_what_is_asked_for_must_be_said(self):
        for arguments in [[], ["--cuda", "--check"], ["--quick", "--full"]]:
            self.assertEqual(self.run_tune(*arguments).returncode, 2)


if __name__ == "__main__":
    unittest.main()

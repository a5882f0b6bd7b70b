"""--help lists what works, and nothing else."""
import os
import pathlib
import re
import unittest

from support import CUDA, DONE, SANITIZED, USAGE, TestCase, program

# Of the contract, but not in this build: used, they are errors.
ABSENT_WORDS = ["certify", *([] if CUDA else ["cuda"])]
COMMANDS = ["solve", "compare", "info", "generate", "bench"]


def long_options(text):
    return set(re.findall(r"--[a-z][a-z0-9-]*|--n\b", text))


class Help(TestCase):
    def test_is_there_on_every_level(self):
        for level in [[], *([c] for c in COMMANDS)]:
            result = self.exits(DONE, *level, "--help")
            self.assertIn("--help", result.stdout)
            self.assertEqual(result.stderr, "")

    def test_lists_nothing_that_does_not_work(self):
        for level in [[], *([c] for c in COMMANDS)]:
            text = program(*level, "--help").stdout
            for word in ABSENT_WORDS:
                self.assertNotRegex(text, rf"(?<![a-z]){word}(?![a-z])", level)

    def test_fits_100_columns(self):
        for level in [[], *([c] for c in COMMANDS)]:
            for line in program(*level, "--help").stdout.splitlines():
                self.assertLessEqual(len(line), 100, line)

    def test_and_the_documentation_name_the_same_options(self):
        document = pathlib.Path(__file__).parents[2] / "docs" / "command-line.md"
        documented = long_options(document.read_text())
        for command in COMMANDS:
            for option in long_options(program(command, "--help").stdout):
                self.assertIn(option, documented, command)

    def test_version(self):
        self.assertRegex(self.exits(DONE, "--version").stdout, r"^residua \d+\.\d+\.\d+\nBLAS: .+\n$")

    def test_version_tells_the_kernels_of_openblas_which_are_no_old_ones(self):
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
            flags = next((set(line.split()) for line in lines if line.startswith("flags")), set())
        if SANITIZED or not {"avx2", "fma"} <= flags:
            self.skipTest("no AVX2, or nothing runs before the libraries")
        free = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
        for address_space_kib in [None, 4 << 20]:  # under a limit it has one thread, too
            def kernels(**more):
                return program("--version", env=free | more, address_space_kib=address_space_kib).stdout
            if "kernels for" not in kernels():
                self.skipTest("another BLAS")
            self.assertNotRegex(kernels(), "for (Prescott|Nehalem|Sandybridge|Barcelona|Core2)\n")
            for chosen in ["Prescott", "Haswell"]:
                self.assertIn(f"kernels for {chosen}\n", kernels(OPENBLAS_CORETYPE=chosen))


class Usage(TestCase):
    def test_a_command_is_needed(self):
        self.exits(USAGE, says="subcommand")

    def test_what_is_not_there_is_an_error(self):
        a = self.laplacian()
        self.exits(USAGE, "bench", "solve", says="OPERATION")
        self.exits(USAGE, "solve", a, "--certify", says="--certify")
        for method in ["fgmres", "CG", ""]:
            self.exits(USAGE, "solve", a, "-m", method, says="--method")
        for precond in ["block_jacobi", "ilu1"]:
            self.exits(USAGE, "solve", a, "-P", precond, says="--precond")
        for format_name in ["mpfr", "RNS"]:
            self.exits(USAGE, "solve", a, "-f", format_name, says="--format")
        if not CUDA:
            for executor in ["cuda", "cuda:1"]:
                self.exits(USAGE, "solve", a, "-e", executor, says="not available in this build")
        for executor in ["gpu", "cuda1", "CUDA", ""]:
            self.exits(USAGE, "solve", a, "-e", executor, says="--executor")

    def test_options_are_spelled_out(self):
        self.exits(USAGE, "solve", self.laplacian(), "--prec", "53", says="--prec")

    def test_options_must_fit_each_other(self):
        a = self.laplacian()
        for arguments, word in [
            (["-m", "cg", "--restart", "10"], "--restart"),
            (["-m", "direct", "-P", "ic0"], "--precond"),
            (["-m", "cg", "-P", "ilu0"], "--precond"),
            (["-m", "refine", "-P", "none"], "--precond"),
            (["-m", "gmres", "-P", "ic0"], "--precond"),
            (["-m", "gmres", "-P", "chebyshev"], "--precond"),
            (["-m", "cg", "-P", "ilut"], "--precond"),
            (["-m", "gmres", "-P", "ilu0", "--fill", "1"], "--fill"),
            (["--fill", "1"], "--fill"),
            (["--factors", "dd"], "--factors"),
            (["-m", "gmres", "-P", "lu", "--factors", "single"], "--factors"),
            (["-m", "direct", "--factors", "dd"], "--factors"),
            (["-m", "refine", "--factors", "quarter"], "--factors"),
            (["-m", "refine", "--factors", "4097"], "--factors"),
            (["-m", "direct", "-n", "5"], "--maxiter"),
            (["-m", "direct", "--x0", "zero"], "--x0"),
            (["-f", "native", "-p", "106"], "--format"),
            (["-f", "rns", "-p", "1735"], "--format"),
            (["-q", "-v"], "--quiet"),
            (["--output-digits", "20"], "--output"),
            (["--plot", "picture.jpg"], "--plot"),
            (["--rtol", "0"], "--rtol"),
            (["-o", "same", "--history", "same"], "--history"),
            (["-o", a], "--output"),
            (["-o", "-", "--report", "-"], "--report: standard output takes one result, and --output is there"),
            (["--history", "-"], "--history"),
            (["-b", "-", "--x0", "-"], "standard input"),
        ]:
            with self.subTest(arguments):
                self.exits(USAGE, "solve", a, *arguments, says=word)

    def test_one_file_in_two_spellings_is_one_file(self):
        a = self.laplacian()
        (self.folder / "link").symlink_to("new")
        (self.folder / "here").symlink_to(".")
        for one, other in [("./new", "new"), ("new", str(self.folder / "new")), ("here/new", "new"), ("link", "new"),
                           (f"../{self.folder.name}/new", "./new")]:
            for command, first, second in [("solve", "-o", "--history"), ("solve", "-o", "--report"),
                                           ("compare", "--csv", "--report")]:
                with self.subTest(one=one, other=other, command=command):
                    self.exits(USAGE, command, a, first, one, second, other, says=second, cwd=self.folder)
                    self.assertFalse((self.folder / "new").exists())

    def test_words_are_no_files(self):
        self.exits(DONE, "solve", self.laplacian(), "-b", "ones", "-o", "ones", "-q", cwd=self.folder)
        self.assertTrue((self.folder / "ones").exists())
        self.exits(USAGE, "solve", self.laplacian(), "-b", "./ones", "-o", "ones", says="--output", cwd=self.folder)

    def test_devices_take_more_than_one_result(self):
        self.exits(DONE, "solve", self.laplacian(), "-o", os.devnull, "--history", os.devnull)

    def test_what_is_wrong_is_named(self):
        a = self.laplacian()
        self.exits(USAGE, "--frobnicate", says="--frobnicate: no such option")
        self.exits(USAGE, "-q", "solve", a, says="-q")
        self.exits(USAGE, "solve", a, "--rtol", "1e-3", "--rtol", "1e-4", says="--rtol: given 2 times")
        self.exits(USAGE, "compare", a, "--csv=x", "--csv=y", "--csv=z", says="--csv: given 3 times")
        self.exits(USAGE, "generate", "hilbert", "--n", 3, "-o", "x", "--output", "y", says="--output: given 2 times")

    def test_near_words_are_named(self):
        a = self.laplacian()
        for arguments, meant in [
            (["slove", a], "solve"),
            (["Compare", a], "compare"),
            (["solve", a, "--metod", "cg"], "--method"),
            (["solve", a, "--require-digit=3"], "--require-digits"),
            (["solve", a, "--prec", "53"], "--precision or --precond"),
            (["compare", a, "--precision", "53"], "--precisions"),
            (["solve", a, "-m", "gmers"], "gmres"),
            (["solve", a, "-m", "CG"], "cg"),
            (["solve", a, "-P", "jakobi"], "jacobi"),
            (["solve", a, "-f", "multi-digit"], "multidigit"),
            (["solve", a, "-p", "duoble"], "double"),
            (["solve", a, "--entries", "decimals"], "decimal"),
            (["solve", a, "--progress", "allways"], "always"),
            (["compare", a, "--methods", "cg,gmrs"], "gmres"),
            (["generate", "hilbret", "--n", 3, "-o", "x"], "hilbert"),
            (["bench", "gemm_"], "gemm, gemm2, gemm_ozaki or gemm_exact"),
            (["bench", "dot", "--formats", "expansions"], "expansion"),
        ]:
            with self.subTest(arguments):
                self.assertIn(f"did you mean {meant}?", self.exits(USAGE, *arguments, says="").stderr)
        for arguments in [["bread", a], ["solve", a, "--certify"], ["solve", a, "-m", "magic"], ["solve", a, "b.mtx"]]:
            self.assertNotIn("did you mean", self.exits(USAGE, *arguments, says="").stderr)

    def test_numbers_are_checked(self):
        a = self.laplacian()
        for option, wrong in [
            ("--precision", ["0", "-53", "4097", "53.0", "quad", ""]),
            ("--maxiter", ["0", "-1", "ten"]),
            ("--restart", ["0"]),
            ("--fill", ["-1", "all"]),
            ("--digits", ["0", "1234"]),
            ("--require-digits", ["0", "1234", "many"]),
            ("--threads", ["0"]),
            ("--rtol", ["-1", "abc", "1e", "nan", "inf", "0x1p-3"]),
            ("--atol", ["-1e-400"]),
            ("--time-limit", ["0", "-1", "soon"]),
            ("--every", ["0", "-1", "often"]),
            ("--checkpoint", ["-", ""]),
            ("--resume", ["-", ""]),
            ("--entries", ["exact"]),
            ("--progress", ["sometimes"]),
            ("--rhs", ["random:", "random:x", "random:-1", "unit:", "unit:0", "unit:-1", "unit:1.0"]),
        ]:
            for value in wrong:
                with self.subTest(option=option, value=value):
                    self.exits(USAGE, "solve", a, f"{option}={value}", says=option)

    def test_compare_takes_lists(self):
        a = self.laplacian()
        self.exits(USAGE, "compare", a, "--precisions", "53,,106", says="--precisions")
        self.exits(USAGE, "compare", a, "--methods", "cg,fgmres", says="--methods")
        self.exits(USAGE, "compare", a, "--formats", "native", "--precisions", "106", says="--formats")
        self.exits(USAGE, "compare", a, "-o", "x.mtx", says="-o")
        self.exits(USAGE, "compare", a, "--csv", "-", "--report", "-", says="--report")

    def test_generate_checks_its_parameters(self):
        for arguments, word in [
            (["hilbert", "--n", "0"], "--n"),
            (["hilbert"], "--n"),
            (["nothing", "--n", "3"], "KIND"),
            (["randsvd", "--n", "3", "--cond", "0.5"], "--cond"),
            (["pascal", "--n", "3", "--cond", "2"], "--cond"),
            (["hilbert", "--n", "3", "--seed", "2"], "--seed"),
            (["pascal", "--n", "3", "--digits", "20"], "--digits"),
            (["hilbert", "--n", "3", "--digits", "20", "--binary64"], "--digits"),
            (["poisson3d", "--n", "2000"], "--n"),
            (["graded", "--n", "9", "--cond", "1e700", "--binary64"], "--binary64"),
        ]:
            with self.subTest(arguments):
                self.exits(USAGE, "generate", *arguments, "-o", self.folder / "a.mtx", says=word)
                self.assertFalse((self.folder / "a.mtx").exists())
        self.exits(USAGE, "generate", "hilbert", "--n", "3", says="--output")
        self.exits(USAGE, "generate", "hilbert", "--n", "3", "-o", "", says="--output")


if __name__ == "__main__":
    unittest.main()

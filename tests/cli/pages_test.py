"""Manual pages and completions have the options that --help has, and the words that the program takes."""
import functools
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import BAD_INPUT, DONE, TestCase, array, program

PROGRAM = pathlib.Path(os.environ["RESIDUA_PROGRAM"])
PAGES = pathlib.Path(os.environ["RESIDUA_PAGES"])
COMMANDS = ["solve", "compare", "info", "generate", "bench"]
NONSENSE = "@"  # no word of any option; as a file it is not there

BASH = r"""
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_residua
printf '%s\n' "${COMPREPLY[@]}"
"""

# Stands in for zsh's own functions: prints the specifications of a command.
ZSH = r"""
compadd() { }
_describe() { print -rl -- $commands }
_arguments() { if (( $+called )); then print -rl -- "$@"; else called=1 state=argument; fi }
words=("$2")
source "$1"
"""


@functools.cache
def help_options(*command):
    """Each option of --help: its names, long one last, and whether it takes a value."""
    options = {}
    for line in program(*command, "--help").stdout.splitlines():
        found = re.match(r"  (-[\w,-]+)(?: ([A-Z0-9]+))?(?:  |$)", line)
        if found:
            options[tuple(found[1].split(","))] = found[2] is not None
    return options


def names(options):
    return sorted(name for group in options for name in group)


class Completion(TestCase):
    def completed(self, *words, cwd=None):
        run = subprocess.run(["bash", "--norc", "-c", BASH, "bash", PAGES / "residua.bash", "residua", *words],
                             capture_output=True, text=True, cwd=cwd or self.folder, timeout=60)
        self.assertEqual((run.returncode, run.stderr), (0, ""), words)
        return sorted(run.stdout.split())

    def test_commands_come_first(self):
        self.assertEqual(self.completed(""), sorted(COMMANDS))
        self.assertEqual(self.completed("-"), names(help_options()))
        self.assertEqual(self.completed("so"), ["solve"])

    def test_options_are_those_of_help(self):
        for command in COMMANDS:
            options = help_options(command)
            self.assertGreater(len(options), 3)
            self.assertEqual(self.completed(command, "-"), names(options), command)

    def test_words_are_those_that_the_program_takes(self):
        checked = 0
        for command in COMMANDS:
            required = {"generate": ["--n", "3", "-o", "x"]}.get(command, [])
            subject = {"generate": "hilbert", "bench": "dot"}.get(command, "nothing.mtx")
            places = [(o, [command, subject, *required, o[-1], NONSENSE])
                      for o, has_value in help_options(command).items()
                      if has_value and (command, o[-1]) != ("bench", "--report")]  # any name of a file would do there
            if command in ("generate", "bench"):
                places.append(((), [command, NONSENSE, *required]))
            for option, arguments in places:
                found = re.search(r"is none of (.*)|nor one of (.*)", program(*arguments, cwd=self.folder).stderr)
                offered = self.completed(command, *option[-1:], "")
                if found:
                    words = (found[1] or found[2]).split(", ")
                    words = sorted(w for w in words if w != "cuda:NUMBER" and (command, w) != ("bench", "auto"))
                    self.assertEqual(offered, words, (command, option))
                    for name in option:
                        self.assertEqual(self.completed(command, name, ""), words)
                    checked += 1
                else:  # words beside files: the matrix, which is not there, is what is wrong with the command
                    for word in offered:
                        self.exits(BAD_INPUT, command, subject, option[-1], word + "1" if word.endswith(":") else word,
                                   says="nothing.mtx")
        self.assertGreater(checked, 15)

    def test_words_follow_what_was_typed(self):
        self.assertEqual(self.completed("solve", "-m", "gmres"), ["gmres", "gmres-ir"])
        self.assertEqual(self.completed("solve", "--method", "=", "gmres"), ["gmres", "gmres-ir"])
        self.assertEqual(self.completed("solve", "--method", "="), self.completed("solve", "-m", ""))
        self.assertEqual(self.completed("compare", "a.mtx", "--methods", "cg,gmres"), ["cg,gmres", "cg,gmres-ir"])
        self.assertEqual(self.completed("solve", "a.mtx", "--x0", "z"), ["zero"])
        self.assertEqual(self.completed("solve", "a.mtx", "--rtol", ""), [])

    def test_files_are_offered_where_files_are_taken(self):
        for name in ["two words.mtx", "one.mtx"]:
            (self.folder / name).touch()
        self.assertEqual(self.completed("solve", "o"), ["one.mtx"])
        self.assertEqual(self.completed("solve", "tw"), ["two", "words.mtx"])
        for option in ["-b", "--x0", "-o", "--report", "--history", "--plot"]:
            self.assertIn("one.mtx", self.completed("solve", "one.mtx", option, "o"), option)
        self.assertEqual(self.completed("solve", "one.mtx", "-m", "o"), [])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_has_the_same(self):
        for command in COMMANDS:
            run = subprocess.run(["zsh", "-f", "-c", ZSH, "zsh", PAGES / "_residua", command], capture_output=True,
                                 text=True, timeout=60)
            self.assertEqual(run.returncode, 0, run.stderr)
            options = help_options(command)
            specified = set()
            for line in run.stdout.splitlines():
                found = re.match(r"(?:\([-\w ]+\))?(--?[\w-]+)[+=]?\[.*?[^\\]\](?::\w+:(.*))?$", line)
                if not found:
                    self.assertTrue(line == "-s" or line.startswith(":"), line)
                    continue
                specified.add(found[1])
                group = next(g for g in options if found[1] in g)
                self.assertEqual(found[2] is not None, options[group], line)
                words = re.match(r"\((.*)\)$", found[2] or "")
                if words:
                    self.assertEqual(sorted(words[1].split()), self.completed(command, found[1], ""), line)
            self.assertEqual(sorted(specified), names(options), command)
    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_has_the_same(self):
        script = "source $argv[1]; complete -C $argv[2]"

        def offered(line):
            run = subprocess.run(["fish", "--no-config", "-c", script, PAGES / "residua.fish", line],
                                 capture_output=True, text=True, cwd=self.folder, timeout=60)
            self.assertEqual((run.returncode, run.stderr), (0, ""), line)
            return sorted(entry.partition("\t")[0] for entry in run.stdout.splitlines())

        self.assertEqual(offered("residua "), sorted(COMMANDS))
        self.assertEqual(sorted({*offered("residua --"), *offered("residua -")}), names(help_options()))
        (self.folder / "one.mtx").touch()
        for command in COMMANDS:
            options = help_options(command)
            self.assertEqual(sorted({*offered(f"residua {command} -"), *offered(f"residua {command} --")}), names(options))
            for option, has_value in options.items():
                if has_value:
                    self.assertEqual(offered(f"residua {command} {option[-1]} "), self.completed(command, option[-1], ""), option)
        self.assertIn("one.mtx", offered("residua solve "))
        self.assertEqual(offered("residua solve --method=gmres"), ["--method=gmres", "--method=gmres-ir"])
        self.assertEqual(offered("residua compare one.mtx --methods cg,gmres"), ["cg,gmres", "cg,gmres-ir"])
        self.assertEqual(offered("residua generate hil"), ["hilbert"])


class Examples(TestCase):
    def of(self, *command):
        """What --help shows, as pairs of a comment and a line."""
        text = program(*command, "--help").stdout.partition("Examples:\n")[2]
        return re.findall(r"^  # (.*)\n  (.*)$", text, re.M)

    def test_every_one_runs(self):
        environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}
        count = 0
        for command in [[], *([c] for c in COMMANDS)]:
            for about, line in self.of(*command):
                with self.subTest(line), tempfile.TemporaryDirectory() as folder:
                    for arguments in [["hilbert", "--n", 12, "-o", f"{folder}/A.mtx"]]:
                        self.exits(DONE, "generate", *arguments)
                    pathlib.Path(folder, "A.mtx.gz").write_bytes(gzip.compress(pathlib.Path(folder, "A.mtx").read_bytes()))
                    pathlib.Path(folder, "b.mtx").write_text(array(range(1, 13)))
                    run = subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=folder, env=environment,
                                         capture_output=True, text=True, timeout=120)
                    self.assertEqual(run.returncode, DONE, run.stderr)
                    self.assertTrue(about)
                    count += 1
        self.assertGreater(count, 10)

    def test_manual_pages_have_them(self):
        for command in [[], *([c] for c in COMMANDS)]:
            page = (PAGES / ("-".join(["residua", *command]) + ".1")).read_text().replace("\\-", "-").replace("\\e", "\\")
            section = page.partition(".SH EXAMPLES\n")[2].partition(".SH")[0]
            self.assertEqual(re.findall(r"^\.PP\n(.*):\n\.PP\n\.nf\n\.RS\n(.*)\n\.RE\n\.fi$", section, re.M), self.of(*command))


class Manual(TestCase):
    def text(self, page):
        return (PAGES / f"{page}.1").read_text().replace("\\-", "-")

    def test_options_are_those_of_help(self):
        for command in [[], *([c] for c in COMMANDS)]:
            page = "-".join(["residua", *command])
            headings = re.findall(r"^\.TP\n(\\fB-.*)$", self.text(page), re.M)
            documented = [name for line in headings for name in re.findall(r"\\fB(-[\w-]+)\\fR", line)]
            self.assertEqual(sorted(documented), names(help_options(*command)), page)

    def test_every_command_has_a_page(self):
        self.assertEqual(sorted(p.stem for p in PAGES.glob("*.1")), sorted(["residua", *(f"residua-{c}" for c in COMMANDS)]))
        for command in COMMANDS:
            self.assertIn(f"residua-{command}(1)", self.text("residua"))

    def test_exit_codes_are_those_of_the_documentation(self):
        document = (pathlib.Path(__file__).parents[2] / "docs" / "command-line.md").read_text()
        table = re.search(r"## Exit codes\n(.*?)\n## ", document, re.S)[1]
        section = re.search(r"\.SH EXIT STATUS\n(.*?)\.SH", self.text("residua-solve"), re.S)[1]
        shown = program("--help").stdout
        for code, meaning in re.findall(r"\\fB(\d+)\\fR\n(.*)\n", section):
            self.assertRegex(table, rf"\| {code} \| {re.escape(meaning)}")
            self.assertIn(f"{code} {meaning}", " ".join(shown.split()))
        self.assertEqual(re.findall(r"\\fB(\d+)\\fR\n", section), re.findall(r"^\| (\d+) \|", table, re.M))

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_pages_are_well_formed(self):
        for page in PAGES.glob("*.1"):
            run = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-z", page], capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stderr), (0, ""), page.name)


if __name__ == "__main__":
    unittest.main()

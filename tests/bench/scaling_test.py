"""scaling_test.py PROGRAM LIBRARY MPIRUN: scaling_bench finds the bits of one process on several, and says what travelled."""
import json
import os
import subprocess
import sys
import unittest

# As root too, several processes on a processor, which yield while they wait.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1", OMP_NUM_THREADS="1")


def run(*command):
    return subprocess.run([*map(str, command)], env=ENVIRONMENT, capture_output=True, text=True, timeout=300)


class Scaling(unittest.TestCase):
    def lines(self, count, *args):
        done = run(MPIRUN, "-n", count, PROGRAM, "--library", LIBRARY, "--alone", "--iterations", 8, *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_several_processes_have_the_bits_of_one(self):
        systems = ["strong2d=80", "strong3d=18", "weak2d=48"]
        one = [json.loads(line) for line in run(PROGRAM, "--alone", "--iterations", 8, *systems).stdout.splitlines()]
        self.assertEqual([line["precision_bits"] for line in one], 3 * [106, 212, 424, 848])
        for count in (2, 3):
            for found, expected in zip(self.lines(count, *systems), one, strict=True):
                self.assertTrue(found["same_bits_alone"], found)
                self.assertEqual(found["processes"], count)
                is_strong = found["system"].startswith("strong")
                self.assertEqual(found["unknowns"], expected["unknowns"] * (1 if is_strong else count))
                self.assertEqual(found["hash"] == expected["hash"], is_strong)
                # multi-digit floats find common units first
                self.assertEqual(found["joins_per_iteration"], 4 if found["precision_bits"] > 212 else 2)
                self.assertGreater(found["bytes_per_join"], 0)
                self.assertLessEqual(found["share_of_communication"], 1)

    def test_the_hash_depends_on_the_system(self):
        done = run(PROGRAM, "--iterations", 8, "strong2d=27", "strong3d=9")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([line["unknowns"] for line in lines], 8 * [729])
        self.assertEqual(len({line["hash"] for line in lines}), 8)

    def test_a_system_that_is_none_is_refused(self):
        done = run(PROGRAM, "weak=3")
        self.assertEqual(done.returncode, 2)
        self.assertIn("weak=3: a system is", done.stderr)


PROGRAM, LIBRARY, MPIRUN = sys.argv[1:4]
unittest.main(argv=sys.argv[:1])

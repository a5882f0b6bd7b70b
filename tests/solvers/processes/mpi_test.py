"""mpi_test.py MPIRUN PROGRAM LIBRARY: mpi_solve on 1 to 4 processes of MPI, on this machine.

The bits of x are those of one process without MPI, and a fault on one process ends all with its message.
"""
import os
import subprocess
import sys
import time

MPIRUN, PROGRAM, LIBRARY = sys.argv[1:]
# As root too, several processes on a processor, which yield while they wait.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_ess_singleton_isolated="1", OMPI_MCA_mpi_yield_when_idle="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMP_NUM_THREADS="1")


def run(command, wants_success=True):
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
    if (done.returncode == 0) != wants_success:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def main():
    for bits in ("212", "424"):
        expected = run([PROGRAM, "", bits]).stdout
        if not expected.startswith("converged after "):
            sys.exit(f"{bits} bits: {expected}")
        print(f"{bits} bits, without MPI: {expected}", end="")
        ways = [[PROGRAM, LIBRARY, bits]]  # one process that mpirun has not started
        ways += [[MPIRUN, "-n", str(count), PROGRAM, LIBRARY, bits] for count in (1, 2, 3, 4)]
        for way in ways:
            found = run(way).stdout
            print(f"{' '.join(way[:3])}: {found}", end="")
            if found != expected:
                sys.exit(f"{' '.join(way)}: {found}instead of {expected}")

    again = run([MPIRUN, "-n", "2", PROGRAM, LIBRARY, "424", "again"])
    if again.stdout != expected:
        sys.exit(f"processes that are opened again: {again.stdout}{again.stderr}")

    begin = time.monotonic()
    failed = run([MPIRUN, "-n", "3", PROGRAM, LIBRARY, "212", "fails"], wants_success=False)
    seconds = time.monotonic() - begin
    if "residua: process 3 of 3: a fault on purpose" not in failed.stderr or failed.stdout:
        sys.exit(f"a fault on one process: {failed.stdout}{failed.stderr}")
    print(f"a fault on one process ends all after {seconds:.1f} s")


main()

"""Solves that several processes share on GPUs, started by mpirun: the x and the figures of one process on the host."""
import sys
import unittest

from mpi_support import SharedCase
from support import BAD_INPUT, CUDA, DONE, NOT_CONVERGED, RESOURCES, has_gpu

SKIPPED = 77  # what CTest takes for "skipped"


class ProcessesOnDevices(SharedCase):
    def expect_equal_on_devices(self, *args, counts=(2, 4), code=DONE):
        self.expect_equal(*args, counts=counts, code=code, executor="cuda")

    def test_x_and_the_figures_are_those_of_one_process_on_the_host(self):
        a = self.poisson(150)  # so large that the plan does not prefer the host
        few = ["--maxiter", 60]
        for bits, p in [(53, "jacobi"), (106, "jacobi"), (212, "none"), (848, "jacobi")]:
            self.expect_equal_on_devices(a, "-m", "cg", "-p", bits, "-P", p, *few, code=NOT_CONVERGED)
        self.expect_equal_on_devices(a, "-m", "cg", "-p", 424, "-P", "jacobi", "--rtol", "1e-12", counts=(1, 2, 4))
        self.expect_equal_on_devices(a, "-m", "cg", "-p", 424, "-P", "chebyshev", *few, counts=(3,), code=NOT_CONVERGED)
        self.expect_equal_on_devices(a, "-m", "gmres", "-p", 106, "-P", "block-jacobi", *few, code=NOT_CONVERGED)

    def test_what_is_not_shared_is_refused(self):
        a = self.poisson(10)
        self.run_shared(BAD_INPUT, 2, "solve", a, "-e", "cuda", says="2 processes do not share the method auto")
        self.run_shared(BAD_INPUT, 2, "solve", a, "-e", "cuda", "-m", "cg", "-P", "ic0",
                        says="do not share the preconditioner ic0")
        self.run_shared(RESOURCES, 2, "solve", a, "-m", "cg", "-e", "cuda:1000", says="no CUDA device 1000")


if __name__ == "__main__":
    if not CUDA:
        print("skipped: this build has no CUDA side")
        sys.exit(SKIPPED)
    if not has_gpu():
        print("skipped: there is no GPU")
        sys.exit(SKIPPED)
    unittest.main()

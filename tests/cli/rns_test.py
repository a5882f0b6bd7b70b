"""--format rns: any precision, every method, and more bits than other formats have."""
import unittest

from support import DONE, TestCase, coordinate

METHODS = ["auto", "cg", "minres", "gmres", "bicgstab", "bicgstabl", "idr", "tfqmr", "bicg", "cocg", "cocr", "lsqr", "refine", "direct"]


class Rns(TestCase):
    def test_every_method_solves_to_the_precision_asked_for(self):
        a = self.laplacian()
        for method in METHODS:
            with self.subTest(method):
                report = self.report(DONE, "solve", a, "-f", "rns", "-m", method, "-p", 424, "-o", self.folder / "x")
                self.assertEqual(report["format"], "rns")
                self.assertGreaterEqual(report["precision_bits"], 424)
                self.assertLess(report["precision_bits"], 424 + 32)
                self.assertEqual(report["status"], "converged")
                self.assert_ones(self.folder / "x", 105)

    def test_serves_more_bits_than_expansions_have(self):
        report = self.report(DONE, "solve", self.laplacian(), "-f", "rns", "-p", 1696, "--rtol", "1e-480", "-o",
                             self.folder / "x")
        self.assertEqual(report["format"], "rns")
        self.assertGreaterEqual(report["precision_bits"], 1696)
        self.assert_ones(self.folder / "x", 475)

    def test_without_a_precision_one_is_chosen(self):
        report = self.report(DONE, "solve", self.laplacian(), "-f", "rns")
        self.assertGreaterEqual(report["precision_bits"], 106)
        self.assertEqual(report["format"], "rns")

    def test_digits_raise_its_precision(self):
        report = self.report(DONE, "solve", self.laplacian(), "-f", "rns", "-d", 300)
        self.assertGreaterEqual(report["forward_error"]["digits"], 300)
        self.assertEqual(report["format"], "rns")

    def test_holds_numbers_far_beyond_binary64(self):
        a = self.write("a.mtx", coordinate(2, [(1, 1, "1e-4000"), (2, 2, "1e+3000")]))
        report = self.report(DONE, "solve", a, "-f", "rns", "-m", "direct", "-b", "ones", "-p", 106)
        self.assertEqual(report["status"], "converged")

    def test_is_compared_with_the_others(self):
        path = self.folder / "table.csv"
        self.exits(DONE, "compare", self.laplacian(), "--formats", "native,expansion,rns", "--precisions", "53,212,1272",
                   "--methods", "cg", "--csv", path, "-q")
        rows = [line.split(",") for line in path.read_text().splitlines()[1:]]
        self.assertEqual([r[2] for r in rows], ["native", "expansion", "rns", "rns", "rns"])
        self.assertEqual({r[4] for r in rows}, {"converged"})

    def test_the_host_is_named_where_it_computes(self):
        report = self.report(DONE, "solve", self.laplacian(), "-f", "rns", "-m", "cg", "-e", "host")
        self.assertEqual(report["executor"], "host")
        self.assertTrue(report["device"])


if __name__ == "__main__":
    unittest.main()

"""A campaign of complex systems against exact rationals: what residua says of x, rank, range, null space, determinant
and inertia is true, or it says that it does not know.

    complex_campaign.py [--count 40] [--first 0] [--keep FOLDER] [--seconds 120]

RESIDUA_PROGRAM names the binary. Each system has a number, and each number gives the same system and options again.
What residua says is compared with the real form: ranks, inertia and null spaces of that are twice as large.
"""
import sys
from fractions import Fraction

import complex_systems
import exact
import singular_campaign


def double(fields, *names):
    for name in names:
        if fields and fields[name] is not None:
            fields[name] *= 2


class ComplexJudge(singular_campaign.Judge):
    systems = complex_systems

    def more_options(self, method):
        """Formats, preconditioners and initial guesses."""
        s, r = self.system, self.random
        options = []
        if r.random() < 0.15:
            options += ["-f", r.choice(["multidigit"] if method == "gmres-ir" else ["expansion", "multidigit", "rns"])]
        elif method in ("gmres", "bicgstab", "idr") and r.random() < 0.5:
            options += ["-P", r.choice(["none", "jacobi", "block-jacobi", "ilu0", "ilut", "ssor", "lu"])]
        takes_none = method == "direct" or s.cols > s.rows  # of several solutions it finds the nearest to the guess
        if not takes_none and isinstance(s.b, list) and len(s.b) == 1 and r.random() < 0.15:
            guess = self.folder / "x0.mtx"
            field, columns = ("complex", 2) if s.parts == 2 else ("real", 1)
            guess.write_text(f"%%MatrixMarket matrix array {field} general\n{s.header_cols} 1\n" + "".join(
                " ".join(str(r.randint(-9, 9)) for _ in range(columns)) + "\n" for _ in range(s.header_cols)))
            options += ["--x0", guess]
        return options

    def as_real(self, document):
        s = self.system
        is_complex = s.complex if document["command"] == "solve" else not s.a_is_real
        self.expect(document["matrix"]["complex"] == (not s.a_is_real), f"matrix: {document['matrix']}")
        self.expect((document["matrix"]["rows"], document["matrix"]["cols"]) == (s.header_rows, s.header_cols),
                    f"sizes: {document['matrix']}")
        if is_complex:
            for column in document.get("columns", [document]):
                if document["command"] == "solve":
                    double(column, "rank")
                    if column["rank"] is not None:
                        double(column, "nullity")
            double(document.get("null_space"), "rank", "nullity")
            if document["command"] == "info":
                double(document.get("rank"), "rank", "nullity")
                double(document.get("factors", {}).get("eigenvalues"), "positive", "negative", "zero")
        return document

    def judge_determinant(self, factors, a, digits):
        if self.system.a_is_real:
            super().judge_determinant(factors, a, digits)
            return
        parts = exact.complex_determinant(a)
        truth = exact.square_norm(parts)
        told = factors["determinant"] or factors.get("determinant_modulus")
        if told is None:
            self.counts["info: determinant unknown"] += 1
            return
        value, error = Fraction(told), Fraction(factors["relative_error"]) * Fraction(100001, 100000)
        least = (abs(value) / (1 + error))**2
        most = (abs(value) / (1 - error))**2 if error < 1 else truth
        self.expect(least <= truth <= most, f"determinant {told}, true {float(truth)**0.5}, error {float(error)}")
        if "determinant_modulus" in factors:
            self.counts["info: both parts of a determinant"] += 1
            off = [Fraction(factors[f"determinant_{k}"]) - x for k, x in zip(("real", "imaginary"), parts)]
            self.expect(exact.square_norm(off) <= 2 * (error + Fraction(100, 10**digits))**2 * truth,
                        f"determinant {factors['determinant_real']}, {factors['determinant_imaginary']}")
        eigenvalues = factors["eigenvalues"]
        if factors["determinant"] and value and eigenvalues:
            negative = eigenvalues["negative"] // 2
            self.expect((value < 0) == (negative % 2 == 1), f"determinant {told} with {negative} negative eigenvalues")


if __name__ == "__main__":
    sys.exit(singular_campaign.main(ComplexJudge, __doc__))

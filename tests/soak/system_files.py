"""Systems as the words of MatrixMarket files, and as exact matrices. A number is a word: what it means depends on how
it is read. A complex matrix is at work as its real form, with a block [a -b; b a] for an entry a + i b, so that sums,
products and ranks are those of real matrices.
"""
from fractions import Fraction

PLAIN, CONJUGATED, NEGATED = "symmetric", "hermitian", "skew-symmetric"


def word(x):
    """A Fraction whose denominator has no prime factors but 2 and 5, as a decimal."""
    x = Fraction(x)
    places, denominator = 0, x.denominator
    while denominator % 10 == 0:
        places, denominator = places + 1, denominator // 10
    while denominator % 2 == 0:
        places, denominator = places + 1, denominator // 2
    while denominator % 5 == 0:
        places, denominator = places + 1, denominator // 5
    assert denominator == 1, x
    digits = str(abs(x.numerator) * 10**places // x.denominator)
    if places:
        digits = digits.rjust(places + 1, "0")
        digits = digits[:-places] + "." + digits[-places:]
    return ("-" if x < 0 else "") + digits


class System:
    """A in coordinates, with words; b is a list of columns of words, or a name that the option -b knows."""
    parts = 1  # numbers of the matrix for a number of the file

    def __init__(self, rows, cols, entries, b="rowsum", symmetric=False, options=(), x=None):
        self.rows, self.cols, self.entries, self.b = rows, cols, entries, b
        self.symmetric = symmetric      # the file has the lower triangle
        self.options = list(options)
        self.x = x                      # the shortest solution, where it is known by construction
        self.rank = None                # likewise

    def matrix(self, value):
        """A as it is where value(word) is what a word means."""
        a = [[Fraction(0)] * self.cols for _ in range(self.rows)]
        for i, j, text in self.entries:
            a[i][j] += value(text)
            if self.symmetric and i != j:
                a[j][i] += value(text)
        return a

    matrix_alone = matrix

    def named_side(self, a):
        """The b that a name stands for."""
        if self.b == "rowsum":
            return [sum(row) for row in a]
        if self.b == "ones":
            return [Fraction(1)] * self.rows
        return [Fraction(k + 1 == int(self.b.split(":")[1])) for k in range(self.rows)]

    def given_side(self, column, value):
        return [value(t) for t in column]

    def equals_transpose(self):
        return self.symmetric

    def with_images(self, vectors):
        """What the matrix takes to zero with these."""
        return vectors

    def text(self):
        kind = "symmetric" if self.symmetric else "general"
        lines = [f"%%MatrixMarket matrix coordinate real {kind}", f"{self.rows} {self.cols} {len(self.entries)}"]
        return "\n".join(lines + [f"{i + 1} {j + 1} {t}" for i, j, t in self.entries]) + "\n"

    def text_of_b(self):
        lines = ["%%MatrixMarket matrix array real general", f"{self.rows} {len(self.b)}"]
        return "\n".join(lines + [t for column in self.b for t in column]) + "\n"


def form(re, im):
    """The real form of a matrix with these parts."""
    rows = []
    for x, y in zip(re, im):
        rows.append([t for a, b in zip(x, y) for t in (a, -b)])
        rows.append([t for a, b in zip(x, y) for t in (b, a)])
    return rows


def adjoint(k):
    return [list(column) for column in zip(*k)]


def conjugate(k):
    return [[-x if (i + j) % 2 else x for j, x in enumerate(row)] for i, row in enumerate(k)]


def plain_transpose(k):
    return conjugate(adjoint(k))


def times_i(k):
    return [row for p in range(0, len(k), 2) for row in ([-x for x in k[p + 1]], list(k[p]))]


class ComplexSystem(System):
    """A in coordinates, with two words each; b is a list of columns of pairs of words, or a name as of a System. `rows`
    and `cols` are those of the real form, where the system is complex."""

    def __init__(self, rows, cols, entries, b="rowsum", kind="general", options=(), dense=False):
        super().__init__(rows, cols, entries, b, options=options)
        self.kind = kind              # the file has the lower triangle, unless it is general
        self.dense = dense            # the file is an array
        self.transposed = False
        self.header_rows, self.header_cols = rows, cols
        self.a_is_real = all(not Fraction(im) for _, _, _, im in entries)
        b_is_real = isinstance(b, str) or all(not Fraction(im) for column in b for _, im in column)
        self.complex = not (self.a_is_real and b_is_real)
        self.parts = 2 if self.complex else 1
        k = self.matrix(Fraction)
        self.rows, self.cols = len(k), self.parts * cols
        self.symmetric = self.rows == self.cols and k == adjoint(k)

    def equals_transpose(self):
        k = self.matrix(Fraction)
        return k == plain_transpose(k) if self.complex else self.symmetric

    def transpose(self):
        """The system with the option --transpose; its b stays, so A is square."""
        self.transposed = True
        self.options.append("--transpose")
        k = self.matrix(Fraction)
        self.symmetric = k == adjoint(k)

    def given(self, value):
        re = [[Fraction(0)] * self.header_cols for _ in range(self.header_rows)]
        im = [[Fraction(0)] * self.header_cols for _ in range(self.header_rows)]

        def add(i, j, x, y):
            re[i][j] += x
            im[i][j] += y
        for i, j, x_text, y_text in self.entries:
            x, y = value(x_text), value(y_text)
            add(i, j, x, y)
            if i != j and self.kind == PLAIN:
                add(j, i, x, y)
            elif i != j and self.kind == CONJUGATED:
                add(j, i, x, -y)
            elif i != j and self.kind == NEGATED:
                add(j, i, -x, -y)
        if self.transposed:
            re, im = adjoint(re), adjoint(im)
        return re, im

    def matrix(self, value):
        re, im = self.given(value)
        return form(re, im) if self.complex else re

    def matrix_alone(self, value):
        """A as it is where there is no b."""
        re, im = self.given(value)
        return re if self.a_is_real else form(re, im)

    def with_images(self, vectors):
        """The vectors of a null space, and i times each."""
        return vectors if self.parts == 1 else vectors + [
            [t for k in range(0, len(v), 2) for t in (-v[k + 1], v[k])] for v in vectors]

    def text(self):
        if self.dense:
            at = {(i, j): (x, y) for i, j, x, y in self.entries}
            lines = ["%%MatrixMarket matrix array complex " + self.kind, f"{self.header_rows} {self.header_cols}"]
            for j in range(self.header_cols):
                start = 0 if self.kind == "general" else j + (self.kind == NEGATED)
                lines += [" ".join(at.get((i, j), ("0", "0"))) for i in range(start, self.header_rows)]
            return "\n".join(lines) + "\n"
        lines = [f"%%MatrixMarket matrix coordinate complex {self.kind}",
                 f"{self.header_rows} {self.header_cols} {len(self.entries)}"]
        return "\n".join(lines + [f"{i + 1} {j + 1} {x} {y}" for i, j, x, y in self.entries]) + "\n"

    def text_of_b(self):
        real = all(y == "0" for column in self.b for _, y in column)
        lines = [f"%%MatrixMarket matrix array {'real' if real else 'complex'} general",
                 f"{self.header_rows} {len(self.b)}"]
        return "\n".join(lines + [x if real else f"{x} {y}" for column in self.b for x, y in column]) + "\n"

    def named_side(self, a):
        """The b that a name stands for."""
        parts, rows = self.parts, self.rows
        if self.b == "rowsum":
            return [sum(row[::parts]) for row in a]
        if self.b == "ones":
            return [Fraction(k % parts == 0) for k in range(rows)]
        unit = parts * (int(self.b.split(":")[1]) - 1)
        return [Fraction(k == unit) for k in range(rows)]

    def given_side(self, column, value):
        return [value(t) for pair in column for t in pair[:self.parts]]


def of_form(k, kind="general", b="rowsum", **more):
    """The system of a matrix in real form."""
    entries = [(i, j, word(k[2 * i][2 * j]), word(k[2 * i + 1][2 * j]))
               for i in range(len(k) // 2) for j in range(len(k[0]) // 2)
               if (k[2 * i][2 * j] or k[2 * i + 1][2 * j]) and (kind == "general" or j <= i)]
    return ComplexSystem(len(k) // 2, len(k[0]) // 2, entries, b, kind, **more)

"""The rules of docs/tuning.md: which rows of the tuning table follow from what was measured."""
import math
import re

GAIN = 1.05  # what another choice must be better by
REACH = 4  # a measurement speaks for precisions up to so many times smaller or larger, where there is none in between
NEVER = 2**63 - 1
EXPANSIONS = [106, 159, 212, 318, 424]
NATIVE_BITS, EXPANSION_BITS, MOST_BITS = 53, 424, 4096


# What holds where nothing was measured.
def usual_format(bits):
    return "expansion" if bits <= 212 else "multidigit"


def usual_panel(number_format, bits):
    """(panel, least unknowns of LU, of Cholesky)"""
    if number_format == "expansion" and bits <= 159:
        return 48, NEVER, NEVER
    return 48, 145, 289


USUAL_LEAST_WORK = 2.0**30
USUAL_LEAST_UNKNOWNS = 20000


def least_of_worst(cells, usual):
    """The choice whose largest ratio to the fastest of its cell is the least, of those that all cells have; the usual
    one unless that is better by GAIN. Returns it and {choice: (ratio, cell)}. `cells` is {cell: {choice: ms}}."""
    choices = set.intersection(*[set(times) for times in cells.values()]) if cells else set()
    worst = {}
    for choice in sorted(choices):
        ratios = [(times[choice] / min(times.values()), cell) for cell, times in sorted(cells.items())
                  if min(times.values()) < math.inf]
        if ratios:
            worst[choice] = max(ratios, key=lambda r: r[0])
    if usual not in worst:
        return usual, worst
    best = min(worst, key=lambda c: (worst[c][0], c))
    return (best if worst[best][0] * GAIN < worst[usual][0] else usual), worst


def border(usual, gains):
    """From which size on something pays: the usual one if it lies above the largest size at which it lost and not above
    the next one at which it won. `gains` is {size: how many times faster}; what is within GAIN tells nothing."""
    lost = max((n for n, gain in gains.items() if gain * GAIN < 1), default=0)
    won = [n for n, gain in gains.items() if gain > GAIN and n > lost]
    if not won:
        return max(usual, lost + 1)
    return usual if lost < usual <= min(won) else min(won)


def ratio_of(slow, fast):
    return 1.0 if slow == fast else slow / fast


def words(worst):
    return ", ".join(f"{choice} at most {ratio:.3g} times the fastest ({cell})"
                     for choice, (ratio, cell) in worst.items())


def gains_words(gains):
    return ", ".join(f"{n}: {gain:.3g}" for n, gain in sorted(gains.items()))


class Table:
    """The decisions: {bits: value} of what differs from the usual, and the rows that they give."""

    def __init__(self, measured, say):
        self.say = say
        self.format = {}
        self.refine_format = {}
        self.panel = {}  # (format, 0: panel, 1: LU, 2: Cholesky): {bits: value}
        self.work = {}
        self.unknowns = {}
        self.choose_formats("formats", self.format, measured, by_refine=False)
        self.choose_formats("refine", self.refine_format, measured, by_refine=True)
        for (number_format, bits), cells in sorted(measured.panels.items()):
            self.choose_panel(number_format, bits, cells)
        for bits, cells in sorted(measured.products.items()):
            self.choose_work(bits, cells)
        self.choose_unknowns(measured)
        for what, found in [("formats", self.format), ("refine", self.refine_format), ("panels", self.panel),
                            ("products", self.work), ("devices", self.unknowns)]:
            if not found:
                say(f"{what}: nothing measured, all as usual")

    def choose_formats(self, what, chosen, measured, by_refine):
        for bits in EXPANSIONS:
            cells = {}
            for key in measured.formats:
                times = measured.format_times(key)
                if key[3:] == (bits, by_refine) and {"expansion", "multidigit"} <= set(times):
                    cells[f"{key[2]} on {key[1]}"] = {f: times[f] for f in ["expansion", "multidigit"]}
            if cells:
                chosen[bits], worst = least_of_worst(cells, usual_format(bits))
                self.say(f"{what}, {bits} bits: {chosen[bits]}; {words(worst)}")

    def choose_panel(self, number_format, bits, cells):
        usual, least_lu, least_cholesky = usual_panel(number_format, bits)
        best = {cell: min([t for panel, t in times.items() if panel is not None], default=math.inf)
                for cell, times in cells.items()}
        paying = {cell: {panel: t for panel, t in times.items() if panel is not None}
                  for cell, times in cells.items() if best[cell] < times.get(None, 0)}
        panel, worst = least_of_worst({f"{factors} of {n}": times for (n, factors), times in paying.items()}, usual)
        chosen = [panel]
        text = f"panels, {number_format}, {bits} bits: {panel}"
        for factors, least in [("lu", least_lu), ("cholesky", least_cholesky)]:
            gains = {n: ratio_of(times[None], times[panel]) for (n, each), times in cells.items()
                     if each == factors and {None, panel} <= set(times)}
            chosen.append(border(least, gains))
            text += f"; {factors} from {'never' if chosen[-1] == NEVER else chosen[-1]} on, gains {gains_words(gains)}"
        for part, value in enumerate(chosen):
            self.panel.setdefault((number_format, part), {})[bits] = value
        self.say(f"{text}; {words(worst)}")

    def choose_work(self, bits, cells):
        self.work[bits], worst = least_of_worst(cells, USUAL_LEAST_WORK)
        self.say(f"products, {bits} bits: on a device from work {self.work[bits]:.4g} on; {words(worst)}")

    def choose_unknowns(self, measured):
        gains = {}
        for key in measured.formats:
            machine, executor, problem, bits, by_refine = key
            points = re.match(r"poisson (\d+) x \1,", problem)
            there = (machine, "cuda", problem, bits, by_refine)
            number_format = self.format_at(self.format, bits)
            if executor == "host" and points and there in measured.formats:
                host, cuda = (measured.format_times(k).get(number_format, math.inf) for k in [key, there])
                if min(host, cuda) < math.inf:
                    sizes = gains.setdefault(bits, {})
                    n = int(points[1])**2
                    sizes[n] = min(ratio_of(host, cuda), sizes.get(n, math.inf))
        for bits, sizes in sorted(gains.items()):
            self.unknowns[bits] = border(USUAL_LEAST_UNKNOWNS, sizes)
            self.say(f"devices, {bits} bits: from {self.unknowns[bits]} unknowns on; gains {gains_words(sizes)}")

    @staticmethod
    def format_at(chosen, bits):
        if bits <= NATIVE_BITS:
            return "native"
        served = next((p for p in EXPANSIONS if bits <= p), None)
        return chosen.get(served, usual_format(bits)) if served else "multidigit"

    @staticmethod
    def nearest(found, bits, usual):
        """What was measured at the next precision above, or else below, within REACH. Where that is the usual of there,
        it is the usual of here. `usual` is a function of bits."""
        above = min((b for b in found if b >= bits), default=math.inf)
        below = max((b for b in found if b < bits), default=0)
        at = above if above <= REACH * bits else below if bits <= REACH * below else None
        return usual(bits) if at is None or found[at] == usual(at) else found[at]

    def rows(self, most_bits, value_at):
        """[(most bits, value)] without neighbours of the same value."""
        rows = []
        for bits in range(NATIVE_BITS, most_bits + 1):
            value = value_at(bits)
            if rows and rows[-1][1] == value:
                rows[-1] = (bits, value)
            else:
                rows.append((bits, value))
        return rows

    def panel_rows(self, number_format, most_bits):
        def value_at(bits):
            panel, *least = (self.nearest(self.panel.get((number_format, part), {}), bits,
                                          lambda b, k=part: usual_panel(number_format, b)[k]) for part in range(3))
            return panel, *(max(n, panel + 1) for n in least)  # as many columns alone have no product

        return self.rows(most_bits, value_at)

    def text(self, sources):
        dates = sorted({date for _, date, _ in sources})
        machines = sorted({machine for _, _, machine in sources if machine})
        lines = ["// Written by bench/solvers/tune.py by the rules of docs/tuning.md, from measurements of "
                 f"{dates[0]}{' to ' + dates[-1] if len(dates) > 1 else ''}", f"// on {', '.join(machines)}:"]
        lines += [f"//   {file}" for file in sorted(file for file, _, _ in sources)]
        lines += ["// Not to be edited: tune.py --check compares.", "#pragma once", "",
                  "#include <residua/solvers/base/tuning.hpp>", "", "namespace residua::tuning {", ""]

        def array(row, name, rows):
            return [f"inline constexpr {row}_row {name}[] = {{", *(f"    {{{bits}, {value}}}," for bits, value in rows),
                    "};", ""]

        def of_panel(rows):
            return [(bits, ", ".join("never" if v == NEVER else str(v) for v in value)) for bits, value in rows]

        def of_work(value):
            if value == math.inf:
                return "std::numeric_limits<double>::infinity()"
            return "0.0" if value == 0 else float(value).hex().replace("0x1.0000000000000p+", "0x1p")

        for name, chosen in [("formats", self.format), ("refine_formats", self.refine_format)]:
            lines += array("format", name, [(bits, f"number_format::{value}") for bits, value in
                                            self.rows(MOST_BITS, lambda bits, of=chosen: self.format_at(of, bits))])
        lines += array("panel", "expansion_panels", of_panel(self.panel_rows("expansion", EXPANSION_BITS)))
        lines += array("panel", "multidigit_panels", of_panel(self.panel_rows("multidigit", MOST_BITS)))
        lines += array("product", "products", [(bits, of_work(value)) for bits, value in self.rows(
            MOST_BITS, lambda bits: self.nearest(self.work, bits, lambda _: USUAL_LEAST_WORK))])
        lines += array("device", "devices", self.rows(
            MOST_BITS, lambda bits: self.nearest(self.unknowns, bits, lambda _: USUAL_LEAST_UNKNOWNS)))
        return "\n".join([*lines, "}  // namespace residua::tuning", ""])

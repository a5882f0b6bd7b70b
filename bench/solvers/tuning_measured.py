"""What formats.py, dense_bench --panels and dense_bench --cuda have measured, read from their JSON."""
import datetime
import json
import math
import pathlib
import statistics

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Unusable(Exception):
    """One line that says what is wrong with a file."""


def median(values):
    """Of times; infinite if one of them was not had."""
    if not values or any(v is None for v in values):
        return math.inf
    if any(isinstance(v, bool) or not isinstance(v, (int, float)) or not 0 < v < math.inf for v in values):
        raise ValueError(f"{values} are not times")
    return statistics.median(values)


def as_list(value):
    return value if isinstance(value, list) else [value]


class Measured:
    """What all files tell together."""

    def __init__(self):
        self.sources = []  # (file, date, machine)
        self.formats = {}  # (machine, executor, problem, bits, whether by refine): {format: {asked: times}}
        self.panels = {}  # (format, bits): {(unknowns, lu or cholesky): {panel, None for sums alone: ms}}
        self.products = {}  # bits: {problem: {least work: ms}}

    def read(self, path):
        try:
            told = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
            if not isinstance(told, dict) or not told["cells"]:
                raise ValueError("it has no cells")
            if "options" in told:
                machine, date = self.read_formats(told), told["date"]
            elif "panels" in told:
                machine, date = self.read_panels(told), told["machine"]["date"][:10]
            elif "least_work" in told:
                machine, date = self.read_products(told), told["machine"]["date"][:10]
            else:
                raise ValueError("it names no options, panels or least_work")
            self.sources.append((name_of(path), str(datetime.date.fromisoformat(date)), machine))
        except OSError as e:
            raise Unusable(f"{path}: {e.strerror}") from None
        except (ValueError, TypeError, KeyError, AttributeError) as e:
            why = f"{e} is missing" if isinstance(e, KeyError) else " ".join(str(e).split())
            raise Unusable(f"{path}: not what formats.py or dense_bench --panels or --cuda writes: {why}") from None

    def read_formats(self, told):
        options = told["options"]
        machine = f"{told['machine']}, {told['cores']} cores, {options['threads']} threads"
        devices = set()
        for cell in told["cells"]:
            devices.add(cell.get("device"))
            number_format = cell.get("format", cell["asked"])
            median(cell["ms"])
            key = (machine, options["executor"], cell["matrix"], cell["bits"], cell.get("method") == "refine")
            times = self.formats.setdefault(key, {}).setdefault(number_format, {})
            times.setdefault(cell["asked"], []).extend(cell["ms"])
        return ", ".join(sorted(devices - {None}))

    def read_panels(self, told):
        for cell in told["cells"]:
            factors = {"random": "lu", "definite": "cholesky"}[cell["matrix"]]
            times = {told["panels"][way]: median(as_list(ms)) for way, ms in cell["milliseconds"].items()
                     if way in told["panels"]}
            if None in times:  # a panel of all columns is sums alone
                for panel in told["panels"].values():
                    if panel is not None and panel >= cell["n"]:
                        times[panel] = times[None]
            self.panels.setdefault((cell["format"], cell["bits"]), {})[(cell["n"], factors)] = times
        return told["machine"]["processor"]

    def read_products(self, told):
        work = told["least_work"] | {"host": math.inf}
        for cell in told["cells"]:
            times = {work[way]: median(as_list(ms)) for way, ms in cell["milliseconds"].items() if way in work}
            problem = f"{cell['matrix']} {cell['n']} in {cell['format']}"
            self.products.setdefault(cell["bits"], {})[problem] = times
        return told["device"]

    def format_times(self, key):
        """{format: ms}: the runs of auto are also those of the format that it took; the lesser median counts."""
        return {f: min(median(t) for t in asked.values()) for f, asked in self.formats[key].items()}


def name_of(path):
    path = pathlib.Path(path).resolve()
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name

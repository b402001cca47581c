#!/usr/bin/env python3
"""Checks a certificate of `unmask audit` a second time, as docs/certificate.md describes it.

    python3 verify.py proof.unmask --original O.csv --released R.csv

Prints what is proven and exits with 0; else one line on standard error, and 1. Reads CSV files of numbers and
labels without missing or suppressed values. All arithmetic is exact. Python 3.11 or later, standard library only.
"""
import argparse, csv, gzip, hashlib, io, json, math, re, struct, sys

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
FIELDS = "files key rename sample targets attributes scale reading count unit".split()


class Refused(Exception):
    """Why nothing is proven."""


def ensure(holds, reason):
    if not holds:
        raise Refused(reason)


# Files -----------------------------------------------------------------------------------------------------------

def read_table(path):
    """The checksum of a CSV file, and the texts of its columns by name."""
    data = open(path, "rb").read()
    text = data.decode("utf-8").removeprefix("\ufeff")
    ensure(not re.search("[\x00\x1c-\x1f]", text), f"{path} has characters that this script does not read")
    first = text.split("\n")[0]
    delimiter = max(",;\t|", key=first.count)
    lines = [line for line in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True) if line]
    ensure(len(lines) > 1 and all(len(line) == len(lines[0]) for line in lines), f"{path} has ragged or no rows")
    names = [name.strip() for name in lines[0]]
    ensure(len(set(names)) == len(names), f"{path} names a column twice")
    return hashlib.sha256(data).hexdigest(), {n: [l[i].strip() for l in lines[1:]] for i, n in enumerate(names)}


def is_code(text):
    digits = text.lstrip("+-")
    return bool(re.match("0[0-9]", digits)) or (digits.isdigit() and len(digits) > 15 and float(digits) > 9e15)


def read_column(table, name, categorical):
    """The column as numbers (floats) or labels (texts)."""
    ensure(name in table, f"there is no column {name}")
    cells = table[name]
    ensure(not {"", "NA", "?", "*"} & set(cells), f"column {name} has missing or suppressed values, "
           "which this script does not read; use `unmask verify`")
    numbers = [c for c in cells if NUMBER.fullmatch(c) and math.isfinite(float(c))]
    if name not in categorical and len(numbers) == len(cells) and not any(map(is_code, cells)):
        return [float(c) + 0.0 for c in cells]
    texts = len(cells) - len(numbers)
    ensure(name in categorical or not 0 < texts < len(numbers), f"column {name} mixes numbers and texts")
    return cells


def moments(values):
    """Mean and standard deviation in doubles, from least to greatest; the built-in sum rounds otherwise."""
    def plain_sum(terms):
        total = 0.0
        for term in terms:
            total += term
        return total
    values = sorted(values)
    mean = plain_sum(values) / len(values)
    return mean, math.sqrt(plain_sum((v - mean) * (v - mean) for v in values) / max(len(values) - 1, 1))


def ascending(rows, among):
    kept = all(type(r) is int and r in among for r in rows) and all(a < b for a, b in zip(rows, rows[1:]))
    ensure(kept and rows, "the certificate is about rows that the files do not have, or not in order")
    return rows


class Problem:
    """The blocks, rows and gains that the files give by a recipe."""

    def __init__(self, recipe, original, released, categorical):
        for pair in recipe["rename"]:
            old, new = (part.strip() for part in pair.split("="))
            ensure(old in released and (old == new or new not in released), f"{old} cannot be called {new}")
            released = {new if name == old else name: cells for name, cells in released.items()}
        self.certain = recipe["count"] == "certain"
        ensure(self.certain or recipe["count"] == "expected", "the certificate counts what is unknown")
        count = [len(next(iter(table.values()))) for table in (original, released)]
        ours, own = range(count[0]), dict(enumerate(range(count[0])))
        if recipe["key"] is None:
            ensure(count[0] == count[1], "the files differ in length, and there is no key")
        else:
            keys = [read_column(table, recipe["key"], categorical) for table in (original, released)]
            ensure(type(keys[0][0]) is type(keys[1][0]), "the keys of the files are of two kinds")
            keys = [[repr(k) for k in column] for column in keys]
            ensure(all(len(set(column)) == len(column) for column in keys), "a key occurs twice")
            places = {key: j for j, key in enumerate(keys[1])}
            own = {i: places[key] for i, key in enumerate(keys[0]) if key in places}
            ours = sorted(own)
        theirs = range(count[1])
        if recipe["sample"] is not None:
            ours = ascending(recipe["sample"], own)
            theirs = [own[i] for i in ours]
            own = {i: place for place, i in enumerate(ours)}
        targets = ours if recipe["targets"] is None else ascending(recipe["targets"], set(ours))
        self.own = [own[i] for i in targets]
        self.released = len(theirs)
        self.columns, scales = [], []
        for attribute in recipe["attributes"]:
            name = attribute["name"]
            x, y = (read_column(table, name, categorical) for table in (original, released))
            kind = {(float, float): "numbers", (str, str): "labels"}.get((type(x[0]), type(y[0])), "cells")
            ensure(kind != "labels" or set(y) <= set(x), f"column {name} has released labels that the original "
                   "lacks, which this script does not read; use `unmask verify`")
            ensure(kind == attribute["kind"] != "cells", f"column {name} is compared as {attribute['kind']}, and "
                   "this script reads it otherwise; use `unmask verify`")
            a, b = (float(v) for v in attribute["map"])
            factor, root = float(attribute["factor"]).as_integer_ratio()
            ensure(factor > 0, "a factor is not above 0")
            known, x, y = [x[i] for i in ours], [x[i] for i in targets], [y[j] for j in theirs]
            if kind == "labels":
                ensure((a, b) == (1, 0), f"column {name} has a scale and no numbers")
            else:
                x, y, root = self.whole(name, recipe["scale"], known, x, y, a, b, root)
            self.columns.append((kind == "numbers", x, y))
            scales.append((factor, root))
        self.scales = [factor * (max(root for _, root in scales) // root) for factor, root in scales]
        self.weights, self.blocks = len(scales), len(targets)
        ensure(0 < self.weights <= 64 and len({a["name"] for a in recipe["attributes"]}) == self.weights,
               "the certificate compares nothing, too much, or something twice")
        self.known = {}
        self.set_gains()
        ensure(recipe["unit"] == self.unit, "the files give another unit of gains")

    @staticmethod
    def whole(name, scale, known, x, y, a, b, root):
        """Both columns as whole numbers, and what the squares of their differences are divided by."""
        mean, deviation = moments(known)
        should = (1.0, 0.0)
        if scale == "own":
            other_mean, other = moments(y)
            ensure(deviation > 0 and other > 0, f"column {name} is constant")
            should = (deviation / other, mean - deviation / other * other_mean)
        ensure(scale in ("own", "original", "none") and (a, b) == should, f"column {name} has another scale")
        if (a, b) != (1, 0):
            y = [a * v + b for v in y]
        power = round(math.log2(deviation)) if deviation > 0 else 0
        fits = abs(power) <= 300 and all(v == 0 or 1e-50 < abs(math.ldexp(v, -power)) < 1e150 for v in x + y)
        ensure(fits, f"column {name} has numbers that are too large or too near to 0 for this script")
        ratios = [[v.as_integer_ratio() for v in side] for side in (x, y)]
        least = max(q for side in ratios for _, q in side)
        x, y = ([p * (least // q) for p, q in side] for side in ratios)
        return x, y, root * least * least

    def distance(self, k, b, j):
        numbers, x, y = self.columns[k]
        return (x[b] - y[j]) ** 2 if numbers else int(x[b] != y[j])

    def entries(self, b, j):
        for k, scale in enumerate(self.scales):
            yield scale * (self.distance(k, b, j) - self.distance(k, b, self.own[b]))

    def rivals(self, b):
        """The names of the rows of a block."""
        others = (j for j in range(self.released) if j != self.own[b])
        return others if self.certain else (j for j in others if any(self.entries(b, j)))

    def set_gains(self):
        self.unit, twins = 1, [1] * self.blocks
        if not self.certain:
            twins = [self.released - sum(1 for _ in self.rivals(b)) for b in range(self.blocks)]
            self.unit = math.lcm(*twins)
            if self.unit > 2**20:
                self.unit = min(2**40, 2**52 >> (self.blocks - 1).bit_length())
        self.gains = [-(-self.unit // t) for t in twins]

    def row(self, name):
        """The entries of a row, and the bits of the largest: they are divided by 2 to that power."""
        if name not in self.known:
            b, j = name
            exists = b < self.blocks and j < self.released and j != self.own[b]
            entries = list(self.entries(b, j)) if exists else []
            ensure(exists and (self.certain or any(entries)), f"there is no row {j} of block {b}")
            self.known[name] = entries, max(abs(e).bit_length() for e in entries)
        return self.known[name]

    def found(self, weights):
        """The gain of the blocks that these weights satisfy."""
        ratios = [w.as_integer_ratio() for w in weights]
        least = max(q for _, q in ratios)
        weights = [p * (least // q) for p, q in ratios]
        holds = lambda b, j: sum(w * e for w, e in zip(weights, self.entries(b, j))) > 0
        return sum(self.gains[b] for b in range(self.blocks) if all(holds(b, j) for j in self.rivals(b)))


# The certificate -------------------------------------------------------------------------------------------------

class Reader:
    """Reads the parts of certificates from unpacked bytes."""

    def __init__(self, data):
        self.data, self.at, self.rows = data, 0, []

    def bytes(self, count):
        ensure(self.at + count <= len(self.data), "it ends too early")
        self.at += count
        return self.data[self.at - count:self.at]

    def line(self):
        end = self.data.find(b"\n", self.at, self.at + 2**24)
        ensure(end >= 0, "it does not begin as a certificate does")
        return self.bytes(end + 1 - self.at)[:-1].decode("utf-8")

    def large(self, limit=2**16 + 1):
        value, shift = 0, 0
        while True:
            byte = self.bytes(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            ensure(shift < 7 * limit, "a number is too long")

    def number(self, bits=64):
        value = self.large(10)
        ensure(value < 2**bits, f"a number has more than {bits} bits")
        return value

    def list(self, item):
        return [item() for _ in range(self.number())]

    def edge(self):
        """A whole number and an exponent of 2."""
        mantissa, code = self.number(), self.number()
        exponent = -(code + 1) // 2 if code % 2 else code // 2
        ensure(abs(exponent) <= 2**16, "an edge is beyond all measure")
        return (mantissa, exponent) if mantissa else (0, 0)

    def row(self):
        number = self.number()
        if number == 0:
            self.rows.append((self.number(32), self.number(32)))
        ensure(number <= len(self.rows), "a row did not occur before")
        return self.rows[number - 1]

    def conflict(self):
        return self.list(lambda: (self.row(), self.large()))

    def case(self, depth=0):
        ensure(depth <= 512, "cases are too deep")
        return self.conflict(), self.list(lambda: (self.number(32), self.case(depth + 1)))

    def cut(self):
        code = self.number(32)
        return code // 2, code % 2, self.edge(), self.list(self.row)

    def node(self):
        code = self.number()
        ensure(code < 256 and code % 8 < 6, "a node is of an unknown kind")
        node = {"end": code % 8, "below": 0}
        node["deaths"] = self.list(self.row) if code & 8 else []
        node["conflicts"] = self.list(self.conflict) if code & 16 else []
        node["shares"] = (self.number(), [self.number() for _ in node["conflicts"]]) if code & 32 else None
        node["groups"] = self.list(lambda: self.list(lambda: self.number(32))) if code & 64 else []
        node["cuts"] = self.list(self.cut) if code & 128 else []
        if node["end"] == 2:
            node["below"] = 1
        elif node["end"] == 3:
            code = self.number(32)
            node.update(split=(code // 2, code % 2, self.edge()), below=2)
        elif node["end"] == 4:
            node["faces"] = self.number()
            node["below"] = node["faces"].bit_count()
        elif node["end"] == 5:
            node["case"] = self.case()
        return node


def above(a, b):
    """Whether edge a is above edge b."""
    least = min(a[1], b[1])
    return a[0] << a[1] - least > b[0] << b[1] - least


class Box:
    """What is known of a box."""

    def __init__(self, low, high, usable, dead, pairs, bound):
        self.low, self.high, self.usable = tuple(low), tuple(high), usable
        self.dead, self.pairs, self.bound = frozenset(dead), pairs, bound

    def with_edge(self, weight, low=None, high=None):
        change = lambda edges, to: edges if to is None else edges[:weight] + (to,) + edges[weight + 1:]
        lows, highs = change(self.low, low), change(self.high, high)
        return Box(lows, highs, self.usable, self.dead, self.pairs, self.bound)

    def excludes(self, a, b):
        return a in self.dead or b in self.dead or any(frozenset((a, b)) in found for found in self.pairs)

    def greatest(self, terms):
        """A number of the sign of the greatest value of rows times multipliers."""
        bits = max(row[1] for row, _ in terms)
        least = min(e for _, e in self.low + self.high)
        total = 0
        for k in range(len(self.low)):
            entry = sum(m * row[0][k] << bits - row[1] for row, m in terms)
            mantissa, exponent = self.high[k] if entry > 0 else self.low[k]
            total += entry * mantissa << exponent - least
        return total


class Checker:
    """Follows a proof that blocks of gain `goal` are violated everywhere."""

    def __init__(self, problem, goal, dead):
        self.problem, self.goal, self.nodes, self.next = problem, goal, 0, 0
        for b, j in dead:
            ensure(max(problem.row((b, j))[0]) <= 0, f"row {j} of block {b} can hold")
        self.dead = {b for b, _ in dead}
        self.lost = self.gain(self.dead)
        self.step = math.gcd(*(g for b, g in enumerate(problem.gains) if b not in self.dead)) or 1

    def gain(self, blocks):
        return sum(self.problem.gains[b] for b in blocks)

    def rounded_up(self, bound):
        return self.lost + -(-(bound - self.lost) // self.step) * self.step

    def start(self):
        self.open, count = {}, self.problem.weights
        for largest in range(count):
            low = [(int(k == largest), 0) for k in range(count)]
            self.keep(Box(low, [(1, 0)] * count, 2**count - 1, self.dead, (), self.lost))

    def keep(self, box):
        if box is not None and box.bound < self.goal:
            self.open[self.next] = box
        self.next += 1

    def check(self, reader):
        self.start()
        while step := reader.number():
            if step == 1:
                self.start()
                continue
            ensure(step - 2 < self.next, f"there is no box {step - 2}")
            stack = [self.open.pop(step - 2, None)]
            while stack:
                self.nodes += 1
                box, node = stack.pop(), reader.node()
                box = box and self.checked(box, node)
                if node["end"] == 1:
                    self.keep(box)
                below = [None] * node["below"] if box is None else self.below(box, node)
                stack.extend(reversed(below))
        ensure(not self.open, f"{len(self.open)} boxes stay open")

    def rows(self, box, names):
        for b, j in names:
            entries, _ = self.problem.row((b, j))
            ensure(all(e == 0 or box.usable >> k & 1 for k, e in enumerate(entries)),
                   f"row {j} of block {b} has an entry outside the face")
        return [self.problem.row(name) for name in names]

    def killed(self, box, names):
        """The blocks of rows that are nowhere above 0."""
        for (b, j), row in zip(names, self.rows(box, names)):
            ensure(box.greatest([(row, 1)]) <= 0, f"row {j} of block {b} holds somewhere")
        return {b for b, _ in names}

    def conflict(self, box, conflict):
        """The blocks of which one is violated."""
        multipliers = [m for _, m in conflict]
        ensure(conflict and min(multipliers) > 0, "a conflict needs rows and positive multipliers")
        rows = self.rows(box, [name for name, _ in conflict])
        ensure(box.greatest(list(zip(rows, multipliers))) <= 0, "a conflict is none")
        return {name[0] for name, _ in conflict}

    def packings(self, node, conflicts, grouped):
        """Packings as a denominator, shares and what blocks bear."""
        gains, shares = self.problem.gains, []
        bears = [{}, {}]
        for blocks in conflicts:
            free = len(blocks) > 1 and not blocks & grouped
            shares.append(min(gains[b] - bears[0].get(b, 0) for b in blocks) if free else 0)
            bears[0].update({b: bears[0].get(b, 0) + shares[-1] for b in blocks})
        yield 1, sum(shares), bears[0]
        if node["shares"] is not None:
            denominator, shares = node["shares"]
            for blocks, share in zip(conflicts, shares):
                bears[1].update({b: bears[1].get(b, 0) + share for b in blocks})
            sound = all(v <= (0 if b in grouped else gains[b] * denominator) for b, v in bears[1].items())
            ensure(denominator > 0 and sound, "shares that blocks cannot bear")
            yield denominator, sum(shares), bears[1]

    def bound(self, box, dead, packings, groups):
        best = self.gain(dead)
        alive = [[self.problem.gains[b] for b in group if b not in dead] for group in groups]
        whole = best + sum(sum(gains) - max(gains, default=0) for gains in alive)
        for denominator, total, bears in packings:
            total -= sum(bears.get(b, 0) for b in dead)
            best = max(best, whole - (-total // denominator))
        return max(box.bound, self.rounded_up(best))

    def checked(self, box, node):
        """The box after what its node says of it; none if it is closed."""
        dead = box.dead | self.killed(box, node["deaths"])
        conflicts = [self.conflict(box, conflict) for conflict in node["conflicts"]]
        dead = dead.union(*(blocks for blocks in conflicts if len(blocks) == 1))
        pairs = {frozenset(blocks) for blocks in conflicts if len(blocks) == 2}
        box = Box(box.low, box.high, box.usable, dead, (pairs, *box.pairs) if pairs else box.pairs, box.bound)
        grouped = [b for group in node["groups"] for b in group]
        ensure(len(set(grouped)) == len(grouped) and max(grouped, default=-1) < self.problem.blocks,
               "groups are not of different blocks")
        for group in node["groups"]:
            exclusive = all(box.excludes(a, b) for i, a in enumerate(group) for b in group[:i])
            ensure(exclusive, "the blocks of a group do not exclude each other")
        packings = list(self.packings(node, conflicts, set(grouped)))
        box.bound = self.bound(box, dead, packings, node["groups"])
        for weight, upper, at, names in node["cuts"]:
            ensure(weight < self.problem.weights, f"there is no weight {weight}")
            strip = box.with_edge(weight, low=at) if upper else box.with_edge(weight, high=at)
            bound = self.bound(box, dead | self.killed(strip, names), packings, node["groups"])
            ensure(bound >= self.goal, f"its strip in weight {weight} has a bound of {bound}, below {self.goal}")
            box = box.with_edge(weight, high=at) if upper else box.with_edge(weight, low=at)
            if above(box.low[weight], box.high[weight]):
                return None
        if node["end"] == 5:
            box.bound = max(box.bound, self.rounded_up(self.case(box, node["case"], dead, frozenset())))
        ensure(box.bound >= self.goal or node["end"] not in (0, 5), f"its bound is {box.bound}, below {self.goal}")
        return box if box.bound < self.goal else None

    def case(self, box, case, violated, held):
        """The least gain of violated blocks in all cases."""
        conflict, branches = case
        if not conflict:
            ensure(not branches, "a case has branches but no conflict")
            return self.gain(violated)
        blocks = sorted(self.conflict(box, conflict) - held)
        ensure(sorted(b for b, _ in branches) == blocks, "the branches of a case are not those of its conflict")
        least = math.inf
        for block, branch in branches:
            least = min(least, self.case(box, branch, violated | {block}, held))
            held |= {block}
        return least

    def below(self, box, node):
        """The boxes whose nodes follow."""
        if node["end"] == 2:
            return [box]
        if node["end"] == 3:
            weight, upper_first, at = node["split"]
            ensure(weight < self.problem.weights, f"there is no weight {weight}")
            parts = [box.with_edge(weight, high=at), box.with_edge(weight, low=at)]
            return parts[::-1] if upper_first else parts
        if node["end"] == 4:
            faces = [k for k in range(64) if node["faces"] >> k & 1]
            sound = faces and faces[-1] < self.problem.weights and all(box.low[k][0] == 0 for k in faces)
            ensure(sound, "it has faces in weights that do not exist or cannot be 0")
            parts = [box.with_edge(k, low=box.high[k]) for k in reversed(faces)]
            for part in parts:
                part.usable &= node["faces"]
            return parts
        return []


# What is proven --------------------------------------------------------------------------------------------------

def shown(thousandths):
    return f"{thousandths // 1000}.{thousandths % 1000:03}".rstrip("0").rstrip(".")


def sentence(recipe, problem, most, found):
    names = [a["name"] for a in recipe["attributes"]]
    names = f"the attribute {names[0]}" if len(names) == 1 else f"these {len(names)} attributes ({', '.join(names)})"
    scale = {"own": "each file in its own scale", "original": "in the original's scale"}
    chosen = "records" if recipe["sample"] is None and recipe["targets"] is None else "chosen records"
    if recipe["sample"] is not None:
        cut = len(recipe["sample"])
        chosen += f", both files cut to {'them' if cut == problem.blocks else cut},"
    own = "in the same row" if recipe["key"] is None else f"of the same {recipe['key']}"
    renamed = ", ".join(json.dumps(pair, ensure_ascii=False) for pair in recipe["rename"])
    renamed = renamed and f", columns renamed [{renamed}]"
    shared = "" if problem.certain else " (one whose own is alike to t - 1 others counts 1/t)"
    reached = "that" if found == most else shown(1000 * found // problem.unit)
    return (f"For all weights on {names}, {scale.get(recipe['scale'], 'values as they are')}{renamed}, at most "
            f"{shown(-(-1000 * most // problem.unit))} of {problem.blocks} {chosen} are nearer to their own released "
            f"record (the one {own}) than to every other one{shared}; the certificate's weights reach {reached}.")


def verify(reader, files, categorical):
    """Checks one certificate; returns the sentence that it proves."""
    reader.rows = []
    ensure(reader.line() == "unmask certificate 1", "it does not begin as a certificate does")
    recipe = json.loads(reader.line())
    ensure(sorted(recipe) == sorted(FIELDS), "its recipe does not have the fields of one")
    ensure(not any(f["role"] == "schema" for f in recipe["files"]), "it needs a schema, which this script does not "
           "read; use `unmask verify`")
    ensure(recipe["reading"] in ("matches-all", "own-value", "study"), "it reads cells in an unknown way")
    digests = {f["role"]: f["sha256"] for f in recipe["files"]}
    ensure(len(recipe["files"]) == 2 and digests.keys() == files.keys(), "it is not about two files")
    for role, (digest, _) in files.items():
        ensure(digest == digests[role], f"it is about another {role} file, with the checksum {digests[role]}")
    problem = Problem(recipe, files["original"][1], files["released"][1], categorical)
    claimed = [reader.number() for _ in range(4)]
    goal = claimed.pop()
    ensure(claimed == [problem.weights, problem.blocks, sum(problem.gains)], "the files give other weights or blocks")
    weights = struct.unpack(f"<{problem.weights}d", reader.bytes(8 * problem.weights))
    ensure(all(math.isfinite(w) and w >= 0 for w in weights) and any(weights), "weights that are not at least 0")
    found, dead = reader.number(), reader.list(reader.row)
    ensure(problem.found(weights) == found, "its weights do not satisfy blocks of the gain that it says")
    reader.rows = []
    checker = Checker(problem, goal, dead)
    try:
        checker.check(reader)
    except Refused as refused:
        raise Refused(f"it fails at node {checker.nodes}: {refused}") from None
    return sentence(recipe, problem, sum(problem.gains) - goal, found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("certificate")
    parser.add_argument("--original", required=True, metavar="FILE")
    parser.add_argument("--released", required=True, metavar="FILE")
    parser.add_argument("--categorical", default="", metavar="NAME,...", help="columns to read as labels")
    given = parser.parse_args()
    sys.setrecursionlimit(10_000)
    try:
        files = {role: read_table(getattr(given, role)) for role in ("original", "released")}
        reader, proven = Reader(gzip.open(given.certificate).read()), []
        while not proven or reader.at < len(reader.data):
            proven.append(verify(reader, files, set(given.categorical.split(",")) - {""}))
        print("\n".join(proven))
    except Refused as refused:
        sys.exit(f"error: nothing is proven: {refused}")
    except Exception as error:  # Whatever goes wrong, nothing is proven; messages of the library may hold values.
        sys.exit(f"error: nothing is proven: the certificate or a file cannot be read ({type(error).__name__})")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks a certificate of `unmask audit` a second time, as docs/certificate.md describes it, in its words.

    python3 verify.py proof.unmask --original O.csv --released R.csv

Prints what is proven and exits with 0; else one line on standard error, and 1. Reads CSV files of numbers and
labels, and refuses other values. Checks all in whole numbers and fractions, without rounding. Python 3.11 or later.
"""
import argparse, csv, functools, gzip, hashlib, io, itertools, json, math, operator, os, re, struct, sys
from collections import Counter, namedtuple
from fractions import Fraction

Recipe = namedtuple("Recipe", "files key rename sample targets attributes scale reading count unit")
Attribute = namedtuple("Attribute", "name kind map factor")
SCALES = {"own": "each file in its own scale", "original": "in the original's scale", "none": "values as they are"}
COUNTS = {"expected": " (one whose own is alike to t - 1 others counts 1/t)", "certain": ""}
READINGS = {"matches-all", "own-value", "study"}
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
NOT_READ = "which this script does not read; use `unmask verify`"
FINEST = 2048  # Edges of boxes are whole numbers of 2^-FINEST.
LEAF, OPEN, AGAIN, SPLIT, FACES, CASES = range(6)


class Refused(Exception):
    """Why nothing is proven."""


def ensure(holds, reason):
    if not holds:
        raise Refused(reason)


def read_table(path):
    """The checksum of a CSV file, and the cells of its columns by name."""
    data = open(path, "rb").read()
    text = data.decode("utf-8").removeprefix("\ufeff")
    ensure(not re.search("[\x00\x1c-\x1f]", text), f"{path} has characters {NOT_READ}")
    delimiter = max(",;\t|", key=text.lstrip("\r\n").split("\n")[0].count)
    lines = [line for line in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True) if line]
    ensure(len(lines) > 1 and len(set(map(len, lines))) == 1, f"{path} has ragged or no rows")
    ensure(len(lines[0]) > 1 or "" not in text.splitlines(), f"{path} has records without a value, {NOT_READ}")
    columns = {name.strip(): [cell.strip() for cell in cells] for name, *cells in zip(*lines)}
    ensure(len(columns) == len(lines[0]), f"{path} names a column twice")
    return hashlib.sha256(data).hexdigest(), columns


def is_code(number):
    digits = number.lstrip("+-")
    return re.match("0[0-9]", digits) or (digits.isdigit() and len(digits) > 15 and float(digits) > 9e15)


def read_column(table, name):
    """What is in a column, numbers or labels, and its values as floats or texts."""
    ensure(name in table, f"there is no column {name}")
    cells = table[name]
    ensure(not {"", "NA", "?", "*"} & set(cells), f"column {name} has missing or suppressed values, {NOT_READ}")
    numbers = [float(cell) + 0.0 for cell in cells if NUMBER.fullmatch(cell) and math.isfinite(float(cell))]
    texts = len(cells) - len(numbers)
    ensure(not 0 < texts < len(numbers), f"column {name} mixes numbers and texts, {NOT_READ}")
    return ("labels", cells) if texts or any(map(is_code, cells)) else ("numbers", numbers)


def chosen(rows, among):
    """These rows of the original, or without any all that there are."""
    rows = list(among) if rows is None else rows
    known = all(type(row) is int and row in among for row in rows)
    ensure(rows and known and rows == sorted(set(rows)), "its rows are not in the files or not in order")
    return rows


def whole(values):
    """Floats, or fractions of powers of two, times the least power of two by which all are whole; and that."""
    ratios = [value.as_integer_ratio() for value in values]
    unit = max(q for _, q in ratios)
    return [p * (unit // q) for p, q in ratios], unit


def moments(values):
    """Mean and standard deviation in doubles, from least to greatest; the built-in sum rounds in another way."""
    values = sorted(values)
    mean = functools.reduce(operator.add, values) / len(values)
    squares = functools.reduce(operator.add, [(v - mean) * (v - mean) for v in values])
    return mean, math.sqrt(squares / max(len(values) - 1, 1))


def on_one_scale(scale, known, x, y):
    """The map of released numbers; what all numbers are multiplied by to be whole; and what they are then."""
    mean, deviation = moments(known)
    a, b = 1.0, 0.0
    if scale == "own":
        released_mean, released_deviation = moments(y)
        ensure(deviation > 0 and released_deviation > 0, "a column is constant and has no scale")
        a = deviation / released_deviation
        b = mean - a * released_mean
    values = x + [a * v + b for v in y]
    fits = all(v == 0 or 1e-49 < abs(v) / (deviation or 1) < 1e149 for v in values)
    ensure(fits, f"a column has numbers too large or too near to 0, {NOT_READ}")
    values, unit = whole(values)
    return a, b, unit, values[:len(x)], values[len(x):]


class Problem:
    """The blocks, rows and gains that the files give by a recipe."""

    def __init__(self, recipe, original, released):
        for pair in recipe.rename:
            old, new = (part.strip() for part in pair.split("="))
            ensure(old in released and (old == new or new not in released), f"{old} cannot be called {new}")
            released = {new if name == old else name: cells for name, cells in released.items()}
        if recipe.key is None:
            keys = [range(len(next(iter(table.values())))) for table in (original, released)]
            ensure(keys[0] == keys[1], "the files differ in length, and there is no key")
        else:
            keys = [read_column(table, recipe.key)[1] for table in (original, released)]
            ensure(all(len(set(column)) == len(column) for column in keys), "a key occurs twice")
        places = {key: row for row, key in enumerate(keys[1])}
        own = {row: places[key] for row, key in enumerate(keys[0]) if key in places}
        ours = chosen(recipe.sample, own)
        theirs = range(len(keys[1])) if recipe.sample is None else [own[row] for row in ours]
        targets = chosen(recipe.targets, dict.fromkeys(ours))
        self.own = [theirs.index(own[row]) for row in targets]
        self.blocks, self.released, self.certain = len(targets), len(theirs), recipe.count == "certain"
        self.columns, scales = {}, []
        for attribute in (Attribute(**fields) for fields in recipe.attributes):
            (kind, x), (other, y) = read_column(original, attribute.name), read_column(released, attribute.name)
            as_said = kind == other == attribute.kind and attribute.name not in self.columns
            ensure(as_said, f"column {attribute.name} is compared twice or as something {NOT_READ}")
            ensure(kind == "numbers" or set(y) <= set(x), f"column {attribute.name} has new labels, {NOT_READ}")
            known, x, y = [x[row] for row in ours], [x[row] for row in targets], [y[row] for row in theirs]
            a, b, unit, distance = 1, 0, 1, operator.ne
            if kind == "numbers":
                a, b, unit, x, y = on_one_scale(recipe.scale, known, x, y)
                distance = lambda p, q: (p - q) ** 2
            ensure(attribute.map == [a, b] and attribute.factor > 0, f"column {attribute.name} has another scale")
            scales.append(Fraction(float(attribute.factor)) / unit**2)
            near = [distance(x[b], y[place]) for b, place in enumerate(self.own)]
            self.columns[attribute.name] = distance, x, y, near
        self.scales, _ = whole(scales)
        self.unit, twins = 1, [1] * self.blocks
        if not self.certain:
            twins = [self.released - len(list(self.rows(b))) for b in range(self.blocks)]
            self.unit = math.lcm(*twins)
            if self.unit > 2**20:
                self.unit = min(2**40, 2**52 >> (self.blocks - 1).bit_length())
        self.gains = [-(-self.unit // t) for t in twins]

    def row(self, b, j):
        """Row j of block b, where there is one; all rows times one power of two."""
        if b >= self.blocks or j >= self.released or j == self.own[b]:
            return None
        columns = zip(self.scales, self.columns.values())
        row = [scale * (distance(x[b], y[j]) - near[b]) for scale, (distance, x, y, near) in columns]
        return row if self.certain or any(row) else None

    def rows(self, b):
        return filter(None, (self.row(b, j) for j in range(self.released)))

    def gain(self, blocks):
        return sum(self.gains[b] for b in blocks)

    def found(self, weights):
        """The gain of the blocks that these weights satisfy."""
        weights, _ = whole(weights)
        holds = lambda row: sum(map(operator.mul, weights, row)) > 0
        return self.gain(b for b in range(self.blocks) if all(map(holds, self.rows(b))))


class Reader:
    """Reads the parts of certificates, one after the other."""

    def __init__(self, path):
        limit = 64 * os.path.getsize(path) + 2**20
        data = gzip.open(path).read(limit + 1)
        ensure(len(data) <= limit, "it unpacks to too much")
        self.stream, self.size, self.known = io.BytesIO(data), len(data), []

    def number(self, bits=64):
        value, shift, byte = 0, 0, 128
        while byte >= 128:
            byte = self.stream.read(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            ensure(value.bit_length() <= bits and shift < bits + 7, "a number is too long")
        return value

    def list(self, item):
        return [item() for _ in range(self.number())]

    def side(self):
        """A weight, whether its upper side is meant, and an edge, in units of 2^-FINEST."""
        code, mantissa, z = self.number(32), self.number(), self.number()
        exponent = -(z + 1) // 2 if z % 2 else z // 2
        ensure(-FINEST <= exponent <= 2**16, f"an edge is very near to 0 or very large, {NOT_READ}")
        return code // 2, code % 2 == 1, mantissa << exponent + FINEST

    def row(self):
        number = self.number()
        if number == 0:
            self.known.append((self.number(32), self.number(32)))
        ensure(number <= len(self.known), "a row did not occur before")
        return self.known[number - 1]

    def conflict(self):
        return self.list(lambda: (self.row(), self.number(7 * (2**16 + 1))))


class Box(namedtuple("Box", "low high usable dead pairs bound")):
    """What is known of a box. The pairs are of blocks that exclude each other."""

    def part(self, weight, upper, at):
        """That on one side of an edge; with that on the other one it is the box."""
        ensure(weight < len(self.low), f"there is no weight {weight}")
        moved = lambda edges: edges[:weight] + (at,) + edges[weight + 1:]
        return self._replace(low=moved(self.low)) if upper else self._replace(high=moved(self.high))


class Checker:
    """Follows a proof that blocks of gain `goal` are violated at all weights."""

    def __init__(self, reader, problem, goal, dead):
        self.reader, self.problem, self.goal, self.nodes, self.opened = reader, problem, goal, 0, 0
        self.weights, nothing = range(len(problem.columns)), frozenset()
        low, high = (0,) * len(self.weights), (1 << FINEST,) * len(self.weights)
        everywhere = Box(low, high, frozenset(self.weights), nothing, nothing, 0)
        dead = self.killed(everywhere, dead)
        self.everywhere = everywhere._replace(dead=dead, bound=problem.gain(dead))
        self.step = math.gcd(*(gain for b, gain in enumerate(problem.gains) if b not in dead)) or 1

    def ensure(self, holds, reason):
        ensure(holds, f"it fails at node {self.nodes}: {reason}")

    def check(self):
        """Follows the steps of the proof."""
        step = 1
        while step:
            if step == 1:
                self.open = {}
                for k in self.weights:  # Root boxes: in each another weight is 1, and no other is above.
                    self.keep(self.everywhere.part(k, True, 1 << FINEST))
            else:
                ensure(step - 2 < self.opened, f"there is no box {step - 2}")
                self.node(self.open.pop(step - 2, None))
            step = self.reader.number()
        self.ensure(not self.open, f"{len(self.open)} boxes stay open")

    def keep(self, box):
        """Gives the next number to a box, which is open unless its bound suffices."""
        if box and box.bound < self.goal:
            self.open[self.opened] = box
        self.opened += 1

    def node(self, box):
        """Reads a node and all below it, and confirms that they prove the goal in the box, but for parts that are
        kept open. Without a box nothing is left to prove, and nothing is confirmed."""
        self.nodes += 1
        reader, code = self.reader, self.reader.number()
        self.ensure(code < 256 and code % 8 <= CASES, "it is of an unknown kind")
        deaths = reader.list(reader.row) if code & 8 else []
        conflicts = reader.list(reader.conflict) if code & 16 else []
        part = Fraction(1, reader.number()) if code & 32 else 0
        shares = [part * reader.number() for _ in conflicts] if code & 32 else []
        groups = reader.list(lambda: reader.list(lambda: reader.number(32))) if code & 64 else []
        cuts = reader.list(lambda: (reader.side(), reader.list(reader.row))) if code & 128 else []
        box = box and self.learned(box, deaths, conflicts, shares, groups, cuts)
        if code % 8 == CASES:
            self.case(box, box and box.dead, frozenset())
        box = box if box and box.bound < self.goal else None
        if code % 8 == LEAF:
            self.ensure(not box, f"its bound is below {self.goal}")
        elif code % 8 == OPEN:
            self.keep(box)
        elif code % 8 == AGAIN:
            self.node(box)
        elif code % 8 == SPLIT:
            weight, upper, at = reader.side()
            self.node(box and box.part(weight, upper, at))
            self.node(box and box.part(weight, not upper, at))
        elif code % 8 == FACES:
            bits = reader.number()
            faces = [k for k in reversed(range(64)) if bits >> k & 1]
            sound = not box or faces and faces[0] < len(box.low) and not any(box.low[k] for k in faces)
            self.ensure(sound, "it has faces in weights that do not exist or cannot be 0")
            for k in faces:
                face = box and box.part(k, True, box.high[k])
                self.node(face and face._replace(usable=box.usable.intersection(faces)))

    def learned(self, box, deaths, conflicts, shares, groups, cuts):
        """The part of a box in which the goal is left to prove, with what is known there; none if that is empty."""
        conflicts = [self.conflict(box, conflict) for conflict in conflicts]
        dead = box.dead.union(self.killed(box, deaths), *(blocks for blocks in conflicts if len(blocks) == 1))
        pairs = box.pairs.union(blocks for blocks in conflicts if len(blocks) == 2)
        blocks = [b for group in groups for b in group]
        different = len(set(blocks)) == len(blocks) and max(blocks, default=-1) < self.problem.blocks
        exclusive = (p in pairs or p & dead for g in groups for p in map(frozenset, itertools.combinations(g, 2)))
        self.ensure(different and all(exclusive), "its groups are not of blocks that exclude each other")
        packings = [self.packing(conflicts, blocks, itertools.repeat(None))]
        if shares:
            packings.append(self.packing(conflicts, blocks, shares))
        box = box._replace(dead=dead, pairs=pairs, bound=self.bound(box, dead, packings, groups))
        for (weight, upper, at), rows in cuts:
            bound = self.bound(box, dead | self.killed(box.part(weight, upper, at), rows), packings, groups)
            self.ensure(bound >= self.goal, f"the bound in a strip is {bound}, below {self.goal}")
            box = box.part(weight, not upper, at)
            if box.low[weight] > box.high[weight]:
                return None
        return box

    def killed(self, box, rows):
        """The blocks of rows that hold nowhere in the box: they are violated in all of it."""
        return frozenset().union(*(self.conflict(box, [(row, 1)]) for row in rows))

    def conflict(self, box, conflict):
        """Blocks one of which is violated at each point of the box, as a sum of their rows is nowhere positive.
        Multipliers are for rows times powers of two by which the greatest entries of all have as many bits."""
        rows = [self.problem.row(b, j) for (b, j), _ in conflict]
        exist = rows and all(row and all(k in box.usable for k, e in enumerate(row) if e) for row in rows)
        self.ensure(exist, "it has no rows, or one that does not exist or not in this face")
        self.ensure(all(m > 0 for _, m in conflict), "it has a multiplier of 0")
        bits = [max(map(abs, row)).bit_length() for row in rows]
        multipliers = [m << max(bits) - own for (_, m), own in zip(conflict, bits)]
        total = [sum(map(operator.mul, multipliers, entries)) for entries in zip(*rows)]
        greatest = sum(e * (high if e > 0 else low) for e, low, high in zip(total, box.low, box.high))
        self.ensure(greatest <= 0, "it has rows of which none needs to fail")
        return frozenset(b for (b, _), _ in conflict)

    def packing(self, conflicts, grouped, shares):
        """Gives each conflict a share, or where none is said the least that is left of its blocks' gains, so that no
        block bears more than its gain. Returns the sum of all shares, and what each block bears of them."""
        gains = {b: 0 if b in grouped else self.problem.gains[b] for blocks in conflicts for b in blocks}
        total, bears = 0, Counter()
        for blocks, share in zip(conflicts, shares):
            if share is None:
                share = min(gains[b] - bears[b] for b in blocks) if len(blocks) > 1 else 0
            total += share
            bears.update(dict.fromkeys(blocks, share))
        self.ensure(all(bears[b] <= gain for b, gain in gains.items()), "a block bears more than its gain")
        return total, bears

    def bound(self, box, dead, packings, groups):
        """The least gain of violated blocks where these are dead, rounded up to one that blocks can have."""
        best = certain = self.problem.gain(dead)
        for group in groups:
            gains = [self.problem.gains[b] for b in group if b not in dead]
            certain += sum(gains) - max(gains, default=0)
        for total, bears in packings:
            best = max(best, certain + total - sum(bears[b] for b in dead))
        lost = self.everywhere.bound
        return max(box.bound, lost - (lost - best) // self.step * self.step)

    def case(self, box, violated, satisfied, depth=0):
        """Reads a case and those below it, and confirms that they prove the goal at points of the box where some
        blocks are violated and others satisfied: one block of the conflict is the first that is violated there."""
        self.ensure(depth <= 512, "cases are too deep")
        conflict = self.reader.conflict()
        blocks = self.conflict(box, conflict) - satisfied if box and conflict else set()
        named = []
        for _ in range(self.reader.number()):
            named.append(self.reader.number(32))
            self.case(box, box and violated | {named[-1]}, satisfied.union(named[:-1]), depth + 1)
        if box:
            self.ensure(sorted(named) == sorted(blocks), "the branches of a case are not those of its conflict")
            bound = max(box.bound, self.problem.gain(violated))
            self.ensure(conflict or bound >= self.goal, f"the bound of a case is {bound}, below {self.goal}")


def sentence(recipe, problem, most, found):
    """What is proven, in records rounded to a thousandth."""
    shown = lambda thousandths: f"{thousandths / 1000:.3f}".rstrip("0").rstrip(".")
    names, count = ", ".join(problem.columns), len(problem.columns)
    names = f"the attribute {names}" if count == 1 else f"these {count} attributes ({names})"
    renamed = f", columns renamed {json.dumps(recipe.rename, ensure_ascii=False)}" if recipe.rename else ""
    records = "records" if recipe.sample is None and recipe.targets is None else "chosen records"
    if recipe.sample is not None:
        records += f", both files cut to {'them' if problem.released == problem.blocks else problem.released},"
    own = "in the same row" if recipe.key is None else f"of the same {recipe.key}"
    reached = "that" if found == most else shown(1000 * found // problem.unit)
    most = shown(-(-1000 * most // problem.unit))
    return (f"For all weights on {names}, {SCALES[recipe.scale]}{renamed}, at most {most} of {problem.blocks} "
            f"{records} are nearer to their own released record (the one {own}) than to every other one"
            f"{COUNTS[recipe.count]}; the certificate's weights reach {reached}.")


def verify(reader, files):
    """Checks one certificate; returns the sentence that it proves."""
    first, recipe = (reader.stream.readline(2**24) for _ in range(2))
    ensure(first == b"unmask certificate 1\n" and recipe.endswith(b"\n"), "it does not begin as a certificate does")
    recipe = Recipe(**json.loads(recipe))
    known = recipe.scale in SCALES and recipe.count in COUNTS and recipe.reading in READINGS
    ensure(known, "it scales, counts or reads in an unknown way")
    digests = {file["role"]: file["sha256"] for file in recipe.files}
    ensure(digests.keys() == files.keys() and len(recipe.files) == 2, f"it needs a project or other files, {NOT_READ}")
    for role, (digest, _) in files.items():
        ensure(digest == digests[role], f"it is about another {role} file, with the checksum {digests[role]}")
    problem = Problem(recipe, files["original"][1], files["released"][1])
    count, blocks, total, goal = (reader.number() for _ in range(4))
    claimed, given = (count, blocks, total, recipe.unit), (problem.blocks, sum(problem.gains), problem.unit)
    ensure(claimed == (len(problem.columns), *given) and count <= 64, "the files give other weights, blocks or gains")
    weights = struct.unpack(f"<{count}d", reader.stream.read(8 * count))
    ensure(any(weights) and all(0 <= w < math.inf for w in weights), "it has a weight below 0, or all are 0")
    reader.known = []
    found, dead = reader.number(), reader.list(reader.row)
    ensure(problem.found(weights) == found, "its weights do not satisfy blocks of the gain that it says")
    reader.known = []
    Checker(reader, problem, goal, dead).check()
    return sentence(recipe, problem, total - goal, found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("certificate")
    for role in ("original", "released"):
        parser.add_argument("--" + role, required=True, metavar="FILE")
    given = parser.parse_args()
    sys.setrecursionlimit(100_000)  # Nodes and cases are read one in the other.
    try:
        files = {role: read_table(getattr(given, role)) for role in ("original", "released")}
        reader, proven = Reader(given.certificate), []
        while not proven or reader.stream.tell() < reader.size:
            proven.append(verify(reader, files))
        print("\n".join(proven))
    except Exception as error:  # Whatever goes wrong, nothing is proven; messages of the library may hold values.
        unread = f"the certificate or a file cannot be read ({type(error).__name__})"
        reason = str(error) if isinstance(error, Refused) else unread
        sys.exit("error: nothing is proven: " + " ".join(reason.split()))


if __name__ == "__main__":
    main()

"""Reads what unmask wrote from the 500 records: python check.py FOLDER FILES.

FOLDER has released.* in every format that unmask writes; FILES is the folder of the records.
"""

import pathlib
import sys

import pandas
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pyreadstat

written, files = map(pathlib.Path, sys.argv[1:])


def comparable(data):
    """Every cell as text."""
    data = data.copy()
    data["born"] = pandas.to_datetime(data["born"]).dt.strftime("%Y-%m-%d")
    data["member"] = data["member"].astype(int)
    for column in data.columns:
        data[column] = [
            None if pandas.isna(cell) else f"{cell:.10g}" if isinstance(cell, (int, float)) else str(cell)
            for cell in data[column].astype(object)
        ]
    return data


expected = comparable(pandas.read_csv(files / "comma.csv", dtype={"region": str}))


def compare(name, data):
    got = comparable(data)
    assert list(got.columns) == list(expected.columns), name
    for column in expected.columns:
        assert got[column].tolist() == expected[column].tolist(), (name, column)


compare("tsv", pandas.read_csv(written / "released.tsv", sep="\t", dtype={"region": str}))
compare("csv.gz", pandas.read_csv(written / "released.csv.gz", dtype={"region": str}))
compare("parquet", pyarrow.parquet.read_table(written / "released.parquet").to_pandas())
compare("arrow", pyarrow.feather.read_table(written / "released.arrow").to_pandas())
compare("dta, pandas", pandas.read_stata(written / "released.dta"))
compare("dta, pyreadstat", pyreadstat.read_dta(written / "released.dta", apply_value_formats=True)[0])

# Columns keep their types, and dictionaries their order where the format has one.
for read, own, stored in [
    (pyarrow.parquet.read_table, "types.parquet", "types.parquet"),
    (pyarrow.feather.read_table, "types.arrow", "types.arrow"),
]:
    got, before = read(written / own), read(files / stored)
    for column in before.column_names:
        left, right = got[column], before[column]
        if pyarrow.types.is_dictionary(left.type):
            assert left.type.value_type == right.type.value_type, column
            left, right = left.cast(pyarrow.string()), right.cast(pyarrow.string())
        assert left.type == right.type, (own, column, left.type, right.type)
        assert left.to_pylist() == right.to_pylist(), (own, column)
level = pyarrow.feather.read_table(written / "types.arrow")["level"].to_pandas()
assert level.cat.ordered
assert level.cat.categories.tolist() == ["low", "middle", "high", "never used"]
print("all formats agree")

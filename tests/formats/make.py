"""Writes the same 500 records in every format that unmask reads: python make.py FOLDER.

Needs what requirements.txt names. What it writes is committed beside it, so that the tests need no
Python; `make test-formats` writes it anew in a fresh environment and compares.
"""

import datetime
import pathlib
import sys

import numpy
import pandas
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pyreadstat

RECORDS = 500
TOWNS = ["Graz", "Köln", "Zürich", "Århus", "Łódź"]
LATIN_TOWNS = ["Graz", "Köln", "Zürich", "Århus", "Málaga"]
STATUS = {1: "never married", 2: "married", 3: "widowed", 4: "divorced"}
BORN = datetime.date(1930, 1, 1)


def records(towns):
    """Numbers by a formula, so that every machine makes the same."""
    rows = []
    for i in range(RECORDS):
        mixed = (i * 2654435761) % 2**32
        rows.append(
            {
                "id": i + 1,
                "age": None if i % 17 == 3 else 18 + mixed % 70,
                "income": (mixed // 7 % 900_000) / 100 + 0.25,
                "region": f"{mixed // 11 % 99 + 1:05d}",
                "born": BORN + datetime.timedelta(days=mixed // 13 % 28_000),
                "town": towns[mixed // 17 % len(towns)],
                "status": 1 + mixed // 19 % 4,
                "member": bool(mixed // 23 % 2),
            }
        )
    return rows


def frame(towns, codes=False, dates=False):
    """Codes of the status rather than its labels; dates as pandas knows them."""
    data = pandas.DataFrame(records(towns))
    data["age"] = data["age"].astype("float64")
    data["region"] = data["region"].astype(object)
    data["town"] = data["town"].astype(object)
    if not codes:
        data["status"] = data["status"].map(STATUS).astype(object)
    if dates:
        data["born"] = pandas.to_datetime(data["born"])
    return data


def write_csv(folder):
    """Six dialects."""
    data = frame(TOWNS)
    data["member"] = data["member"].astype(int)
    ages = [None if pandas.isna(age) else int(age) for age in data["age"]]
    data["age"] = pandas.array(ages, dtype="Int64")
    data.to_csv(folder / "comma.csv", index=False)
    data.to_csv(folder / "tabs.tsv", index=False, sep="\t")
    european = data.copy()
    european["born"] = [day.strftime("%d.%m.%Y") for day in european["born"]]
    european.to_csv(folder / "semicolon.csv", index=False, sep=";", decimal=",")
    data.to_csv(folder / "quoted.csv", index=False, quoting=2, lineterminator="\r\n", na_rep="NA")
    data.to_csv(folder / "utf16.csv", index=False, sep=";", encoding="utf-16")
    latin = frame(LATIN_TOWNS)
    latin["member"] = latin["member"].astype(int)
    latin["age"] = pandas.array(ages, dtype="Int64")
    latin.to_csv(folder / "latin1.csv", index=False, sep="|", encoding="windows-1252", na_rep="?")
    latin.to_csv(folder / "latin.csv", index=False)
    data.to_csv(folder / "packed.csv.gz", index=False, compression={"method": "gzip", "mtime": 1})


def write_arrow(folder):
    data = frame(TOWNS)
    data["age"] = data["age"].astype("Int64")
    table = pyarrow.Table.from_pandas(data, preserve_index=False)
    pyarrow.parquet.write_table(table, folder / "records.parquet", compression="snappy")
    pyarrow.feather.write_feather(table, folder / "lz4.feather", compression="lz4")
    pyarrow.feather.write_feather(table, folder / "zstd.arrow", compression="zstd")
    pyarrow.parquet.write_table(types(), folder / "types.parquet")
    pyarrow.feather.write_feather(types(), folder / "types.arrow", compression="uncompressed")


def types():
    """A column of each type that is to come back as it was."""
    n = 60
    numbers = list(range(n))
    hours = [datetime.datetime(2023, 3, 29, i % 24, i) for i in numbers]
    days = [datetime.datetime(2023, 3, 1) + datetime.timedelta(days=i) for i in numbers]
    levels = ["low", "middle", "high", "never used"]
    keys = pyarrow.array([None if i % 7 == 5 else (2 - i) % 3 for i in numbers], pyarrow.int8())
    rows = {
        "small": pyarrow.array([i - 30 for i in numbers], pyarrow.int8()),
        "unsigned": pyarrow.array([i * 70_000_000 for i in numbers], pyarrow.uint32()),
        "wide": pyarrow.array([2**63 - 1 - i for i in numbers], pyarrow.int64()),
        "single": pyarrow.array([i / 8 for i in numbers], pyarrow.float32()),
        "price": pyarrow.array([f"{i}.{i:02d}" for i in numbers]).cast(pyarrow.decimal128(12, 2)),
        "exact": pyarrow.array([f"123456789012345678.{i:04d}" for i in numbers]).cast(
            pyarrow.decimal128(30, 4)
        ),
        "truth": pyarrow.array([None if i == 4 else i % 3 == 0 for i in numbers]),
        "day": pyarrow.array([day.date() for day in days], pyarrow.date32()),
        "midnight": pyarrow.array(days, pyarrow.timestamp("us")),
        "second": pyarrow.array(hours, pyarrow.timestamp("s")),
        "nano": pyarrow.array(hours, pyarrow.timestamp("ns")),
        "vienna": pyarrow.array(hours, pyarrow.timestamp("ms", tz="Europe/Vienna")),
        "clock": pyarrow.array([hour.time() for hour in hours], pyarrow.time32("s")),
        "town": pyarrow.array([TOWNS[i % 5] for i in numbers], pyarrow.large_string()),
        "plain": pyarrow.array([TOWNS[i % 5] for i in numbers]).dictionary_encode(),
        "level": pyarrow.DictionaryArray.from_arrays(keys, pyarrow.array(levels), ordered=True),
    }
    return pyarrow.table(rows)


def write_statistics(folder):
    data = frame(TOWNS, codes=True)
    data["member"] = data["member"].astype(int)
    labels = {"status": STATUS}
    pyreadstat.write_sav(data, folder / "records.sav", variable_value_labels=labels)
    pyreadstat.write_sav(data, folder / "bytes.sav", variable_value_labels=labels, row_compress=True)
    pyreadstat.write_sav(data, folder / "records.zsav", variable_value_labels=labels, compress=True)
    pyreadstat.write_dta(data, folder / "records.dta", variable_value_labels=labels)
    pyreadstat.write_xport(frame(TOWNS).assign(member=data["member"]), folder / "records.xpt")
    pyreadstat.write_xport(
        frame(TOWNS).assign(member=data["member"]), folder / "version5.xpt", file_format_version=5
    )
    latin = frame(LATIN_TOWNS, dates=True)
    latin["member"] = latin["member"].astype("int8")
    latin["status"] = pandas.Categorical(latin["status"], list(STATUS.values()))
    for version in (114, 117, 118, 119):
        latin.to_stata(
            folder / f"pandas{version}.dta",
            write_index=False,
            version=version,
            convert_dates={"born": "td"},
            # Long texts of release 117 are written as UTF-8, though that release has none.
            convert_strl={117: ["region"], 118: ["town"]}.get(version),
            time_stamp=datetime.datetime(2024, 1, 1),
        )
    write_missing(folder)


def write_missing(folder):
    """Values that are declared missing, labels of some values only, times, and long texts."""
    n = 40
    data = pandas.DataFrame(
        {
            "answer": [float(i % 5) if i % 6 else 99.0 for i in range(n)],
            "height": [150.0 + i if i % 9 else 999.0 for i in range(n)],
            "sex": ["m" if i % 2 else "f" for i in range(n)],
            "code": ["x" if i % 8 == 0 else f"c{i % 3}" for i in range(n)],
            "seen": [datetime.datetime(2023, 3, 29, i % 24, i) for i in range(n)],
            "note": ["ä" * (i * 9) for i in range(n)],
            "part": [float(i % 4) for i in range(n)],
        }
    )
    answers = {0.0: "none", 1.0: "few", 2.0: "some", 3.0: "many", 4.0: "all", 99.0: "refused"}
    pyreadstat.write_sav(
        data,
        folder / "missing.sav",
        variable_value_labels={
            "answer": answers,
            "sex": {"m": "male", "f": "female"},
            "part": {0.0: "nothing"},
        },
        missing_ranges={"answer": [99.0], "height": [{"lo": 900.0, "hi": 1000.0}], "code": ["x"]},
    )
    stata = data.drop(columns=["note", "part"])
    stata["answer"] = stata["answer"].astype(object)
    stata.loc[stata["answer"] == 99.0, "answer"] = "a"
    stata.loc[stata["height"] == 999.0, "height"] = numpy.nan
    pyreadstat.write_dta(
        stata,
        folder / "missing.dta",
        missing_user_values={"answer": ["a"]},
        variable_value_labels={"answer": {k: v for k, v in answers.items() if k != 99.0}},
    )


def write_small(folder):
    """Few records, so that each byte of the files can be damaged."""
    data = pandas.DataFrame(
        {
            "id": [1, 2, 3, 4],
            "x": [0.5, -7.0, None, 1000.0],
            "town": pandas.Series(["graz", "", "linz", "graz"], dtype=object),
            "born": [BORN + datetime.timedelta(days=400 * i) for i in range(4)],
        }
    )
    labels = {"id": {1: "one", 2: "two", 3: "three", 4: "four"}}
    pyreadstat.write_sav(data, folder / "small.sav", variable_value_labels=labels)
    pyreadstat.write_sav(data, folder / "small.zsav", variable_value_labels=labels, compress=True)
    pyreadstat.write_xport(data, folder / "small.xpt")
    data.to_excel(folder / "small.xlsx", index=False)


def write_excel(folder):
    data = frame(TOWNS)
    with pandas.ExcelWriter(folder / "records.xlsx", engine="openpyxl") as book:
        data.to_excel(book, index=False)
        # What differs from run to run.
        book.book.properties.created = datetime.datetime(2024, 1, 1)
        book.book.properties.modified = datetime.datetime(2024, 1, 1)


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    write_csv(target)
    write_arrow(target)
    write_statistics(target)
    write_excel(target)
    write_small(target)

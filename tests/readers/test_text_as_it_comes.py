"""Files as people have them: encodings, ends of lines, archives, titles, short rows, JSON documents."""

import io
import json
import zipfile

import pytest

from tests.readers.rows import all_rows
from wmsketch.readers import BadInput, open_examples

TABLE = "city,price,sold\nOrléans,1,1\nRome,2,0\nOslo,3,1\n"
ROWS = [
    [("city=Orléans", 1.0), ("price", 1.0)],
    [("city=Rome", 1.0), ("price", 2.0)],
    [("city=Oslo", 1.0), ("price", 3.0)],
]


def read(path, **options):
    """The features of the rows, and the notes."""
    with open_examples(path, **{"label": "sold", **options}) as examples:
        rows = [row.features for row in all_rows(examples)]
    return rows, [note.told(known=()) for note in examples.doubts], examples.rejects


def written(folder, name, data):
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return folder / name


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"], ids=["LF", "CR LF", "CR"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_every_encoding_and_end_of_line(tmp_path, encoding, ends):
    path = written(tmp_path, "a.csv", TABLE.replace("\n", ends).encode(encoding))
    for chunk_bytes in (1 << 20, 11):
        rows, notes, _ = read(path, chunk_bytes=chunk_bytes)
        assert rows == ROWS
        assert len(notes) == (not encoding.startswith("utf-8"))
    if encoding.startswith("utf-16"):
        assert notes == [f"{path} is not UTF-8 but read as {encoding}"]
    if encoding == "cp1252":
        assert notes == ["1 byte is not UTF-8 and read as cp1252, Windows text, the first in line 2"]


def test_windows_text_is_recognised_far_from_the_beginning(tmp_path):
    text = "city,sold\n" + "Rome,1\nOslo,0\n" * 300_000
    rows, notes, _ = read(written(tmp_path, "a.csv", text.encode() + "5 € ‰ Orléans,1\n".encode("cp1252")))
    assert rows[-1] == [("city=5 € ‰ Orléans", 1.0)]
    assert notes == ["3 bytes are not UTF-8 and read as cp1252, Windows text, the first in line 600,002"]


def test_binary_data_is_no_windows_text(tmp_path):
    with pytest.raises(BadInput, match="expected text in UTF-8"):
        read(written(tmp_path, "a.csv", b"city,sold\nRo\xe9me\0,1\n"))


def zipped(**files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/").replace("_csv", ".csv").replace("_md", ".md"), text)
    return data.getvalue()


@pytest.mark.parametrize("name", ["a.zip", "a.csv.zip"])
def test_an_archive_with_one_table_is_that_table(tmp_path, name):
    path = written(tmp_path, name, zipped(data__a_csv=TABLE, README_md="about, this, data"))
    rows, notes, _ = read(path)
    assert rows == ROWS and notes == []
    for damage in (40, 70):
        (tmp_path / "broken.zip").write_bytes(path.read_bytes()[:damage])
        with pytest.raises(BadInput, match="zip"):
            read(tmp_path / "broken.zip")


def test_an_archive_with_several_tables_says_how_to_unpack_it(tmp_path):
    path = written(tmp_path, "a.zip", zipped(a_csv=TABLE, b_csv=TABLE))
    with pytest.raises(BadInput, match=r"found 2 tables in the zip archive \(a.csv, b.csv\).*: unzip .*a.zip$"):
        read(path)


def test_titles_above_the_header_and_remarks_below_the_table_are_left_out(tmp_path):
    text = "Sales by city\nprinted 17 May 2024, all shops\n\n" + TABLE + "\nSource: the shops\n"
    rows, notes, rejects = read(written(tmp_path, "a.csv", text))
    assert rows == ROWS
    assert notes == [f"{tmp_path / 'a.csv'}: 2 lines are left out before the header"]
    assert rejects.notes() == [
        f"1 bad row was skipped; the first: {tmp_path / 'a.csv'}:9:18: expected 3 columns, found 1"
    ]
    rows, _, _ = read(written(tmp_path, "b.csv", text.replace(", all shops", "").replace(",", ";")))
    assert rows == ROWS


def test_a_title_does_not_hide_the_place_of_an_error(tmp_path):
    text = "Sales\n\n" + TABLE + "Rome,2,0,5\n"
    with pytest.raises(BadInput, match=r"a.csv:7:10: expected 3 columns, found 4"):
        read(written(tmp_path, "a.csv", text), bad_rows="stop")


def test_cells_that_a_short_row_lacks_are_missing_and_a_long_row_is_no_row(tmp_path):
    text = "sold,city,price\n1,Rome,2\n0,Oslo\n1,Rome,2,\n0,Oslo,3,4\n"
    rows, notes, rejects = read(written(tmp_path, "a.csv", text))
    rome = [("city=Rome", 1.0), ("price", 2.0)]
    assert rows == [rome, [("city=Oslo", 1.0)], rome] and rejects.bad_rows == 1
    assert notes == ["1 row has fewer cells than columns, the first in line 3; the cells that they lack are missing"]
    assert len(read(tmp_path / "a.csv", bad_rows="skip")[0]) == 1


def test_the_row_names_of_r_are_a_column(tmp_path):
    rows, _, _ = read(written(tmp_path, "a.csv", '"city","sold"\n"1","Rome",1\n"2","Oslo",0\n'))
    assert rows[1] == [("column1=2", 1.0), ("city=Oslo", 1.0)]


def test_names_twice_are_told(tmp_path):
    rows, notes, _ = read(written(tmp_path, "a.csv", "x,x,sold\n1,2,1\n3,4,0\n"))
    assert rows[0] == [("x", 1.0), ("x.2", 2.0)]
    assert notes == ["the column 'x.2' is a later column with the name 'x'"]


PEOPLE = [{"name": "Ann", "at": {"city": "Rome", "x": 1.5}, "sold": 1}, {"name": 'B\n"[{', "at": {}, "sold": 0}]


@pytest.mark.parametrize("chunk_bytes", [1 << 20, 7])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("shape", ["array", "collection", "objects"])
def test_json_documents(tmp_path, shape, indent, chunk_bytes):
    if shape == "array":
        text = json.dumps(PEOPLE, indent=indent)
    elif shape == "collection":
        text = json.dumps(
            {"type": "FeatureCollection", "crs": {"a": [1]}, "features": PEOPLE, "n": [{"a": 1}]}, indent=indent
        )
    else:
        text = "\n".join(json.dumps(row, indent=indent) for row in PEOPLE)
    for name in ("a.json", "a.txt"):
        options = {} if name == "a.json" else {"format": "jsonl"}
        rows, notes, _ = read(written(tmp_path, name, text), chunk_bytes=chunk_bytes, **options)
        assert rows == [
            [("name=Ann", 1.0), ("at.city=Rome", 1.0), ("at.x", 1.5)],
            [('name=B\n"[{', 1.0)],
        ]
        assert notes == []


def test_one_broken_line_of_json_is_skipped_and_counted(tmp_path):
    text = '{"a": 1, "sold": 1}\n{"a": 1, "so\n{"a": 2, "sold": 0}\n'
    rows, _, rejects = read(written(tmp_path, "a.jsonl", text))
    assert len(rows) == 2 and "a.jsonl:2:13: expected a closing quote" in str(rejects.first)


def test_spreadsheets_need_an_extra(tmp_path, monkeypatch):
    path = written(tmp_path, "a.xlsx", zipped(xl__workbook="<workbook/>"))
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    with pytest.raises(ImportError, match=r"a.xlsx is a spreadsheet: pip install 'wmsketch\[excel\]'$"):
        read(path)


def test_a_spreadsheet_is_read_like_csv(tmp_path):
    pytest.importorskip("python_calamine")
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        + "".join(
            f'<row r="{i}">'
            + "".join(
                f'<c r="{c}{i}" t="inlineStr"><is><t>{v}</t></is></c>'
                if isinstance(v, str)
                else f'<c r="{c}{i}"><v>{v}</v></c>'
                for c, v in zip("ABC", row, strict=True)
            )
            + "</row>"
            for i, row in enumerate([("city", "price", "sold"), ("Rome", 1.5, 1), ("Oslo", 2, 0)], start=1)
        )
        + "</sheetData></worksheet>"
    )
    files = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.'
        'spreadsheetml.sheet.main+xml"/></Types>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
        'officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://'
        'schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="r1"/>'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
        'relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
        'worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": sheet,
    }
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    rows, _, _ = read(tmp_path / "a.xlsx")
    assert rows == [[("city=Rome", 1.0), ("price", 1.5)], [("city=Oslo", 1.0), ("price", 2.0)]]


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("row", [0, 1, 3])
def test_a_cell_may_be_longer_than_the_module_csv_reads(tmp_path, delimiter, row):
    lines = [
        delimiter.join(cells)
        for cells in [("note", "price", "sold"), *[(f'"n{i}"', f'"{i},5"', "1") for i in range(6)]]
    ]
    long = "x" * 300_000
    lines.insert(row + 1, delimiter.join([f'"{long}"', '"2,5"', "1"]))
    rows, _, _ = read(written(tmp_path, "a.csv", "\n".join(lines) + "\n"), positive="1")
    assert len(rows) == 7 and rows[row][0] == (f"note={long}", 1.0)

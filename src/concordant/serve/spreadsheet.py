"""A spreadsheet file (XLSX) of one table, written without another library.

Text is stored as text, so no program takes a name for a formula.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

# Characters that XML cannot hold.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_KIND}.worksheet+xml"/>'
    "</Types>",
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    "</Relationships>",
    "xl/workbook.xml": f'<workbook xmlns="{_SHEETS}" xmlns:r="{_OFFICE}">'
    '<sheets><sheet name="Ranking" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    "</Relationships>",
}


def workbook(rows: Iterable[Sequence[int | str]]) -> bytes:
    """Return a workbook with one sheet.

    Example:
        >>> import polars
        >>> content = workbook([("place", "item"), (1, "=a&b"), (2, "c")])
        >>> polars.read_excel(content).rows()
        [(1, '=a&b'), (2, 'c')]
    """
    lines = (f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
    sheet = (
        f'<worksheet xmlns="{_SHEETS}"><cols><col min="2" max="2" width="40" customWidth="1"/>'
        f"</cols><sheetData>{''.join(lines)}</sheetData></worksheet>"
    )
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in {**_PARTS, "xl/worksheets/sheet1.xml": sheet}.items():
            # The same table always gives the same file.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            file.writestr(entry, _HEAD + text, zipfile.ZIP_DEFLATED)
    return found.getvalue()


def _cell(value: int | str) -> str:
    if isinstance(value, int):
        return f"<c><v>{value}</v></c>"
    text = escape(_NOT_XML.sub("\ufffd", value))
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'

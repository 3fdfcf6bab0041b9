"""check_page.py PAGE: is a report's page well-formed, closed in itself, and do its tables and its advice say
what the text in it says? Prints what is wrong; exit status 1 then."""
import re
import sys
from html.parser import HTMLParser

VOID = {"meta", "br", "rect"}
PROCESS = '<details class="process">'
# How advice says what the table of reasons says.
ADVICE = {
    "not offloaded by mublas": "mublas does not offload these",
    "too small ever to pay": "too small ever to pay",
    "invalid arguments, nothing to compute, infinite alpha, or overlapping operands":
        "because of their arguments: ",
    "predicted faster on the host": "the host was predicted to be faster|is below the order that pays here",
    "upload not yet worth its cost": "not used often enough yet",
    "the matrix is rewritten between calls": "the matrix is rewritten between calls",
    "the matrix cannot stay on the device: its memory cannot be followed":
        "memory whose writes cannot be followed|writes are not tracked here",
    "opening the device, cuBLAS or cuSOLVER not yet paid for, or under way":
        "not yet paid for|that they could have paid for",
    "an argument that the device's routine does not have": "which its routine on the GPU does not have",
    "floating-point traps or rounding mode, or a denormal scalar that counts as zero": "traps floating-point",
    "MUBLAS_OFFLOAD=never": "because MUBLAS_OFFLOAD=never says so",
    "no usable device": "because there was no usable GPU:",
    "the program was ending": "the program was ending",
    "other threads' calls were in the way": "calls of other threads were in the way",
    "called from within another BLAS call": "made within another BLAS call",
    "in a fork child or under a checkpointer": "a fork's child",
    "not supported on the device": "nor? cu(SOLVER|BLAS) was found|library does not have them",
    "out of device memory": "the GPU's memory is too small",
    "a matrix is not finite, or near overflow or underflow": "a matrix is not finite",
    "no success on the device: INFO is the host's to say": "ended with INFO other than 0",
    "device error": "because the GPU failed",
}
faults = []


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.stack, self.tables, self.items, self.pre = [], {}, [], None
        self.table, self.cell, self.policy, self.rects = None, None, "", 0
        self.text, self.names, self.titles, self.lanes = "", [], [], 0
        self.comments, self.ids = [], []

    def handle_startendtag(self, tag, attributes):
        if tag != "rect":
            faults.append(f"<{tag}/>")
        self.rects += 1

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        if tag == "script" or any(name.startswith("on") or name in ("src", "href") for name in attributes):
            faults.append(f"active or remote: <{tag} {attributes}>")
        if tag in VOID:
            return
        self.stack.append(tag)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.lanes += tag == "svg"
        if tag == "table":
            self.table = self.tables.setdefault(attributes.get("id") or attributes.get("class"), [])
        elif tag == "tr":
            self.table.append([])
        elif tag in ("td", "th", "li", "pre", "title") or attributes.get("class") == "name":
            self.cell = ""

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            faults.append(f"</{tag}> does not close what is open")
        if tag == "title" and "svg" in self.stack:
            self.titles.append(self.cell)
        if tag == "span" and self.cell is not None and "td" not in self.stack:
            self.names.append(self.cell)
            self.cell = None
        if tag in ("td", "th"):
            self.table[-1].append(self.cell)
        elif tag == "li":
            self.items.append(self.cell)
        elif tag == "pre":
            self.pre = self.cell

    def handle_comment(self, data):
        self.comments.append(data)

    def handle_data(self, data):
        if "pre" not in self.stack:
            self.text += data
        if self.cell is not None:
            self.cell += data


def expect(what, found, wanted):
    if found != wanted:
        faults.append(f"{what}: {found}, the text says {wanted}")


COLUMNS = ("calls", "on device", "on host", "MB up", "MB down", "device s", "host s", "of it its own")


def columns_of(table):
    """The cells of each row by the names of their columns; a column of dashes alone would be none."""
    rows = [dict(zip(table[0], row)) for row in table[1:]]
    for name in table[0]:
        if rows and all(row[name] == "-" for row in rows):
            faults.append(f"the column {name} has dashes alone")
    return rows


def check_routines(page, lines):
    """Calls, megabytes and seconds of each routine."""
    row = re.compile(r"  (\S+) +(\d+) +(\d+) +(\d+) +(\S+) +(\S+) +(\S+) +(\S+) +(\S+)$")
    text = {m[1]: list(m.groups()[1:]) for m in map(row.match, lines) if m}
    rows = columns_of(page.tables.get("routines") or [[]])
    shown = {r["routine"]: [r.get(name, "-") for name in COLUMNS] for r in rows}
    if any("emulated" in line for line in lines) and ("saved against" in page.text or any("factor" in r for r in rows)):
        faults.append("seconds saved on an emulated device")
    # A dash stands for what was not measured, or is less than any measure.
    shown = {name: ["0.000" if c == "-" else c for c in cells] for name, cells in shown.items()}
    text = {name: ["0.000" if c == "-" else c for c in cells] for name, cells in text.items()}
    expect("routines", sorted(shown), sorted(text))
    for name in text:
        expect(name, shown.get(name), text[name])
    own = sum(float(cells[7]) for name, cells in text.items() if name != "total")
    if abs(own - float(text.get("total", ["0"] * 8)[7])) > 0.0005 * len(text):
        faults.append(f"the routines' own seconds add up to {own}, not to the total")
    return text


def check_reasons(page, lines):
    """Each routine's reasons; and that the advice names each routine with its calls and that reason."""
    row = re.compile(r"  (\S+) +(\d+)  (.*)$")
    text = [m.groups() for m in map(row.match, lines) if m and not re.match(r" *\d", m[3])]
    expect("reasons", [(r[0], r[1], r[3]) for r in page.tables.get("reasons", [])[1:]], text)
    for name, calls, reason in text:
        told = rf"(^|[ ,]){re.escape(name)}( [\d.]+ s)? \({calls}\)|^{re.escape(name)}: .*\b{calls} calls?\b"
        because = ADVICE.get(reason, re.escape(reason))
        if not any(re.search(told, sentence) and re.search(because, sentence) for sentence in page.items):
            faults.append(f"no advice on {name}, {calls} calls, {reason}")


def check_parallel(page, lines):
    """Rows of parallel routines, and why calls of theirs stayed on the host."""
    rows = [line.split() for line in lines if re.match(r"  \S+( +\d+){4}( +\d+\.\d{3}){4}$|  \S+( +\d+){3}( +-){5}$", line)]
    reasons = [list(m.groups()) for m in (re.match(r"  (\S+) +(\d+)  (\S.*)$", line) for line in lines) if m]
    expect("parallel", page.tables.get("parallel", [])[1:], rows)
    expect("parallel reasons", page.tables.get("parallel-reasons", [])[1:], reasons)
    for line in lines:
        if line.startswith("  (") and line[3:-1] not in page.text:
            faults.append(f"the page does not say: {line}")


def check_advice(page, lines):
    begin = lines.index("  advice:")
    expect("advice", page.items, [line[4:] for line in lines[begin + 1:] if line])
    for sentence in page.items:
        whole = re.match(r"([\d.]+) s of calls on the host, because ", sentence)
        # Less than half a millisecond is not told.
        parts = [float(m[1] or 0) for m in re.finditer(r"(?: ([\d.]+) s)? \(\d+\)", sentence)]
        if whole and abs(sum(parts) - float(whole[1])) > 0.0005 * (len(parts) + 1):
            faults.append(f"parts do not add up: {sentence}")


def check_timeline(page, text):
    """Rounded to a tenth of a millisecond a step."""
    if "total" not in text:
        expect("tables", sorted(name for name in page.tables if not name.startswith("parallel")), ["setup"])
        return
    if "timeline" not in page.tables:
        # The run wrote a text, which has no times of the clock.
        if re.search(r"The run, [\d.]+ s: when its calls were is not known", page.text):
            return
        expect("seconds that a time line would have", text["total"][5:7], ["0.000", "0.000"])
        return
    rows = [[float(c) for c in r] for r in page.tables["timeline"][1:]]
    if not 1 <= len(rows) <= 200 or rows != sorted(rows):
        faults.append(f"{len(rows)} steps")
    room = 0.001 + len(rows) * 0.00005
    host = sum(r[1] for r in rows)
    if abs(host - float(text["total"][6])) > room:
        faults.append(f"host seconds of the time line: {host}, not {text['total'][6]}")
    if sum(sum(r[2:]) for r in rows) + 4 * room < float(text["total"][5]):
        faults.append("the time line has less of the device than the table")
    if any(sum(r[1:]) > 0.002 for r in rows) and not page.rects:
        faults.append("the time line is empty")
    filled = sum(sum(r[1:]) > 0 for r in rows)
    if len(page.titles) < filled or not page.lanes:
        faults.append(f"{filled} steps have {len(page.titles)} titles in {page.lanes} lanes")


def check_part(content, is_whole):
    """A page, what is in it before its processes' sections, or one of these."""
    page = Page()
    page.feed(content)
    page.close()
    if is_whole and page.stack:
        faults.append(f"left open: {page.stack}")
    if len(page.ids) != len(set(page.ids)):
        faults.append(f"identifiers come twice: {page.ids}")
    lines = page.pre.split("\n")
    parallel = next((i for i, line in enumerate(lines) if re.match(r"  parallel +calls", line)), len(lines))
    end = lines.index("  advice:")
    ordinary = lines[:parallel] + lines[end:]
    text = check_routines(page, ordinary)
    check_reasons(page, ordinary)
    check_parallel(page, lines[parallel:end])
    check_advice(page, lines)
    if not re.match(r"mublas report of \d+ processes", lines[0]):
        check_timeline(page, text)
        if len(page.comments) != 1 or not page.comments[0].startswith("\n# mublas-counters "):
            faults.append("there are no counters for mublas report")
    return page, text


def check_sums(text, parts):
    """The sums have the calls of all sections."""
    for name, cells in text.items():
        for column in range(3):
            expect(f"sum of {name}", sum(int(part.get(name, ["0"] * 3)[column]) for part in parts), int(cells[column]))


def main():
    with open(sys.argv[1], encoding="utf-8", errors="strict") as file:
        content = file.read()
    whole = Page()
    whole.feed(content)
    if whole.stack or not content.startswith("<!DOCTYPE html>"):
        faults.append(f"left open: {whole.stack}")
    if not whole.policy.startswith("default-src 'none'") or re.search(r"url\(|@import|https?:", content):
        faults.append("not closed in itself")
    if len(whole.ids) != len(set(whole.ids)):
        faults.append(f"identifiers come twice: {whole.ids}")
    first, *sections = content.split(PROCESS)
    text = check_part(first, not sections)[1]
    if sections:
        check_sums(text, [check_part(section.rpartition("</details>")[0], True)[1] for section in sections])
        expect("rows of processes", len(whole.tables["processes"]) - 1, len(sections))
    for fault in faults:
        print(f"# {fault}")
    return bool(faults)


sys.exit(main())

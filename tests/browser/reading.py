"""What a reader does with a page: sorts, points at marks, goes from mark to mark by keyboard, reads figures as tables."""
import json

from claims import claim
from open_pages import show, table_of

TIP = "document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent"
HEARD = "document.querySelector('[aria-live]').textContent"


def chart_of(kind):
    return f"document.querySelector('.chart[data-kind=\"{kind}\"]')"


def abouts(browser, chart):
    """What the data of a figure says of its marks."""
    figure = browser.evaluate(f"JSON.parse(document.getElementById({chart}.dataset.figure).textContent)")
    texts = []
    for table in figure["tables"].values():
        if "about" in table["columns"]:
            texts += [row[table["columns"].index("about")] for row in table["rows"]]
    if figure["kind"] == "schedule":
        texts += [f"a[{position}]: {label}" for position, label, *_ in figure["tables"]["positions"]["rows"]]
    return texts


def shown_column(browser, table, column):
    return browser.evaluate(f"[...{table}.tBodies[0].rows].map((row) => Number(row.cells[{column}].dataset.value))")


def check_sort(browser):
    """Heads sort, by mouse and by keyboard."""
    table = table_of("#search-1", "Candidates")
    column = browser.evaluate(f"[...{table}.tHead.rows[0].cells].findIndex((head) => head.textContent.startsWith('FLOPs'))")
    head = f"{table}.tHead.rows[0].cells[{column}]"
    browser.evaluate(f"{head}.querySelector('button').click()")
    ascending = shown_column(browser, table, column)
    claim(ascending == sorted(ascending) and len(set(ascending)) > 1, f"not sorted: {ascending}")
    claim(browser.evaluate(f"{head}.getAttribute('aria-sort')") == "ascending", "readers of the screen do not hear of it")
    browser.evaluate(f"{head}.querySelector('button').focus()")
    browser.press("Enter")
    claim(shown_column(browser, table, column) == sorted(ascending, reverse=True), "the keyboard does not sort")


def check_hover(browser, kind):
    """A mark of a figure, pointed at, says what its data says."""
    chart = chart_of(kind)
    show(browser, chart)
    texts = set(abouts(browser, chart))
    claim(texts, f"{kind}: nothing to say")
    marks = browser.evaluate(f"[...{chart}.querySelectorAll('svg g.role-mark > *')].map((mark) => {{ const box = mark.getBoundingClientRect(); "
                             "return [box.x + box.width / 2, box.y + box.height / 2]; })"
                             ".filter(([x, y]) => x > 0 && y > 0 && x < innerWidth && y < innerHeight)")
    for x, y in marks[:200]:
        browser.move_mouse(2, 2)
        claim(browser.evaluate(TIP) == "", f"{kind}: it says something where nothing is")
        browser.move_mouse(x, y)
        if browser.evaluate(TIP) in texts:
            browser.move_mouse(2, 2)
            return
    claim(False, f"{kind}: none of {len(marks)} marks says what it is")


def check_keys(browser, kind):
    """Arrow keys go over all marks of a figure and say each; Escape and Tab leave."""
    chart = chart_of(kind)
    show(browser, chart)
    expected = abouts(browser, chart)
    browser.evaluate(f"{chart}.focus()")
    claim(browser.evaluate(f"document.activeElement === {chart}"), f"{kind}: not reached by keyboard")
    claim(browser.evaluate(f"document.getElementById({chart}.getAttribute('aria-describedby')).textContent.includes('Arrow keys')"),
          "nobody hears of the keys")
    heard = []
    for place in range(len(expected)):
        browser.press("ArrowRight")
        text = browser.evaluate(HEARD)
        claim(text.startswith(f"{place + 1} of {len(expected)}: "), f"{kind}: at mark {place + 1} of {len(expected)} it says {text!r}")
        heard.append(text.split(": ", 1)[1])
        claim(browser.evaluate(TIP) == heard[-1], f"{kind}: it shows {browser.evaluate(TIP)!r} and says {heard[-1]!r}")
        claim(browser.evaluate("(() => { const frame = document.querySelector('.at-mark').getBoundingClientRect(); "
                               "return frame.bottom > 0 && frame.top < innerHeight; })()"), f"{kind}: the mark is out of sight")
    claim(sorted(heard) == sorted(expected), f"{kind}: marks say {heard}, the data {expected}")
    browser.press("ArrowRight")
    claim(browser.evaluate(HEARD).startswith(f"{len(expected)} of "), f"{kind}: it goes past the last mark")
    browser.press("Home")
    claim(browser.evaluate(HEARD).startswith("1 of "), f"{kind}: Home is not the first mark")
    browser.press("Escape")
    claim(browser.evaluate(TIP) == "" and browser.evaluate("document.querySelector('.at-mark') === null"), f"{kind}: Escape does not leave")
    browser.press("End")
    claim(browser.evaluate(HEARD).startswith(f"{len(expected)} of "), f"{kind}: End is not the last mark")
    browser.press("Tab")
    claim(browser.evaluate(TIP) == "" and browser.evaluate(f"document.activeElement !== {chart}"), f"{kind}: Tab does not leave")


def check_data_tables(browser):
    """Every figure has its data as tables, with as many rows as they say and no more than 200."""
    browser.evaluate("document.querySelectorAll('details.data').forEach((details) => { details.open = true; })")
    browser.wait_for("[...document.querySelectorAll('details.data')].every((details) => details.children.length > 1)")
    figures = browser.evaluate("""[...document.querySelectorAll('figure')].map((figure) => ({
      data: JSON.parse(figure.querySelector('script').textContent),
      shown: [...figure.querySelectorAll('details.data table')].map((table) => [table.caption.textContent,
        [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))])}))""")
    claim(figures, "no figures")
    cut = 0
    for figure in figures:
        kind, shown = figure["data"]["kind"], dict(figure["shown"])
        tables = {name: table for name, table in figure["data"]["tables"].items() if table["rows"] and "path" not in table["columns"]}
        claim(len(shown) == len(tables), f"{kind}: tables {list(shown)} of {list(tables)}")
        for name, table in tables.items():
            rows = table["rows"]
            part = f"the first 200 of {len(rows)} rows" if len(rows) > 200 else f"all {len(rows)} rows" if len(rows) > 1 else "one row"
            caption = f"{name}: {part}"
            claim(caption in shown, f"{kind}: no table \"{caption}\" but {list(shown)}")
            claim(len(shown[caption]) == min(len(rows), 200), f"{kind}: {len(shown[caption])} rows for {len(rows)} of {name}")
            cut += len(rows) > 200
            for cells, row in zip(shown[caption], rows):
                for cell, value in zip(cells, row):
                    if isinstance(value, str):
                        claim(cell == value, f"{kind}: {json.dumps(cell)} for {json.dumps(value)}")
                    elif isinstance(value, (int, float)) and not isinstance(value, bool):
                        claim(float(cell) == value, f"{kind}: {cell} for {value}")
    claim(cut > 0, "no figure has more rows than a table takes")
    browser.evaluate("document.querySelectorAll('details.data').forEach((details) => { details.open = false; })")

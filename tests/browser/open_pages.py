"""What the checks of a page have in common: opening it, its figures, its tables, that it is silent."""
import json

from claims import claim
from devtools import Failed, Stalled


def open_page(browser, page, fragment=""):
    """Opens a page and waits until what is visible is drawn; the milliseconds that took."""
    browser.call("Page.navigate", url="about:blank")
    browser.wait_for("location.href === 'about:blank'")
    browser.call("Page.navigate", url=page.as_uri() + fragment)
    return int(browser.wait_for("document.documentElement?.dataset.ready ?? null"))


def check_silence(browser, page):
    """Since the last call: no script failed, nothing was loaded but the page itself, no dialog appeared."""
    for event in browser.events:
        method, parameters = event["method"], event.get("params", {})
        claim(method != "Runtime.exceptionThrown", f"a script failed: {parameters}")
        claim(method != "Page.javascriptDialogOpening", "text of a model ran as code")
        if method == "Runtime.consoleAPICalled":
            claim(parameters["type"] not in ("error", "warning", "assert"), f"the console has {parameters['type']}: {parameters['args']}")
        if method == "Log.entryAdded":
            claim(parameters["entry"]["level"] not in ("error", "warning"), f"the log has {parameters['entry']}")
        if method == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            claim(url.split("#")[0] == page.as_uri() or url.startswith("data:") or url == "about:blank", f"the page asks for {url}")
    browser.events.clear()


def open_details(browser):
    """Opens everything that is closed, but not the data of figures."""
    browser.evaluate("document.querySelectorAll('details:not(.data)').forEach((details) => { details.open = true; })")


FRAMES = """new Promise((done) => { let frames = 0; const count = () => { ++frames; requestAnimationFrame(count); };
  requestAnimationFrame(count); setTimeout(() => done(frames), 5000); })"""


def is_seen(browser, element):
    """Whether an observer of the check's own is told within 5 s that the element is in view."""
    return browser.evaluate(f"""new Promise((done) => {{ new IntersectionObserver((entries, observer) => {{
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      done(true);
    }}).observe({element}); setTimeout(() => done(false), 5000); }})""")


def show(browser, element, seconds=20):
    """Brings a figure, a JavaScript expression, into view, drawn. Stalled where it is not in time, with what the browser says of it."""
    into_view = f"{element}.scrollIntoView({{block: 'center', behavior: 'instant'}})"
    try:
        # Others above it may be drawn meanwhile, and push it away: as often as it takes, and once more when it is drawn.
        browser.wait_for(f"({into_view}, {element}.dataset.drawn !== undefined)", seconds)
    except Failed as failed:
        state = browser.evaluate(f"JSON.stringify([{element}.dataset, {element}.getBoundingClientRect(), scrollY, innerWidth, "
                                 "innerHeight, document.visibilityState, document.documentElement.dataset])")
        frames, seen = browser.evaluate(FRAMES), is_seen(browser, element)
        reason = f"{failed}\n{state}\n{frames} frames in 5 s, {'seen' if seen else 'not seen'} by another observer"
        raise Stalled(reason) from None
    browser.evaluate(into_view)


def draw_all(browser):
    """Opens everything that is closed and draws every figure; how many there are."""
    open_details(browser)
    figures = browser.evaluate("document.querySelectorAll('.chart').length")
    for number in range(figures):
        chart = f"document.querySelectorAll('.chart')[{number}]"
        show(browser, chart)
        claim(browser.evaluate(f"{chart}.dataset.drawn") != "failed", f"figure {number} was not drawn")
        claim(browser.evaluate(f"{chart}.querySelectorAll('svg g.role-mark > *').length") > 0,  # not its axes and legends
              f"figure {number} is empty")
    return figures


def table_of(section, caption):
    """A JavaScript expression for the table with this caption in the elements that `section` selects."""
    tables = f"[...document.querySelectorAll({json.dumps(section + ' table')})]"
    return f"{tables}.find((table) => table.caption.textContent.startsWith({json.dumps(caption)}))"


def table_rows(browser, section, caption):
    """The rows of that table: by head, numbers as they are kept for sorting, else the text."""
    table = table_of(section, caption)
    claim(browser.evaluate(f"{table} !== undefined"), f"{section} has no table \"{caption}\"")
    heads = browser.evaluate(f"[...{table}.tHead.rows[0].cells].map((head) => head.textContent)")
    rows = browser.evaluate(f"[...{table}.tBodies[0].rows].map((row) => [...row.cells].map((cell) => "
                            "cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value)))")
    return [dict(zip(heads, row)) for row in rows]

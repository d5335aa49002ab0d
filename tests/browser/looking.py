"""How a page looks: colours, what links lead to, paper, screens of two widths."""
import contextlib
import re
import time
import zlib

from claims import claim
from open_pages import check_silence, open_details, open_page, show

FIRST = "document.querySelector('.chart')"
BACKGROUND = "getComputedStyle(document.documentElement).backgroundColor"
NO_STORAGE = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('denied', 'SecurityError'); }})"


# Runs before the page's own script, so that it sees the page as it was printed.
LOOK_AT_PAPER = """addEventListener('afterprint', () => { window.printed = {
  closed: document.querySelectorAll('details:not([open]):not(.data)').length,
  drawn: document.querySelectorAll('.chart[data-drawn=light]').length}; })"""


@contextlib.contextmanager
def on_each_page(browser, script):
    """Runs a script at the begin of each page that is opened within."""
    identifier = browser.call("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"]
    yield
    browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=identifier)


def colours(browser):
    """The page's background, and the colours of its first figure."""
    fills = browser.evaluate(f"[...new Set([...{FIRST}.querySelectorAll('[fill]')].map((mark) => mark.getAttribute('fill')))].sort()")
    return browser.evaluate(BACKGROUND), fills


def change_theme(browser, theme):
    browser.evaluate("document.getElementById('theme').click()")
    browser.wait_for(f"{FIRST}.dataset.drawn === '{theme}'")


def check_theme(browser, page):
    """The button changes the colours of page and figures; the choice is kept where the browser keeps something."""
    browser.theme("light")
    open_page(browser, page)
    open_details(browser)
    show(browser, FIRST)
    light = colours(browser)
    change_theme(browser, "dark")
    dark = colours(browser)
    claim(light[0] != dark[0], f"the page stays {light[0]}")
    claim(light[1] != dark[1] and not {"#0072b2", "#d55e00"} & set(dark[1]), f"figures keep the colours {dark[1]}")
    open_page(browser, page)
    claim(browser.evaluate(BACKGROUND) == dark[0], "the choice is forgotten")
    open_details(browser)
    show(browser, FIRST)
    change_theme(browser, "light")
    claim(colours(browser) == light, "there is no way back")
    browser.theme("dark")
    open_page(browser, page)
    claim(browser.evaluate(BACKGROUND) == dark[0], "a choice that is the system's does not follow the system")
    browser.theme("light")
    with on_each_page(browser, NO_STORAGE):
        open_page(browser, page)
        open_details(browser)
        show(browser, FIRST)
        change_theme(browser, "dark")
        claim(browser.evaluate(BACKGROUND) == dark[0], "without storage there is one theme alone")
    check_silence(browser, page)


def check_links(browser, page):
    """What a link leads to is opened: when the page is opened with it, and each time that it is clicked."""
    open_page(browser, page)
    link = browser.evaluate("[...document.querySelectorAll('a[href^=\"#\"]')].map((link) => link.getAttribute('href'))"
                            ".find((id) => document.getElementById(id.slice(1))?.matches('details:not([open])'))")
    claim(link, "no link leads to a closed part")
    target = f"document.getElementById('{link[1:]}')"
    for times in ("once", "again"):
        browser.evaluate(f"document.querySelector('a[href=\"{link}\"]').click()")
        browser.wait_for(f"{target}.open")
        browser.evaluate(f"{target}.open = false")
        claim(not browser.evaluate(f"{target}.open"), f"{times}: it cannot be closed")
    open_page(browser, page, link)
    claim(browser.evaluate(f"{target}.open"), "opening the page with a link does not open the part")
    time.sleep(0.5)  # figures above it are drawn meanwhile
    top = browser.evaluate(f"{target}.getBoundingClientRect().top")
    claim(-50 < top < browser.evaluate("innerHeight"), f"the part is out of sight, at {top}")
    for broken in ("#%", "#%E0%A4%A", "#none"):
        open_page(browser, page, broken)
        browser.evaluate(f"location.hash = '{broken}x'")
    links = browser.evaluate("[...document.querySelectorAll('a[href^=\"#\"]')].map((link) => link.getAttribute('href'))"
                             ".filter((id) => document.getElementById(id.slice(1)) === null)")
    claim(not links, f"links lead nowhere: {links}")
    check_silence(browser, page)


def pdf_text(pdf):
    """The contents of a PDF, unpacked."""
    parts = []
    for piece in pdf.split(b"stream\n")[1:]:
        try:
            parts.append(zlib.decompressobj().decompress(piece))
        except zlib.error:
            pass  # no such stream
    return b"\n".join(parts)


def check_pdf(browser, page):
    """Printed from a dark screen, with everything closed: all parts, all figures, in colours of paper."""
    browser.theme("dark")
    with on_each_page(browser, LOOK_AT_PAPER):
        open_page(browser, page)
    before = browser.evaluate("document.querySelectorAll('details:not([open]):not(.data)').length")
    claim(before > 0, "nothing was closed")
    pdf = browser.pdf()
    browser.wait_for("window.printed !== undefined")
    printed, figures = browser.evaluate("window.printed"), browser.evaluate("document.querySelectorAll('.chart').length")
    claim(printed["closed"] == 0, f"{printed['closed']} parts were closed on paper")
    claim(printed["drawn"] == figures, f"{printed['drawn']} of {figures} figures were on paper")
    marks = len(re.findall(rb"\b0 \.447\d* \.698\d* rg", pdf_text(pdf)))  # a blue of the light palette: #0072b2
    claim(marks > 100, f"{marks} marks of figures are on paper")
    claim(browser.evaluate("document.querySelectorAll('details:not([open]):not(.data)').length") == before, "parts stay open after printing")
    browser.theme("light")
    check_silence(browser, page)
    return len(pdf)


def check_paper(browser, page):
    """On a sheet of A4 nothing is cut or hidden."""
    browser.size(718, 1000)
    browser.theme("light", media="print")
    open_page(browser, page)
    browser.evaluate("dispatchEvent(new Event('beforeprint'))")
    browser.wait_for("document.querySelectorAll('.chart').length === document.querySelectorAll('.chart[data-drawn=light]').length")
    cut = browser.evaluate("[...document.querySelectorAll('.chart')].filter((chart) => { const svg = chart.querySelector('svg').getBoundingClientRect(), "
                           "box = chart.getBoundingClientRect(); return svg.height < 50 || svg.right > box.right + 1 || svg.bottom > box.bottom + 1; })"
                           ".map((chart) => chart.dataset.figure)")
    claim(not cut, f"figures are cut: {cut}")
    hidden = browser.evaluate("[...document.querySelectorAll('section, table, figure, .facts, .verdict')]"
                              ".filter((part) => part.closest('.data') === null && part.getClientRects().length === 0).length")
    claim(hidden == 0, f"{hidden} parts are not on paper")
    wide = browser.evaluate("[...document.querySelectorAll('table')].filter((table) => table.getBoundingClientRect().right > innerWidth + 1)"
                            ".map((table) => `${table.caption.textContent}: ${table.getBoundingClientRect().right}`)")
    claim(not wide, f"tables are cut: {wide}")
    useless = browser.evaluate("[...document.querySelectorAll('#theme, .data > summary')].filter((part) => part.getClientRects().length > 0).length")
    claim(useless == 0, f"{useless} buttons on paper")
    browser.evaluate("dispatchEvent(new Event('afterprint'))")
    browser.theme("light")
    check_silence(browser, page)


def take_screenshots(browser, page, folder):
    """Two widths in both themes: the page is no wider than the screen, what is focused is seen."""
    for theme in ("light", "dark"):
        for width, height in ((390, 844), (1280, 900)):
            browser.theme(theme)
            browser.size(width, height)
            open_page(browser, page)
            claim(browser.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), f"the page is wider than a screen of {width} pixels")
            browser.press("Tab")
            outline = browser.evaluate("(() => { const style = getComputedStyle(document.activeElement); "
                                       "return [style.outlineStyle, style.outlineColor, style.outlineWidth]; })()")
            claim(outline[0] == "solid" and outline[2] == "3px" and outline[1] != browser.evaluate(BACKGROUND), f"{theme}: the focus looks like {outline}")
            browser.evaluate("document.activeElement.blur()")
            browser.screenshot(folder / f"page-{width}-{theme}.png")
    browser.theme("light")
    check_silence(browser, page)

"""Links of Markdown pages: whether their files and anchors exist, and which pages can be reached."""
import os
import re

from blocks import split_page

LINK = re.compile(r"\[[^\]\[]*(?:\[[^\]]*\][^\]\[]*)*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
CODE = re.compile(r"(`+)(?:(?!\1).)+?\1")
COMMENT = re.compile(r"<!--.*?-->")
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:", re.I)


def prose_lines(path):
    return split_page(path.read_text(encoding="utf-8"))[1]


def links_of(path):
    """(line, target) of the links of a page to files and anchors."""
    found = []
    for number, line in prose_lines(path):
        plain = COMMENT.sub("", CODE.sub("", line))
        found += [(number, target) for target in LINK.findall(plain) if not SCHEME.match(target)]
    return found


def slug(heading):
    """The anchor that a heading gets."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", COMMENT.sub("", heading)).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors_of(path):
    seen, anchors = {}, set()
    for _, line in prose_lines(path):
        heading = re.match(r"^#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            name = slug(heading[1])
            anchors.add(name if name not in seen else f"{name}-{seen[name]}")
            seen[name] = seen.get(name, 0) + 1
        anchors.update(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", line))
    return anchors


def exists_exactly(path, root):
    """Whether a file or folder is there by exactly these letters, inside the root."""
    path = os.path.normpath(path)
    if os.path.relpath(path, root).startswith(".."):
        return False
    return path == str(root) or (os.path.lexists(path) and os.path.basename(path) in os.listdir(os.path.dirname(path)))


def link_fault(path, target, root):
    """What is wrong with a link of a page, or nothing."""
    name, _, anchor = target.partition("#")
    file = path if not name else path.parent / name
    if not exists_exactly(file, root):
        return f"{target}: there is no such file"
    if not anchor:
        return None
    file = type(path)(os.path.normpath(file))
    if file.suffix != ".md":
        return f"{target}: an anchor of a file that is no Markdown page"
    return None if anchor in anchors_of(file) else f"{target}: {file.name} has no heading of that name"


def reached_pages(start):
    """All Markdown pages that can be reached from one by links."""
    reached, waiting = set(), [start]
    while waiting:
        page = waiting.pop()
        if page in reached or not page.exists():
            continue
        reached.add(page)
        names = [target.partition("#")[0] for _, target in links_of(page)]
        waiting += [type(page)(os.path.normpath(page.parent / name)) for name in names if name.endswith(".md")]
    return reached

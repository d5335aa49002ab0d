"""Fenced blocks of a page: which commands it shows, and with which output.

    ```console           commands (`$ ...`, a line that ends with a backslash goes on in the next) and their whole output
    ```console varies    run; compared are the shown lines without a digit: headings, sentences, notes
    ```console not-run   not run: longer than about ten seconds, or in need of a network, root or a GPU; shows no output
    ```console exit=3    the same as console, but the commands end with that code instead of 0
    ```yaml file=NAME    written to the page's working directory, so that later commands can read it
"""
import dataclasses
import re

FENCE = re.compile(r"^(?P<indent> {0,6})(?P<ticks>```+)(?P<info>[^`]*)$")
COMMAND_OUTSIDE = re.compile(r"^\s*(\$ |upsweep [a-z]|\./run [a-z]|mpirun )")
CONSOLE_WORDS = re.compile(r"^(varies|not-run|exit=\d+)$")


class PageFault(Exception):
    """A page that breaks the conventions above."""


@dataclasses.dataclass
class Block:
    """A fenced block: its language, the words after it, its lines without the fence's indent, and where it starts."""

    language: str
    words: list
    lines: list
    line_number: int
    is_closed: bool = False


@dataclasses.dataclass
class Command:
    """A command of a page with the output that the page shows."""

    text: str
    shown: list
    line_number: int
    is_run: bool = True
    varies: bool = False
    exit_code: int = 0


@dataclasses.dataclass
class FileText:
    """A file that a page shows in full."""

    name: str
    text: str
    line_number: int


def split_page(text):
    """The blocks of a page, and its lines outside them as (number, line)."""
    blocks, prose, open_block, indent, ticks = [], [], None, "", ""
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if open_block is None and fence:
            words = fence["info"].split()
            indent, ticks = fence["indent"], fence["ticks"]
            open_block = Block(words[0] if words else "", words[1:], [], number)
        elif open_block is None:
            prose.append((number, line))
        elif fence and fence["ticks"] == ticks and not fence["info"].strip():
            open_block.is_closed = True
            blocks.append(open_block)
            open_block = None
        else:
            open_block.lines.append(line.removeprefix(indent))
    return blocks + ([open_block] if open_block else []), prose


def page_steps(text):
    """What a page asks for, in its order: commands and files."""
    blocks, prose = split_page(text)
    outside = list(prose)
    steps = []
    for block in blocks:
        if not block.is_closed:
            raise PageFault(f"line {block.line_number}: the block has no end")
        if block.language == "console":
            steps += console_commands(block)
            continue
        if block.words == ["help"]:  # what --help prints, with its examples: tests of the program look after them
            continue
        outside += [(block.line_number + 1 + i, line) for i, line in enumerate(block.lines)]
        steps += [file_text(block, word) for word in block.words]
    for number, line in outside:
        if COMMAND_OUTSIDE.match(line):
            raise PageFault(f"line {number}: a command outside a console block: {line.strip()}")
    return steps


def file_text(block, word):
    name = word.removeprefix("file=")
    if name == word or "/" in name or not name:
        raise PageFault(f"line {block.line_number}: '{word}' after {block.language}, accepted is file=NAME without a folder")
    return FileText(name, "\n".join(block.lines) + "\n", block.line_number)


def console_commands(block):
    for word in block.words:
        if not CONSOLE_WORDS.match(word):
            raise PageFault(f"line {block.line_number}: '{word}' after console, accepted are varies, not-run and exit=CODE")
    commands = []
    for i, line in enumerate(block.lines):
        number = block.line_number + 1 + i
        if commands and commands[-1].text.endswith("\\") and not commands[-1].shown:
            commands[-1].text = commands[-1].text[:-1] + line.strip()
        elif line.startswith("$ "):
            commands.append(Command(line[2:].strip(), [], number))
        elif commands:
            commands[-1].shown.append(line)
        elif line.strip():
            raise PageFault(f"line {number}: output before the first command")
    for command in commands:
        apply_words(command, block.words)
    if not commands:
        raise PageFault(f"line {block.line_number}: a console block without a command")
    return commands


def apply_words(command, words):
    command.is_run = "not-run" not in words
    command.varies = "varies" in words
    command.exit_code = next((int(word[5:]) for word in words if word.startswith("exit=")), 0)
    if not command.is_run and any(line.strip() for line in command.shown):
        raise PageFault(f"line {command.line_number}: output of a command that is not run")

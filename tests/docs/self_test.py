"""Proof that docs_check can fail: a small repository that passes, and the same with one thing wrong at a time."""
import contextlib
import io
import pathlib
import tempfile

PROGRAM = """#!/usr/bin/env bash
case "$1" in
  table) printf 'depth  FLOPs\\n    0    100\\n    1    250\\nThe best depth is 0.\\n' ;;
  time) printf 'pass      took\\nbptt  (%s us)\\n\\nAll passes are right.\\n' "$RANDOM" ;;
  show) cat "$2" ;;
  *) echo "upsweep: error: no command" >&2; exit 2 ;;
esac
"""
README = """# Title

[Page](docs/page.md#the-second-one) and [commands](docs/commands.md)

```console
$ upsweep table
depth  FLOPs
    0    100
    1    250
The best depth is 0.
```
"""
PAGE = """# Page

[back](../README.md)

## The second one!

```console
$ upsweep table | head -n 2   # a shell reads it
depth  FLOPs
...
$ upsweep table
...
    1    250
...
$ upsweep time
pass      took
bptt (~12345 us)

All passes are right.
```

```console varies
$ upsweep time
pass  took
bptt  77 us

All passes are right.
```

```yaml file=mine.yaml
name: mine
```

```console
$ upsweep show \\
    mine.yaml
name: mine
```

```console exit=2
$ upsweep none
upsweep: error: no command
```

```console not-run
$ ./run demo
```
"""
PAGES = {"README.md": README, "docs/page.md": PAGE, "docs/commands.md": "# Commands\n",
         "docs/make_commands": "#!/bin/sh\necho '# Commands'\n", "upsweep": PROGRAM}

# What is wrong, the page, what is replaced, by what, and what the message says.
FAULTS = [
    ("a wrong number", "README.md", "  250", "  251", "the page has |     1    251"),
    ("a missing line", "README.md", "    1    250\n", "", "the page has | The best depth is 0."),
    ("a missing last line", "README.md", "The best depth is 0.\n", "", "printed too  | The best depth is 0."),
    ("a line too many", "README.md", "is 0.\n", "is 0.\nReally.\n", "the output ends there"),
    ("lines in another order", "README.md", "    0    100\n    1    250\n", "    1    250\n    0    100\n", "printed is   |     0    100"),
    ("other spaces", "README.md", "    0    100", "   0    100", "the page has |    0    100"),
    ("a line that is nowhere", "docs/page.md", "...\n    1    250", "...\n    1    205", "not printed  |     1    205"),
    ("an end that is none", "docs/page.md", "    1    250\n...\n", "    0    100\n", "FAILED docs/page.md:11"),
    ("a word beside ~", "docs/page.md", "~12345 us", "~12345 ms", "the page has | bptt (~12345 ms)"),
    ("a lonely ~", "docs/page.md", "~12345", "~", "the page has | bptt (~ us)"),
    ("a heading that is not printed", "docs/page.md", "pass  took\nbptt  77", "pass  takes\nbptt  77", "not printed  | pass takes"),
    ("headings in another order", "docs/page.md", "pass  took\nbptt  77 us\n\nAll passes are right.", "All passes are right.\npass  took", "not printed  | pass took"),
    ("a block of numbers alone", "docs/page.md", "pass  took\nbptt  77 us\n\nAll passes are right.", "bptt  77 us", "nothing to compare"),
    ("another exit code", "docs/page.md", "exit=2", "exit=3", "exit code 2, the page says 3"),
    ("a failure", "docs/page.md", "console exit=2", "console", "exit code 2, the page says 0"),
    ("an unknown word", "docs/page.md", "console varies", "console loose", "'loose' after console"),
    ("output that nothing compares", "docs/page.md", "./run demo\n", "./run demo\ndone\n", "output of a command that is not run"),
    ("a command outside", "docs/page.md", "```console not-run\n$ ./run", "```sh\n./run", "a command outside a console block"),
    ("an indented command", "docs/page.md", "[back]", "    upsweep table\n\n[back]", "a command outside a console block"),
    ("a file in a folder", "docs/page.md", "file=mine.yaml", "file=models/mine.yaml", "accepted is file=NAME"),
    ("another file", "docs/page.md", "name: mine\n```\n\n```console\n", "name: yours\n```\n\n```console\n", "printed is   | name: yours"),
    ("an open block", "docs/page.md", "```console not-run\n$ ./run demo\n```\n", "```console not-run\n$ ./run demo\n", "the block has no end"),
    ("a link to nowhere", "docs/page.md", "../README.md", "../README.txt", "../README.txt: there is no such file"),
    ("a link in other letters", "docs/page.md", "../README.md", "../readme.md", "../readme.md: there is no such file"),
    ("an anchor to nowhere", "README.md", "#the-second-one", "#the-third-one", "has no heading of that name"),
    ("a renamed heading", "docs/page.md", "## The second one!", "## The other one!", "has no heading of that name"),
    ("a page that nothing leads to", "README.md", " and [commands](docs/commands.md)", "", "no link leads to commands.md"),
    ("a long README", "README.md", "# Title\n", "# Title\n" + "\n" * 180, "accepted are 180"),
    ("an old page of commands", "docs/commands.md", "# Commands", "# Command", "make it again"),
    ("a command that is gone", "upsweep", "  table)", "  tables)", "exit code 2, the page says 0"),
]


def outcome(check, changed):
    """Whether a repository with these files passes, and what is printed."""
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary).resolve()
        for name, text in {**PAGES, **changed}.items():
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            file.chmod(0o755)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            passed = check(root, root / "upsweep")
        return passed, printed.getvalue()


def self_test(check):
    """Prints and returns whether what is right passes and what is wrong fails, with the message that says why."""
    passed = failed = 0
    good, said = outcome(check, {})
    results = [("all right", None if good and "7 run, 6 compared in full and 1 by their headings; 1 not run" in said else said)]
    for what, page, old, new, message in FAULTS:
        assert PAGES[page].count(old) >= 1, what
        good, said = outcome(check, {page: PAGES[page].replace(old, new, 1)})
        fault = "it passes" if good else None if message in said else f"the message does not say '{message}':\n{said}"
        results.append((what, fault))
    for what, fault in results:
        passed += fault is None
        failed += fault is not None
        if fault is not None:
            print(f"FAILED self-test, {what}: {fault}")
    print(f"{passed} passed, {failed} failed")
    return failed == 0

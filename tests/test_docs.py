"""Run the code blocks of README.md and docs/, and compare what they print with what is shown.

The rules for a page:

* Every ```python block runs, in order, all blocks of a page in one namespace. Each stands in a
  real file, since srcgrad reads the source of what it differentiates; ```python name.py names it.
* What a block prints, or the error that ends it (as the end of its traceback), must stand in the
  ```text block that follows. `...` there stands for anything, except in `[...]`, an index of NumPy.
* `<!-- not run: reason -->` on the line before a ```python block leaves it out. Keep this rare.
* `<!-- run -->` on the line before a ```sh block runs it, in the project's folder and with this
  interpreter for `python`. Of `<!-- command: show -->` only the last of the commands joined by `&&`
  runs, since the others make an environment: `.ci/run` runs them all.

`python tests/test_docs.py PAGE...` writes what the blocks print now into the ```text blocks that
have no such `...`; read the difference before you keep it.
"""

import contextlib
import io
import linecache
import os
import re
import shlex
import subprocess
import sys
import traceback
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ALL_PAGES = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
MOST_NOT_RUN = 3  # blocks in all pages together


# Pages and their blocks -----------------------------------------------------------------------

FENCE = re.compile(
    r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
MARK = re.compile(r"<!-- (?P<mark>run|not run: .*\S|command: show) -->\n\Z")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the file that it names, its mark, its text and its place."""

    language: str
    file: str
    mark: str
    text: str
    line: int
    span: tuple[int, int] = field(repr=False)


def blocks_of(page: str) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    return [_block(page, match) for match in FENCE.finditer(page)]


def _block(page: str, match: re.Match[str]) -> Block:
    language, _, file = match["info"].strip().partition(" ")
    marked = MARK.search(page[: match.start()])
    return Block(
        language=language,
        file=file,
        mark=marked["mark"] if marked else "",
        text=match["text"],
        line=page.count("\n", 0, match.start()) + 1,
        span=match.span("text"),
    )


# Running --------------------------------------------------------------------------------------


def run_python(block: Block, namespace: types.ModuleType, folder: Path) -> str:
    """Run a block as a file in *folder*, and return what it prints, an error included."""
    path = folder / (block.file or f"block_at_line_{block.line}.py")
    path.write_text(block.text, encoding="utf-8")
    linecache.checkcache()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(block.text, str(path), "exec"), vars(namespace))
        except Exception as error:
            printed.write("".join(traceback.format_exception_only(error)))
    return printed.getvalue()


def run_shell(block: Block) -> str:
    """Run a block of commands in the project's folder, and return what it prints."""
    command = block.text
    if block.mark.startswith("command"):
        command = command.rpartition(" && ")[2]
    python = re.compile(r"^(?:\.venv/bin/)?python\b", re.MULTILINE)
    command = python.sub(lambda _: shlex.quote(sys.executable), command)
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True)
    return done.stdout + (done.stderr if done.returncode else "")


def outputs(page: str, folder: Path) -> Iterator[tuple[Block, str, Block | None]]:
    """Run a page: yield each block that ran, what it printed, and the block that shows it."""
    namespace = types.ModuleType("page")
    sys.modules["page"] = namespace  # where dataclasses and pickle look for it
    previous = Path.cwd()
    os.chdir(folder)
    try:
        blocks = blocks_of(page)
        for block, following in zip_longest(blocks, blocks[1:]):
            shown = following if following and following.language == "text" else None
            if block.language == "python" and not block.mark:
                yield block, run_python(block, namespace, folder), shown
            elif block.language == "sh" and block.mark in ("run", "command: show"):
                yield block, run_shell(block), shown
    finally:
        os.chdir(previous)
        del sys.modules["page"]


ANYTHING = re.compile(r"(?<!\[)\.\.\.|\.\.\.(?!\])")


def tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def agrees(printed: str, shown: str) -> bool:
    """Tell whether a printed text is the one shown, in which `...` stands for anything."""
    pieces = (re.escape(piece) for piece in ANYTHING.split(tidy(shown)))
    return re.fullmatch(".*".join(pieces), tidy(printed), re.DOTALL) is not None


def disagreements(page: str, folder: Path) -> list[str]:
    """Run a page, and describe each block whose output is not the one shown."""
    found = []
    for block, printed, shown in outputs(page, folder):
        wanted = shown.text if shown else ""
        if not agrees(printed, wanted):
            found.append(
                f"line {block.line}: the block prints\n{printed}\nbut the page shows\n{wanted}"
            )
    return found


# The pages ------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_shows_what_its_code_prints(page, tmp_path):
    found = disagreements(page.read_text(encoding="utf-8"), tmp_path)
    assert not found, "\n\n".join(found)


def test_few_blocks_are_not_run():
    blocks = [block for page in PAGES for block in blocks_of(page.read_text(encoding="utf-8"))]
    assert sum(block.mark.startswith("not run") for block in blocks) <= MOST_NOT_RUN


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    local = [target for target in targets if target and "://" not in target]
    assert [target for target in local if not (page.parent / target).exists()] == []


# The checker itself ---------------------------------------------------------------------------

DEFINE = "```python\nimport inspect\ndef f(x):\n    return 2 * x\n```\n"


@pytest.mark.parametrize(
    "page",
    [
        DEFINE + "```python\nprint(f(21))\n```\nIt prints\n```text\n42\n```\n",
        DEFINE + "```python\nprint(inspect.getsource(f))\n```\n```text\ndef f(x):\n...2 * x\n```",
        "```python\nraise ValueError('no')\n```\n```text\nValueError: no\n```\n",
        "```python m.py\nprint(open('m.py').read())\n```\n```text\nprint(...)\n```\n",
        "<!-- not run: it never ends -->\n```python\nwhile True: pass\n```\n",
        "<!-- run -->\n```sh\npython -c 'print(7)'\n```\n```text\n7\n```\n",
        "<!-- command: show -->\n```sh\nfalse && .venv/bin/python -c 'print(7)'\n```\n"
        "```text\n7\n```\n",
        "no blocks at all\n",
        "```sh\nrm --no-such-option\n```\n",
        "```python\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n    x: 'int'\n```\n",
    ],
)
def test_right_page_passes(page, tmp_path):
    assert disagreements(page, tmp_path) == []


@pytest.mark.parametrize(
    "page",
    [
        "```python\nprint(42)\n```\n```text\n41\n```\n",
        "```python\nprint(42)\n```\n",
        "```python\n1 / 0\n```\n",
        "```python\nx = 1\n```\n```text\n1\n```\n",
        "```python\nprint(1)\nprint(2)\n```\n```text\n1\n```\n",
        "```python\nprint('x[0]')\n```\n```text\nx[...]\n```\n",
        "<!-- run -->\n```sh\npython -c 'import sys; sys.exit(1 / 0)'\n```\n",
        "<!-- not run -->\n```python\nprint(1)\n```\n",
    ],
)
def test_wrong_page_fails(page, tmp_path):
    assert len(disagreements(page, tmp_path)) == 1


# Writing what is printed ----------------------------------------------------------------------


def rewritten(page: str, folder: Path) -> str:
    """Return the page with the present outputs in its text blocks."""
    for _, printed, shown in reversed(list(outputs(page, folder))):
        if shown and not ANYTHING.search(shown.text):
            start, end = shown.span
            page = page[:start] + tidy(printed) + "\n" + page[end:]
    return page


def test_outputs_are_written(tmp_path):
    shown = "```python\nprint(1)\n```\n```text\n0\n```\n"
    partly = "```python\nprint(2)\n```\n```text\n...\n```\n"
    assert rewritten(shown + partly, tmp_path) == shown.replace("0\n", "1\n") + partly


if __name__ == "__main__":
    import tempfile

    for argument in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as scratch:
            old = Path(argument).read_text(encoding="utf-8")
            Path(argument).write_text(rewritten(old, Path(scratch)), encoding="utf-8")

"""The documentation as readers use it: reads the fenced blocks of a page, and compares the output of commands with the
page.

A `console` block is run.  Its lines with `$ ` are commands (`> ` continues one), and the lines below a command are its
output: a number matches any number, `...` any text, and a line `...` any lines.  A command without lines below it may
print anything.  Words after `console`: needs=NAME,... lists what not every machine has (a program, root, cpu1: a second
CPU); status=N is the exit status of the last command, default 0.

A `sh` block is not run here; its word because=REASON says why (REASONS).  A block of any other kind with file=NAME is a file
in the folder where the commands run.
"""
import os
import re
from dataclasses import dataclass, field

REASONS = {
    "attach": "needs programs that run already; test_attach.py runs such commands",
    "arm": "needs an Arm machine with a PMU",
    "bisect": "needs a repository with a bad commit; test_compare.py runs such a script",
    "block": "builds wperf with one more PMU block; test_block_page.py runs such commands",
    "builds": "builds for minutes; `./check builds` runs them (tests/package/test_builds.py)",
    "check": "build for minutes; `./check` runs the same commands with more options (test_pages.py compares)",
    "container": "needs a container engine; test_containers.py runs such commands in containers of tools/container.py",
    "cpython": "needs the source of CPython",
    "driver": "needs a cross compiler; tests/driver/wdm_image.py runs such commands",
    "install": "changes the machine; `./check builds` follows README.md's installation in fresh systems",
    "library": "needs libwperf to be installed; test_library.py builds its examples so",
    "long": "takes minutes; `./check long` runs the same commands (test_pages.py compares)",
    "network": "asks a server",
    "pack": "needs what tools/pack_windows.sh builds in many minutes; the workflow windows.yml runs such commands on Windows",
    "packages": "builds packages for minutes; `./check packages` runs both programs (tools/package_release.sh)",
    "pyperf": "needs pyperf and pyperformance, which Debian does not have; test_pyperf_hook.py runs the hook",
    "trace": "needs an event-trace file; test_etl.py runs such commands",
    "windows": "needs Windows; tests/windows runs such commands under wine",
    "wine": "needs wine and a Windows program; test_wine.py runs such commands",
}
FENCE = re.compile(r"^(\s*)```(.*)$")
NUMBER = re.compile(r"0x[0-9a-f]+|\d[\d,]*(?:\.\d+)?")
TOKEN = re.compile(r"\.{2,}|\s+|" + NUMBER.pattern)
# Whether functions of libraries have names depends on the debug files that are here, and on a busy CPU a thread that waits
# often loses the time between two ticks.  The pages show a quiet machine that has the files.
NAMELESS = r"\d+ % of the samples have no symbol(?:: wperf report -v says why|, \d+ % in \S+: (?:apt install|export) \S+, then wperf report)"
MACHINES = rf"(?:{NAMELESS}|only \d+ % of the CPU time was sampled)"
OF_THE_MACHINE = re.compile(rf"^(?:poor|wperf: warning: \S+): {MACHINES}(?:; {MACHINES})*\n", re.M)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")


@dataclass
class Command:
    text: str
    shown: list[str] = field(default_factory=list)


@dataclass
class Block:
    """One fenced block; `section` is the heading of level 2 before it."""

    line: int
    kind: str
    words: dict[str, str]
    section: str
    lines: list[str] = field(default_factory=list)

    def commands(self) -> list[Command]:
        found: list[Command] = []
        for line in self.lines:
            if line.startswith("$ "):
                found.append(Command(line[2:]))
            elif line.startswith("> ") and found and not found[-1].shown:
                found[-1].text += "\n" + line[2:]
            elif found:
                found[-1].shown.append(line)
            else:
                raise ValueError(f"line {self.line}: the block does not begin with a command")
        return found

    def needs(self) -> list[str]:
        return [name for name in self.words.get("needs", "").split(",") if name]

    def status(self) -> int:
        return int(self.words.get("status", "0"))


def blocks_of(text: str) -> list[Block]:
    found: list[Block] = []
    current: Block | None = None
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if current is not None:
            if fence and not fence[2].strip():
                found.append(current)
                current = None
            else:
                current.lines.append(line)
        elif fence:
            kind, *words = fence[2].split() or [""]
            current = Block(number, kind, dict(word.partition("=")[::2] for word in words), section)
        elif line.startswith("## "):
            section = line[3:]
    if current is not None:
        raise ValueError(f"line {current.line}: the block does not end")
    return found


def pattern_of(line: str) -> str:
    """A shown line as a regular expression."""
    parts, at = [], 0
    for token in TOKEN.finditer(line):
        parts.append(re.escape(line[at:token.start()]))
        if token[0].startswith(".."):
            parts.append(".*")
        elif token[0].isspace():
            parts.append(r"\s*" if token.start() == 0 else r"\s+")
        else:
            parts.append(f"(?:{NUMBER.pattern})")
        at = token.end()
    return "".join(parts) + re.escape(line[at:])


def shown_pattern(shown: list[str]) -> str:
    return "".join(r"(?:.*\n)*?" if line.strip() == "..." else pattern_of(line.rstrip()) + r"\n" for line in shown)


def first_difference(shown: list[str], printed: str) -> str:
    """The first shown line that does not match `printed`; empty if all lines match and there are no others."""
    text = OF_THE_MACHINE.sub("", "".join(line.rstrip() + "\n" for line in printed.rstrip().splitlines()))
    if not shown or re.fullmatch(shown_pattern(shown), text):
        return ""
    for count in range(1, len(shown) + 1):
        if not re.match(shown_pattern(shown[:count]), text):
            return shown[count - 1]
    return "the end: more is printed than is shown"


OTHER_PAGES = ["CONTRIBUTING.md", "packaging/README.md", "data/README.md", "tests/schemas/README.md"]


def page_paths(project: str) -> list[str]:
    """README.md, OTHER_PAGES and the pages of docs, except docs/decisions, which describe the past."""
    found = []
    for folder, folders, names in os.walk(os.path.join(project, "docs")):
        folders[:] = sorted(set(folders) - {"decisions"})
        found += [os.path.relpath(os.path.join(folder, name), project) for name in sorted(names) if name.endswith(".md")]
    return ["README.md"] + found + OTHER_PAGES


def without_blocks(text: str) -> str:
    return re.sub(r"^(\s*)```.*?^\1```\s*$", "", text, flags=re.M | re.S)


def anchors_of(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.*)$", without_blocks(text), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def links_of(text: str) -> list[str]:
    return [first or second for first, second in LINK.findall(re.sub(r"`[^`\n]*`", "", without_blocks(text)))]


def wperf_lines(text: str) -> list[str]:
    """The command lines of wperf that are not run: those in the text, in tables and in `sh` blocks."""
    typed = [re.sub(r"^\w+=\S+ ", "", line) for block in blocks_of(text) if block.kind == "sh" for line in block.lines]
    return [line for line in typed if line.startswith("wperf ")] + [line for line in re.findall(r"`(wperf [^`\n]+)`", without_blocks(text))
                    if not line.startswith("wperf --explain")]

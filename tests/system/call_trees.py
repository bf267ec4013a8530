"""Call trees of `report -g --json`, and the call paths of the program `paths`."""
import collections
import re
from dataclasses import dataclass

# Innermost first, up to where the program prints them; the C library may be stripped.
PATHS = [
    r"burn_a(;walk){4};left;main",
    r"burn_a(;walk){13};right;main",
    r"burn_b;compare(;[\w@.]+){1,8};sort;main",
    r"burn_b;handle(;[\w@.]+){1,5};interrupt;main",
]


def is_path(path: str) -> bool:
    return any(re.match(pattern + r"(;|$)", path) for pattern in PATHS)


@dataclass(frozen=True)
class Frame:
    name: str
    module: str


def paths_of(tree: dict) -> list[tuple[list[Frame], int]]:
    """Each path with samples of its own: its frames, outermost first, and the number of those samples."""
    functions = [Frame(function["name"], function.get("module", "")) for function in tree["functions"]]
    paths: list[list[Frame]] = [[]]
    found = []
    for parent, function, count, _ in tree["nodes"]:
        paths.append(paths[parent] + [functions[function]])
        if count:
            found.append((paths[-1], count))
    return found


def is_loading(path: list[Frame]) -> bool:
    """Whether the stack is one of the dynamic loader, which runs before the program's `_start` and not below it.  How
    long that takes depends on the machine.  The loader's first function has no call-frame information and no name in a
    stripped file."""
    return re.match(r"ld-(linux|musl)", path[0].module) is not None


def loading_samples(tree: dict) -> int:
    return sum(n for path, n in paths_of(tree) if is_loading(path))


def folded(tree: dict) -> collections.Counter:
    """Number of samples by path, innermost first."""
    counts: collections.Counter = collections.Counter()
    paths: list[tuple] = [()]
    for parent, function, count, _ in tree["nodes"]:
        paths.append((tree["functions"][function]["name"],) + paths[parent])
        counts[";".join(paths[-1])] += count
    return +counts

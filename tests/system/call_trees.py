"""Call trees of `report -g --json`, and the call paths of the program `paths`."""
import collections
import re

# Innermost first, up to where the program prints them; the C library may be stripped.
PATHS = [
    r"burn_a(;walk){4};left;main",
    r"burn_a(;walk){13};right;main",
    r"burn_b;compare(;[\w@.]+){1,8};sort;main",
    r"burn_b;handle(;[\w@.]+){1,5};interrupt;main",
]


def is_path(path: str) -> bool:
    return any(re.match(pattern + r"(;|$)", path) for pattern in PATHS)


def folded(tree: dict) -> collections.Counter:
    """Number of samples by path, innermost first."""
    counts: collections.Counter = collections.Counter()
    paths: list[tuple] = [()]
    for parent, function, count, _ in tree["nodes"]:
        paths.append((tree["functions"][function]["name"],) + paths[parent])
        counts[";".join(paths[-1])] += count
    return +counts

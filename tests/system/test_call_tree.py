#!/usr/bin/python3
"""Call trees of sessions that perf recorded: they have only paths of the program, and the same ones as in perf script."""
import collections
import json
import re

import harness
from call_trees import Frame, folded, is_loading, is_path, loading_samples, paths_of
from harness import Context, check


def record(t: Context, mode: str, program: str) -> str:
    path = t.path(f"{program}-{mode.split(',')[0]}.data")
    done = t.perf_record(path, "--call-graph", mode, "-e", "cpu-clock:u", "-F", "999", "--", t.program(program), "700")
    check(done.status == 0, "perf records", done)
    return path


def tree_of(t: Context, path: str, *more: str) -> dict:
    return json.loads(t.good("report", "-g", "--json", "-i", path, *more).out)["call_trees"][0]


def script_of(t: Context, path: str) -> list[list[tuple[int, str]]]:
    """Each sample's frames, innermost first, from perf script: address and name."""
    done = t.run("perf", "script", "-i", path, "-F", "comm,ip,sym", "--no-inline")
    check(done.status == 0, "perf script", done)
    samples = []
    for block in done.out.split("\n\n"):
        frames = [(int(a, 16), name) for a, name in re.findall(r"^\s+([0-9a-f]+) (.*)$", block, re.M)]
        if frames:
            samples.append(frames)
    return samples


def check_paths(t: Context, path: str, min_share: float) -> collections.Counter:
    """Of the samples after the dynamic loader, nearly all are on paths of the program and have whole stacks."""
    tree = tree_of(t, path, "--no-inlines")
    counts = folded(tree)
    total = sum(counts.values()) - loading_samples(tree)
    check(total > 300, f"samples: {total}")
    good = sum(n for name, n in counts.items() if is_path(name))
    bad = [name for name in counts if "burn" in name.split(";")[0] and not is_path(name)]
    check(good >= min_share * total, f"{good} of {total} on paths of the program; not: {bad[:5]}")
    whole = sum(n for name, n in counts.items() if re.search(r"main;.*_start$", name))
    check(whole >= min_share * total, f"{whole} of {total} from _start on")
    return counts


def clean(name: str) -> str:
    """perf writes versions of symbols differently, keeps clones and parts of a function separate, and has no name for
    the code to which a signal's handler returns, nor for a function of which only the start is known."""
    if name in ("[unknown]", "__restore_rt") or name.startswith("0x"):
        return "?"
    return re.sub(r"(\.cold|\.(part|isra|constprop|lto_priv)\.\d+)+$", "", re.sub(r"@.*", "", name))


def test_copied_stacks(t: Context) -> None:
    path = record(t, "dwarf,8192", "paths")
    counts = check_paths(t, path, 0.97)
    theirs = collections.Counter(";".join(clean(name) for _, name in frames) for frames in script_of(t, path))
    ours = collections.Counter()
    for name, n in counts.items():
        ours[";".join(clean(part) for part in name.split(";"))] += n
    same = sum((ours & theirs).values())
    check(sum(ours.values()) == sum(theirs.values()), "as many samples")
    check(same >= 0.97 * sum(theirs.values()),
          f"{same} of {sum(theirs.values())} paths as perf has them; ours {(ours - theirs).most_common(3)}, "
          f"theirs {(theirs - ours).most_common(3)}")


def test_frame_pointers(t: Context) -> None:
    path = record(t, "fp", "paths_fp")
    counts = folded(tree_of(t, path, "--no-inlines"))
    theirs = collections.Counter(len(frames) for frames in script_of(t, path))
    ours: collections.Counter = collections.Counter()
    for name, n in counts.items():
        ours[len(name.removesuffix(";[cut]").split(";"))] += n
    check(ours == theirs, f"as many frames as perf has: {ours}, {theirs}")
    # A function that calls nothing makes no frame: its caller is missing, in perf, too.
    burning = sum(n for name, n in counts.items()
                  if re.match(r"burn_a((;walk){3,4};left|(;walk){12,13};right);main;", name))
    check(burning > 0.2 * sum(counts.values()), f"the paths without the C library: {burning} of {sum(counts.values())}")


def test_sums(t: Context) -> None:
    """Shares add up, and the inverted tree has the same sums as the other one."""
    path = record(t, "dwarf,8192", "paths")
    tree = tree_of(t, path)
    n_samples = json.loads(t.good("report", "--json", "-i", path).out)["quality"]["samples"]
    check(sum(node[2] for node in tree["nodes"]) == n_samples, "all samples are in the tree")
    plain = json.loads(t.good("report", "--json", "-i", path).out)
    with_tree = json.loads(t.good("report", "-g", "--json", "-i", path).out)
    del with_tree["call_trees"], with_tree["quality"], plain["quality"]
    check(plain == with_tree, "the rows are the same with a tree")
    below = folded(tree_of(t, path, "-g", "--call-graph", "callee"))
    above = collections.Counter()
    for name, n in folded(tree).items():
        above[";".join(reversed(name.split(";")))] += n
    check(below == above, "upside down")
    started = sum(n for frames, n in paths_of(tree) if frames[0] == Frame("_start", "paths"))
    others = [frames for frames, _ in paths_of(tree) if frames[0] != Frame("_start", "paths")]
    check(all(is_loading(frames) for frames in others), f"only the loader's stacks do not begin at _start: {others}")
    flat = re.findall(r"^ +\d+\.\d\d +0\.00 +(\d+)  _start \[paths\]$", t.good("report", "-g", "-i", path).out, re.M)
    check(flat == [str(started)], f"_start has the samples of all functions that it calls: {flat}, {started}")


def test_choices(t: Context) -> None:
    """Two programs and two events: each event has a tree, and filters select the right samples."""
    path = t.path("two.data")
    done = t.perf_record(path, "--call-graph", "dwarf,8192", "-e", "cpu-clock:u,task-clock:u", "-F", "999", "--", "sh", "-c",
                         f"{t.program('paths')} 300 & {t.program('shapes')} 200 & wait")
    check(done.status == 0, "perf records", done)
    document = json.loads(t.good("report", "-g", "--json", "-i", path).out)
    trees = document["call_trees"]
    check([tree["event"] for tree in trees] == ["cpu-clock:u", "task-clock:u"], f"two trees: {[x['event'] for x in trees]}")
    check(sum(node[2] for tree in trees for node in tree["nodes"]) == document["quality"]["samples"], "of all samples")
    for tree in trees:
        leaves = {name.split(";")[0] for name in folded(tree)}
        check("burn_a" in leaves and len(leaves) > 3, f"of both programs: {leaves}")
    for tree in json.loads(t.good("report", "-g", "--json", "-i", path, "--comm", "paths", "--no-inlines").out)["call_trees"]:
        counts = folded(tree)
        on_paths = sum(n for name, n in counts.items() if is_path(name))
        check(on_paths > 0.9 * sum(counts.values()), f"of the one program: {counts.most_common(3)}")
    kept = folded(tree_of(t, path, "--module", "paths"))
    modules = {f["module"] for f in tree_of(t, path, "--module", "paths")["functions"]}
    check(0 < sum(kept.values()) < sum(folded(trees[0]).values()) and "shapes" not in modules, f"of a module: {modules}")
    through = folded(tree_of(t, path, "-s", "walk"))
    want = collections.Counter({name: n for name, n in folded(trees[0]).items() if "walk" in name.split(";")})
    check(through == want and want, "the paths through a function")
    above = t.good("report", "-i", path, "--call-graph", "callee")
    table = t.good("report", "-i", path).out
    check(t.good("report", "-i", path, "-g", "none").out == table and "call tree" not in table, "the table, in perf's word")
    check(t.good("report", "-i", path, "--no-children").out == above.out and "< main" in above.out, "from below, in perf's word")
    none = t.good("report", "-g", "-i", path, "-s", "nosuch")
    check(none.out.count("no function matches nosuch\n") == 2, "none that matches", none)


def test_session_without_stacks(t: Context) -> None:
    path = t.path("flat.data")
    t.good("record", "--no-stacks", "-e", "cpu-clock:u", "-F", "499", "--session", path, "--", t.program("paths"), "100")
    done = t.ours("report", "-g", "-i", path)
    check(done.status == 0 and "no call stacks, so the tree has no callers" in done.err, "it says so", done)
    check("no call stacks" not in t.good("report", "-i", path).err, "where nobody asked, nothing")


def test_as_a_person_reads_it(t: Context) -> None:
    path = record(t, "dwarf,8192", "paths")
    done = t.good("report", "-g", "-i", path, "--no-inlines")
    check(re.search(r"^ +\d+\.\d\d +\d+\.\d\d \* _start \[paths\] > .* > main \[paths\]$", done.out, re.M) is not None,
          "a chain on one line", done)
    check(re.search(r"> walk \(13 times\) > burn_a$", done.out, re.M) is not None, "recursion", done)
    callee = t.good("report", "-g", "callee", "-i", path, "--no-inlines")
    check(re.search(r"^ +\d+\.\d\d \* burn_[ab] \[paths\]", callee.out, re.M) is not None, "from below", callee)
    check(done.out.count("quality: ") == 1, "and its quality", done)


def test_stacks_that_are_cut(t: Context) -> None:
    """Copies that are too small for the deep path: wperf says so, and invents no frames."""
    path = record(t, "dwarf,256", "paths")
    done = t.good("report", "-g", "-i", path)
    cut = re.search(r"(\d+) cut stacks", done.out)
    check(cut is not None and int(cut[1]) > 50, "cut stacks are counted", done)
    paths = folded(tree_of(t, path, "--no-inlines"))
    marked = sum(n for name, n in paths.items() if name.endswith(";[cut]"))
    check(marked == int(cut[1]), f"and marked: {marked}")
    for name in paths:
        parts = [part for part in name.split(";") if part != "[cut]"]
        check(parts[0] != "burn_a" or set(parts[1:]) <= {"walk", "left", "right", "main", "__libc_start_call_main",
                                                         parts[-1], parts[-2]}, f"a path of the program: {name}")


if __name__ == "__main__":
    harness.main(__name__)

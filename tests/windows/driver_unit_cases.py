"""Clusters (DSU) and memory controllers (DMC-620) through WPERFDRIVER: tests of test_driver.py. wperf sees the devices of fake_cfgmgr32.c."""
import json
import os
import shutil
import sys
import tempfile

from driver_harness import CORES, GROW, NO, OFFSET, REQUEST, WORD, Done, Running, check, check_core, drive, fake, times, wperf

devices = sys.argv[4]
DSU = {"l3d_cache": 0x2b, "l3d_cache_refill": 0x2a, "bus_access": 0x19, "l3d_cache_wb": 0x2c, "memory_error": 0x1a,
       "bus_cycles": 0x1d, "l3d_cache_allocate": 0x29, "bus_access_rd": 0x60}
DMC = {"rdwr": 0x12, "activate": 0x11, "refresh": 0x13}


def run(*argv: str, clusters: str = "2,2", memory: str = "2") -> Done:
    """wperf on a machine with these clusters (the cores of each) and memory controllers."""
    with tempfile.TemporaryDirectory() as folder:
        for file in (wperf, devices):
            shutil.copy(file, folder)
        return Running([os.path.join(folder, os.path.basename(wperf)), *argv],
                       {"WINEDLLOVERRIDES": "cfgmgr32=n", "FAKE_CLUSTERS": clusters, "FAKE_MEMORY": memory}).wait()


def stat(*argv: str, clusters: str = "2,2") -> dict:
    done = run("stat", "--json", *argv, clusters=clusters)
    check(done.status == 0, "stat counts", done)
    return json.loads(done.out)


def check_clusters(counted: dict, events: list[str], n: int = 2) -> None:
    """`events` without cpu_cycles, which is counted as well and tells the ticks."""
    check([str(i) for i in range(n)] == [k for k in counted["dsu"] if k.isdigit()], "all clusters", counted["dsu"])
    for number in range(n):
        *rows, cycles = counted["dsu"][str(number)]["Performance_counter"]
        check(cycles["event_name"] == "/dsu/cpu_cycles" and cycles["counter_value"] % 1000000 == 0 < cycles["counter_value"],
              "whole ticks", rows)
        ticks = cycles["counter_value"] // 1000000
        check([r["event_name"] for r in rows] == [f"/dsu/{e}" for e in events], "the events in their order", rows)
        for slot, (row, event) in enumerate(zip(rows, events)):
            wanted = (2000 * DSU[event] + number + 1) * times(slot, len(events), ticks, 6)
            check(row["counter_value"] == wanted, f"cluster {number}: {wanted}", row)


def check_memory(counted: dict, events: list[str], controllers: list[int]) -> None:
    rows = counted["dmc"]["pmu"]["PMU_Performance_Counters"]
    for event in events:
        own = {r["pmu_id"]: r["counter_value"] for r in rows if r["event_name"] == f"/dmc_clkdiv2/{event}"}
        overall = ["overall"] if len(controllers) > 1 else []
        check(set(own) == {*overall, *(f"dmc {i}" for i in controllers)}, "all controllers", rows)
        ticks = set()
        for i in controllers:
            rate = 3000 * DMC[event] + 0x800 + i
            check(own[f"dmc {i}"] % rate == 0 < own[f"dmc {i}"], f"{event}: a multiple of {rate}", own)
            ticks.add(own[f"dmc {i}"] // rate)
        check(max(ticks) - min(ticks) <= 1, "of the same ticks", own)


def clusters_and_controllers_are_counted() -> None:
    fake("set", CORES, "4")
    events = "/dsu/l3d_cache,/dsu/bus_access,/dsu/cpu_cycles,/dmc_clkdiv2/rdwr,/dmc_clkdiv2/refresh"
    counted = stat("-e", events, "--timeout", "10ms")
    check(not counted["core"]["cores"], "no core is counted", counted)
    check_clusters(counted, ["l3d_cache", "bus_access"])
    check_memory(counted, ["rdwr", "refresh"], [0, 1])


def cores_beside_their_clusters() -> None:
    """A core that is counted does not take the counts of its cluster, whichever cores are counted."""
    fake("set", CORES, "4")
    for cores in ([], [0], [1, 3], [0, 1, 2]):
        chosen = ["-c", ",".join(map(str, cores))] if cores else []
        counted = stat("-e", "ld_spec,/dsu/l3d_cache,/dsu/cpu_cycles,/dmc_clkdiv2/rdwr", *chosen, "--timeout", "10ms")
        check([c["core_number"] for c in counted["core"]["cores"]] == (cores or [0, 1, 2, 3]), "the cores", counted)
        for core in counted["core"]["cores"]:
            check_core(core, ["ld_spec"])
        check_clusters(counted, ["l3d_cache"])
        check_memory(counted, ["rdwr"], [0, 1])


def more_events_than_counters_of_a_cluster() -> None:
    fake("set", CORES, "4")
    names = list(DSU)
    counted = stat("-e", ",".join(f"/dsu/{name}" for name in [*names, "cpu_cycles"]), "--config", "count.period=20", "--timeout", "0.3")
    check_clusters(counted, names)


def cluster_of_three_and_of_one() -> None:
    """The driver's own choice of the core that counts a cluster is right for 2, 4, 8 cores only."""
    fake("set", CORES, "6")
    check_clusters(stat("-e", "/dsu/l3d_cache,/dsu/cpu_cycles", "--timeout", "10ms", clusters="3,3"), ["l3d_cache"])
    fake("set", CORES, "4")
    check_clusters(stat("-e", "/dsu/l3d_cache,/dsu/cpu_cycles", "--timeout", "10ms", clusters="1,1,1,1"), ["l3d_cache"], 4)


def one_memory_controller() -> None:
    fake("set", CORES, "4")
    check_memory(stat("-e", "/dmc_clkdiv2/activate", "--dmc", "1", "--timeout", "10ms"), ["activate"], [1])


def metrics_of_units() -> None:
    fake("set", CORES, "4")
    done = run("stat", "-m", "l3_cache,ddr_bw", "--timeout", "10ms")
    check(done.status == 0 and "L3 cache metrics:" in done.out and " 97.67%" in done.out and "ddr metrics:" in done.out, "metrics", done)
    check("0  0-1 " in done.out and "1  2-3 " in done.out, "the cores of each cluster", done)


def command_that_runs_anywhere() -> None:
    """Without an event of cores, a command need not be pinned."""
    fake("set", CORES, "4")
    with tempfile.TemporaryDirectory() as folder:
        session = os.path.join(folder, "s.data")
        done = run("stat", "-e", "/dsu/l3d_cache", "--json", "--session", session, "--", drive, "pinned", "7")
        again = run("report", "-i", session, "--json")
    check(done.status == 0 and again.status == 0, "counted, and read", f"{done}\n{again}")
    counted, read = json.loads(done.out), json.loads(again.out)
    check(counted["dsu"] == read["dsu"] and counted["dsu"]["1"]["Performance_counter"][0]["counter_value"] > 0, "the same counts", again)


def units_that_are_not_counted() -> None:
    fake("set", CORES, "4")
    for text, argv, clusters in (
            ("this machine has no cluster (DSU) PMU (arm_dsu_*)", ("-e", "/dsu/l3d_cache"), "2,1"),
            ("this machine has no cluster (DSU) PMU (arm_dsu_*)", ("-e", "/dsu/l3d_cache"), "4,4"),
            ("WPERFDRIVER reads other counters than those of dmc_clk", ("-e", "/dmc_clk/request"), "2,2"),
            ("too many dmc_clkdiv2 (including padding) events: 9 > 8",
             ("-e", ",".join(f"/dmc_clkdiv2/r{i}" for i in range(9))), "2,2"),
            ("too many dsu (including padding) events: 32 > 31",
             ("-e", ",".join(f"/dsu/r{0x100 + i:x}" for i in range(32))), "2,2"),
            ("its PMU counts in all modes", ("-e", "/dsu/l3d_cache:u"), "2,2")):
        done = run("stat", *argv, "--timeout", "10ms", clusters=clusters)
        check(done.status in (1, 2) and text in done.err and not done.out, f"{argv} says '{text}'", done)
    done = run("stat", "-e", "/dmc_clk/request,/dsu/l3d_cache", "--timeout", "10ms")
    check(done.status == 0 and "WPERFDRIVER reads other counters" in done.out, "the other event is counted", done)


SPOILED = [
    # request, bytes added, offset, word, what wperf says
    (8, 2, NO, 0, "DSU_CTL_INIT with 4 bytes where version 3.8 has 2"),
    (9, -16, NO, 0, "DSU_CTL_READ_COUNTING with 1024 bytes where version 3.8 has 1040"),
    (9, 0, 0, 33, "WPERFDRIVER's counts of cluster 0 can't be used: there are more than can be"),
    (9, 0, 48, 0x2a, "cluster 0 can't be used: they are not of the events that were assigned"),
    (9, 0, 72, 0x7fffffff, "cluster 0 can't be used: an event was counted in more rounds than there were"),
    (10, -1, NO, 0, "DMC_CTL_INIT with 3 bytes where version 3.8 has 4"),
    (11, 8, NO, 0, "DMC_CTL_READ_COUNTING with 400 bytes where version 3.8 has 392"),
    (11, 0, 384, 0x900, "memory controller 0 can't be used: there are more than can be"),
    (11, 0, 384, 0, "memory controller 0 can't be used: some of the events are missing"),
    (11, 0, 128, 0x13, "memory controller 0 can't be used: they are not of the events that were assigned"),
]


def spoiled_answers_about_units() -> None:
    for request, grow, offset, word, text in SPOILED:
        fake("set", CORES, "4", REQUEST, str(request), GROW, str(grow), OFFSET, str(offset), WORD, hex(word))
        done = run("stat", "-e", "/dsu/l3d_cache,/dmc_clkdiv2/rdwr", "--timeout", "10ms")
        check(done.status == 1 and text in done.err, f"request {request}: '{text}'", done)


TESTS = [clusters_and_controllers_are_counted, cores_beside_their_clusters, more_events_than_counters_of_a_cluster,
         cluster_of_three_and_of_one, one_memory_controller, metrics_of_units, command_that_runs_anywhere, units_that_are_not_counted,
         spoiled_answers_about_units]

#!/usr/bin/python3
"""Counting with an Arm PMU in an emulated machine of one CPU, where user-only cycles and instructions are exact."""
import machine
from counts import CYCLE, perf_counts, reasons_of, rows_of, stat, total, values_of
from machine import Guest, check, harness, of_command

BOTH = "cycles:u,instructions:u"
FOR_EVER = "loops 100000 >/dev/null & "
SECOND = 10**9


def near(value: float, truth: float, percent: float) -> bool:
    return abs(value - truth) <= truth * percent / 100


@of_command("stat")
def test_cycles_and_instructions_are_exact(t: Guest) -> None:
    for rounds in (1, 10, 37):
        truth = total(t, rounds)
        for _ in range(2):
            values = values_of(stat(t, "-e", BOTH, "--", "loops", str(rounds)))
            check(values == {CYCLE: truth, "cycles:u": truth, "instructions:u": truth}, f"{truth}: {values}")
        harness.note(f"loops {rounds}: {truth} in both runs")


@of_command("stat")
def test_by_the_names_of_arm(t: Guest) -> None:
    truth = total(t, 5)
    document = stat(t, "-e", "inst_retired,CPU_CYCLES,r08", "--", "loops", "5")
    check(all(row["counter_value"] == truth for row in rows_of(document)), f"{truth} each: {document}")
    check(document["core"]["Kernel_mode"] is False and document["core"]["Multiplexing"] is False, "how it is counted")


@of_command("stat")
def test_groups_that_fit(t: Guest) -> None:
    truth = total(t, 5)
    for n in (2, 6):
        document = stat(t, "-e", "{" + ",".join(["inst_retired"] * n) + "}", "--", "loops", "5")
        rows = [row for row in rows_of(document) if row["event_note"].startswith("g0")]
        check(len(rows) == n and all(row["counter_value"] == truth for row in rows), f"group of {n}: {rows}")
        check(not reasons_of(document), "all were counted")


@of_command("stat")
def test_a_group_of_8_on_7_counters(t: Guest) -> None:
    argv = ("-e", "{" + ",".join(["cycles:u"] * 8) + "}", "--", "loops", "10")
    document = stat(t, *argv)
    rows = [row for row in rows_of(document) if row["event_name"] != CYCLE]
    check(len(rows) == 8 and not any(row["counter_value"] for row in rows), f"0 in each: {rows}")
    check(values_of(document)[CYCLE] == total(t, 10), "the fixed counter is free of it")
    missing = document["quality"]["not_counted"]
    check(len(missing) == 8 and document["quality"]["poor"], f"all are named: {missing}")
    for entry in missing:
        check("group of 8 events needs more counters than" in entry["reason"], f"with the reason: {entry}")
    text = t.good("stat", *argv)
    check(text.out.count("<not supported>") == 8, "and marked in the table", text)
    check(t.ours("stat", "--strict", *argv).status == 3, "it is poor")


@of_command("stat")
def test_ten_events_on_7_counters(t: Guest) -> None:
    truth = total(t, 100)
    document = stat(t, "-e", ",".join(["cycles:u"] * 10), "--", "loops", "100")
    rows = [row for row in rows_of(document) if row["event_name"] != CYCLE]
    check(document["core"]["Multiplexing"] is True and len(rows) == 10, f"multiplexed: {document}")
    for row in rows:
        running, enabled = map(int, row["multiplexed"].split("/"))
        check(0 < running < enabled and near(enabled, truth / 10**6, 5), f"milliseconds: {row}")
        check(row["counter_value"] < truth * 0.95, f"it ran for a part of the time: {row}")
        check(near(row["scaled_value"], truth, 2), f"scaled to 2 % of {truth}: {row}")
    worst = max(abs(row["scaled_value"] / truth - 1) for row in rows)
    harness.note(f"ten scaled values, at most {100 * worst:.3f} % off")


@of_command("stat")
def test_the_kernel_counts_more(t: Guest) -> None:
    truth = total(t, 10)
    document = stat(t, "-k", "-e", "cycles,instructions", "--", "loops", "10")
    check(document["core"]["Kernel_mode"] is True, "kernel mode is included")
    for name, value in values_of(document).items():
        check(truth < value < truth * 1.05, f"{name}: a little more than {truth}: {value}")


@of_command("stat")
def test_attach_to_a_loop(t: Guest) -> None:
    done = t.shell(f"{FOR_EVER} wperf stat --json -e {BOTH} -p $! --timeout 0.2")
    check(done.status == 0, "stat -p", done)
    document = harness.document_of(done)
    for name, value in values_of(document).items():
        check(near(value, 0.2 * SECOND, 2), f"{name}: 0.2 s of a loop: {value}", done)
    check(near(document["Time_elapsed"], 0.2, 2), "the elapsed time", done)


@of_command("stat")
def test_raw_events_that_the_pmu_has_not(t: Guest) -> None:
    document = stat(t, "-e", "r1b,r70,inst_retired", "--", "loops", "5")
    missing = reasons_of(document)
    check(len(missing) == 2 and all("advertise" in reason for reason in missing.values()), f"both: {missing}")
    values = values_of(document)
    check(values["inst_retired"] == total(t, 5) and all(not values[name] for name in missing), f"{values}")
    text = t.good("stat", "-e", "r1b,r70", "--", "loops", "5")
    check(text.out.count("<not supported>") == 2, "marked in the table", text)


@of_command("stat")
def test_perf_counts_the_same(t: Guest) -> None:
    theirs = perf_counts(t, "-e", BOTH, "loops", "10")
    values = values_of(stat(t, "-e", BOTH, "--", "loops", "10"))
    check(theirs == [(str(values["cycles:u"]), "cycles"), (str(values["instructions:u"]), "instructions")],
          f"{theirs} and {values}")
    for script in ("loops 3; loops 4", "loops 2 & loops 3; wait"):
        theirs = perf_counts(t, "-e", "instructions:u", "sh", "-c", script)
        value = values_of(stat(t, "-e", "instructions:u", "--", "sh", "-c", script))["instructions:u"]
        check(near(value, int(theirs[0][0]), 0.1), f"{script}: {value}, perf {theirs}")


@of_command("stat")
def test_children_are_counted(t: Guest) -> None:
    truth = total(t, 10) + total(t, 20)
    value = values_of(stat(t, "-e", "instructions:u", "--", "sh", "-c", "loops 10 & loops 20; wait"))["instructions:u"]
    check(truth < value < truth * 1.01, f"both loops and the shell: {truth} and {value}")


@of_command("stat")
def test_one_cpu(t: Guest) -> None:
    truth = total(t, 10)
    busy = values_of(stat(t, "-e", "inst_retired", "-c", "0", "--", "loops", "10"), 0)["inst_retired"]
    idle = values_of(stat(t, "-e", "inst_retired", "-c", "0", "sleep", "0.1"), 0)["inst_retired"]
    check(truth <= busy < truth * 1.01, f"the loop's CPU: {busy}, the loop {truth}")
    check(idle < truth / 100, f"an idle CPU: {idle}")


@of_command("stat")
def test_three_shots_without_a_pause(t: Guest) -> None:
    done = t.shell(f"{FOR_EVER} wperf stat --json -e inst_retired -c 0 -t -i 0 -n 3 --timeout 0.05")
    check(done.status == 0, "a timeline", done)
    document = harness.document_of(done)
    check(document["count_timeline"] == 3 and len(document["timeline"]) == 3, "three shots", done)
    for result in document["timeline"]:
        value = values_of(result, 0)["inst_retired"]
        check(near(value, 0.05 * SECOND, 2), f"0.05 s of a loop: {value}", done)
    t.good("stat", "-e", "inst_retired", "-c", "0", "-t", "-i", "0", "-n", "3", "--timeout", "0.05",
           "--output-csv", "shots.csv")
    done = t.run("cat", "shots.csv")
    lines = done.out.split("core 0,core 0,\n")[-1].splitlines()
    check(lines[0] == "cycle,inst_retired," and len(lines) == 4, "the names and three rows", done)


@of_command("stat")
def test_repeats_do_not_differ(t: Guest) -> None:
    truth = total(t, 5)
    document = stat(t, "-r", "3", "-e", "instructions:u", "--", "loops", "5")
    row = rows_of(document)[-1]
    check(row["counter_value"] == truth and row["stddev"].startswith("0.00"), f"{truth} three times: {row}")


@of_command("stat")
def test_a_session_has_the_counts(t: Guest) -> None:
    document = stat(t, "--session", "counts.data", "-e", f"{{{BOTH}}},r70", "--", "loops", "5")
    again = harness.document_of(t.good("report", "--json", "-i", "counts.data"))
    check(again["core"] == document["core"], f"report: {again}\nstat: {document}")
    check(reasons_of(again) == reasons_of(document), f"and the reasons: {again['quality']}")


@of_command("stat")
def test_a_plain_user_where_paranoid_is_3(t: Guest) -> None:
    done = t.ours("stat", "-e", "cycles:u", "--", "loops", "1", uid=65534)
    check(done.status == 125, "wperf's own failure", done)
    harness.check_sentence(done, "perf_event_paranoid is 3", "without privilege", "root")


if __name__ == "__main__":
    machine.main(__name__, extra=("perf",))

#!/usr/bin/python3
"""Writes tests/unit/metric_formulas.h: the metrics of Neoverse cores as WindowsPerf documents them, and their values.

The formulas are written here by hand as Python expressions, and not taken from data/.  Each event has a different prime
as its value; Python's fractions compute the metric exactly, and the result is rounded to double once.
"""
import os
import re
from fractions import Fraction

CPUS = ["n1", "n2", "n2-r0p3", "n3", "v1", "v2", "v3"]
SLOTS = {"n2": 5, "n2-r0p3": 5, "n3": 5, "v1": 8, "v2": 8, "v3": 10}
NEW = ["n3", "v3"]
ROWS: list[tuple[list[str], str, str]] = []


def add(name: str, formula: str, cpus: list[str] = CPUS) -> None:
    ROWS.append((cpus, name, formula))


def add_general() -> None:
    add("ipc", "inst_retired / cpu_cycles")
    for side in ("frontend", "backend"):
        add(f"{side}_stalled_cycles", f"stall_{side} / cpu_cycles * 100")
    for name, event in (
        ("branch", "br_mis_pred_retired"), ("itlb", "itlb_walk"), ("l1i_tlb", "l1i_tlb_refill"), ("dtlb", "dtlb_walk"),
        ("l1d_tlb", "l1d_tlb_refill"), ("l2_tlb", "l2d_tlb_refill"), ("l1i_cache", "l1i_cache_refill"),
        ("l1d_cache", "l1d_cache_refill"), ("l2_cache", "l2d_cache_refill"), ("ll_cache_read", "ll_cache_miss_rd"),
    ):
        add(f"{name}_mpki", f"{event} / inst_retired * 1000")
    add("branch_misprediction_ratio", "br_mis_pred_retired / br_retired")
    add("itlb_walk_ratio", "itlb_walk / l1i_tlb")
    add("dtlb_walk_ratio", "dtlb_walk / l1d_tlb")
    for what in ("tlb", "cache"):
        for name, event in (("l1i", "l1i"), ("l1d", "l1d"), ("l2", "l2d")):
            add(f"{name}_{what}_miss_ratio", f"{event}_{what}_refill / {event}_{what}")
    add("ll_cache_read_miss_ratio", "ll_cache_miss_rd / ll_cache_rd")
    add("ll_cache_read_hit_ratio", "(ll_cache_rd - ll_cache_miss_rd) / ll_cache_rd")


def add_operations() -> None:
    others = [cpu for cpu in CPUS if cpu != "n3"]
    for name, event in (("load", "ld"), ("store", "st"), ("simd", "ase"), ("scalar_fp", "vfp"), ("crypto", "crypto")):
        add(f"{name}_percentage", f"{event}_spec / inst_spec * 100")
    add("integer_dp_percentage", "dp_spec / inst_spec * 100", others)
    add("integer_dp_percentage", "(dp_spec - dsb_spec) / inst_spec * 100", ["n3"])
    add("branch_percentage", "(br_immed_spec + br_indirect_spec) / inst_spec * 100", others)
    add("branch_percentage", "pc_write_spec / inst_spec * 100", ["n3"])
    add("barrier_percentage", "(isb_spec + dsb_spec + dmb_spec) / inst_spec * 100", NEW)
    add("sve_all_percentage", "sve_inst_spec / inst_spec * 100", CPUS[2:])


def add_topdown(cpu: str) -> None:
    slots = f"({SLOTS[cpu]} * cpu_cycles)"
    front, back = f"stall_slot_frontend / {slots}", f"stall_slot_backend / {slots}"
    missed = "br_mis_pred / cpu_cycles"
    lost = f"(1 - op_retired / op_spec) * (1 - stall_slot / {slots})"
    kept = f"(1 - stall_slot / {slots}) * op_retired / op_spec * 100"
    lost_new = f"(1 - stall_slot / {slots}) * (1 - op_retired / op_spec) * 100"
    frontend = {
        "n2": f"100 * ((stall_slot_frontend - cpu_cycles) / {slots} - {missed})",
        "n2-r0p3": f"100 * ({front} - {missed})",
        "v1": f"100 * ({front} - 4 * {missed})",
        "v2": f"100 * ({front} - {missed})",
    }
    backend = {"v1": f"{back} * 100", "n3": f"{back} * 100", "v3": f"{back} * 100"}
    retiring = {"n2": f"100 * (op_retired / op_spec * (1 - (stall_slot - cpu_cycles) / {slots}))"}
    bad = {"n2": f"100 * ((1 - op_retired / op_spec) * (1 - (stall_slot - cpu_cycles) / {slots}) + 4 * {missed})"}
    for new in NEW:
        frontend[new] = f"({front} - stall_frontend_flush / cpu_cycles) * 100"
        bad[new] = f"{lost_new} + stall_frontend_flush / cpu_cycles * 100"
    add("frontend_bound", frontend[cpu], [cpu])
    add("backend_bound", backend.get(cpu, f"100 * ({back} - 3 * {missed})"), [cpu])
    add("retiring", retiring.get(cpu, kept), [cpu])
    add("bad_speculation", bad.get(cpu, f"100 * ({lost} + 4 * {missed})"), [cpu])


def add_stalls() -> None:
    def share(name: str, part: str, whole: str) -> None:
        add(f"{name}_bound", f"{part} / {whole} * 100", NEW)

    front, back = "stall_frontend", "stall_backend"
    share("frontend_core", f"{front}_cpubound", front)
    share("frontend_mem", f"{front}_membound", front)
    share("frontend_core_flush", f"{front}_flush", f"{front}_cpubound")
    share("frontend_core_flow", f"{front}_flow", f"{front}_cpubound")
    share("frontend_mem_cache", f"({front}_l1i + {front}_mem)", f"{front}_membound")
    share("frontend_mem_tlb", f"{front}_tlb", f"{front}_membound")
    share("frontend_cache_l1i", f"{front}_l1i", f"({front}_l1i + {front}_mem)")
    share("frontend_cache_l2i", f"{front}_mem", f"({front}_l1i + {front}_mem)")
    share("backend_core", f"{back}_cpubound", back)
    share("backend_mem", f"{back}_membound", back)
    share("backend_busy", f"{back}_busy", back)
    share("backend_core_rename", f"{back}_rename", f"{back}_cpubound")
    share("backend_mem_cache", f"({back}_l1d + {back}_mem)", f"{back}_membound")
    share("backend_mem_tlb", f"{back}_tlb", f"{back}_membound")
    share("backend_mem_store", f"{back}_st", f"{back}_membound")
    share("backend_cache_l1d", f"{back}_l1d", f"({back}_l1d + {back}_mem)")
    share("backend_cache_l2d", f"{back}_mem", f"({back}_l1d + {back}_mem)")


def add_new() -> None:
    for name, event in (("direct", "immed"), ("indirect", "ind"), ("return", "return")):
        add(f"branch_{name}_ratio", f"br_{event}_retired / br_retired", NEW)
    add("sve_predicate_percentage", "sve_pred_spec / inst_spec * 100", NEW)
    for kind in ("full", "partial", "empty"):
        add(f"sve_predicate_{kind}_percentage", f"sve_pred_{kind}_spec / sve_pred_spec * 100", NEW)
    for bits, kind in ((16, "hp"), (32, "sp"), (64, "dp")):
        add(f"fp{bits}_percentage", f"fp_{kind}_spec / inst_spec * 100", NEW)
    # WindowsPerf divides by cpu_cycle, but no event has this name.
    add("fp_ops_per_cycle", "(fp_scale_ops_spec + fp_fixed_ops_spec) / cpu_cycles", NEW)
    add("sve_fp_ops_per_cycle", "fp_scale_ops_spec / cpu_cycles", NEW)
    add("nonsve_fp_ops_per_cycle", "fp_fixed_ops_spec / cpu_cycles", NEW)


def primes(first: int, count: int) -> list[int]:
    found: list[int] = []
    while len(found) < count:
        if all(first % divisor for divisor in range(2, int(first ** 0.5) + 1)):
            found.append(first)
        first += 1
    return found


def main() -> None:
    add_general()
    add_operations()
    for cpu in SLOTS:
        add_topdown(cpu)
    add_stalls()
    add_new()
    events = sorted({word for _, _, formula in ROWS for word in re.findall(r"[a-z]\w*", formula)})
    # 7 positions apart, so that events with neighbouring names do not have similar values.
    values = dict(zip(sorted(events, key=lambda event: (events.index(event) * 7 % len(events), event)),
                      primes(1009, len(events))))
    scope = {event: Fraction(value) for event, value in values.items()}
    with open(os.path.join(os.path.dirname(__file__), "metric_formulas.h"), "w", encoding="ascii") as out:
        out.write("/* SPDX-License-Identifier: BSD-3-Clause */\n")
        out.write("/* Made by make_metric_formulas.py, which says how. */\n")
        out.write("#ifndef METRIC_FORMULAS_H\n#define METRIC_FORMULAS_H\n\n/* clang-format off */\n")
        out.write("static const struct {\n        const char *name;\n        double value;\n} event_values[] = {\n")
        for event in events:
            out.write(f'        {{"{event}", {values[event]}}},\n')
        out.write("};\n\nstatic const struct {\n        const char *cpus, *name, *formula; /* of Neoverse */\n        double value;\n")
        out.write("} metric_formulas[] = {\n")
        for cpus, name, formula in ROWS:
            number = re.sub(r"\b(\d+)\b", r"Fraction(\1)", formula)
            value = float(eval(number, {"Fraction": Fraction}, scope))
            cores = ",".join(cpus)
            out.write(f'        {{"{cores}",\n         "{name}", "{formula}", {value!r}}},\n')
        out.write("};\n/* clang-format on */\n\n#endif\n")


if __name__ == "__main__":
    main()

/* SPDX-License-Identifier: BSD-3-Clause */
/* What this machine's kernel reports about its events before anything is measured. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "collect_request.h"
#include "err.h"
#include "event.h"
#include "kernel_units.h"

/* The PMUs of this machine, or of the file tree below `root` if that is not "" or NULL. `root` must outlive
 * it. */
struct pmu_source kernel_pmu_source(const char *root);

/* Must be called before the source of this machine is read. On Windows the PMU is described by a driver,
 * wperf's own or else WindowsPerf's, which one process at a time may use: it is asked once and released,
 * and `force` takes it from another process. Fails only on Windows: ERR_MISSING (there is no driver),
 * ERR_UNSUPPORTED (its version), ERR_DENIED (this user may not open it), ERR_BUSY (another process has
 * it). */
bool kernel_connect(bool force, struct err *err);

/* What the driver reports. Texts are UTF-8, and only printable. */
struct kernel_driver {
        const char *name; /* of its service */
        char version[16]; /* "3.8.0" */
        char git[129], features[513];
        char devices[513];                           /* "core.stat=core;core.sample=core" */
        uint8_t pmu_version;                         /* ID_AA64DFR0_EL1.PMUVer */
        uint8_t n_fixed, n_counters, n_all_counters; /* n_counters: those that are not in use */
        uint16_t n_cpus;
        uint64_t midr, id_aa64dfr0, pmbidr, pmsidr;
        uint8_t counter_map[32];
        uint16_t n_events[4]; /* of cores, DSU, DMC clk, DMC clkdiv2; 0 if the driver does not know */
        struct kernel_units units;
};

/* NULL on Linux, and where kernel_connect failed. */
const struct kernel_driver *kernel_get_driver(void);

/* Calls `device` with the name and the hardware id of each of the driver's devices. */
void kernel_each_device(void (*device)(void *ctx, const char *name, const char *hardware), void *ctx);

/* Opens `events` on the calling thread and closes them at once, to find out whether the kernel accepts them.
 * With `are_default` another event may replace them. Errors as in collector_open. */
struct kernel_probed {
        char event[128]; /* the first event, or its replacement */
        char note[240];  /* why it was replaced; "" */
};
bool kernel_probe(const struct event_list *events, bool are_default, struct kernel_probed *ret,
                  struct err *err);

/* Whether the kernel takes samples. On Windows it does not: a timer of the recorder takes them, and its only
 * event is cpu-clock. */
bool kernel_has_samples(void);

/* The longest interval between two samples of an event that CPUs count. */
uint64_t kernel_longest_interval(void);

/* The default rate for programs that run already, in Hz; 0: the same as for a command. Those of Windows are
 * sampled from outside, without their help, and editors expect its rate. */
uint64_t kernel_attached_hz(void);

/* What this process may do; on Windows everything, and nothing is filtered. */
struct kernel_rights {
        bool samples_all;       /* all processes */
        bool samples_kernel;    /* the kernel, too */
        bool traces_all;        /* trace processes of all users, whatever Yama says below its level 3 */
        bool sees_kernel_names; /* /proc/kallsyms has addresses */
        bool is_filtered;       /* a seccomp filter looks at its system calls */
};
struct kernel_rights kernel_get_rights(void);

/* The highest rate of samples that is allowed, in Hz. */
uint64_t kernel_highest_hz(void);

/* Appends the attributes that `request` would open, as text, without opening anything. */
void kernel_describe(const struct collect_request *request, struct buf *out);

#endif

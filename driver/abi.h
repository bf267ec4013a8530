/* SPDX-License-Identifier: BSD-3-Clause */
/* What wperf and its Windows driver say to each other: requests and their payloads.
 *
 * Widths are fixed, padding is explicit, and all numbers are little-endian. A payload whose last member is
 * an array has as many items as its count says; nothing follows them. The version changes when a payload
 * changes. A driver answers ABI_REQUEST_VERSION to every program, and refuses other requests of a program
 * of another version, because their codes contain the version. */
#ifndef ABI_H
#define ABI_H

#include <stddef.h>
#include <stdint.h>

#define ABI_SERVICE                                                                                          \
        "WPERFDRIVER-2" /* the service; WindowsPerf's driver, WPERFDRIVER, may be installed                  \
                           too */
#define ABI_DEVICE         "\\Device\\WPERFDRIVER-2"
#define ABI_LINK           "\\DosDevices\\WPERFDRIVER-2"
#define ABI_PATH           "\\\\.\\WPERFDRIVER-2" /* for CreateFile */
#define ABI_INTERFACE_GUID "{a9be0776-4cac-4c7c-a845-90fa7dbd1fc7}"

enum {
        ABI_NUMBER = 1, /* the version of this file */
        ABI_DEVICE_TYPE = 0x9c45,
        ABI_FUNCTION = 0x900,
        ABI_CPUS_MAX = 1024,
        ABI_SLOTS_MAX = 512,   /* events of one plan, padding included */
        ABI_SOURCES_MAX = 31,  /* events that are sampled at a time */
        ABI_CHAIN_MAX = 128,   /* callers in a sample */
        ABI_PERIOD_MIN_MS = 1, /* of multiplexing */
        ABI_PERIOD_MAX_MS = 100,
        ABI_CPUS_PER_ANSWER = 64,
        ABI_CLASSES_PER_ANSWER = 16,
        ABI_UNITS_PER_ANSWER = 16,
        ABI_READ_MAX_BYTES = 1 << 20, /* of samples or SPE data in one answer */
};

/* A control code: CTL_CODE(ABI_DEVICE_TYPE, ABI_FUNCTION + number, METHOD_BUFFERED, FILE_READ_DATA |
 * FILE_WRITE_DATA). ABI_REQUEST_VERSION is the same in all versions; the others have the version in bits 6
 * to 10 of the function. */
#define ABI_CODE(number)                                                                                     \
        ((uint32_t)ABI_DEVICE_TYPE << 16 | 3u << 14 | (ABI_FUNCTION + (uint32_t)(number)) << 2)
#define ABI_OWN(number) ABI_CODE((uint32_t)ABI_NUMBER << 6 | (uint32_t)(number))

/* A request that the driver refuses ends with one of these errors of Windows, and without an answer:
 *   ERROR_INVALID_FUNCTION    no such code, or of another version
 *   ERROR_BAD_LENGTH          the payload, or the room for the answer, has the wrong size
 *   ERROR_INVALID_PARAMETER   a number in the payload is out of range
 *   ERROR_INVALID_OWNER       the program does not have the lock, or has lost it
 *   ERROR_BAD_COMMAND         not while something runs
 *   ERROR_NOT_ENOUGH_QUOTA    more counters are needed than are free
 *   ERROR_NOT_ENOUGH_MEMORY
 *   ERROR_NOT_FOUND           the machine has no such unit
 *   ERROR_SHARING_VIOLATION   another program samples with counters of its own, or uses SPE */
enum abi_request {
        ABI_REQUEST_VERSION,      /* in: -; out: abi_version */
        ABI_REQUEST_HW_CONFIG,    /* in: abi_first; out: abi_hw_config */
        ABI_REQUEST_BLOCKS,       /* in: abi_first; out: abi_blocks */
        ABI_REQUEST_LOCK,         /* in: abi_lock; out: abi_lock_answer */
        ABI_REQUEST_UNLOCK,       /* in: -; out: - */
        ABI_REQUEST_ASSIGN,       /* in: abi_assign; out: - */
        ABI_REQUEST_SET_SOURCES,  /* in: abi_sources; out: - */
        ABI_REQUEST_SET_SPE,      /* in: abi_spe; out: - */
        ABI_REQUEST_START,        /* in: abi_start; out: - */
        ABI_REQUEST_STOP,         /* in: -; out: - */
        ABI_REQUEST_READ_COUNTS,  /* in: abi_read; out: abi_counts */
        ABI_REQUEST_READ_SAMPLES, /* in: abi_read; out: abi_samples */
        ABI_REQUEST_READ_SPE,     /* in: abi_read; out: abi_spe_data */
        ABI_REQUEST_UNITS,        /* in: abi_read, the first unit of a class; out: abi_units */
        ABI_REQUESTS,
};

struct abi_version {
        uint32_t abi;
        uint32_t major, minor, patch;
        char text[64]; /* git's description of the source, NUL-terminated */
};

/* The number of the first CPU or class to describe. */
struct abi_first {
        uint32_t first;
        uint32_t pad;
};

struct abi_cpu {
        uint64_t midr;
        uint64_t pmsidr; /* PMSIDR_EL1; 0 without SPE */
        uint32_t cpu;
        uint8_t pmu_version; /* ID_AA64DFR0_EL1.PMUVer */
        uint8_t spe_version; /* ID_AA64DFR0_EL1.PMSVer */
        uint8_t n_counters;  /* general-purpose counters that nobody else has */
        uint8_t counter_bits;
};

struct abi_hw_config {
        uint32_t n_cpus; /* of the machine */
        uint32_t n;      /* items that follow: up to ABI_CPUS_PER_ANSWER */
        uint32_t ring_bytes;
        uint32_t spe_bytes;
        struct abi_cpu cpus[];
};

/* One class of a PMU block. */
struct abi_class {
        char block[32], name[32]; /* "dsu-520", "dsu" */
        uint32_t number;          /* for abi_assign and abi_read */
        uint32_t n_units;         /* of this machine */
        uint8_t n_counters;       /* of its first unit */
        uint8_t counter_bits;
        uint8_t has_cycles; /* a counter that counts cycles only */
        uint8_t is_core;    /* its units are the CPUs */
        uint32_t pad;
};

struct abi_blocks {
        uint32_t n_classes;
        uint32_t n; /* items that follow */
        struct abi_class classes[];
};

struct abi_lock {
        uint32_t force; /* 1: take the lock from another owner, whose measurement is stopped */
        uint32_t pad;
};

enum abi_lock_status { ABI_LOCKED, ABI_LOCK_BUSY };

struct abi_lock_answer {
        uint32_t status;
        uint32_t pad;
};

/* A set of CPUs, or of units of a class: bit N of word N / 64. */
struct abi_set {
        uint64_t bits[ABI_CPUS_MAX / 64];
};

struct abi_unit {
        uint32_t cpu;        /* that programs and reads it */
        uint32_t n_counters; /* without the one that counts cycles only */
        struct abi_set cpus; /* that share it; none if unknown */
};

struct abi_units {
        uint32_t n_units; /* of the class */
        uint32_t n;       /* items that follow */
        struct abi_unit units[];
};

enum {
        ABI_EXCLUDE_KERNEL = 1,
        ABI_EXCLUDE_USER = 2,
        ABI_PADDING = 4, /* an unused slot: nothing is counted */
};

struct abi_slot {
        uint32_t code;
        uint32_t flags;
};

/* A plan: the slots are counted in windows of `window` slots, one window after the other, each for a
 * period. The last window may be shorter. */
struct abi_assign {
        uint32_t class;
        uint32_t n_slots; /* 0: count nothing on these units */
        uint32_t window;
        uint32_t period_ms;
        uint32_t cycles_flags; /* ABI_EXCLUDE_* of the counter that counts cycles only */
        uint32_t pad;
        struct abi_set units;
        struct abi_slot slots[];
};

struct abi_source {
        uint32_t code;
        uint32_t flags; /* ABI_EXCLUDE_* */
        uint64_t period;
};

struct abi_sources {
        uint32_t n;         /* 0: sample nothing on these CPUs */
        uint32_t chain_max; /* callers to record, up to ABI_CHAIN_MAX */
        struct abi_set cpus;
        struct abi_source sources[];
};

enum {
        ABI_SPE_LOADS = 1,
        ABI_SPE_STORES = 2,
        ABI_SPE_BRANCHES = 4,
        ABI_SPE_TIMESTAMPS = 8,
        ABI_SPE_JITTER = 16,
        ABI_SPE_KERNEL = 32,
        ABI_SPE_PHYSICAL = 64,
        ABI_SPE_PHYSICAL_TIME = 128,
        ABI_SPE_CONTEXT = 256,
};

struct abi_spe {
        uint32_t flags;
        uint32_t min_latency; /* cycles; 0: any */
        uint64_t period;      /* operations between two samples; 0: sample nothing on these CPUs */
        uint64_t events;      /* sample only operations with all of these events; 0: any */
        uint64_t events_not;  /* sample only operations with none of these events */
        struct abi_set cpus;
};

struct abi_start {
        uint32_t keep; /* 1: add to the counts of the run before */
        uint32_t pad;
};

struct abi_read {
        uint32_t class; /* of READ_COUNTS and UNITS; 0 otherwise */
        uint32_t unit;  /* or CPU */
};

struct abi_count {
        uint64_t value;
        uint64_t enabled_ns; /* time since the start */
        uint64_t running_ns; /* time in which the event was counted */
};

struct abi_counts {
        uint32_t n; /* items that follow: the slots of the plan */
        uint32_t running;
        uint64_t cycles; /* of the counter that counts cycles only; 0 without one */
        uint64_t enabled_ns;
        uint64_t windows;   /* windows that were counted */
        uint64_t overflows; /* of all counters */
        struct abi_count counts[];
};

enum { ABI_SAMPLE_USER = 1 };

struct abi_sample {
        uint16_t bytes; /* of this record: sizeof(struct abi_sample) + 8 * n_chain */
        uint8_t source; /* index in abi_sources */
        uint8_t flags;  /* ABI_SAMPLE_USER: the CPU ran a program, not the kernel */
        uint32_t cpu;
        uint64_t time_ns;
        uint32_t pid, tid;
        uint64_t pc, lr;
        uint32_t n_chain;
        uint32_t missed;  /* samples of the source that fell due before this one could be taken */
        uint64_t chain[]; /* return addresses, the innermost first */
};

/* Another program began to sample with counters of its own: the driver ended the run and gave it the
 * interrupts. */
enum { ABI_SAMPLES_ENDED = 1 };

struct abi_samples {
        uint32_t bytes;              /* of the records that follow */
        uint32_t flags;              /* ABI_SAMPLES_* */
        uint64_t generated, dropped; /* since the start */
};

struct abi_spe_data {
        uint32_t bytes;   /* of the data that follows */
        uint32_t stalled; /* 1: the buffer was full, and sampling paused until now */
        uint64_t total;   /* bytes since the start */
        uint64_t stalls;  /* times that the buffer was full */
        uint64_t losses;  /* times that the hardware reported lost records */
};

#define ABI_SIZE(type, size) _Static_assert(sizeof(struct type) == (size), #type " has another size")
#define ABI_OFFSET(type, member, off)                                                                        \
        _Static_assert(offsetof(struct type, member) == (off), #type "." #member)

ABI_SIZE(abi_version, 80);
ABI_SIZE(abi_first, 8);
ABI_SIZE(abi_cpu, 24);
ABI_SIZE(abi_hw_config, 16);
ABI_OFFSET(abi_hw_config, cpus, 16);
ABI_SIZE(abi_class, 80);
ABI_OFFSET(abi_class, number, 64);
ABI_SIZE(abi_blocks, 8);
ABI_SIZE(abi_lock, 8);
ABI_SIZE(abi_lock_answer, 8);
ABI_SIZE(abi_set, 128);
ABI_SIZE(abi_unit, 136);
ABI_OFFSET(abi_unit, cpus, 8);
ABI_SIZE(abi_units, 8);
ABI_SIZE(abi_slot, 8);
ABI_SIZE(abi_assign, 152);
ABI_OFFSET(abi_assign, units, 24);
ABI_OFFSET(abi_assign, slots, 152);
ABI_SIZE(abi_source, 16);
ABI_SIZE(abi_sources, 136);
ABI_OFFSET(abi_sources, sources, 136);
ABI_SIZE(abi_spe, 160);
ABI_OFFSET(abi_spe, cpus, 32);
ABI_SIZE(abi_start, 8);
ABI_SIZE(abi_read, 8);
ABI_SIZE(abi_count, 24);
ABI_SIZE(abi_counts, 40);
ABI_OFFSET(abi_counts, counts, 40);
ABI_SIZE(abi_sample, 48);
ABI_OFFSET(abi_sample, pc, 24);
ABI_OFFSET(abi_sample, chain, 48);
ABI_SIZE(abi_samples, 24);
ABI_SIZE(abi_spe_data, 32);

#endif

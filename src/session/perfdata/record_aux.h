/* SPDX-License-Identifier: BSD-3-Clause */
/* Records about hardware traces: the kind of trace, its data, the conversion of its time stamps, and
 * context switches. Layouts: perf_event_open(2), and tools/lib/perf/include/perf/event.h for perf's own
 * records. */
#ifndef RECORD_AUX_H
#define RECORD_AUX_H

#include <stdbool.h>
#include <stdint.h>

#include "cursor.h"

/* AUX: the hardware wrote a piece of an AUX area. Offset and size in bytes; the offset is that in the whole
 * stream of the event's data. */
struct record_aux {
        uint64_t offset, size, flags; /* PERF_AUX_FLAG_... */
};

enum { AUXTRACE_ARM_SPE = 4, AUXTRACE_HISI_PTT = 6 };

struct record_auxtrace_info {
        uint32_t type;              /* AUXTRACE_... */
        struct cursor private_data; /* numbers of 64 bits; their meaning depends on the type */
};

struct record_auxtrace {
        uint64_t size;   /* bytes of data after the record */
        uint64_t offset; /* offset of the first byte in the whole stream */
        uint32_t index;  /* of the recorder's buffer; each has its own stream */
        int32_t tid;     /* -1 if the buffer does not belong to one thread */
        int32_t cpu;     /* -1 if the buffer does not belong to one CPU */
};

/* time = zero + (ticks * mult >> shift). With is_short, ticks = cycles + ((ticks - cycles) & mask) first. */
struct record_time_conv {
        uint64_t shift, mult, zero, cycles, mask;
        bool has_zero, is_short;
};

struct record_switch { /* SWITCH and SWITCH_CPU_WIDE; the trailer has the thread */
        bool is_out;
        bool is_preempted; /* with is_out: the thread would have run on */
};

/* Each takes a cursor over one whole record, header included. False if it is too short; the output is then
 * undefined. */
bool record_aux_parse(struct cursor record, struct record_aux *ret);
bool record_auxtrace_info_parse(struct cursor record, struct record_auxtrace_info *ret);
bool record_auxtrace_parse(struct cursor record, struct record_auxtrace *ret);
bool record_time_conv_parse(struct cursor record, struct record_time_conv *ret);
bool record_switch_parse(struct cursor record, struct record_switch *ret);

/* Converts a value of the CPU's counter to a time in ns. */
uint64_t record_time_of_tick(const struct record_time_conv *conv, uint64_t tick);

#endif

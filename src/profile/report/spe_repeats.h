/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts equal operations among SPE records. A program executes few different instructions very often, so
 * counting them takes less time than making a sample of each. */
#ifndef SPE_REPEATS_H
#define SPE_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Equal operations; the first fields are the key and have no padding. */
struct spe_repeat {
        uint64_t pc, events;
        int32_t pid, tid;
        uint32_t cpu;
        uint8_t class_id, op_payload; /* as in struct spe_record */
        uint16_t zero;
        uint64_t n, time; /* how many, and when the last one was */
};

struct spe_repeats;

struct spe_repeats *spe_repeats_new(void);
void spe_repeats_free(struct spe_repeats *repeats);

/* Counts an operation that is equal to an earlier one. False: it is not, and the caller uses it itself, so
 * that each operation is seen when it comes for the first time; equal ones are counted from now on. Others
 * may have to leave for it: *ret_left, n 0 if none. */
bool spe_repeats_add(struct spe_repeats *repeats, const struct spe_repeat *one, struct spe_repeat *ret_left);

/* Removes some equal operations; false if none are left. */
bool spe_repeats_take(struct spe_repeats *repeats, struct spe_repeat *ret);

#endif

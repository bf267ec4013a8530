/* SPDX-License-Identifier: BSD-3-Clause */
#include "spe_repeats.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"

enum { N_SLOTS = 1 << 13, KEY_BYTES = offsetof(struct spe_repeat, n) };

_Static_assert(KEY_BYTES == 32, "no padding in the key");

struct spe_repeats {
        struct spe_repeat slots[N_SLOTS]; /* n is 1 more than the number of operations; 0: free */
        uint16_t used[N_SLOTS];           /* numbers of the slots that are not free */
        size_t n_used;
};

struct spe_repeats *spe_repeats_new(void)
{
        return mem_new(1, sizeof(struct spe_repeats));
}

void spe_repeats_free(struct spe_repeats *r)
{
        free(r);
}

static size_t slot_of(const struct spe_repeat *one)
{
        uint64_t hash = one->pc ^ one->events << 44 ^ (uint64_t)(uint32_t)one->tid << 24;

        return map_mix(hash ^ (uint64_t)one->cpu << 52 ^ (uint64_t)one->op_payload << 36) % N_SLOTS;
}

/* What a slot that is not free counted. */
static struct spe_repeat repeat_of(const struct spe_repeat *slot)
{
        struct spe_repeat repeat = *slot;

        repeat.n--;
        return repeat;
}

bool spe_repeats_add(struct spe_repeats *r, const struct spe_repeat *one, struct spe_repeat *ret_left)
{
        size_t number = slot_of(one);
        struct spe_repeat *slot = &r->slots[number];

        if (slot->n && !memcmp(slot, one, KEY_BYTES)) {
                slot->n++;
                slot->time = one->time;
                return true;
        }
        ret_left->n = 0;
        if (slot->n)
                *ret_left = repeat_of(slot);
        else
                r->used[r->n_used++] = (uint16_t)number;
        *slot = *one;
        slot->n = 1;
        return false;
}

bool spe_repeats_take(struct spe_repeats *r, struct spe_repeat *ret)
{
        ret->n = 0;
        while (r->n_used && !ret->n) {
                struct spe_repeat *slot = &r->slots[r->used[--r->n_used]];

                *ret = repeat_of(slot);
                slot->n = 0;
        }
        return ret->n;
}

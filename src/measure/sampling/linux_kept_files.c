/* SPDX-License-Identifier: BSD-3-Clause */
/* A limited number of descriptors of mapped files. The first half of each class is kept, because these are
 * the files that the measured programs started with; in the other half the newest file replaces the
 * oldest. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux_internal.h"
#include "mem.h"

static const size_t max_of_class[KEPT_N_CLASSES] = {
        /* the recorded path leads to it: needed only if it is deleted before the end */
        [KEPT_IN_PLACE] = 256,
        [KEPT_OUT_OF_REACH] = 1024, /* the recorded path does not lead to it */
};

static void drop(struct kept_file *kept)
{
        close(kept->fd);
        free((char *)kept->path);
}

void kept_files_release(struct kept_files *all)
{
        for (size_t i = 0; i < all->n; i++)
                drop(&all->items[i]);
        for (size_t i = 0; i < all->n_copies; i++)
                free((char *)all->copies[i].path);
        free(all->copies);
        free(all->items);
        for (size_t i = 0; i < KEPT_N_CLASSES; i++)
                free(all->slots[i].items);
}

enum { MAX_COPIES = 16384 };

static size_t slot_of_oldest(const struct kept_slots *slots, size_t max)
{
        size_t half = max / 2;

        return slots->items[half + slots->n_replaced % half];
}

const struct kept_file *kept_files_oldest(const struct kept_files *all, enum kept_class class)
{
        const struct kept_slots *slots = &all->slots[class];
        size_t max = max_of_class[class];

        assert(class < KEPT_N_CLASSES);
        return slots->n < max ? NULL : &all->items[slot_of_oldest(slots, max)];
}

bool kept_files_has_equal(const struct kept_files *all, const struct kept_file *kept)
{
        for (size_t i = 0; kept->build_id_size && i < all->n; i++) {
                const struct kept_file *item = &all->items[i];

                if (item->owner == kept->owner && item->size_bytes == kept->size_bytes &&
                    item->build_id_size == kept->build_id_size &&
                    !memcmp(item->build_id, kept->build_id, kept->build_id_size))
                        return true;
        }
        return false;
}

void kept_files_add_copy(struct kept_files *all, const struct kept_file *kept)
{
        struct kept_file copy = *kept;

        if (all->n_copies == MAX_COPIES)
                return;
        copy.fd = -1;
        copy.path = mem_strdup(kept->path);
        ARRAY_PUSH(all->copies, all->n_copies, all->cap_copies, copy);
}

void kept_files_add(struct kept_files *all, const struct kept_file *kept, enum kept_class class)
{
        struct kept_slots *slots = &all->slots[class];
        struct kept_file taken = *kept, *old;

        assert(class < KEPT_N_CLASSES);
        taken.path = mem_strdup(kept->path);
        if (slots->n < max_of_class[class]) {
                ARRAY_PUSH(slots->items, slots->n, slots->cap, all->n);
                ARRAY_PUSH(all->items, all->n, all->cap, taken);
                return;
        }
        old = &all->items[slot_of_oldest(slots, max_of_class[class])];
        slots->n_replaced++;
        drop(old);
        *old = taken;
}

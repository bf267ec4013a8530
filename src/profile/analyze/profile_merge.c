/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges the profiles that threads made of parts of a session, so that places have the same order as with
 * one thread. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "profile_internal.h"

struct profile_mark profile_get_mark(const struct profile *profile)
{
        return (struct profile_mark){.n_places = profile->n_places, .n_code = profile->code.n};
}

/* Adds a part's places in their order, with their final counts, because the part does not change any more. */
void profile_merge_take(struct profile *whole, const struct profile *part, struct profile_mark *done,
                        const struct profile_mark *until)
{
        assert(done->n_places <= until->n_places && until->n_places <= part->n_places);
        for (; done->n_places < until->n_places; done->n_places++) {
                const struct profile_place *place = &part->places[done->n_places];
                struct profile_row_key key;

                memcpy(&key, place, sizeof(key));
                profile_add_key(whole, &key, profile_module_base(part, place->module), place->count,
                                place->weight);
        }
        if (until->n_code && !whole->has_code) {
                places_init(&whole->code, false);
                whole->has_code = true;
        }
        for (; done->n_code < until->n_code; done->n_code++) {
                uint32_t number = places_add(&whole->code, &part->code.items[done->n_code]);

                for (uint32_t event = 0; event < part->n_by_code; event++) {
                        const struct by_code *from = &part->by_code[event];
                        struct by_code *to = profile_by_code(whole, event);

                        if (done->n_code >= from->n)
                                continue;
                        profile_fit_code(whole, to, number);
                        to->counted[number].count += from->counted[done->n_code].count;
                        to->counted[number].weight += from->counted[done->n_code].weight;
                }
        }
}

void profile_merge_totals(struct profile *whole, const struct profile *part)
{
        profile_merge_cpus(whole, part);
        for (uint32_t event = 0; event < part->n_totals; event++) {
                const struct profile_totals *from = &part->totals[event];
                struct profile_totals *to = profile_totals_of(whole, event);

                to->n_samples += from->n_samples;
                to->weight += from->weight;
                to->n_filtered += from->n_filtered;
                profile_note_time(to, from->first_ns);
                profile_note_time(to, from->last_ns);
        }
}

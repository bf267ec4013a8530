/* SPDX-License-Identifier: BSD-3-Clause */

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "profile_internal.h"
#include "spe_raw.h"
#include "text.h"
#include "text_match.h"
#include "text_number.h"

/* Keys that do not depend on a sample's place. */
enum {
        TASK_KEYS = PROFILE_STATE | PROFILE_PROCESS | PROFILE_THREAD | PROFILE_CPU | PROFILE_COMM |
                    PROFILE_PID | PROFILE_TID | PROFILE_SOURCE
};

struct profile *profile_new(unsigned keys, const struct profile_filter *filter)
{
        struct profile *profile = mem_new(1, sizeof(*profile));

        profile->keys = keys | PROFILE_EVENT;
        profile->spe_event = UINT32_MAX;
        if (filter)
                profile->filter = *filter;
        profile->n_slots = 1024;
        profile->slots = mem_new(profile->n_slots, sizeof(*profile->slots));
        return profile;
}

void profile_set_budget(struct profile *profile, struct budget *budget)
{
        profile->share.budget = budget;
}

void profile_set_spe(struct profile *profile, uint32_t event)
{
        profile->spe_event = event;
}

void profile_free(struct profile *profile)
{
        if (!profile)
                return;
        map_release(&profile->module_passes);
        map_release(&profile->module_bases);
        map_release(&profile->cpu_counts);
        places_release(&profile->code);
        budget_share_keep(&profile->share, 0);
        for (size_t i = 0; i < profile->n_by_code; i++)
                free(profile->by_code[i].counted);
        free(profile->by_code);
        free(profile->places);
        free(profile->slots);
        free(profile->totals);
        free(profile->found_sources);
        free(profile);
}

/* Mixes all words at once, because this is called for each sample with a key of its task. */
static uint64_t hash_key(const struct profile_row_key *key)
{
        uint64_t hash = key->offset * map_factors[2];

        hash += ((uint64_t)key->module << 32 | key->event) * map_factors[3];
        hash += ((uint64_t)(uint32_t)key->pid << 32 | (uint32_t)key->tid) * map_factors[4];
        hash += ((uint64_t)key->comm << 32 | key->process) * map_factors[5];
        hash += ((uint64_t)key->thread << 32 | key->source) * map_factors[6];
        return map_mix(hash + key->cpu * map_factors[7]);
}

static size_t slot_of(const struct profile *profile, const struct profile_row_key *key)
{
        size_t mask = profile->n_slots - 1;
        size_t i = (size_t)hash_key(key) & mask;

        while (profile->slots[i] && memcmp(&profile->places[profile->slots[i] - 1], key, sizeof(*key)))
                i = (i + 1) & mask;
        return i;
}

static void grow_slots(struct profile *profile)
{
        free(profile->slots);
        profile->n_slots *= 2;
        profile->slots = mem_new(profile->n_slots, sizeof(*profile->slots));
        for (size_t i = 0; i < profile->n_places; i++) {
                struct profile_row_key key;

                memcpy(&key, &profile->places[i], sizeof(key));
                profile->slots[slot_of(profile, &key)] = (uint32_t)i + 1;
        }
}

static struct profile_place *find_or_add(struct profile *profile, const struct profile_row_key *key,
                                         bool is_paid)
{
        const struct profile_row_key unknown = {.event = key->event, .module = MODULE_NONE};
        size_t slot = slot_of(profile, key);
        struct profile_place place = {0};

        if (profile->slots[slot])
                return &profile->places[profile->slots[slot] - 1];
        /* For each event, one place counts the samples for which there is no memory. */
        if (!is_paid && memcmp(key, &unknown, sizeof(unknown)) != 0 &&
            !budget_share_take(&profile->share, BUDGET_ADDRESSES, ROW_BYTES))
                return find_or_add(profile, &unknown, false);
        memcpy(&place, key, sizeof(*key));
        ARRAY_PUSH(profile->places, profile->n_places, profile->cap_places, place);
        profile->slots[slot] = (uint32_t)profile->n_places;
        if (profile->n_places * 2 > profile->n_slots)
                grow_slots(profile);
        return &profile->places[profile->n_places - 1];
}

struct profile_totals *profile_totals_of(struct profile *profile, uint32_t event)
{
        if (event >= profile->n_totals) {
                size_t n = (size_t)event + 1;

                profile->totals = mem_resize(profile->totals, n, sizeof(*profile->totals));
                memset(profile->totals + profile->n_totals, 0,
                       (n - profile->n_totals) * sizeof(*profile->totals));
                profile->n_totals = n;
        }
        return &profile->totals[event];
}

static bool pid_passes(const struct profile_filter *filter, int32_t pid)
{
        for (size_t i = 0; i < filter->n_pids; i++) {
                if (filter->pids[i] == pid)
                        return true;
        }
        return !filter->n_pids;
}

static bool module_passes(struct profile *profile, const struct world *world, module_id id)
{
        const char *wanted = profile->filter.modules;
        uint64_t *known;

        if (!wanted)
                return true;
        if (id == MODULE_NONE)
                return text_in_list(wanted, "unknown");
        known = map_put(&profile->module_passes, id, NULL);
        if (!*known) {
                const char *path = world_text(world, world_get_module(world, id)->path);

                *known = text_in_list(wanted, path) || text_in_list(wanted, text_base_name(path)) ? 1 : 2;
        }
        return *known == 1;
}

static bool time_passes(struct profile *profile, uint64_t time)
{
        const struct profile_filter *filter = &profile->filter;

        if (!profile->base_ns)
                profile->base_ns = time;
        if (filter->times_are_relative)
                time = time > profile->base_ns ? time - profile->base_ns : 0;
        return time >= filter->from_ns && (!filter->to_ns || time <= filter->to_ns);
}

void profile_note_time(struct profile_totals *totals, uint64_t time)
{
        if (!time)
                return;
        if (!totals->first_ns || time < totals->first_ns)
                totals->first_ns = time;
        if (time > totals->last_ns)
                totals->last_ns = time;
}

static bool name_passes(const struct profile_filter *filter, struct world *world, int32_t pid, int32_t tid)
{
        char number[16];

        if (!filter->comms && !filter->threads)
                return true;
        if (filter->comms && !text_in_list(filter->comms, world_thread_name(world, pid, tid)))
                return false;
        if (!filter->threads || text_in_list(filter->threads, world_thread_name(world, pid, tid)) ||
            text_in_list(filter->threads, world_given_name(world, pid, tid)))
                return true;
        if (text_in_list(filter->threads, PROFILE_PYTHON_MAIN) && world_is_python_main(world, pid, tid))
                return true;
        snprintf(number, sizeof(number), "%" PRId32, tid);
        return text_in_list(filter->threads, number);
}

static bool cpu_passes(const struct profile_filter *filter, uint32_t cpu)
{
        return !filter->n_cpus || bsearch(&cpu, filter->cpus, filter->n_cpus, sizeof(cpu), text_compare_u32);
}

bool profile_filter_accepts(const struct profile_filter *filter, struct world *world, int32_t pid,
                            int32_t tid)
{
        return pid_passes(filter, pid) && (!filter->has_tid || filter->tid == tid) &&
               name_passes(filter, world, pid, tid);
}

/* Checks all filters except the module's. */
static bool sample_passes(struct profile *profile, struct world *world, struct profile_totals *totals,
                          const struct sample *sample)
{
        const struct profile_filter *filter = &profile->filter;

        profile_note_time(totals, sample->time);
        return pid_passes(filter, sample->pid) && (!filter->has_tid || filter->tid == sample->tid) &&
               cpu_passes(filter, sample->cpu) && time_passes(profile, sample->time) &&
               name_passes(filter, world, sample->pid, sample->tid);
}

/* `base` is the address of the file offset 0 of the key's module. */
static struct profile_place *place_at(struct profile *profile, const struct profile_row_key *key,
                                      uint64_t base, bool is_paid)
{
        struct profile_place *place = find_or_add(profile, key, is_paid);

        if (!place->count && key->module != MODULE_NONE) {
                bool is_new;
                uint64_t *known = map_put(&profile->module_bases, key->module, &is_new);

                if (is_new)
                        *known = base;
        }
        return place;
}

static void add_key(struct profile *profile, const struct profile_row_key *key, uint64_t base, uint64_t count,
                    uint64_t weight, bool is_paid)
{
        struct profile_place *place = place_at(profile, key, base, is_paid);

        place->count += count;
        place->weight += weight;
}

void profile_add_key(struct profile *profile, const struct profile_row_key *key, uint64_t base,
                     uint64_t count, uint64_t weight)
{
        add_key(profile, key, base, count, weight, true);
}

/* --- Profiles by code place only --- */

struct by_code *profile_by_code(struct profile *profile, uint32_t event)
{
        if (event >= profile->n_by_code) {
                size_t n = (size_t)event + 1;

                profile->by_code = mem_resize(profile->by_code, n, sizeof(*profile->by_code));
                memset(profile->by_code + profile->n_by_code, 0,
                       (n - profile->n_by_code) * sizeof(*profile->by_code));
                profile->n_by_code = n;
        }
        return &profile->by_code[event];
}

void profile_fit_code(const struct profile *profile, struct by_code *by_code, uint32_t number)
{
        size_t n = profile->code.cap;

        if (number < by_code->n)
                return;
        assert(number < profile->code.n);
        by_code->counted = mem_resize(by_code->counted, n, sizeof(*by_code->counted));
        memset(by_code->counted + by_code->n, 0, (n - by_code->n) * sizeof(*by_code->counted));
        by_code->n = n;
}

static void find_oldest(struct profile *profile, struct world *world)
{
        struct profile_sample *w = &profile->waiting[profile->n_found++ % WAITING_SAMPLES];
        struct by_code *by_code;

        w->number = places_find(&profile->code, world, w->pid, &w->query);
        if (w->event >= MAX_BY_CODE)
                return;
        by_code = profile_by_code(profile, w->event);
        profile_fit_code(profile, by_code, w->number);
        __builtin_prefetch(&by_code->counted[w->number], 1);
}

static void count_oldest(struct profile *profile)
{
        const struct profile_sample *w = &profile->waiting[profile->n_counted++ % WAITING_SAMPLES];
        struct counted_address *counted;

        if (w->event >= MAX_BY_CODE) {
                const struct code_place *at = &profile->code.items[w->number];

                add_key(profile,
                        &(struct profile_row_key){
                                .event = w->event, .module = at->module, .offset = at->offset},
                        at->base, 1 + w->n_more, w->weight, false);
                return;
        }
        counted = &profile->by_code[w->event].counted[w->number];
        counted->count += 1 + w->n_more;
        counted->weight += w->weight;
}

void profile_add_address(struct profile *profile, struct world *world, const struct profile_address *a)
{
        struct profile_sample *w = &profile->waiting[profile->n_taken++ % WAITING_SAMPLES];

        if (!profile->has_code)
                places_init(&profile->code, false);
        profile->has_code = true;
        profile->code.share = &profile->share;
        w->query.addr = a->addr;
        w->pid = a->pid;
        w->query.misc = a->misc & PERF_MISC_CPUMODE_MASK;
        if (w->query.misc == PLACE_CUT) /* no CPU mode: handled like others whose maps are not known */
                w->query.misc = PERF_MISC_HYPERVISOR;
        w->query.key =
                places_key(&profile->code, world_version(world, a->pid, w->query.misc), w->query.misc, false);
        w->event = a->event;
        w->weight = a->weight;
        w->n_more = a->n_more;
        places_expect(&profile->code, &w->query);
        if (profile->n_taken - profile->n_found > LOOK_AFTER)
                find_oldest(profile, world);
        if (profile->n_taken - profile->n_counted > COUNT_AFTER)
                count_oldest(profile);
}

void profile_catch_up(struct profile *profile, struct world *world)
{
        while (profile->n_found < profile->n_taken)
                find_oldest(profile, world);
        while (profile->n_counted < profile->n_taken)
                count_oldest(profile);
        profile_count_cpus(profile);
}

void profile_finish(struct profile *profile)
{
        for (uint32_t i = 0; i < profile->code.n; i++) {
                for (uint32_t event = 0; event < profile->n_by_code; event++) {
                        const struct by_code *by_code = &profile->by_code[event];

                        if (i < by_code->n && (by_code->counted[i].count || by_code->counted[i].weight))
                                profile_add_code(profile, event, &profile->code.items[i],
                                                 by_code->counted[i].count, by_code->counted[i].weight);
                }
        }
        places_release(&profile->code);
        profile->code = (struct places){0};
}

/* --- Samples --- */

static void take_task(unsigned keys, struct world *world, const struct sample *sample,
                      struct profile_row_key *key)
{
        if (keys & (PROFILE_PROCESS | PROFILE_THREAD | PROFILE_PID))
                key->pid = sample->pid;
        if (keys & (PROFILE_THREAD | PROFILE_TID))
                key->tid = sample->tid;
        if (keys & PROFILE_COMM)
                key->comm = world_thread_name_id(world, sample->pid, sample->tid);
        if (keys & PROFILE_THREAD)
                key->thread = world_given_name_id(world, sample->pid, sample->tid);
        if (keys & PROFILE_PROCESS)
                key->process = world_thread_name_id(world, sample->pid, sample->pid);
        if (keys & PROFILE_CPU)
                key->cpu = sample->cpu;
}

/* 0: a sample of another event, or its raw data is damaged. */
static uint32_t source_of(struct profile *profile, uint32_t event, const struct sample *sample)
{
        struct spe_raw raw;

        if (profile->keys & PROFILE_STATE)
                return profile->state + 1;
        if (!(profile->keys & PROFILE_SOURCE) || event != profile->spe_event ||
            !spe_raw_read(sample->raw, &raw))
                return 0;
        return spe_raw_pack_source(&raw);
}

/* The index of a sample's place, which is added if it is new. */
static size_t find_place(struct profile *profile, struct world *world, uint32_t event, uint32_t source,
                         const struct sample *sample)
{
        struct place at = world_find(world, sample->pid, sample->misc, sample->ip);
        struct profile_row_key key = {
                .event = event, .source = source, .module = at.module, .offset = at.offset};

        take_task(profile->keys, world, sample, &key);
        return (size_t)(place_at(profile, &key, at.map_start - at.map_pgoff, false) - profile->places);
}

/* Counts in the totals.  False: the filter rejects the samples. */
static bool admit(struct profile *profile, struct world *world, uint32_t event, const struct sample *sample,
                  uint64_t n, uint64_t weight)
{
        struct profile_totals *totals = profile_totals_of(profile, event);

        if (!sample_passes(profile, world, totals, sample)) {
                totals->n_filtered += n;
                return false;
        }
        totals->n_samples += n;
        totals->weight += weight;
        return true;
}

/* Sessions of Arm SPE have many samples at few places, so the last ones found are cached. */
static bool add_by_source(struct profile *profile, struct world *world, uint32_t event, uint32_t source,
                          const struct sample *sample, uint64_t n, uint64_t weight)
{
        struct found_source wanted = {.addr = sample->ip,
                                      .version = world_version(world, sample->pid, sample->misc),
                                      .event = event,
                                      .source = source};
        struct found_source *found = profile_source_slot(profile, &wanted);

        if (!admit(profile, world, event, sample, n, weight))
                return false;
        if (found->addr != wanted.addr || found->version != wanted.version || found->event != event ||
            found->source != source) {
                *found = wanted;
                found->place = (uint32_t)find_place(profile, world, event, source, sample);
        }
        profile_count_place(profile, found->place, n, weight);
        profile_count_cpu(profile, sample->cpu, n);
        return true;
}

static bool add_by_all_keys(struct profile *profile, struct world *world, uint32_t event,
                            const struct sample *sample, uint64_t n, uint64_t weight)
{
        uint32_t source = source_of(profile, event, sample);
        struct profile_totals *totals;
        struct profile_row_key key = {.event = event, .source = source};
        struct place at;

        if (source && (profile->keys & TASK_KEYS) == PROFILE_SOURCE && !profile->filter.modules)
                return add_by_source(profile, world, event, source, sample, n, weight);
        at = world_find(world, sample->pid, sample->misc, sample->ip);
        key.module = at.module;
        key.offset = at.offset;
        totals = profile_totals_of(profile, event);
        if (!sample_passes(profile, world, totals, sample) || !module_passes(profile, world, at.module)) {
                totals->n_filtered += n;
                return false;
        }
        totals->n_samples += n;
        totals->weight += weight;
        take_task(profile->keys, world, sample, &key);
        if (source && !(profile->keys & PROFILE_STATE))
                profile_count_cpu(profile, sample->cpu, n);
        add_key(profile, &key, at.map_start - at.map_pgoff, n, weight, false);
        return true;
}

size_t profile_place_of(struct profile *profile, struct world *world, uint32_t event,
                        const struct sample *sample)
{
        return find_place(profile, world, event, 0, sample);
}

void profile_count_place(struct profile *profile, size_t index, uint64_t count, uint64_t weight)
{
        profile->places[index].count += count;
        profile->places[index].weight += weight;
}

bool profile_accepts(struct profile *profile, struct world *world, const struct sample *sample)
{
        struct profile_totals unused = {0};

        return sample_passes(profile, world, &unused, sample) &&
               (!profile->filter.modules ||
                module_passes(profile, world,
                              world_find(world, sample->pid, sample->misc, sample->ip).module));
}

void profile_set_state(struct profile *profile, uint32_t state)
{
        profile->state = state;
}

void profile_leave_out(struct profile *profile, uint32_t event)
{
        profile_totals_of(profile, event)->n_filtered++;
}

bool profile_add(struct profile *profile, struct world *world, uint32_t event, const struct sample *sample,
                 uint64_t weight)
{
        return profile_add_many(profile, world, event, sample, 1, weight);
}

bool profile_add_many(struct profile *profile, struct world *world, uint32_t event,
                      const struct sample *sample, uint64_t n, uint64_t weight)
{
        if (!profile_by_place(profile))
                return add_by_all_keys(profile, world, event, sample, n, weight);
        if (!admit(profile, world, event, sample, n, weight))
                return false;
        profile_add_address(profile, world,
                            &(struct profile_address){event, sample->pid, sample->misc, sample->ip, weight,
                                                      .n_more = n - 1});
        return true;
}

bool profile_counts_alike(const struct profile *profile)
{
        const struct profile_filter *filter = &profile->filter;

        return !(profile->keys & TASK_KEYS & ~(unsigned)PROFILE_SOURCE) && !filter->has_tid &&
               !filter->n_cpus && !filter->comms && !filter->threads && !filter->from_ns && !filter->to_ns &&
               !filter->times_are_relative;
}

bool profile_by_place(const struct profile *profile)
{
        return !(profile->keys & TASK_KEYS) && !profile->filter.modules;
}

bool profile_admit(struct profile *profile, struct world *world, uint32_t event, const struct sample *sample,
                   uint64_t weight)
{
        return admit(profile, world, event, sample, 1, weight);
}

void profile_add_code(struct profile *profile, uint32_t event, const struct code_place *place, uint64_t count,
                      uint64_t weight)
{
        profile_add_key(
                profile,
                &(struct profile_row_key){.event = event, .module = place->module, .offset = place->offset},
                place->base, count, weight);
}

uint64_t profile_module_base(const struct profile *profile, module_id module)
{
        const uint64_t *base = map_find(&profile->module_bases, module);

        return base ? *base : 0;
}

unsigned profile_keys(const struct profile *profile)
{
        return profile->keys;
}

size_t profile_n_places(const struct profile *profile)
{
        return profile->n_places;
}

const struct profile_place *profile_get_place(const struct profile *profile, size_t index)
{
        assert(index < profile->n_places);
        return &profile->places[index];
}

struct profile_totals profile_get_totals(const struct profile *profile, uint32_t event)
{
        struct profile_totals sum = {0};

        if (event != UINT32_MAX)
                return event < profile->n_totals ? profile->totals[event] : sum;
        for (size_t i = 0; i < profile->n_totals; i++) {
                const struct profile_totals *t = &profile->totals[i];

                sum.n_samples += t->n_samples;
                sum.weight += t->weight;
                sum.n_filtered += t->n_filtered;
                profile_note_time(&sum, t->first_ns);
                profile_note_time(&sum, t->last_ns);
        }
        return sum;
}

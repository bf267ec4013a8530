/* SPDX-License-Identifier: BSD-3-Clause */
#include "budget.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"
#include "text.h"
#include "text_printable.h"

enum { SHARE_BYTES = 64 * 1024 };

/* A module's first two add up.  Measured on a slow virtual machine of 2026: lookups of one address take 5
 * s, rules of one function 4 s, events of unknown kinds 1.7 s, and buffers that only unpack 0.2 s.  Events
 * that become records reach the limit of memory after 1.3 s at most. */
static const uint64_t steps_of_mb[BUDGET_N_WORKS] = {
        [BUDGET_WORK_DEBUG] = 512 << 20,
        [BUDGET_WORK_UNWIND] = 512 << 20,
        [BUDGET_WORK_TRACE] = 64 << 20,
};

void budget_init(struct budget *budget, uint64_t limit_bytes)
{
        *budget = (struct budget){.limit_bytes = limit_bytes, .lock = ATOMIC_FLAG_INIT};
}

void budget_init_file(struct budget *budget, struct budget *command, const char *name)
{
        budget_init(budget, budget_limit(command));
        budget->parent = command;
        budget->name = name;
        if (command)
                budget->max_steps = steps_of_mb[BUDGET_WORK_DEBUG];
        budget->is_unasked = command;
}

void budget_release(struct budget *budget)
{
        if (budget->parent)
                budget_give(budget->parent, budget->used_bytes);
        for (size_t i = 0; i < budget->n_files; i++)
                free(budget->files[i].name);
        *budget = (struct budget){0};
}

uint64_t budget_limit(const struct budget *budget)
{
        return budget && budget->limit_bytes ? budget->limit_bytes : BUDGET_DEFAULT_BYTES;
}

static uint64_t limit_of_use(const struct budget *budget, enum budget_use use)
{
        uint64_t limit = budget->limit_bytes;

        if (!limit)
                return UINT64_MAX;
        switch (use) {
        case BUDGET_LONG_NAMES:
        case BUDGET_STACKS: return limit / 2;
        case BUDGET_ADDRESSES:
        case BUDGET_SAMPLES: return limit / 8 * 5;
        case BUDGET_LINES: return limit / 4 * 3;
        default: return limit;
        }
}

static bool fits(uint64_t limit, uint64_t used, uint64_t bytes)
{
        return bytes <= limit && used <= limit - bytes;
}

static bool take(struct budget *budget, enum budget_use use, uint64_t bytes)
{
        uint64_t limit = limit_of_use(budget, use), used = budget->used_bytes;

        do {
                if (!fits(limit, used, bytes))
                        return false;
        } while (!atomic_compare_exchange_weak(&budget->used_bytes, &used, used + bytes));
        return true;
}

bool budget_take(struct budget *budget, enum budget_use use, uint64_t bytes)
{
        assert(use < BUDGET_N_USES);
        for (struct budget *b = budget; b; b = b->parent) {
                if (take(b, use, bytes))
                        continue;
                for (struct budget *taken = budget; taken != b; taken = taken->parent)
                        taken->used_bytes -= bytes;
                budget_leave_out(budget, use);
                return false;
        }
        return true;
}

void budget_give(struct budget *budget, uint64_t bytes)
{
        for (; budget; budget = budget->parent)
                budget->used_bytes -= bytes;
}

bool budget_has_room(const struct budget *budget, enum budget_use use, uint64_t bytes)
{
        assert(use < BUDGET_N_USES);
        for (; budget; budget = budget->parent) {
                if (!fits(limit_of_use(budget, use), budget->used_bytes, bytes))
                        return false;
        }
        return true;
}

/* --- Work --- */

static void record(struct budget *budget, enum budget_use use, bool is_work);

void budget_allow_work(struct budget *budget, enum budget_work work, uint64_t bytes)
{
        uint64_t mb = 1 << 20;

        assert(work < BUDGET_N_WORKS);
        if (!budget)
                return;
        if (budget->is_unasked)
                budget->max_steps = 0;
        budget->is_unasked = false;
        budget->max_steps += steps_of_mb[work] / mb * (bytes > mb || budget->max_steps ? bytes : mb);
}

uint64_t budget_steps_left(const struct budget *budget)
{
        if (!budget || !budget->max_steps)
                return UINT64_MAX;
        return budget->n_steps < budget->max_steps ? budget->max_steps - budget->n_steps : 0;
}

bool budget_work(struct budget *budget, enum budget_use use, uint64_t steps)
{
        if (!budget || !budget->max_steps)
                return true;
        if (atomic_fetch_add(&budget->n_steps, steps) + steps <= budget->max_steps)
                return true;
        record(budget, use, true);
        return false;
}

/* A lookup that had to end needed more than it was granted. */
void budget_meter_end(struct budget_meter *meter)
{
        uint64_t read = meter->granted - meter->left;

        assert(meter->left <= meter->granted);
        budget_work(meter->budget, BUDGET_LINES, read / BUDGET_STEP_BYTES + (read && !meter->left));
        meter->granted = meter->left;
}

void budget_meter_extend(struct budget_meter *meter, uint64_t bytes)
{
        uint64_t most = budget_steps_left(meter->budget);

        if (most < UINT64_MAX / BUDGET_STEP_BYTES && bytes > most * BUDGET_STEP_BYTES)
                bytes = most * BUDGET_STEP_BYTES;
        meter->left += bytes;
        meter->granted += bytes;
}

void budget_meter_begin(struct budget_meter *meter, uint64_t bytes)
{
        budget_meter_end(meter);
        meter->left = meter->granted = 0;
        budget_meter_extend(meter, bytes);
}

bool budget_has_given_up(const struct budget *budget)
{
        return budget && budget->given_up;
}

/* --- Shares --- */

bool budget_share_refill(struct budget_share *share, enum budget_use use, uint64_t bytes)
{
        uint64_t wanted = bytes > SHARE_BYTES ? bytes : SHARE_BYTES;

        assert(share->budget && use < BUDGET_N_USES);
        if (!budget_take(share->budget, use, wanted))
                return false;
        share->taken_bytes += wanted;
        share->left_bytes[use] += wanted;
        return true;
}

void budget_share_keep(struct budget_share *share, uint64_t bytes)
{
        if (share->taken_bytes <= bytes)
                return;
        budget_give(share->budget, share->taken_bytes - bytes);
        share->taken_bytes = bytes;
        memset(share->left_bytes, 0, sizeof(share->left_bytes));
}

/* --- Recording what was left out --- */

/* Counts a new file after it is complete, because another thread may read the files.  NULL: there are too
 * many. */
static struct budget_short *note_file(struct budget *command, const char *name)
{
        size_t n = command->n_files;

        for (size_t i = 0; i < n; i++) {
                if (!strcmp(command->files[i].name, name))
                        return &command->files[i];
        }
        if (n == BUDGET_MAX_FILES)
                return NULL;
        command->files[n].name = mem_strdup(name);
        command->files[n].uses = command->files[n].given_up = 0;
        command->n_files = n + 1;
        return &command->files[n];
}

static void record(struct budget *budget, enum budget_use use, bool is_work)
{
        unsigned bit = 1u << use, before;
        struct budget *command = budget;
        struct budget_short *file;

        before = atomic_fetch_or(is_work ? &budget->given_up : &budget->left_out, bit);
        if (before & bit)
                return;
        while (command->parent)
                command = command->parent;
        atomic_fetch_or(is_work ? &command->given_up : &command->left_out, bit);
        while (atomic_flag_test_and_set(&command->lock))
                ;
        file = note_file(command, budget->name ? budget->name : "");
        if (file)
                atomic_fetch_or(is_work ? &file->given_up : &file->uses, bit);
        else if (!before)
                (*(is_work ? &command->n_more_given_up : &command->n_more_short))++;
        atomic_flag_clear(&command->lock);
}

void budget_leave_out(struct budget *budget, enum budget_use use)
{
        assert(use < BUDGET_N_USES);
        if (budget)
                record(budget, use, false);
}

bool budget_has_left_out(const struct budget *budget, enum budget_use use)
{
        assert(use < BUDGET_N_USES);
        return budget && budget->left_out & 1u << use;
}

bool budget_is_short(const struct budget *budget)
{
        return budget && budget->left_out;
}

const char *budget_use_text(enum budget_use use)
{
        switch (use) {
        case BUDGET_LONG_NAMES: return "names longer than 64 KiB";
        case BUDGET_STACKS: return "call stacks";
        case BUDGET_ADDRESSES: return "sampled addresses";
        case BUDGET_SAMPLES: return "single samples";
        case BUDGET_LINES: return "inlined frames and lines";
        case BUDGET_NAMES: return "names";
        default: return "records";
        }
}

static void add_files(const struct budget *budget, bool is_work, struct buf *out)
{
        const char *between = "";
        size_t n_files = budget ? budget->n_files : 0, n_more = 0;

        for (size_t i = 0; i < n_files; i++) {
                const struct budget_short *file = &budget->files[i];
                unsigned uses = is_work ? file->given_up : file->uses;

                for (unsigned use = 0; use < BUDGET_N_USES; use++) {
                        if (!(uses & 1u << use))
                                continue;
                        buf_printf(out, "%s%s", between, budget_use_text(use));
                        between = " and ";
                }
                if (!uses)
                        continue;
                buf_add_str(out, " of ");
                text_add_printable(out, text_base_name(file->name));
                between = ", ";
        }
        if (budget)
                n_more = is_work ? budget->n_more_given_up : budget->n_more_short;
        if (n_more)
                buf_printf(out, "%ssome of %zu more files", *between ? ", and " : "", n_more);
}

void budget_add_text(const struct budget *budget, struct buf *out)
{
        add_files(budget, false, out);
}

void budget_add_given_up(const struct budget *budget, struct buf *out)
{
        add_files(budget, true, out);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_workers.h"

#include <stdlib.h>

#include "jit_codes.h"
#include "mem.h"
#include "os.h"
#include "place_functions.h"
#include "report_wall.h"
#include "spe_samples.h"

enum {
        BATCH_ALONE = 4 * BATCH_CHUNK, /* in records: small enough that what was read is still in the cache */
        BATCH_OF_WORKER = 16 * BATCH_CHUNK, /* larger, so that threads seldom wait */
        COPIES_OF_LIMIT = 8, /* decompressed records of each batch may use this part of the limit of memory */
        MAX_WORKERS = 8,
        WORTH_A_THREAD = 16 << 20, /* bytes of records for each thread */
        WORTH_SHARING = 1 << 11,   /* minimum number of nodes, and */
        WORTH_NODES_A_PLACE = 4,   /* minimum number of nodes for each of their addresses */
        WORKER_BYTES = 16 << 20,   /* bytes of the memory limit for each thread's tables */
};

/* The sizes of a worker's tables at the end of a chunk. */
struct chunk_mark {
        unsigned worker;
        struct stacks_mark stacks;
        struct profile_mark profile;
};

struct worker_team {
        struct report_pass *pass;
        struct report_worker *workers;
        unsigned n_workers;
        unsigned n_running;    /* the others have ended, to save memory */
        uint64_t world_bytes;  /* memory that the session's budget gave for all worlds */
        uint64_t lookup_bytes; /* and for lookups in their modules */
        struct perfdata_batch batches[2];
        unsigned at;          /* the batch that workers take; the other one is being filled */
        size_t batch_records; /* size of the last batch; the first ones are small, so that functions are
                                 shared early */
        int got;              /* result of perfdata_next_batch for the other batch */
        size_t next_chunk;
        struct batch_totals totals;
        struct chunk_mark *marks; /* for all chunks so far */
        size_t cap_marks;
        struct os_lock *files_lock;
        struct place_modules modules;      /* for `functions`: */
        struct place_functions *functions; /* NULL: callers have their own addresses */
        size_t share_at;                   /* share functions when a worker has that many nodes */
        struct err *err;
};

/* --- How many --- */

static bool needs_order(const struct report_pass *pass)
{
        const struct report_request *request = &pass->request;

        for (size_t i = 0; i < perfdata_n_events(pass->session->reader); i++) {
                const struct perf_attr *attr = &perfdata_get_event(pass->session->reader, i)->attr;

                if (stack_unwind_can(attr) || group_reads_has(attr) ||
                    (request->results & REPORT_ACCESSES && accesses_can(attr)) ||
                    (request->results & REPORT_BRANCHES && branches_are_edges(attr)))
                        return true;
        }
        return request->results & (REPORT_SAMPLES | REPORT_PACKED | REPORT_SYSCALLS) ||
               request->filter.times_are_relative;
}

static unsigned count_workers(const struct report_pass *pass)
{
        const struct perfdata_layout *layout = perfdata_get_layout(pass->session->reader);
        uint64_t worth = layout->data_bytes / WORTH_A_THREAD;
        uint64_t most = budget_limit(&pass->session->budget) / WORKER_BYTES;
        unsigned n = pass->request.n_workers;

        /* Events of a pipe come as records, so they are not known yet. */
        if (layout->pipe || needs_order(pass))
                return 1;
        if (!n)
                n = os_usable_cpus() < worth ? os_usable_cpus() : (unsigned)worth;
        most = most < MAX_WORKERS ? most : MAX_WORKERS;
        return n < 1 || !most ? 1 : n > most ? (unsigned)most : n;
}

/* --- Begin and end --- */

/* Opens files, which only one thread may do at a time. */
static uint64_t image_size(void *ctx, const char *path, const uint8_t *build_id, size_t build_id_size)
{
        struct worker_team *team = ctx;
        uint64_t size;

        os_lock_enter(team->files_lock);
        size = pe_images_size(team->pass->session->images, path, build_id, build_id_size);
        os_lock_leave(team->files_lock);
        return size;
}

static const void *open_code(void *ctx, const struct module *module, const char *path)
{
        struct worker_team *team = ctx;
        const void *code;

        os_lock_enter(team->files_lock);
        code = module_source_open_code(team->pass->session->modules, module, path);
        os_lock_leave(team->files_lock);
        return code;
}

static void begin_worker(struct worker_team *team, unsigned i)
{
        struct report_pass *pass = team->pass;
        struct report_worker *w = &team->workers[i];

        *w = (struct report_worker){
                .pass = pass, .parsed_event = UINT32_MAX, .share.budget = &pass->session->budget};
        if (!i) {
                w->world = pass->session->world;
                w->profile = pass->report->profile;
                w->stacks = pass->report->stacks;
        } else {
                w->world = world_new();
                world_add_build_ids(w->world, pass->session->reader);
                report_session_name_unmapped(pass->session, w->world);
                w->profile = profile_new(profile_keys(pass->report->profile), &pass->request.filter);
                profile_set_budget(w->profile, &pass->session->budget);
                if (pass->report->spe)
                        profile_set_spe(w->profile, spe_samples_event(pass->report->spe));
                w->stacks = pass->report->stacks ? stacks_new(pass->request.merges_strays) : NULL;
                if (w->stacks)
                        stacks_set_budget(w->stacks, &pass->session->budget);
        }
        world_limit_lookups(w->world, budget_limit(&pass->session->budget) / 2);
        world_set_images(w->world, image_size, team);
        world_set_code(w->world, &(struct world_code_source){open_code, jit_code_find, jit_code_span, team});
}

static void end_worker(struct worker_team *team, unsigned i)
{
        struct report_pass *pass = team->pass;
        struct report_worker *w = &team->workers[i];

        pass->report->quality.n_malformed += w->n_malformed;
        pass->report->quality.n_cut_stacks += w->n_cut_stacks;
        report_judge_chains(pass, w);
        for (size_t k = 0; k < w->n_pids; k++) {
                bool is_new;

                map_put(&pass->seen_pids, (uint32_t)w->pids[k], &is_new);
                if (is_new)
                        ARRAY_PUSH(pass->pids, pass->n_pids, pass->cap_pids, w->pids[k]);
        }
        pass->misses_pids |= w->misses_pids;
        group_reads_release(&w->groups);
        map_release(&w->seen_pids);
        free(w->pids);
        budget_share_keep(&w->share, 0);
        if (i) {
                world_free(w->world);
                profile_free(w->profile);
                stacks_free(w->stacks);
        }
}

/* --- Batches --- */

static void fill(struct worker_team *team)
{
        struct perfdata_batch *batch = &team->batches[!team->at];
        size_t most = team->n_running > 1 ? (size_t)BATCH_OF_WORKER * team->n_running : BATCH_ALONE;
        size_t max = team->batch_records ? team->batch_records * 2 : (size_t)BATCH_CHUNK * team->n_workers;

        team->batch_records = max = max < most ? max : most;
        team->got = perfdata_next_batch(team->pass->session->reader, batch, max, &team->totals, team->err);
        if (team->got > 0)
                report_count_others(team->pass, batch);
}

static void take_chunks(struct worker_team *team, unsigned i)
{
        const struct perfdata_batch *batch = &team->batches[team->at];
        struct report_worker *w = &team->workers[i];
        size_t chunk;

        while ((chunk = __atomic_fetch_add(&team->next_chunk, 1, __ATOMIC_RELAXED)) < batch->n_chunks) {
                report_worker_take(w, batch, chunk);
                if (team->n_workers == 1)
                        continue;
                team->marks[batch->first_chunk + chunk] = (struct chunk_mark){
                        .worker = i,
                        .stacks = w->stacks ? stacks_get_mark(w->stacks) : (struct stacks_mark){0},
                        .profile = profile_get_mark(w->profile),
                };
        }
        report_worker_end_batch(w, batch);
}

/* The caller's thread first fills the next batch. */
static void work(void *ctx, unsigned i)
{
        struct worker_team *team = ctx;

        if (!i && team->n_running > 1)
                fill(team);
        take_chunks(team, i);
}

static void fit_marks(struct worker_team *team)
{
        size_t n = (size_t)team->totals.n_chunks;

        if (team->n_workers == 1 || n <= team->cap_marks)
                return;
        team->cap_marks = n * 2;
        team->marks = mem_resize(team->marks, team->cap_marks, sizeof(*team->marks));
}

/* --- Functions --- */

static resolver_id peek(void *ctx, module_id module)
{
        return module_source_peek(ctx, module);
}

/* The kinds of modules must be known before the session ends, and names must not use memory that stacks
 * will need. */
static bool can_share(const struct report_pass *pass)
{
        return pass->report->stacks && pass->request.merges_callers && !report_wants(pass, REPORT_SAMPLES) &&
               !perfdata_get_layout(pass->session->reader)->pipe &&
               !recorded_symbols_n_files(module_source_recorded(pass->session->modules)) &&
               budget_limit(pass->session->sources.budget) >= session_input_max_memory();
}

/* Looking up names takes time, too.  It is worth it if the same addresses are in many paths: not before
 * there are some nodes, and then each time their number has doubled. */
static void share_functions(struct worker_team *team)
{
        struct report_pass *pass = team->pass;
        const struct place_functions_request request = {
                .resolver = module_source_resolver(pass->session->modules),
                .modules = &team->modules,
                .inlines = !pass->request.no_tree_inlines,
                .python_lines = pass->request.python_lines,
        };
        size_t most = 0;

        for (unsigned i = 0; i < team->n_running; i++) {
                const struct stacks *stacks = team->workers[i].stacks;
                size_t n = stacks_n_nodes(stacks);

                if (n > most && n / WORTH_NODES_A_PLACE >= stacks_n_places(stacks))
                        most = n;
        }
        if (most < team->share_at)
                return;
        team->share_at = 2 * most;
        if (!team->functions)
                team->functions = place_functions_new(&request);
        for (unsigned i = 0; i < team->n_running; i++)
                place_functions_share(team->functions, team->workers[i].stacks, i);
}

/* --- Worlds --- */

static void finish_stacks(void *ctx, unsigned i)
{
        struct report_worker *w = &((struct worker_team *)ctx)->workers[i];

        stacks_finish(w->stacks, w->world);
}

/* The estimated size of each world after the next batch. */
static uint64_t expect_world(const struct worker_team *team)
{
        const struct perfdata_batch *batch = &team->batches[team->at];
        uint64_t bytes = world_bytes(team->workers[0].world);

        for (size_t i = 0; i < batch->n_others; i++)
                bytes += batch->items[batch->others[i]].size_bytes;
        return bytes;
}

/* All worlds but one may use a sixteenth of the limit, because complete stacks are more important than
 * speed. */
static bool take_worlds(struct worker_team *team, uint64_t bytes)
{
        struct budget *budget = &team->pass->session->budget;
        uint64_t all = bytes * team->n_running, more = all > team->world_bytes ? all - team->world_bytes : 0;
        uint64_t lookups = world_lookup_bytes(team->workers[0].world) - team->lookup_bytes;

        if (all - bytes > budget_limit(budget) / 16 ||
            !budget_has_room(budget, BUDGET_RECORDS, more + lookups))
                return false;
        team->world_bytes += more;
        team->lookup_bytes += lookups;
        return budget_take(budget, BUDGET_RECORDS, more + lookups);
}

static void end_thread(struct worker_team *team, unsigned i)
{
        struct report_worker *w = &team->workers[i];

        if (w->stacks)
                finish_stacks(team, i);
        world_free(w->world);
        w->world = NULL;
}

/* Ends threads until there is memory for the worlds of the others.  All worlds must be equal, so records
 * may be left out only if one thread is left. */
static void fit_worlds(struct worker_team *team)
{
        struct report_pass *pass = team->pass;
        uint64_t bytes;

        if (team->n_running == 1)
                return;
        bytes = expect_world(team);
        while (team->n_running > 1 && !take_worlds(team, bytes))
                end_thread(team, --team->n_running);
        if (team->n_running > 1)
                return;
        budget_give(&pass->session->budget, team->world_bytes + team->lookup_bytes);
        team->world_bytes = team->lookup_bytes = 0;
        world_set_budget(pass->session->world, &pass->session->budget);
}

static void tell_progress(const struct worker_team *team, uint64_t file_off)
{
        struct report_progress *progress = team->pass->request.progress;
        const struct perfdata_layout *layout = perfdata_get_layout(team->pass->session->reader);

        if (!progress)
                return;
        __atomic_store_n(&progress->all_bytes, layout->data_bytes, __ATOMIC_RELAXED);
        __atomic_store_n(&progress->done_bytes, file_off > layout->data_off ? file_off - layout->data_off : 0,
                         __ATOMIC_RELAXED);
}

static void read_all(struct worker_team *team)
{
        uint64_t done = 0;

        fill(team);
        while (team->got > 0) {
                perfdata_forget_before(team->pass->session->reader, done);
                done = team->batches[team->at].file_off;
                tell_progress(team, done);
                team->at = !team->at;
                team->next_chunk = 0;
                fit_marks(team);
                fit_worlds(team);
                os_parallel(team->n_running, work, team);
                if (team->n_running == 1)
                        fill(team);
                if (team->got > 0 && team->share_at)
                        share_functions(team);
        }
}

/* --- All --- */

static void merge_stacks(struct worker_team *team)
{
        struct stacks *parts[MAX_WORKERS], *whole;
        struct stacks_merge *merge;

        for (unsigned i = 0; i < team->n_workers; i++)
                parts[i] = team->workers[i].stacks;
        merge = stacks_merge_begin(parts, team->n_workers);
        for (size_t i = 0; i < team->totals.n_chunks; i++)
                stacks_merge_take(merge, team->marks[i].worker, &team->marks[i].stacks);
        whole = stacks_merge_end(merge);
        stacks_free(team->pass->report->stacks);
        team->pass->report->stacks = whole;
        team->workers[0].stacks = NULL;
}

static void merge_profiles(struct worker_team *team)
{
        struct report_pass *pass = team->pass;
        struct profile *whole = profile_new(profile_keys(pass->report->profile), &pass->request.filter);
        struct profile_mark done[MAX_WORKERS] = {0};

        for (size_t i = 0; i < team->totals.n_chunks; i++) {
                const struct chunk_mark *mark = &team->marks[i];

                profile_merge_take(whole, team->workers[mark->worker].profile, &done[mark->worker],
                                   &mark->profile);
        }
        for (unsigned i = 0; i < team->n_workers; i++)
                profile_merge_totals(whole, team->workers[i].profile);
        profile_free(pass->report->profile);
        pass->report->profile = whole;
}

bool report_run_workers(struct report_pass *pass, struct err *err)
{
        AUTO(os_lock) files_lock = os_lock_new();
        struct worker_team team = {
                .pass = pass, .n_workers = count_workers(pass), .files_lock = files_lock, .err = err};

        team.modules = (struct place_modules){peek, NULL, module_source_tell, pass->session->modules};
        team.share_at = can_share(pass) ? WORTH_SHARING : 0;
        team.n_running = team.n_workers;
        for (unsigned i = 0; i < N_ELEMENTS(team.batches); i++)
                team.batches[i].max_copied_bytes = budget_limit(&pass->session->budget) / COPIES_OF_LIMIT;
        if (team.n_workers == 1)
                world_set_budget(pass->session->world, &pass->session->budget);
        team.workers = mem_new(team.n_workers, sizeof(*team.workers));
        for (unsigned i = 0; i < team.n_workers; i++)
                begin_worker(&team, i);
        read_all(&team);
        if (world_has_left_out(pass->session->world))
                budget_leave_out(&pass->session->budget, BUDGET_RECORDS);
        pass->n_in_session = team.totals.n_samples;
        if (pass->request.progress)
                __atomic_store_n(&pass->request.progress->done_bytes, pass->request.progress->all_bytes,
                                 __ATOMIC_RELAXED);
        report_wall_end(&team.workers[0]);
        if (pass->report->stacks)
                os_parallel(team.n_running, finish_stacks, &team);
        /* After an error the chunks of the last batch were not taken. */
        if (team.n_workers > 1 && team.got >= 0) {
                if (pass->report->stacks)
                        merge_stacks(&team);
                merge_profiles(&team);
        }
        for (unsigned i = 0; i < team.n_workers; i++)
                end_worker(&team, i);
        if (team.n_running > 1)
                budget_give(&pass->session->budget, team.world_bytes / team.n_running * (team.n_running - 1));
        world_set_images(pass->session->world, pe_images_size, pass->session->images);
        world_set_code(pass->session->world, &(struct world_code_source){0});
        perfdata_batch_release(&team.batches[0]);
        perfdata_batch_release(&team.batches[1]);
        free(team.workers);
        free(team.marks);
        place_functions_free(team.functions);
        return team.got >= 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which stacks are cut, and why.  For unwound stacks the unwinder knows this.  A chain of the
 * kernel is whole if it ends where processes and threads begin. */
#include <stdlib.h>
#include <string.h>

#include "call_graph.h"
#include "mem.h"
#include "report_wall.h"
#include "report_workers.h"

enum { USUAL_KERNEL_FRAMES = 127 }; /* kernel.perf_event_max_stack */

static const enum quality_cut cut_of_end[UNWIND_N_ENDS] = {
        [UNWIND_END_OUTERMOST] = QUALITY_N_CUTS,
        [UNWIND_END_ZERO] = QUALITY_N_CUTS,
        [UNWIND_END_CUT] = QUALITY_CUT_COPY,
        [UNWIND_END_LIMIT] = QUALITY_CUT_DEPTH,
        [UNWIND_END_ENDLESS] = QUALITY_CUT_ENDLESS,
        [UNWIND_END_NO_MODULE] = QUALITY_CUT_NO_MODULE,
        [UNWIND_END_NO_RULE] = QUALITY_CUT_CODE,
        [UNWIND_END_DAMAGED] = QUALITY_CUT_DAMAGED,
        [UNWIND_END_FAR] = QUALITY_CUT_FAR,
        [UNWIND_END_NO_FILE] = QUALITY_CUT_FILE,
        [UNWIND_END_32BIT] = QUALITY_CUT_32BIT,
        [UNWIND_END_MALFORMED_CFI] = QUALITY_CUT_MALFORMED_CFI,
        [UNWIND_END_MALFORMED_PE] = QUALITY_CUT_MALFORMED_PE,
        [UNWIND_END_UNSUPPORTED_PE] = QUALITY_CUT_UNSUPPORTED_PE,
        [UNWIND_END_NO_REGISTER] = QUALITY_CUT_NO_REGISTER,
        [UNWIND_END_UNREADABLE] = QUALITY_CUT_UNREADABLE,
        [UNWIND_END_NO_CODE] = QUALITY_CUT_NO_CODE,
        [UNWIND_END_NO_START] = QUALITY_CUT_NO_START,
        [UNWIND_END_OTHER_MACHINE] = QUALITY_CUT_OTHER_MACHINE,
        [UNWIND_END_LARGE] = QUALITY_CUT_LARGE,
        [UNWIND_END_CROWDED] = QUALITY_CUT_CROWDED,
        [UNWIND_END_EXEC] = QUALITY_CUT_EXEC,
};

/* Returns QUALITY_N_CUTS if the stack is whole. */
static enum quality_cut cut_of(uint32_t end)
{
        return end < UNWIND_N_ENDS ? cut_of_end[end] : QUALITY_CUT_UNKNOWN;
}

static bool has_kernel_chains(const struct report_pass *pass, const struct perf_attr *attr)
{
        return attr->sample_type & PERF_SAMPLE_CALLCHAIN &&
               !(attr->flags & PERF_ATTR_EXCLUDE_CALLCHAIN_USER) && !stack_unwind_can(attr) &&
               !pass->marks.n_samples;
}

/* The largest number of frames that any event asked for. */
static unsigned most_kernel_frames(const struct report_pass *pass)
{
        unsigned most = 0;

        for (size_t i = 0; i < perfdata_n_events(pass->session->reader); i++) {
                const struct perf_attr *attr = &perfdata_get_event(pass->session->reader, i)->attr;

                if (attr->sample_max_stack > most)
                        most = attr->sample_max_stack;
        }
        return most ? most : USUAL_KERNEL_FRAMES;
}

void report_begin_cut(struct report_pass *pass)
{
        pass->kernel_frames = most_kernel_frames(pass);
}

/* --- Chains, if stacks are not requested --- */

static uint64_t word_at(const struct sample *sample, uint64_t index)
{
        struct cursor chain = sample->chain;

        return cursor_seek(&chain, index * sizeof(uint64_t)) ? cursor_u64(&chain) : PERF_CONTEXT_MAX;
}

/* Whether the last frames in the chain of a sample in the kernel are user code.  Its first user address is
 * where the process called the kernel; the others are return addresses. */
static bool ends_in_user(const struct sample *sample, bool *ret_is_return)
{
        for (uint64_t i = sample->n_chain; i-- > 0;) {
                uint64_t word = word_at(sample, i);

                if (word >= PERF_CONTEXT_MAX) {
                        *ret_is_return = i + 2 < sample->n_chain;
                        return word == PERF_CONTEXT_USER;
                }
        }
        return false;
}

/* The outermost frame of a chain; false if it is not user code.  A sample in user code has no other frames,
 * so only the last word is checked. */
static bool find_outermost(const struct sample *sample, struct stack_frame *ret)
{
        bool in_user = (sample->misc & PERF_MISC_CPUMODE_MASK) == PERF_MISC_USER, is_return = true;
        uint64_t last = sample->n_chain ? word_at(sample, sample->n_chain - 1) : PERF_CONTEXT_MAX;

        if (!in_user && (last >= PERF_CONTEXT_MAX || !ends_in_user(sample, &is_return)))
                return false;
        *ret = (struct stack_frame){last, PERF_MISC_USER, is_return};
        /* A mark and the sampled address, which the hardware may report more exactly. */
        if (in_user && sample->n_chain <= 2)
                *ret = (struct stack_frame){sample->ip, PERF_MISC_USER, false};
        return true;
}

static struct profile *begin_ends(struct report_worker *w)
{
        struct profile *ends = profile_new(PROFILE_EVENT, NULL);

        profile_set_budget(ends, &w->pass->session->budget);
        return ends;
}

static void add_last_end(struct report_worker *w)
{
        if (!w->last_end.weight)
                return;
        if (!w->ends)
                w->ends = begin_ends(w);
        profile_add_address(w->ends, w->world, &w->last_end);
        w->last_end.weight = 0;
}

/* `kind` is a set of CHAIN_END_*. */
static void see_end(struct report_worker *w, const struct sample *sample, const struct stack_frame *outermost,
                    uint32_t kind)
{
        struct profile_address end = {.pid = sample->pid, .misc = PERF_MISC_USER, .event = kind};

        end.addr = outermost->addr - outermost->is_return;
        if (w->last_end.weight && end.addr == w->last_end.addr && end.pid == w->last_end.pid &&
            end.event == w->last_end.event) {
                w->last_end.weight++;
                return;
        }
        if (world_is_unmapped(w->world, end.pid, end.addr)) {
                w->n_strays[end.event]++;
                return;
        }
        add_last_end(w);
        end.weight = 1;
        w->last_end = end;
}

void report_see_chain(struct report_worker *w, const struct perf_attr *attr, const struct sample *sample)
{
        struct stack_frame outermost;
        uint32_t kind;

        if (!has_kernel_chains(w->pass, attr) || !find_outermost(sample, &outermost))
                return;
        kind = outermost.is_return ? CHAIN_END_RETURN : 0;
        if (sample->n_chain > w->pass->kernel_frames) /* at least one word is not an address */
                kind |= CHAIN_END_DEEP;
        see_end(w, sample, &outermost, kind);
}

void report_see_cut(struct report_worker *w, const struct sample *sample)
{
        struct stack_frame outermost;

        if (find_outermost(sample, &outermost))
                see_end(w, sample, &outermost, CHAIN_END_CUT);
}

void report_catch_up_chains(struct report_worker *w)
{
        add_last_end(w);
        if (w->ends)
                profile_catch_up(w->ends, w->world);
}

/* An end outside all mappings is a stray address, unless memory ran out and ends cannot be told apart. */
static bool lacks_memory(const struct report_pass *pass, const struct profile_place *end)
{
        return end->module == MODULE_NONE && budget_has_left_out(&pass->session->budget, BUDGET_ADDRESSES);
}

/* Lines of Python functions are skipped, because no missing file can cut a stack there. */
static void count_cut_in(struct report_pass *pass, module_id module, uint64_t n)
{
        if (module != MODULE_NONE && world_get_module(pass->session->world, module)->kind != MODULE_PYTHON)
                *map_put(&pass->cut_modules, module, NULL) += n;
}

static void judge_chains(struct report_pass *pass, const struct profile_place *end, bool is_stray)
{
        const unsigned deep_return = CHAIN_END_RETURN | CHAIN_END_DEEP;
        struct quality *q = &pass->report->quality;
        enum stack_whole whole;

        if (end->event & CHAIN_END_CUT) {
                count_cut_in(pass, end->module, end->weight);
                return;
        }
        whole = stack_unwind_judge(pass->unwind, end->module, end->offset, end->event & CHAIN_END_RETURN);
        q->n_cut_stacks += whole == STACK_CUT ? end->weight : 0;
        if (whole == STACK_CUT)
                count_cut_in(pass, end->module, end->weight);
        q->n_unjudged += whole == STACK_UNJUDGED ? end->weight : 0;
        if (whole == STACK_CUT && !is_stray && lacks_memory(pass, end))
                pass->n_memory_cuts += end->weight;
        else if (whole == STACK_CUT && end->event == deep_return)
                pass->n_deep_chains += end->weight;
}

void report_judge_chains(struct report_pass *pass, struct report_worker *w)
{
        for (uint32_t kind = 0; kind < CHAIN_END_KINDS; kind++) {
                const struct profile_place stray = {
                        .event = kind, .module = MODULE_NONE, .weight = w->n_strays[kind]};

                if (stray.weight)
                        judge_chains(pass, &stray, true);
        }
        if (!w->ends)
                return;
        profile_finish(w->ends);
        for (size_t i = 0; i < profile_n_places(w->ends); i++)
                judge_chains(pass, profile_get_place(w->ends, i), false);
        profile_free(w->ends);
}

/* --- Stacks --- */

/* For each node: the outermost user code of its path that is in a module, or STACKS_NONE, and the length of
 * the path.  Without frame pointers a chain often ends in a value that is not an address. */
struct path {
        uint32_t root, outermost, n_frames;
};

static bool is_user_code(const struct code_place *place)
{
        return place->module != MODULE_NONE && !place->is_kernel && !place->is_cut && !place->state;
}

static struct path *find_paths(const struct stacks *stacks)
{
        size_t n = stacks_n_nodes(stacks);
        struct path *paths = mem_new(n, sizeof(*paths));

        for (uint32_t i = 0; i < n; i++) {
                uint32_t parent = stacks_get_node(stacks, i)->parent;

                paths[i] = parent == STACKS_NONE ? (struct path){i, STACKS_NONE, 0} : paths[parent];
                paths[i].n_frames++;
                if (paths[i].outermost == STACKS_NONE && is_user_code(stacks_place_of(stacks, i)))
                        paths[i].outermost = i;
        }
        return paths;
}

/* Judges a node without a parent. */
static enum stack_whole judge_root(struct report_pass *pass, uint32_t root)
{
        const struct code_place *place = stacks_place_of(pass->report->stacks, root);

        if (place->is_kernel)
                return STACK_WHOLE;
        return stack_unwind_judge(pass->unwind, place->module, place->offset,
                                  stacks_get_node(pass->report->stacks, root)->is_return);
}

struct judging {
        struct report_pass *pass;
        struct path *paths;
        uint8_t *verdicts; /* for roots: 1 + enum stack_whole; 0: not judged yet */
        bool *below_cut;   /* roots to be marked as cut */
        bool any_below, only_chains;
};

static void count_cut_path(const struct judging *j, const struct path *path, uint64_t n)
{
        if (path->outermost != STACKS_NONE)
                count_cut_in(j->pass, stacks_place_of(j->pass->report->stacks, path->outermost)->module, n);
}

static void judge_end(struct judging *j, const struct stack_end *end, bool is_chain)
{
        struct quality *q = &j->pass->report->quality;
        const struct path *path = &j->paths[end->node];
        uint32_t root = path->root;

        if (stacks_place_of(j->pass->report->stacks, root)->is_cut) {
                q->n_cut_stacks += end->count;
                count_cut_path(j, path, end->count);
                if (is_chain && budget_has_left_out(&j->pass->session->budget, BUDGET_STACKS))
                        j->pass->n_memory_cuts += end->count;
                return;
        }
        if (!is_chain)
                return;
        if (!j->verdicts[root])
                j->verdicts[root] = (uint8_t)(1 + judge_root(j->pass, root));
        if (j->verdicts[root] == 1 + STACK_UNJUDGED)
                q->n_unjudged += end->count;
        if (j->verdicts[root] != 1 + STACK_CUT)
                return;
        q->n_cut_stacks += end->count;
        count_cut_path(j, path, end->count);
        if (path->n_frames >= j->pass->kernel_frames)
                j->pass->n_deep_chains += end->count;
        /* A root that is not a caller may also belong to an event without chains. */
        if (j->only_chains || stacks_get_node(j->pass->report->stacks, root)->is_return)
                j->any_below = j->below_cut[root] = true;
}

void report_judge_stacks(struct report_pass *pass)
{
        size_t n = stacks_n_nodes(pass->report->stacks);
        struct judging j = {.pass = pass,
                            .paths = find_paths(pass->report->stacks),
                            .verdicts = mem_new(n, 1),
                            .below_cut = mem_new(n, sizeof(bool)),
                            .only_chains = true};

        for (size_t i = 0; i < perfdata_n_events(pass->session->reader); i++)
                j.only_chains &= has_kernel_chains(pass, &perfdata_get_event(pass->session->reader, i)->attr);
        pass->report->quality.n_cut_stacks = 0;
        for (size_t i = 0; i < stacks_n_series(pass->report->stacks); i++) {
                const struct stack_series *series = stacks_get_series(pass->report->stacks, i);
                bool is_chain = has_kernel_chains(pass, report_wall_attr(pass, series->event));

                for (size_t k = 0; k < series->n_ends; k++)
                        judge_end(&j, &series->ends[k], is_chain);
        }
        if (j.any_below) {
                stacks_put_below_cut(pass->report->stacks, j.below_cut);
                if (pass->report->samples)
                        sample_list_shift_nodes(pass->report->samples);
        }
        free(j.paths);
        free(j.verdicts);
        free(j.below_cut);
}

/* --- Reasons --- */

/* Size of the copies of the stack that were unwound, now or while recording. */
static uint64_t copied_bytes(const struct report_pass *pass)
{
        uint64_t most = pass->report->run.info.stack_bytes;

        for (size_t i = 0; !pass->marks.n_samples && i < perfdata_n_events(pass->session->reader); i++) {
                const struct perf_attr *attr = &perfdata_get_event(pass->session->reader, i)->attr;

                if (attr->sample_type & PERF_SAMPLE_STACK_USER && attr->sample_stack_user > most)
                        most = attr->sample_stack_user;
        }
        return most;
}

static const char *longer_copies(const struct report_pass *pass)
{
        uint64_t bytes = copied_bytes(pass);

        _Static_assert(CALL_GRAPH_MAX_BYTES == 65528, "the longest copies");
        if (!bytes || bytes >= CALL_GRAPH_MAX_BYTES)
                return NULL;
        return pass->marks.n_samples ? "--call-graph unwind,65528" : "--call-graph dwarf,65528";
}

/* Takes the counts of the walks, made while recording or now. */
static void fill_walks(struct report_pass *pass)
{
        const struct stack_unwind_counts counts = stack_unwind_get_counts(pass->unwind);
        struct quality *q = &pass->report->quality;

        _Static_assert((int)STACK_MARKS_MAX_KINDS == (int)STACK_ARCHIVE_MAX_KINDS, "both number ends alike");
        for (uint32_t i = 0; i < STACK_MARKS_MAX_KINDS; i++) {
                if (cut_of(i) < QUALITY_N_CUTS)
                        q->cut_by[cut_of(i)] +=
                                pass->marks.n_samples ? pass->marks.by_end[i] : counts.by_end[i];
        }
        q->max_frames = UNWIND_MAX_FRAMES;
        q->longer_copies = longer_copies(pass);
}

struct cut_most {
        module_id module;
        uint64_t n;
};

static void take_most(void *ctx, uint64_t module, uint64_t *n)
{
        struct cut_most *most = ctx;

        if (*n > most->n || (*n == most->n && module < most->module))
                *most = (struct cut_most){(module_id)module, *n};
}

static void fill_module(struct report_pass *pass)
{
        struct cut_most most = {.module = MODULE_NONE};
        struct module_facts facts;

        map_each(&pass->cut_modules, take_most, &most);
        if (most.module == MODULE_NONE)
                return;
        module_source_tell(pass->session->modules, most.module, &facts);
        pass->report->quality.cut_module = facts.name;
        pass->report->quality.n_cut_in_module = most.n;
}

void report_fill_cut(struct report_pass *pass)
{
        struct quality *q = &pass->report->quality;
        bool has_chains = false, can_unwind = false;

        for (size_t i = 0; i < perfdata_n_events(pass->session->reader); i++) {
                const struct perf_attr *attr = &perfdata_get_event(pass->session->reader, i)->attr;

                has_chains |= has_kernel_chains(pass, attr);
                can_unwind |= stack_unwind_can(attr);
        }
        q->not_unwound = can_unwind && !pass->marks.n_samples && !pass->report->stacks;
        fill_walks(pass);
        fill_module(pass);
        if (!has_chains || can_unwind)
                return;
        q->max_frames = pass->kernel_frames;
        q->cut_by[QUALITY_CUT_DEPTH] = pass->n_deep_chains;
        q->cut_by[QUALITY_CUT_MEMORY] = pass->n_memory_cuts;
        q->cut_by[QUALITY_CUT_CHAIN] = q->n_cut_stacks - pass->n_deep_chains - pass->n_memory_cuts;
}

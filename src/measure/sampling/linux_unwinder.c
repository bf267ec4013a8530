/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces registers and stack copy of a sample by a call chain in the kernel's format: the kernel's own
 * part, PERF_CONTEXT_USER, the sampled address, return addresses. Other records are not changed. */
#include "linux_unwinder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "arch.h"
#include "deep_stack.h"
#include "linux_code.h"
#include "linux_execs.h"
#include "linux_jit.h"
#include "linux_trim.h"
#include "mem.h"
#include "stop_merge.h"
#include "unwind_sample.h"
#include "wait_thread.h"

enum {
        MAX_EXITED = 1024, /* processes whose maps are still kept */
        MORE_MODULES = 4096,
};

struct unwinder {
        const struct opened *opened;
        struct map ids;
        struct world *world;
        struct loaded loaded;
        struct code_pages code;
        struct execs execs;
        struct jit_dumps jits;
        struct buf out;
        struct stack_cuts cut;
        struct buf all_cut; /* `cut` unpacked for marks.cut, after the last round */
        struct unwind_frame frames[UNWIND_MAX_FRAMES];
        struct stack_marks marks;
        size_t max_modules;         /* above this number, modules that are no longer mapped are forgotten */
        int32_t pid;                /* the process whose stack is walked */
        struct stop_merge *merge;   /* NULL if chains have only native frames */
        bool is_in_python;          /* a frame of this stack is in an interpreter's file */
        struct deep_stacks *stacks; /* NULL for none */
};

struct unwinder *unwinder_new(const struct opened *opened, const struct keeper *keeper)
{
        struct unwinder *u = mem_new(1, sizeof(*u));

        u->opened = opened;
        u->world = world_new();
        u->max_modules = MORE_MODULES;
        world_set_exited_limit(u->world, MAX_EXITED);
        u->loaded = (struct loaded){.world = u->world, .keeper = keeper};
        budget_init(&u->loaded.budget, BUDGET_DEFAULT_BYTES);
        u->jits = (struct jit_dumps){.keeper = keeper, .budget = &u->loaded.budget};
        world_set_images(u->world, pe_image_size, (void *)&keeper->pe);
        u->marks.n_ways = UNWIND_N_WAYS;
        u->marks.n_ends = UNWIND_N_ENDS;
        opened_list_ids(opened, &u->ids);
        return u;
}

static const char *path_of(void *ctx, int32_t pid, uint64_t addr)
{
        const struct unwinder *u = ctx;
        module_id module = world_find(u->world, pid, PERF_MISC_USER, addr).module;

        return module == MODULE_NONE ? NULL : world_text(u->world, world_get_module(u->world, module)->path);
}

void unwinder_set_merge(struct unwinder *u, struct stop_merge *merge)
{
        assert(!u->marks.n_samples);
        u->merge = merge;
        if (merge)
                stop_merge_set_paths(merge, path_of, u);
        u->loaded.finds_python = merge;
}

void unwinder_set_stacks(struct unwinder *u, struct deep_stacks *stacks)
{
        assert(!u->marks.n_samples);
        u->stacks = stacks;
}

void unwinder_free(struct unwinder *u)
{
        if (!u)
                return;
        jit_dumps_release(&u->jits);
        loaded_release(&u->loaded);
        code_pages_forget(&u->code);
        world_free(u->world);
        map_release(&u->ids);
        buf_release(&u->out);
        stack_cuts_release(&u->cut);
        buf_release(&u->all_cut);
        free(u);
}

/* --- one stack --- */

static bool find_module(void *ctx, uint64_t addr, struct unwind_module *ret)
{
        struct unwinder *u = ctx;
        struct place place = world_find(u->world, u->pid, PERF_MISC_USER, addr);
        const struct loaded_module *loaded;
        enum module_kind kind;

        if (place.module == MODULE_NONE || world_is_stack(u->world, place.module))
                return false;
        kind = world_get_module(u->world, place.module)->kind;
        if (kind == MODULE_ANON) {
                *ret = (struct unwind_module){.start = place.map_start, .end = place.map_end};
                jit_dumps_find(&u->jits, u->pid, addr, ret);
                return true;
        }
        loaded = loaded_get(&u->loaded, place.module);
        u->is_in_python |= loaded->is_python;
        if (kind == MODULE_IMAGE)
                *ret = unwind_module_of_image(place.map_start, place.map_end, addr, place.offset,
                                              loaded->object);
        else
                *ret = unwind_module_of(place.map_start, place.map_end, addr, place.offset, loaded->object,
                                        loaded->cfi);
        ret->outermost = ret->object ? loaded->outermost : NULL;
        return true;
}

static bool read_code(void *ctx, uint64_t addr, uint8_t *ret_code, size_t size)
{
        struct unwinder *u = ctx;

        return code_pages_read(&u->code, u->pid, addr, ret_code, size);
}

static bool read_memory(void *ctx, uint64_t addr, void *ret, size_t size)
{
        const struct unwinder *u = ctx;

        return wait_read_memory(u->pid, addr, ret, size);
}

/* The stack of a sample whose record does not contain all of it. */
static bool take_stack(struct unwinder *u, const struct sample *sample, struct deep_stack *ret)
{
        uint64_t time_ns = u->merge ? stop_merge_time(u->merge, sample->time) : sample->time;

        if (sample->stack_is_whole || !u->stacks || !deep_stacks_take(u->stacks, sample->tid, time_ns, ret))
                return false;
        if (ret->n_missing > cursor_left(&sample->stack_user) || ret->n_missing > ret->bytes.len)
                return false;
        if (ret->n_missing)
                memcpy(ret->bytes.data, sample->stack_user.at, ret->n_missing);
        return true;
}

/* 32-bit code has other registers and tables and is not walked. */
static void walk(struct unwinder *u, const struct perf_attr *attr, const struct sample *sample,
                 size_t max_frames, struct unwind_walked *ret)
{
        bool has_fp = attr->sample_regs_user >> linux_arch()->reg_fp & 1;
        const struct unwind_modules modules = {.find = find_module,
                                               .ctx = u,
                                               .read_code = read_code,
                                               .read_memory = has_fp ? NULL : read_memory};
        struct unwind_sample copied = {.arch = linux_arch(),
                                       .reg_mask = attr->sample_regs_user,
                                       .regs = sample->regs_user,
                                       .stack = sample->stack_user,
                                       .stack_is_whole = sample->stack_is_whole};
        struct deep_stack deep = {0};

        if (sample->regs_user_abi != PERF_SAMPLE_REGS_ABI_64) {
                ret->end = UNWIND_END_32BIT;
                return;
        }
        if (take_stack(u, sample, &deep)) {
                copied.stack_used_size = deep.used_size;
                if (!deep.is_left_out) {
                        copied.stack = cursor_make(deep.bytes.data, deep.bytes.len);
                        copied.stack_is_whole = deep.is_whole;
                }
        }
        unwind_walk_sample(&modules, &copied, u->frames, max_frames, ret);
        if (deep.is_left_out && (ret->end == UNWIND_END_CUT || ret->end == UNWIND_END_LARGE))
                ret->end = UNWIND_END_CROWDED;
        buf_release(&deep.bytes);
}

/* Whether a process, seen in the kernel, has no stack because it is between two programs. */
static bool is_between_programs(struct unwinder *u, const struct unwind_walked *walked)
{
        uint64_t pc = u->frames[0].pc;
        struct unwind_module module;

        if (walked->n_frames != 1 || unwind_end_is_whole(walked->end))
                return false;
        return execs_has(&u->execs, u->pid, find_module(u, pc, &module) ? &module : NULL, pc);
}

/* Appends the user part of the chain, at most `max_words`. False if the walk did not reach the outermost
 * frame. */
static bool add_walk(struct unwinder *u, const struct perf_attr *attr, const struct sample *sample,
                     size_t max_words)
{
        struct unwind_frame *frames = u->frames;
        struct unwind_walked walked = {.end = UNWIND_END_NO_START};
        bool in_user = (sample->misc & PERF_MISC_CPUMODE_MASK) == PERF_MISC_USER;

        u->pid = sample->pid;
        u->is_in_python = false;
        loaded_begin_walk(&u->loaded);
        walk(u, attr, sample, max_words < UNWIND_MAX_FRAMES ? max_words : UNWIND_MAX_FRAMES, &walked);
        if (in_user)
                execs_end(&u->execs, u->pid);
        else if (is_between_programs(u, &walked))
                walked.end = UNWIND_END_EXEC;
        buf_add_u64(&u->out, PERF_CONTEXT_USER);
        if (walked.n_frames)
                frames[0].pc = in_user ? sample->ip : frames[0].pc;
        else if (in_user)
                buf_add_u64(&u->out, sample->ip);
        if (u->merge)
                stop_merge_see(u->merge, in_user, u->is_in_python);
        if (u->merge && !stop_merge_add(u->merge, frames, walked.n_frames, walked.end, max_words, &u->out))
                walked.end = UNWIND_END_LIMIT;
        else if (u->merge && stop_merge_is_bounded(u->merge))
                walked.end = UNWIND_END_OUTERMOST;
        for (size_t i = 0; !u->merge && i < walked.n_frames; i++)
                buf_add_u64(&u->out, unwind_chain_word(frames, i));
        for (size_t i = 0; i < UNWIND_N_WAYS; i++)
                u->marks.by_way[i] += walked.n_by_way[i];
        u->marks.by_end[walked.end]++;
        return unwind_end_is_whole(walked.end);
}

/* --- one sample --- */

static void add_mark(struct unwinder *u, bool is_cut)
{
        u->marks.n_samples++;
        stack_cuts_add(&u->cut, is_cut);
}

static void add_bytes(struct buf *out, const uint8_t *from, const uint8_t *to)
{
        buf_add(out, from, (size_t)(to - from));
}

/* How many addresses fit into the record in addition to PERF_CONTEXT_USER. */
static size_t room_for(size_t used, const struct sample *sample, const uint8_t *regs_at, struct cursor record)
{
        size_t rest =
                (size_t)(regs_at - sample->chain.end) + (size_t)(record.end - trim_behind_stack(sample));
        size_t words = (UINT16_MAX - used - rest) / sizeof(uint64_t);

        return used + rest < UINT16_MAX && words > 1 ? words - 1 : 0;
}

/* Copies all fields except the chain, the registers and the stack copy, and writes the new chain. */
static void add_unwound(struct unwinder *u, const struct perf_attr *attr, const struct sample *sample,
                        struct cursor record)
{
        size_t start = u->out.len, count_at;
        const uint8_t *regs_at = sample->regs_user.start - sizeof(uint64_t);
        bool is_whole = true;
        uint64_t n;
        uint16_t size;

        add_bytes(&u->out, record.start, sample->chain.start);
        count_at = u->out.len - sizeof(n);
        add_bytes(&u->out, sample->chain.start, sample->chain.end);
        if (sample->regs_user_abi)
                is_whole = add_walk(u, attr, sample, room_for(u->out.len - start, sample, regs_at, record));
        n = (u->out.len - count_at) / sizeof(n) - 1;
        memcpy(u->out.data + count_at, &n, sizeof(n));
        add_bytes(&u->out, sample->chain.end, regs_at);
        add_bytes(&u->out, trim_behind_stack(sample), record.end);
        size = (uint16_t)(u->out.len - start);
        memcpy(u->out.data + start + offsetof(struct perf_header, size), &size, sizeof(size));
        add_mark(u, !is_whole);
}

/* Parses a sample whose stack is to be unwound and returns its event; NULL for other samples. */
static const struct opened_event *parse_unwound(const struct unwinder *u, struct cursor record,
                                                struct sample *ret)
{
        struct cursor c = record;
        const struct opened_event *event;

        cursor_skip(&c, sizeof(struct perf_header));
        event = opened_find(u->opened, &u->ids, cursor_u64(&c));
        return event && event->is_unwound && sample_parse(&event->attr, record, ret) ? event : NULL;
}

static void add_sample(struct unwinder *u, struct cursor record)
{
        struct sample sample;
        const struct opened_event *event = parse_unwound(u, record, &sample);

        if (event) {
                if (u->merge)
                        stop_merge_begin(u->merge, &event->attr, &sample, &u->out);
                add_unwound(u, &event->attr, &sample, record);
                return;
        }
        add_bytes(&u->out, record.start, record.end);
        add_mark(u, false);
}

/* --- rounds --- */

static void see_program(struct unwinder *u, const struct perfdata_record *record)
{
        struct record_comm comm;

        if (record->header.type != PERF_RECORD_COMM || !(record->header.misc & PERF_MISC_COMM_EXEC))
                return;
        code_pages_forget(&u->code);
        if (!record_comm_parse(record->bytes, &comm))
                return;
        execs_begin(&u->execs, comm.pid);
        jit_dumps_forget(&u->jits, comm.pid);
        if (u->merge)
                stop_merge_see_exec(u->merge, comm.pid);
}

static void see_fork(struct unwinder *u, const struct perfdata_record *record)
{
        struct record_task task;

        if (u->merge && record->header.type == PERF_RECORD_FORK && record_task_parse(record->bytes, &task) &&
            task.pid != task.ppid)
                stop_merge_see_fork(u->merge, task.pid, task.ppid);
}

/* Reads code without a file while its process runs. */
static void see_code(struct unwinder *u, const struct perfdata_record *record)
{
        const struct module *module;
        struct record_mmap map;
        module_id id;

        if (record->header.type != PERF_RECORD_MMAP2 || !record_mmap_parse(record->bytes, false, &map) ||
            !(map.prot & PROT_EXEC))
                return;
        id = world_find(u->world, map.pid, PERF_MISC_USER, map.start).module;
        if (id == MODULE_NONE)
                return;
        module = world_get_module(u->world, id);
        if (module->kind == MODULE_JITDUMP)
                jit_dumps_add(&u->jits, map.pid, module, world_text(u->world, module->path));
        if (module->kind == MODULE_ANON)
                code_pages_map(&u->code, map.pid, map.start, map.start + map.len);
}

/* Sets the next limit so high that forgetting costs little on average. */
static void forget_unmapped(struct unwinder *u)
{
        size_t n_used;

        if (world_n_known_modules(u->world) <= u->max_modules)
                return;
        loaded_close_all(&u->loaded);
        world_forget_unmapped(u->world);
        n_used = world_n_known_modules(u->world);
        u->max_modules = n_used + (n_used / 4 > MORE_MODULES ? n_used / 4 : MORE_MODULES);
}

static void add_record(struct unwinder *u, const uint8_t *bytes)
{
        struct perfdata_record record;
        struct perf_header header;

        memcpy(&header, bytes, sizeof(header));
        if (header.type == PERF_RECORD_SAMPLE) {
                add_sample(u, cursor_make(bytes, header.size));
                return;
        }
        record = (struct perfdata_record){
                .header = header, .bytes = cursor_make(bytes, header.size), .asked_build_id = true};
        world_replay(u->world, &record);
        see_program(u, &record);
        see_fork(u, &record);
        see_code(u, &record);
        buf_add(&u->out, bytes, header.size);
}

bool unwinder_put(struct unwinder *u, uint8_t *const *records, size_t n, bool is_last,
                  const struct record_sink *sink, struct err *err)
{
        static const struct perf_header round = {.type = PERF_RECORD_FINISHED_ROUND, .size = sizeof(round)};
        uint64_t before_ns = linux_cpu_ns(CLOCK_THREAD_CPUTIME_ID);

        assert(!u->marks.cut);
        code_pages_next_round(&u->code);
        jit_dumps_next_round(&u->jits);
        forget_unmapped(u);
        for (size_t i = 0; i < n; i++)
                add_record(u, records[i]);
        if (u->out.len)
                buf_add(&u->out, &round, sizeof(round));
        if (is_last) {
                buf_clear(&u->all_cut);
                stack_cuts_unpack(&u->cut, &u->all_cut);
                u->marks.cut = (const uint8_t *)u->all_cut.data;
        }
        u->marks.unwind_ns += linux_cpu_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
        if (u->out.len && !sink->put(sink->ctx, u->out.data, u->out.len, err)) {
                buf_clear(&u->out);
                return false;
        }
        buf_clear_and_shrink(&u->out);
        return true;
}

void unwinder_look_at_marks(const struct unwinder *u, struct buf *cut, struct stack_marks *ret)
{
        *ret = u->marks;
        stack_cuts_unpack(&u->cut, cut);
        ret->cut = (const uint8_t *)cut->data;
}

const struct stack_marks *unwinder_get_marks(struct unwinder *u)
{
        return &u->marks;
}

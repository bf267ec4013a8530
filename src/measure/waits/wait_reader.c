/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that waits has saved its registers, and neither its stack nor its frames change. It may go on
 * while it is read: what was read then is thrown away, and the thread is read again. */
#include "wait_reader.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "arch.h"
#include "linux_events.h"
#include "map.h"
#include "mem.h"
#include "os.h"
#include "stop_frames.h"
#include "stop_once.h"
#include "wait_call.h"
#include "wait_cpu.h"
#include "wait_maps.h"
#include "wait_objects.h"
#include "wait_peers.h"
#include "wait_python.h"
#include "wait_thread.h"

enum {
        MAX_ATTEMPTS = 3,
        PAGE_BYTES = 4096,
        MAPS_NS = 2000000, /* mappings that are younger are not read again for a stack that they lack */
        FIRST_AGAIN_NS = 10000000,
        STOP_WAIT_NS = 100000000, /* how long a thread may take to stop: it may have to wait for a CPU */
};

/* What is known of a process. */
struct wait_process {
        int32_t pid;
        uint64_t read_ns;  /* when it was read */
        uint64_t used_ns;  /* when one of its threads was read; 0: never */
        uint64_t again_ns; /* without an interpreter: how long after that it is read again */
        uint32_t image;    /* a new number for each program */
        struct wait_maps maps;
        uint64_t maps_ns; /* when they were read */
        struct wait_objects *objects;
        struct wait_python *interpreter; /* NULL: none, or one that can't be read */
};

struct wait_reader {
        struct stop_python *python;
        struct stop_frames *frames;
        struct wait_peers *peers;
        struct wait_tasks *tasks; /* NULL: not wanted */
        uint64_t last_ns;
        bool may_stop;        /* for registers of threads that run */
        struct map processes; /* pid to struct wait_process * */
        uint32_t n_images;
        struct wait_process *process; /* whose threads are read */

        /* the thread */
        int32_t tid, inner_tid;
        bool is_met;      /* it was met, and its wait may be short */
        struct buf stack; /* from the stack pointer on */
        bool is_whole;    /* up to the end of its mapping */
        uint64_t stack_bytes;
        struct buf text;
};

struct wait_reader *wait_reader_new(struct stop_python *python, bool may_stop)
{
        struct wait_reader *r = mem_new(1, sizeof(*r));
        const struct stop_frames_sink sink = {stop_python_add_stack, stop_python_add_code, python};

        r->python = python;
        r->may_stop = may_stop;
        r->frames = stop_frames_new(stop_python_binaries(python), &sink);
        r->peers = wait_peers_new();
        return r;
}

void wait_reader_set_tasks(struct wait_reader *r, struct wait_tasks *tasks)
{
        r->tasks = tasks;
}

static void free_process(struct wait_process *p)
{
        wait_maps_release(&p->maps);
        wait_objects_free(p->objects);
        wait_python_free(p->interpreter);
        free(p);
}

static void free_each(void *ctx, uint64_t pid, uint64_t *process)
{
        free_process((struct wait_process *)(uintptr_t)*process);
}

void wait_reader_free(struct wait_reader *r)
{
        if (!r)
                return;
        map_each(&r->processes, free_each, NULL);
        map_release(&r->processes);
        wait_peers_free(r->peers);
        stop_frames_free(r->frames);
        buf_release(&r->stack);
        buf_release(&r->text);
        free(r);
}

static struct wait_process *read_process(struct wait_reader *r, int32_t pid, uint64_t most_age_ns)
{
        struct wait_process *p = mem_new(1, sizeof(*p));

        p->pid = pid;
        p->read_ns = os_monotonic_ns();
        wait_maps_init(&p->maps, pid);
        p->maps_ns = p->read_ns;
        p->objects = wait_objects_new(pid, r->peers, most_age_ns);
        p->interpreter = wait_python_new(stop_python_binaries(r->python), pid);
        return p;
}

/* The program is the same if its interpreter is at the same place: others have nothing that an image number
 * is used for. */
static bool is_same_program(const struct wait_process *a, const struct wait_process *b)
{
        uint64_t a_bias, b_bias;

        if (!a->interpreter || !b->interpreter)
                return !a->interpreter && !b->interpreter;
        return wait_python_binary(a->interpreter, &a_bias) == wait_python_binary(b->interpreter, &b_bias) &&
               a_bias == b_bias;
}

void wait_reader_begin(struct wait_reader *r, int32_t pid, uint64_t most_age_ns)
{
        uint64_t *slot = map_put(&r->processes, (uint64_t)(uint32_t)pid, NULL), age_ns = most_age_ns;
        struct wait_process *before = (struct wait_process *)(uintptr_t)*slot, *now;

        assert(pid > 0);
        r->process = before;
        if (before && !before->interpreter && before->again_ns < age_ns)
                age_ns = before->again_ns;
        if (before && os_monotonic_ns() - before->read_ns < age_ns) {
                if (r->tasks)
                        wait_tasks_choose(r->tasks, pid);
                return;
        }
        now = read_process(r, pid, most_age_ns);
        /* a program that was just started may load its interpreter soon */
        now->again_ns = before && !before->interpreter ? 2 * before->again_ns : FIRST_AGAIN_NS;
        now->used_ns = before ? before->used_ns : 0;
        now->image = before && is_same_program(before, now) ? before->image : ++r->n_images;
        if (before)
                free_process(before);
        *slot = (uint64_t)(uintptr_t)now;
        r->process = now;
        if (r->tasks)
                wait_tasks_begin(r->tasks, pid, now->interpreter);
}

bool wait_reader_is_used(const struct wait_reader *r, int32_t pid, uint64_t most_age_ns)
{
        const uint64_t *known = map_find(&r->processes, (uint64_t)(uint32_t)pid);
        const struct wait_process *p = known ? (const struct wait_process *)(uintptr_t)*known : NULL;

        return p && p->used_ns && os_monotonic_ns() - p->used_ns < most_age_ns;
}

void wait_reader_forget(struct wait_reader *r, int32_t pid)
{
        const uint64_t *known = map_find(&r->processes, (uint64_t)(uint32_t)pid);

        if (!known)
                return;
        if (r->process == (struct wait_process *)(uintptr_t)*known)
                r->process = NULL;
        if (r->tasks)
                wait_tasks_forget(r->tasks, pid);
        free_process((struct wait_process *)(uintptr_t)*known);
        map_remove(&r->processes, (uint64_t)(uint32_t)pid);
}

const char *wait_reader_python_name(const struct wait_reader *r)
{
        assert(r->process);
        return r->process->interpreter ? wait_python_name(r->process->interpreter, r->inner_tid) : "";
}

/* --- One attempt --- */

/* Threads that began since the mappings were read have stacks of their own. */
static const struct wait_map *find_stack(struct wait_process *p, uint64_t sp)
{
        const struct wait_map *map = wait_maps_find(&p->maps, sp);

        if (map || os_monotonic_ns() - p->maps_ns < MAPS_NS)
                return map;
        wait_maps_release(&p->maps);
        wait_maps_init(&p->maps, p->pid);
        p->maps_ns = os_monotonic_ns();
        return wait_maps_find(&p->maps, sp);
}

/* Pages behind the used part may not be there yet; they end the copy. */
static void copy_stack(struct wait_reader *r, uint64_t sp)
{
        const struct wait_map *map = find_stack(r->process, sp);
        uint64_t size;

        buf_clear(&r->stack);
        r->is_whole = false;
        r->stack_bytes = 0;
        if (!map || !map->can_read)
                return;
        size = map->end - sp;
        r->stack_bytes = size;
        r->is_whole = size <= DEEP_STACK_LIMIT;
        size = r->is_whole ? size : DEEP_STACK_LIMIT;
        buf_truncate(&r->stack,
                     wait_read_some(r->process->pid, sp, buf_extend(&r->stack, (size_t)size), (size_t)size));
}

static bool read_memory(void *ctx, uint64_t addr, void *to, size_t size)
{
        const struct wait_reader *r = ctx;

        return wait_read_memory(r->process->pid, addr, to, size);
}

/* `thread` has the registers. */
static void read_frames(struct wait_reader *r, const struct wait_python_thread *state, uint64_t time_ns,
                        struct stop_thread *thread)
{
        const struct stop_memory memory = {read_memory, r};

        if (!state->n_states)
                return;
        thread->memory = &memory;
        thread->n_states = state->n_states;
        thread->states = state->states;
        thread->pid = r->process->pid;
        thread->tid = r->tid;
        thread->image = r->process->image;
        thread->time_ns = time_ns;
        thread->tls = state->pointer;
        thread->stack = (const uint8_t *)r->stack.data;
        thread->stack_bytes = r->stack.len;
        thread->binary = wait_python_binary(r->process->interpreter, &thread->bias);
        stop_frames_see(r->frames, thread);
}

/* What a futex is can be seen in the memory around it. */
static void read_lock(const struct wait_reader *r, struct wait_reading *ret)
{
        uint64_t addr = ret->args[0], left = PAGE_BYTES - addr % PAGE_BYTES;

        if (ret->call == WAIT_CALL_FUTEX)
                wait_read_memory(r->process->pid, addr, ret->lock,
                                 left < sizeof(ret->lock) ? left : sizeof(ret->lock));
}

static void read_python(struct wait_reader *r, int32_t inner_tid, struct stop_thread *thread,
                        struct wait_reading *ret)
{
        const struct wait_python_stack stack = {thread->stack_addr,
                                                r->stack_bytes ? thread->stack_addr + r->stack_bytes : 0};
        struct wait_python_thread state;

        if (!r->process->interpreter)
                return;
        wait_python_find(r->process->interpreter, inner_tid, stack, &state);
        read_frames(r, &state, ret->time_ns, thread);
        if (r->tasks)
                wait_tasks_read(r->tasks, &state, ret);
        wait_python_see(r->process->interpreter, &state, &r->process->maps, (const uint8_t *)r->stack.data,
                        r->stack.len, ret);
}

static uint64_t next_time(struct wait_reader *r)
{
        uint64_t now_ns = os_monotonic_ns();

        r->last_ns = now_ns > r->last_ns ? now_ns : r->last_ns + 1;
        return r->last_ns;
}

static void begin_reading(struct wait_reader *r, struct wait_reading *ret)
{
        buf_clear(&r->text);
        buf_clear(&r->stack);
        if (r->tasks)
                wait_tasks_undo(r->tasks);
        *ret = (struct wait_reading){.time_ns = next_time(r),
                                     .pid = r->process->pid,
                                     .tid = r->tid,
                                     .inner_tid = r->inner_tid,
                                     .number = -1,
                                     .python_name = ""};
}

/* Whether the object of the thread's call is looked for after all that changes when its wait ends. It may
 * take long to find who has the other end of a pipe; its own end is known at once, and stays what it is. */
static bool sees_object_last(const struct wait_reader *r, const struct wait_thread *thread)
{
        struct wait_call_facts facts = wait_call_get(thread->number);

        return r->is_met && facts.fd_arg >= 0 && facts.call != WAIT_CALL_EPOLL &&
               facts.call != WAIT_CALL_OPEN && facts.call != WAIT_CALL_FILE;
}

/* What a thread that waits has saved. */
static void read_still(struct wait_reader *r, const struct wait_thread *thread, struct wait_reading *ret)
{
        struct stop_thread as_stopped = {.pc = thread->pc, .stack_addr = thread->sp};

        begin_reading(r, ret);
        ret->how = WAIT_HOW_STILL;
        ret->number = thread->number;
        ret->call = (uint8_t)wait_call_get(thread->number).call;
        copy_stack(r, thread->sp);
        memcpy(ret->args, thread->args, sizeof(ret->args));
        if (!sees_object_last(r, thread))
                wait_objects_see(r->process->objects, thread, ret, &r->text);
        read_lock(r, ret);
        read_python(r, thread->inner_tid, &as_stopped, ret);
}

/* A thread that looks for the GIL now and then is found between two of its waits: at the end of the call. */
static void see_call(const struct wait_reader *r, struct wait_reading *ret)
{
        struct wait_thread thread;

        if (!wait_thread_read(r->process->pid, r->tid, &thread) || thread.is_running ||
            wait_call_get(thread.number).call != WAIT_CALL_FUTEX)
                return;
        ret->number = thread.number;
        ret->call = WAIT_CALL_FUTEX;
        memcpy(ret->args, thread.args, sizeof(ret->args));
}

/* Who has the GIL changes all the time between threads that run. */
static void read_stopped(struct wait_reader *r, int32_t inner_tid, struct stop_thread *thread,
                         struct wait_reading *ret)
{
        begin_reading(r, ret);
        ret->how = WAIT_HOW_STOPPED;
        thread->pc = thread->regs[linux_arch()->reg_ip];
        copy_stack(r, thread->stack_addr);
        if (r->process->interpreter) {
                see_call(r, ret);
                wait_python_update(r->process->interpreter);
        }
        read_python(r, inner_tid, thread, ret);
}

/* Without a stop. */
static void read_running_frames(struct wait_reader *r, int32_t inner_tid, struct wait_reading *ret)
{
        struct wait_python *interpreter = r->process->interpreter;
        struct wait_python_thread state;

        if (!r->tasks || !interpreter)
                return;
        ret->python_minor = wait_python_runtime(interpreter)->layout.minor;
        wait_python_find(interpreter, inner_tid, (struct wait_python_stack){0}, &state);
        wait_tasks_read_running(r->tasks, &state, ret);
}

static void read_running(struct wait_reader *r, const struct wait_thread *thread, struct wait_reading *ret,
                         struct wait_registers *ret_registers)
{
        struct stop_once *once;
        struct stop_thread stopped = {.tid = r->tid};
        struct wait_cpu before = {0}, after;
        uint64_t start_ns;

        begin_reading(r, ret);
        ret->how = WAIT_HOW_ON_CPU;
        if (r->may_stop) {
                wait_cpu_give_way();
                before = wait_cpu_look(r->process->pid, r->tid);
        }
        once = r->may_stop ? stop_once_begin(STOP_WAIT_NS, &stopped) : NULL;
        if (!once) {
                read_running_frames(r, thread->inner_tid, ret);
                return;
        }
        start_ns = os_monotonic_ns();
        after = wait_cpu_look(r->process->pid, r->tid);
        read_stopped(r, thread->inner_tid, &stopped, ret);
        stop_once_end(once);
        if (wait_cpu_compare(&before, &after) == WAIT_CPU_AWAITED)
                ret->how = WAIT_HOW_READY_STOPPED;
        ret->stopped_ns = os_monotonic_ns() - start_ns;
        ret_registers->mask = linux_arch()->regs_user_mask;
        memcpy(ret_registers->values, stopped.regs, sizeof(ret_registers->values));
}

uint64_t wait_reader_still_mask(void)
{
        const struct arch *arch = linux_arch();

        return 1ull << arch->reg_sp | 1ull << arch->reg_ip | 1ull << arch->reg_call_arg;
}

/* False if the thread went on. */
static bool read_waiting(struct wait_reader *r, struct wait_thread *thread, struct wait_reading *ret,
                         struct wait_registers *ret_registers)
{
        read_still(r, thread, ret);
        if (!wait_thread_waits_on(r->process->pid, r->tid, thread)) {
                wait_thread_read(r->process->pid, r->tid, thread);
                return false;
        }
        if (sees_object_last(r, thread))
                wait_objects_see(r->process->objects, thread, ret, &r->text);
        ret_registers->mask = wait_reader_still_mask();
        ret_registers->values[linux_arch()->reg_sp] = thread->sp;
        ret_registers->values[linux_arch()->reg_ip] = thread->pc;
        /* vfork() of x86-64 has its return address there */
        ret_registers->values[linux_arch()->reg_call_arg] = thread->args[0];
        return true;
}

static bool read_thread(struct wait_reader *r, int32_t tid, const struct wait_thread *met,
                        struct wait_reading *ret, struct wait_registers *ret_registers)
{
        struct wait_thread thread = *met;

        r->process->used_ns = os_monotonic_ns();
        r->tid = tid;
        *ret_registers = (struct wait_registers){0};
        r->inner_tid = thread.inner_tid;
        if (r->tasks)
                wait_tasks_begin_thread(r->tasks);
        for (int i = 0; i < MAX_ATTEMPTS && thread.state; i++) {
                if (thread.is_refused) {
                        begin_reading(r, ret);
                        ret->how = WAIT_HOW_REFUSED;
                        break;
                }
                if (thread.is_running) {
                        read_running(r, &thread, ret, ret_registers);
                        break;
                }
                if (read_waiting(r, &thread, ret, ret_registers))
                        break;
                ret->how = WAIT_HOW_MOVING;
        }
        if (r->tasks && (!thread.state || ret->how == WAIT_HOW_MOVING))
                wait_tasks_undo(r->tasks);
        if (!thread.state)
                return false;
        ret->state = (uint8_t)thread.state;
        ret->n_switches = thread.n_switches;
        ret->text = buf_text(&r->text);
        return true;
}

bool wait_reader_read(struct wait_reader *r, int32_t tid, struct wait_reading *ret,
                      struct wait_registers *ret_registers)
{
        struct wait_thread met;

        assert(r->process);
        r->is_met = false;
        return wait_thread_read(r->process->pid, tid, &met) && read_thread(r, tid, &met, ret, ret_registers);
}

bool wait_reader_read_met(struct wait_reader *r, int32_t tid, const struct wait_thread *met,
                          struct wait_reading *ret, struct wait_registers *ret_registers)
{
        assert(r->process);
        r->is_met = true;
        return read_thread(r, tid, met, ret, ret_registers);
}

/* Whether a thread waited for descriptors that stood in its memory, where something else may be by now. */
static bool has_set_in_memory(const struct wait_thread *thread)
{
        struct wait_call_facts facts = wait_call_get(thread->number);

        return (facts.call == WAIT_CALL_POLL && thread->args[1]) ||
               (facts.call == WAIT_CALL_SELECT && thread->args[0]);
}

void wait_reader_met(struct wait_reader *r, int32_t tid, const struct wait_thread *met,
                     struct wait_reading *ret, struct wait_registers *ret_registers)
{
        assert(r->process);
        r->tid = tid;
        r->inner_tid = met->inner_tid;
        begin_reading(r, ret);
        ret->time_ns = met->before_ns;
        r->is_whole = true;
        ret->how = WAIT_HOW_MOVING;
        ret->number = met->number;
        memcpy(ret->args, met->args, sizeof(ret->args));
        ret->call = WAIT_CALL_OTHER;
        if (!has_set_in_memory(met))
                wait_objects_see(r->process->objects, met, ret, &r->text);
        ret->state = (uint8_t)met->state;
        ret->n_switches = met->n_switches;
        ret->text = buf_text(&r->text);
        *ret_registers = (struct wait_registers){0};
        ret_registers->values[linux_arch()->reg_ip] = met->pc;
}

void wait_reader_take_stack(struct wait_reader *r, struct deep_stack *ret)
{
        *ret = (struct deep_stack){.is_whole = r->is_whole, .used_size = r->is_whole ? 0 : r->stack_bytes};
        buf_swap(&ret->bytes, &r->stack);
}

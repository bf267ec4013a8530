/* SPDX-License-Identifier: BSD-3-Clause */
/* The user's side of bpf_walk.bpf.c. */
#include "bpf_engine.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bpf_library.h"
#include "bpf_parts.h"
#include "bpf_process.h"
#include "bpf_snapshot.h"
#include "bpf_walk.h"
#include "deep_stack.h"
#include "linux_processes.h"
#include "map.h"
#include "mem.h"
#include "os.h"
#include "python_code.h"
#include "python_layout.h"
#include "stop_binary.h"
#include "stop_frames.h"

_Static_assert(WALK_NO_FIELD == PYTHON_NO_FIELD, "the BPF program must know fields that a version lacks");
_Static_assert((int)WALK_MAX_STACK_BYTES == DEEP_STACK_LIMIT, "all engines must copy the same size of stack");
_Static_assert((int)WALK_NAME_CHARS == PYTHON_MAX_NAME_CHARS,
               "the BPF program must cut names at the length of the reader");

extern const unsigned char bpf_walk_object[];
extern const size_t bpf_walk_object_bytes;

enum {
        FIRST_WAIT_NS =
                2000000, /* until a process that runs no CPython is looked at again; then twice as long */
        LONGEST_WAIT_NS = 1000000000,
        N_LINKS = 4,
        IOC_SET_BPF = 0x40042408, /* PERF_EVENT_IOC_SET_BPF */
};

struct bpf_engine {
        struct bpf_library lib;
        struct bpf_object *object;
        struct bpf_link *links[N_LINKS];
        struct ring_buffer *rings, *asks;
        struct own_thread *thread; /* looks at processes */
        int quit_fd;               /* readable when the thread is to end */
        int layouts, processes, followed, counts;
        uint32_t stack_bytes; /* of each stack, in the samples' records */
        bool wants_holder;    /* of the GIL */
        struct stop_python *python;
        struct stop_frames *frames;
        struct bpf_snapshot *snapshot;
        struct bpf_processes *known_processes;
        struct bpf_parts *pieces, *stack_parts;
        struct deep_stacks *stacks;
        /* Of the thread. */
        struct map waits; /* pid to the time between the last two looks */
        struct map known; /* numbers of files whose layouts were written */
};

/* --- layouts --- */

static void set_mask(struct walk_layout *to, const struct python_layout *l, uint32_t end)
{
        uint8_t *mask = (uint8_t *)to->code_mask;

        for (uint32_t i = l->object_type; i < end && i < WALK_CODE_BYTES; i++) {
                bool is_mutable = l->code_mutable != PYTHON_NO_FIELD && i - l->code_mutable < 4;

                mask[i] = is_mutable ? 0 : 0xff;
        }
}

static bool make_layout(const struct python_layout *l, struct walk_layout *ret)
{
        uint32_t end = l->code_lines;

        if (l->is_free_threaded || l->thread_bytes > WALK_THREAD_BYTES || l->frame_bytes > WALK_FRAME_BYTES ||
            l->code_bytes > WALK_CODE_BYTES || l->text_ascii_bytes + 16 > WALK_NAME_BYTES)
                return false;
        end = l->code_name > end ? l->code_name : end;
        end = l->code_file > end ? l->code_file : end;
        *ret = (struct walk_layout){
                .minor = l->minor,
                .runtime_interpreters = l->runtime_interpreters,
                .runtime_current = l->runtime_current,
                .interp_next = l->interp_next,
                .interp_threads = l->interp_threads,
                .thread_bytes = l->thread_bytes,
                .thread_next = l->thread_next,
                .thread_interp = l->thread_interp,
                .thread_frame = l->thread_frame,
                .thread_id = l->thread_id,
                .thread_status = l->thread_status,
                .has_data_stack = l->frames != PYTHON_FRAMES_HEAP,
                .has_cframe = l->frames == PYTHON_FRAMES_CFRAME,
                .cframe_frame = l->cframe_frame,
                .cframe_previous = l->cframe_previous,
                .frame_bytes = l->frame_bytes,
                .frame_previous = l->frame_previous,
                .frame_code = l->frame_code,
                .frame_owner = l->frame_owner,
                .frame_entry = l->frame_entry,
                .code_bytes = l->code_bytes,
                .code_name = l->code_name,
                .code_file = l->code_file,
                .code_lines = l->code_lines,
                .code_version = l->code_version,
                .text_length = l->text_length,
                .text_ascii_bytes = l->text_ascii_bytes,
                .bytes_size = l->bytes_size,
                .bytes_data = l->bytes_data,
                .thread_native_id = l->thread_native_id,
                .pthread_tid = PYTHON_PTHREAD_TID_AT,
        };
        set_mask(ret, l, end + 8);
        return true;
}

/* --- processes --- */

/* What is forgotten is found again. */
static uint64_t *entry_of(struct map *map, uint32_t pid)
{
        if (map->n_used == WALK_MAX_PROCESSES)
                map_release(map);
        return map_put(map, pid, NULL);
}

static bool write_layout(struct bpf_engine *e, uint32_t number, const struct python_binary *binary)
{
        struct walk_layout layout;
        bool is_new;

        if (number >= WALK_MAX_LAYOUTS || !make_layout(&binary->layout, &layout))
                return false;
        layout.stack_bytes = e->stack_bytes;
        layout.wants_holder = e->wants_holder;
        map_put(&e->known, number, &is_new);
        if (is_new)
                e->lib.update(e->layouts, &number, &layout, 0);
        return true;
}

static int look_at(void *ctx, void *bytes, size_t size)
{
        struct bpf_engine *e = ctx;
        const struct walk_message *m = bytes;
        struct stop_thread thread = {.pid = (int32_t)m->pid, .tid = (int32_t)m->pid};
        struct stop_binaries *binaries = stop_python_binaries(e->python);
        struct walk_process process = {.kind = WALK_OTHER, .next_look_ns = UINT64_MAX};
        const struct python_binary *binary;
        bool is_unsupported;
        uint64_t *wait, bias = 0;

        if (m->kind == WALK_UNKNOWN)
                map_remove(&e->waits, m->pid); /* of the program that it ran before */
        process.binary = stop_binaries_find(binaries, &thread, &bias, &is_unsupported);
        process.bias = bias;
        binary = process.binary ? stop_binaries_get(binaries, process.binary) : NULL;
        if (binary && write_layout(e, process.binary, binary)) {
                process.kind = WALK_PYTHON;
                process.born_ns = m->time_ns;
                process.runtime = binary->runtime_addr + process.bias;
                map_remove(&e->waits, m->pid);
        } else if (!binary) {
                wait = entry_of(&e->waits, m->pid);
                *wait = *wait ? *wait * 2 : FIRST_WAIT_NS;
                if (*wait > LONGEST_WAIT_NS)
                        *wait = LONGEST_WAIT_NS;
                process.next_look_ns = m->time_ns + *wait;
        }
        e->lib.update(e->processes, &m->pid, &process, 0);
        return 0;
}

static void *run_thread(void *ctx)
{
        struct bpf_engine *e = ctx;

        struct pollfd fds[] = {{.fd = e->lib.ring_epoll_fd(e->asks), .events = POLLIN},
                               {.fd = e->quit_fd, .events = POLLIN}};

        os_name_thread("wperf bpf");
        own_thread_be_prompt();
        while (!fds[1].revents) {
                if (poll(fds, N_ELEMENTS(fds), -1) > 0)
                        e->lib.ring_consume(e->asks);
        }
        return NULL;
}

/* --- messages --- */

/* The code objects of a process were forgotten: for the program it is another one from now on. */
static void forget_process(void *ctx, int32_t pid)
{
        enum { BPF_EXIST_FLAG = 2 };
        struct bpf_engine *e = ctx;
        uint32_t key = (uint32_t)pid;
        struct walk_process process;

        if (e->lib.lookup(e->processes, &key, &process) || process.kind != WALK_PYTHON)
                return;
        process.born_ns = os_monotonic_ns();
        e->lib.update(e->processes, &key, &process, BPF_EXIST_FLAG);
}

static void end_image(void *ctx, uint32_t image)
{
        struct bpf_engine *e = ctx;

        stop_frames_end(e->frames, image);
}

/* Without a process that is known, it is a late message about one that is known no more. */
static void see_sample(struct bpf_engine *e, const struct walk_message *m, struct cursor pieces)
{
        const struct bpf_process *process =
                bpf_processes_get(e->known_processes, (int32_t)m->pid, m->born_ns);
        const struct stop_memory memory = {bpf_snapshot_read, e->snapshot};
        const uint64_t states[WALK_MAX_STATES] = {m->states[0], m->states[1], m->states[2], m->states[3]};
        struct stop_thread thread = {
                .memory = &memory,
                .n_states = m->n_states,
                .states = states,
                .binary = m->binary,
                .bias = m->bias,
                .pid = (int32_t)m->pid,
                .tid = (int32_t)m->tid,
                .image = process ? bpf_process_image(process) : 0,
                .time_ns = m->time_ns,
                .until_ns = m->until_ns,
                .pc = m->ip,
                .tls = m->tls,
                .stack_addr = m->sp,
                .gil_holder = (int32_t)m->gil_holder,
                .has_gil = m->has_gil,
        };

        if (!process || m->is_cut)
                return;
        bpf_snapshot_begin(e->snapshot, process, pieces);
        stop_frames_see(e->frames, &thread);
}

static void see_last_part(struct bpf_engine *e, const struct walk_message *m, struct cursor pieces)
{
        struct buf *parts = bpf_parts_get(e->pieces, (int32_t)m->tid, m->time_ns);

        if (parts->len) {
                buf_add(parts, pieces.at, cursor_left(&pieces));
                pieces = cursor_make(parts->data, parts->len);
        }
        see_sample(e, m, pieces);
        bpf_parts_end(e->pieces, (int32_t)m->tid);
        if (m->lost_stack_bytes) {
                struct deep_stack stack = {.is_left_out = true, .used_size = m->lost_stack_bytes};

                deep_stacks_add(e->stacks, (int32_t)m->tid, m->time_ns, &stack);
        }
}

static void see_code(struct bpf_engine *e, const struct walk_message *m, struct cursor pieces)
{
        struct bpf_process *process = bpf_processes_get(e->known_processes, (int32_t)m->pid, m->born_ns);

        if (process)
                bpf_processes_keep(e->known_processes, process, m->states[0], m->states[1], m->states[2],
                                   pieces);
}

static int see_message(void *ctx, void *bytes, size_t size)
{
        struct bpf_engine *e = ctx;
        struct cursor c = cursor_make(bytes, size);
        const void *at = cursor_bytes(&c, sizeof(struct walk_message));
        struct walk_message m;

        if (!at)
                return 0;
        memcpy(&m, at, sizeof(m));
        switch ((enum walk_message_kind)m.kind) {
        case WALK_SAMPLE: see_last_part(e, &m, c); break;
        case WALK_PART:
                buf_add(bpf_parts_get(e->pieces, (int32_t)m.tid, m.time_ns), c.at, cursor_left(&c));
                break;
        case WALK_CODE: see_code(e, &m, c); break;
        case WALK_END: bpf_processes_end(e->known_processes, (int32_t)m.pid, m.born_ns); break;
        case WALK_UNKNOWN:
        case WALK_AGAIN: break;
        }
        return 0;
}

/* The whole stack, with zeros in place of what the sample's record has. */
static void end_stack(struct bpf_engine *e, const struct walk_stack *last, struct buf *bytes)
{
        size_t used = (size_t)last->used;
        struct deep_stack stack = {.used_size = used > WALK_MAX_STACK_BYTES ? used : 0};

        stack.is_whole = bytes->len >= used;
        stack.n_missing = last->start > last->sp ? (size_t)(last->start - last->sp) : 0;
        buf_swap(&stack.bytes, bytes);
        deep_stacks_add(e->stacks, (int32_t)last->tid, last->time_ns, &stack);
        bpf_parts_end(e->stack_parts, (int32_t)last->tid);
}

/* A part of a stack; the first part may begin below the stack pointer, or above it, where the sample's record
 * has the bytes before it. */
static int see_stack(void *ctx, void *bytes, size_t size)
{
        struct bpf_engine *e = ctx;
        const struct walk_stack *m = bytes;
        size_t n = m->size < WALK_STACK_BYTES ? m->size : WALK_STACK_BYTES, n_below = 0;
        struct buf *stack;

        if (size < sizeof(*m))
                return 0;
        stack = bpf_parts_get(e->stack_parts, (int32_t)m->tid, m->time_ns);
        if (m->addr == m->start && m->addr >= m->sp)
                buf_add_zeros(stack, m->addr - m->sp);
        else if (m->addr == m->start)
                n_below = m->sp - m->addr < n ? m->sp - m->addr : n;
        buf_add(stack, m->bytes + n_below, n - n_below);
        if (m->is_last)
                end_stack(e, m, stack);
        return 0;
}

void bpf_engine_take(struct bpf_engine *e)
{
        e->lib.ring_consume(e->rings);
}

int bpf_engine_fd(const struct bpf_engine *e)
{
        return e->lib.ring_epoll_fd(e->rings);
}

struct deep_stacks *bpf_engine_stacks(struct bpf_engine *e)
{
        return e->stacks;
}

/* --- losses --- */

static void tell(struct buf *note, const char *what, uint64_t n)
{
        if (n)
                buf_printf(note, "; %s: %" PRIu64, what, n);
}

/* The samples that have no Python frames are counted with the others. */
void bpf_engine_tell(const struct bpf_engine *e, struct buf *note)
{
        struct walk_counts counts;
        uint32_t zero = 0;

        if (e->lib.lookup(e->counts, &zero, &counts))
                return;
        tell(note, "samples without Python frames, read too late", counts.n_lost_samples);
        tell(note, "function names missing, read too late", counts.n_lost_codes);
        tell(note, "stacks cut, read too late", counts.n_lost_stacks);
        tell(note, "stacks cut at a page that was not in memory", counts.n_unread_stacks);
        tell(note, "functions without line numbers, whose line tables are too long", counts.n_long_codes);
}

/* --- begin and end --- */

static int print_nothing(int level, const char *format, va_list args)
{
        return 0;
}

static int fd_of_map(struct bpf_engine *e, const char *name)
{
        return e->lib.map_fd(e->lib.find_map(e->object, name));
}

static bool load(struct bpf_engine *e, struct err *err)
{
        int error;

        e->lib.set_print(print_nothing);
        e->object = e->lib.open_mem(bpf_walk_object, bpf_walk_object_bytes, NULL);
        if (!e->object)
                return err_os(err, ERR_UNSUPPORTED, errno, "libbpf can't open the BPF program");
        e->lib.set_max_entries(e->lib.find_map(e->object, "scratches"), (uint32_t)e->lib.num_cpus());
        error = -e->lib.load(e->object);
        if (error == EPERM)
                return err_set(err, ERR_DENIED, "it needs root, or CAP_BPF and CAP_PERFMON");
        if (error)
                return err_os(
                        err, ERR_UNSUPPORTED, error,
                        "the kernel can't load the BPF program, which needs Linux 5.17 or later with BTF");
        e->layouts = fd_of_map(e, "layouts");
        e->processes = fd_of_map(e, "processes");
        e->followed = fd_of_map(e, "followed");
        e->counts = fd_of_map(e, "counts");
        e->rings = e->lib.ring_new(fd_of_map(e, "ring"), see_message, e, NULL);
        e->asks = e->lib.ring_new(fd_of_map(e, "asks"), look_at, e, NULL);
        return (e->rings && e->asks && !e->lib.ring_add(e->rings, fd_of_map(e, "stacks"), see_stack, e)) ||
               err_os(err, ERR_LIMIT, errno, "can't open the ring buffer of the BPF program");
}

static bool follow_processes(struct bpf_engine *e, struct err *err)
{
        static const char *const followers[N_LINKS] = {"on_fork", "on_exec", "on_exit", "on_free"};

        for (size_t i = 0; i < N_LINKS; i++) {
                e->links[i] = e->lib.attach(e->lib.find_program(e->object, followers[i]));
                if (!e->links[i])
                        return err_os(err, ERR_UNSUPPORTED, errno,
                                      "the BPF programs for new and ended processes can't be attached");
        }
        return true;
}

static void look_at_watched(struct bpf_engine *e, const struct watched_list *watched)
{
        for (size_t i = 0; i < watched->n; i++) {
                struct walk_message m = {.pid = (uint32_t)watched->items[i].pid,
                                         .time_ns = os_monotonic_ns()};

                look_at(e, &m, sizeof(m));
        }
}

/* Layouts have the size of the events' stack copies, so it must be known before the first process is looked
 * at. An event without descriptors is not the kernel's. */
static void set_stack_bytes(struct bpf_engine *e, const struct opened *opened)
{
        for (size_t i = 0; i < opened->n_events; i++) {
                if (opened->events[i].is_unwound && opened->events[i].n_fds)
                        e->stack_bytes = opened->events[i].attr.sample_stack_user;
        }
}

void bpf_engine_want_holder(struct bpf_engine *e)
{
        e->wants_holder = true;
}

void bpf_engine_follow(struct bpf_engine *e, int32_t pid)
{
        uint32_t keys[] = {(uint32_t)pid, WALK_ALL};
        uint64_t value = 0;

        for (size_t i = 0; i < N_ELEMENTS(keys); i++) {
                if (e->lib.update(e->followed, &keys[i], &value, 0))
                        return;
        }
}

bool bpf_engine_attach(struct bpf_engine *e, const struct opened *opened, const struct watched_list *watched,
                       struct err *err)
{
        int program = e->lib.program_fd(e->lib.find_program(e->object, "on_sample"));

        set_stack_bytes(e, opened);
        look_at_watched(e, watched);
        for (size_t i = 0; i < opened->n_events; i++) {
                const struct opened_event *event = &opened->events[i];

                for (size_t j = 0; event->is_unwound && j < event->n_fds; j++) {
                        if (ioctl(event->fds[j].fd, IOC_SET_BPF, program))
                                return err_os(err, ERR_UNSUPPORTED, errno,
                                              "the BPF program can't be attached to an event");
                }
        }
        e->thread = e->quit_fd >= 0 ? own_thread_start(run_thread, e) : NULL;
        return e->thread || err_set(err, ERR_LIMIT, "can't start a thread");
}

/* The program sees the numbers that processes have in the first namespace. */
static bool is_first_namespace(struct err *err)
{
        AUTO_RELEASE(buf) link = {0};

        if (os_read_link("/proc/self/ns/pid", &link) && !strcmp(buf_text(&link), "pid:[4026531836]"))
                return true;
        return err_set(err, ERR_UNSUPPORTED,
                       "in a container it needs the PID namespace of the host (docker run --pid=host)");
}

struct bpf_engine *bpf_engine_new(struct stop_python *python, struct err *err)
{
        AUTO(bpf_engine) e = mem_new(1, sizeof(*e));
        const struct stop_frames_sink sink = {stop_python_add_stack, stop_python_add_code, python};

        e->python = python;
        e->quit_fd = eventfd(0, EFD_CLOEXEC);
        if (!is_first_namespace(err) || !bpf_library_open(&e->lib, err) || !load(e, err) ||
            !follow_processes(e, err))
                return NULL;
        e->snapshot = bpf_snapshot_new();
        e->known_processes = bpf_processes_new(forget_process, end_image, e);
        e->pieces = bpf_parts_new();
        e->stack_parts = bpf_parts_new();
        e->stacks = deep_stacks_new();
        e->frames = stop_frames_new(stop_python_binaries(python), &sink);
        return TAKE(e);
}

void bpf_engine_free(struct bpf_engine *e)
{
        if (!e)
                return;
        if (e->thread && !eventfd_write(e->quit_fd, 1))
                own_thread_join(e->thread);
        if (e->quit_fd >= 0)
                close(e->quit_fd);
        for (size_t i = 0; i < N_LINKS; i++) {
                if (e->links[i])
                        e->lib.destroy_link(e->links[i]);
        }
        if (e->rings)
                e->lib.ring_free(e->rings);
        if (e->asks)
                e->lib.ring_free(e->asks);
        if (e->object)
                e->lib.close(e->object);
        bpf_processes_free(e->known_processes);
        stop_frames_free(e->frames);
        bpf_snapshot_free(e->snapshot);
        bpf_parts_free(e->pieces);
        bpf_parts_free(e->stack_parts);
        deep_stacks_free(e->stacks);
        map_release(&e->waits);
        map_release(&e->known);
        bpf_library_close(&e->lib);
        free(e);
}

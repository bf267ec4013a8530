/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs at a sample: copies what the recorder needs to read the Python frames of the thread. */

#include <asm/ptrace.h>
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf_walk.h"

char walk_license[] SEC("license") = "Dual BSD/GPL";

struct thread_struct {
        unsigned long fsbase;
} __attribute__((preserve_access_index));

struct task_struct {
        int pid, tgid;
        struct thread_struct thread;
} __attribute__((preserve_access_index));

enum {
        SEEN_CODES = 64,
        MAX_SEARCH = 4096, /* thread states that a search reads: some 0.4 ms, in an interrupt */
        TAG_BITS = 7,
        OWNER_SHIM = 3,
        STATUS_ACTIVE = 1 << 4,
        HASH_WORDS = 32, /* of a text */
        RING_BYTES = 1 << 24,
        ASKS_BYTES = 1 << 16,
        UNKNOWN_NS = 1000000,
        /* Between two searches for a thread that has no state: C code may make threads of its own. */
        FIRST_WAIT_NS = 1000000,
        LONGEST_WAIT_NS = 256000000,
};

struct {
        __uint(type, BPF_MAP_TYPE_ARRAY);
        __uint(max_entries, WALK_MAX_LAYOUTS);
        __type(key, __u32);
        __type(value, struct walk_layout);
} layouts SEC(".maps");

struct {
        __uint(type, BPF_MAP_TYPE_LRU_HASH);
        __uint(max_entries, WALK_MAX_PROCESSES);
        __type(key, __u32);
        __type(value, struct walk_process);
} processes SEC(".maps");

struct walk_thread {
        __u64 tls;
        __u64 newest; /* the newest interpreter at the search */
        __u64 states[WALK_MAX_STATES];
        __u32 n_states, n_interpreters;
        __u64 wait_ns, next_search_ns; /* if it has no state */
};

struct {
        __uint(type, BPF_MAP_TYPE_LRU_HASH);
        __uint(max_entries, WALK_MAX_THREADS);
        __type(key, __u32);
        __type(value, struct walk_thread);
} threads SEC(".maps");

struct code_key {
        __u64 pid, addr, hash;
};

struct {
        __uint(type, BPF_MAP_TYPE_LRU_HASH);
        __uint(max_entries, WALK_MAX_CODES);
        __type(key, struct code_key);
        __type(value, __u32);
} codes SEC(".maps");

/* One for each CPU: values of per-CPU maps are smaller. */
struct scratch {
        __u64 n_samples;
        __u64 seen[SEEN_CODES], seen_sample[SEEN_CODES];
        struct walk_thread found;
        __u8 code[WALK_CODE_BYTES];
        __u8 text[HASH_WORDS * 8];
        __u32 used;
        struct walk_message message;
        __u8 bytes[WALK_SCRATCH_BYTES];
        __u32 code_used;
        struct walk_message code_message;
        __u8 code_bytes[WALK_CODE_BYTES + 2 * WALK_NAME_BYTES + WALK_LINES_BYTES + 256];
};

struct {
        __uint(type, BPF_MAP_TYPE_ARRAY);
        __uint(max_entries, 1); /* the recorder sets the number of CPUs */
        __type(key, __u32);
        __type(value, struct scratch);
} scratches SEC(".maps");

struct {
        __uint(type, BPF_MAP_TYPE_RINGBUF);
        __uint(max_entries, RING_BYTES);
} ring SEC(".maps");

/* Processes that the recorder is to look at. */
struct {
        __uint(type, BPF_MAP_TYPE_RINGBUF);
        __uint(max_entries, ASKS_BYTES);
} asks SEC(".maps");

static __always_inline int read_user(void *to, __u32 size, __u64 addr)
{
        return bpf_probe_read_user(to, size, (void *)addr);
}

static __always_inline int read_word(__u64 addr, __u64 *ret_word)
{
        return bpf_probe_read_user(ret_word, sizeof(*ret_word), (void *)addr);
}

/* --- pieces of the message --- */

/* Copies memory of the process into the message; NULL if it can't be read or there is no room. */
static __always_inline __u8 *add_piece(struct scratch *s, __u64 addr, __u32 size, __u32 most)
{
        __u32 used = s->used;
        struct walk_piece *piece;
        __u8 *bytes;

        if (size > most || used > WALK_SCRATCH_BYTES - sizeof(*piece) - most - 8)
                return 0;
        piece = (struct walk_piece *)(s->bytes + used);
        bytes = (__u8 *)(piece + 1);
        if (read_user(bytes, size, addr))
                return 0;
        piece->addr = addr;
        piece->hash = 0;
        piece->size = size;
        piece->pad = 0;
        s->used = used + sizeof(*piece) + ((size + 7) & ~7u);
        return bytes;
}

static __always_inline void add_code_of_sample(struct scratch *s, __u64 addr, __u64 hash)
{
        __u32 used = s->used;
        struct walk_piece *piece;

        if (used > WALK_SCRATCH_BYTES - sizeof(*piece))
                return;
        piece = (struct walk_piece *)(s->bytes + used);
        piece->addr = addr;
        piece->hash = hash;
        piece->size = 0;
        piece->pad = 0;
        s->used = used + sizeof(*piece);
}

/* The word at an offset of a copy of `most` bytes. */
static __always_inline __u64 word_at(const __u8 *copy, __u32 off, __u32 most)
{
        if (off > most - 8)
                return 0;
        return *(const __u64 *)(copy + off);
}

static __always_inline __u64 mix(__u64 hash, __u64 word)
{
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
        return hash ^ hash >> 29;
}

/* --- code objects --- */

/* Of a text or of bytes: the size, and the beginning of the content. */
static __always_inline __u64 hash_content(struct scratch *s, __u64 size_addr, __u64 addr, __u64 hash)
{
        __u64 length = 0;
        __u32 size;

        if (read_word(size_addr, &length))
                return hash;
        size = length < sizeof(s->text) ? (__u32)length : sizeof(s->text);
        __builtin_memset(s->text, 0, sizeof(s->text));
        if (size > sizeof(s->text) || read_user(s->text, size, addr))
                return hash;
        hash = mix(hash, length);
        for (int i = 0; i < HASH_WORDS; i++)
                hash = mix(hash, ((__u64 *)s->text)[i]);
        return hash;
}

static __always_inline __u64 hash_text(struct scratch *s, const struct walk_layout *l, __u64 addr, __u64 hash)
{
        return hash_content(s, addr + l->text_length, addr + l->text_ascii_bytes, hash);
}

/* Code that is made anew may differ in nothing but its lines. */
static __always_inline __u64 hash_lines(struct scratch *s, const struct walk_layout *l, __u64 addr,
                                        __u64 hash)
{
        return hash_content(s, addr + l->bytes_size, addr + l->bytes_data, hash);
}

/* The hash of the bytes of a code object that do not change while it exists. */
static __always_inline __u64 hash_code(struct scratch *s, const struct walk_layout *l)
{
        __u64 hash = 0;

        for (int i = 0; i < WALK_CODE_BYTES / 8; i++)
                hash = mix(hash, ((__u64 *)s->code)[i] & l->code_mask[i]);
        return hash;
}

static __always_inline int add_code_piece(struct scratch *s, __u64 addr, __u32 size, __u32 most)
{
        __u32 used = s->code_used;
        struct walk_piece *piece;

        if (size > most || used > sizeof(s->code_bytes) - sizeof(*piece) - most - 8)
                return 0;
        piece = (struct walk_piece *)(s->code_bytes + used);
        if (read_user(piece + 1, size, addr))
                return 0;
        piece->addr = addr;
        piece->hash = 0;
        piece->size = size;
        piece->pad = 0;
        s->code_used = used + sizeof(*piece) + ((size + 7) & ~7u);
        return 1;
}

/* Characters have one to four bytes, behind a longer header if they are not ASCII.  The memory behind a text
 * of ASCII may not be there. */
static __always_inline void add_text(struct scratch *s, const struct walk_layout *l, __u64 addr)
{
        __u64 length = 0, size, most;

        if (read_word(addr + l->text_length, &length))
                return;
        size = l->text_ascii_bytes + length;
        most = l->text_ascii_bytes + 16 + length * 4;
        if (length > WALK_NAME_BYTES || most > WALK_NAME_BYTES)
                most = WALK_NAME_BYTES;
        if (!add_code_piece(s, addr, (__u32)most, WALK_NAME_BYTES) && size <= WALK_NAME_BYTES)
                add_code_piece(s, addr, (__u32)size, WALK_NAME_BYTES);
}

static __always_inline void add_lines(struct scratch *s, const struct walk_layout *l, __u64 addr)
{
        __u64 size = 0;

        if (read_word(addr + l->bytes_size, &size))
                return;
        size += l->bytes_data - l->bytes_size;
        if (size <= WALK_LINES_BYTES)
                add_code_piece(s, addr + l->bytes_size, (__u32)size, WALK_LINES_BYTES);
}

static __always_inline void send_code(struct scratch *s, const struct walk_layout *l,
                                      const struct code_key *key)
{
        struct walk_message *m = &s->code_message;
        __u32 size, one = 1;

        s->code_used = 0;
        add_code_piece(s, key->addr, l->code_bytes, WALK_CODE_BYTES);
        add_text(s, l, word_at(s->code, l->code_name, WALK_CODE_BYTES));
        add_text(s, l, word_at(s->code, l->code_file, WALK_CODE_BYTES));
        add_lines(s, l, word_at(s->code, l->code_lines, WALK_CODE_BYTES));
        *m = (struct walk_message){
                .kind = WALK_CODE, .pid = (__u32)key->pid, .states = {key->addr, key->hash}};
        size = sizeof(*m) + s->code_used;
        if (size <= sizeof(*m) + sizeof(s->code_bytes) &&
            !bpf_ringbuf_output(&ring, m, size, BPF_RB_NO_WAKEUP))
                bpf_map_update_elem(&codes, key, &one, BPF_ANY);
}

static __always_inline void see_code(struct scratch *s, const struct walk_layout *l, __u64 addr)
{
        struct code_key key = {.pid = s->message.pid, .addr = addr};
        __u32 slot = (addr >> 5) & (SEEN_CODES - 1);

        if (s->seen[slot] == addr && s->seen_sample[slot] == s->n_samples)
                return;
        if (l->code_bytes > WALK_CODE_BYTES || read_user(s->code, l->code_bytes, addr))
                return;
        key.hash = hash_code(s, l);
        if (l->code_version > WALK_CODE_BYTES - 4 || !*(__u32 *)(s->code + l->code_version)) {
                key.hash = hash_text(s, l, word_at(s->code, l->code_name, WALK_CODE_BYTES), key.hash);
                key.hash = hash_text(s, l, word_at(s->code, l->code_file, WALK_CODE_BYTES), key.hash);
                key.hash = hash_lines(s, l, word_at(s->code, l->code_lines, WALK_CODE_BYTES), key.hash);
        }
        if (!bpf_map_lookup_elem(&codes, &key))
                send_code(s, l, &key);
        add_code_of_sample(s, addr, key.hash);
        s->seen[slot] = addr;
        s->seen_sample[slot] = s->n_samples;
}

/* --- frames --- */

struct frame_chain {
        struct scratch *s;
        const struct walk_layout *l;
        __u64 addr;   /* the next frame */
        __u64 cframe; /* 3.11: of the native eval frame that runs the current frames; 0: none */
};

static long walk_frame(__u32 i, struct frame_chain *w)
{
        const struct walk_layout *l = w->l;
        __u64 addr = w->addr, code, previous;
        __u8 *frame;

        (void)i;
        frame = addr ? add_piece(w->s, addr, l->frame_bytes, WALK_FRAME_BYTES) : 0;
        if (!frame)
                return 1;
        w->addr = word_at(frame, l->frame_previous, WALK_FRAME_BYTES);
        code = word_at(frame, l->frame_code, WALK_FRAME_BYTES);
        if (l->minor >= 14)
                code &= ~(__u64)TAG_BITS;
        if (l->frame_owner >= WALK_FRAME_BYTES || frame[l->frame_owner] < OWNER_SHIM)
                see_code(w->s, l, code);
        if (w->cframe && l->frame_entry < WALK_FRAME_BYTES && frame[l->frame_entry]) {
                if (read_word(w->cframe + l->cframe_previous, &previous))
                        return 1;
                w->cframe = add_piece(w->s, previous, WALK_CFRAME_BYTES, WALK_CFRAME_BYTES) ? previous : 0;
        }
        return 0;
}

static __always_inline void walk_state(struct scratch *s, const struct walk_layout *l, __u64 state)
{
        struct frame_chain w = {.s = s, .l = l};
        __u8 *thread = add_piece(s, state, l->thread_bytes, WALK_THREAD_BYTES);
        __u64 previous;

        if (!thread)
                return;
        w.addr = word_at(thread, l->thread_frame, WALK_THREAD_BYTES);
        if (l->has_cframe && w.addr) {
                w.cframe = w.addr;
                add_piece(s, w.cframe, WALK_CFRAME_BYTES, WALK_CFRAME_BYTES);
                if (!read_word(w.cframe + l->cframe_previous, &previous) && previous)
                        add_piece(s, previous, WALK_CFRAME_BYTES, WALK_CFRAME_BYTES);
                if (read_word(w.cframe + l->cframe_frame, &w.addr))
                        return;
        }
        bpf_loop(WALK_MAX_FRAMES, walk_frame, &w, 0);
}

/* --- thread states --- */

struct search {
        struct scratch *s;
        const struct walk_layout *l;
        __u64 interp, state, current;
};

static __always_inline int is_of_thread(const struct walk_layout *l, __u64 state, __u64 tls,
                                        __u64 *ret_interp)
{
        __u64 id = 0;

        return !read_word(state + l->thread_id, &id) && id == tls &&
               !read_word(state + l->thread_interp, ret_interp) && *ret_interp;
}

static __always_inline void add_state(struct scratch *s, const struct walk_layout *l, __u64 state,
                                      __u64 current)
{
        struct walk_thread *found = &s->found;
        __u32 status = 0, n = found->n_states;

        if (n >= WALK_MAX_STATES)
                return;
        if (l->thread_status != WALK_NO_FIELD)
                read_user(&status, sizeof(status), state + l->thread_status);
        found->n_states = n + 1;
        if (n && (status & STATUS_ACTIVE || state == current)) {
                found->states[n & (WALK_MAX_STATES - 1)] = found->states[0];
                found->states[0] = state;
        } else {
                found->states[n & (WALK_MAX_STATES - 1)] = state;
        }
}

static long search_step(__u32 i, struct search *search)
{
        const struct walk_layout *l = search->l;
        __u64 interp, tls = search->s->message.tls;

        (void)i;
        if (!search->state) {
                if (!search->interp)
                        return 1;
                search->s->found.n_interpreters++;
                if (read_word(search->interp + l->interp_threads, &search->state))
                        search->state = 0;
                if (read_word(search->interp + l->interp_next, &search->interp))
                        search->interp = 0;
                return 0;
        }
        if (is_of_thread(l, search->state, tls, &interp))
                add_state(search->s, l, search->state, search->current);
        if (read_word(search->state + l->thread_next, &search->state))
                search->state = 0;
        return 0;
}

/* `before`: what the last search has found; may be NULL. */
static __always_inline void search_states(struct scratch *s, const struct walk_layout *l, __u64 runtime,
                                          __u32 tid, const struct walk_thread *before)
{
        struct search search = {.s = s, .l = l};
        __u64 wait_ns = before ? before->wait_ns * 2 : 0;

        __builtin_memset(&s->found, 0, sizeof(s->found));
        s->found.tls = s->message.tls;
        if (read_word(runtime + l->runtime_interpreters, &search.interp))
                return;
        if (l->runtime_current != WALK_NO_FIELD)
                read_word(runtime + l->runtime_current, &search.current);
        s->found.newest = search.interp;
        bpf_loop(MAX_SEARCH, search_step, &search, 0);
        if (!s->found.n_states) {
                wait_ns = wait_ns ? wait_ns : FIRST_WAIT_NS;
                s->found.wait_ns = wait_ns < LONGEST_WAIT_NS ? wait_ns : LONGEST_WAIT_NS;
                s->found.next_search_ns = s->message.time_ns + s->found.wait_ns;
        }
        bpf_map_update_elem(&threads, &tid, &s->found, BPF_ANY);
}

/* Whether the states that were found before may still be all. */
static __always_inline int is_current(const struct walk_layout *l, const struct walk_thread *t, __u64 runtime,
                                      __u64 tls, __u64 now_ns)
{
        __u64 interp, newest, current = 0;
        __u32 status = 0;

        if (!t->n_states)
                return t->tls == tls && now_ns < t->next_search_ns;
        if (t->tls != tls || !is_of_thread(l, t->states[0], tls, &interp))
                return 0;
        if (l->thread_status != WALK_NO_FIELD) {
                if (!read_user(&status, sizeof(status), t->states[0] + l->thread_status) &&
                    status & STATUS_ACTIVE)
                        return 1;
                return t->n_interpreters == 1 && !read_word(runtime + l->runtime_interpreters, &newest) &&
                       newest == t->newest;
        }
        if (l->runtime_current == WALK_NO_FIELD || read_word(runtime + l->runtime_current, &current) ||
            !current)
                return 1;
        return current == t->states[0] || !is_of_thread(l, current, tls, &interp);
}

static __always_inline void ask(const struct walk_message *m)
{
        struct walk_message unknown = {
                .kind = WALK_UNKNOWN, .pid = m->pid, .tid = m->tid, .time_ns = m->time_ns};

        bpf_ringbuf_output(&asks, &unknown, sizeof(unknown), BPF_RB_FORCE_WAKEUP);
}

static __always_inline int is_python(struct walk_process *process, const struct walk_message *m)
{
        struct walk_process unknown = {.kind = WALK_OTHER, .next_look_ns = m->time_ns + UNKNOWN_NS};

        if (process && process->kind == WALK_PYTHON)
                return 1;
        if (process && m->time_ns < process->next_look_ns)
                return 0;
        bpf_map_update_elem(&processes, &m->pid, &unknown, BPF_ANY);
        ask(m);
        return 0;
}

SEC("perf_event")
int on_sample(struct bpf_perf_event_data *ctx)
{
        __u64 id = bpf_get_current_pid_tgid();
        __u32 cpu = bpf_get_smp_processor_id(), tid = (__u32)id, size;
        struct scratch *s = bpf_map_lookup_elem(&scratches, &cpu);
        struct task_struct *task = (struct task_struct *)bpf_get_current_task();
        struct walk_process *process;
        struct walk_layout *l;
        struct walk_thread *t;
        struct walk_message *m;

        if (!s || !id)
                return 1;
        m = &s->message;
        __builtin_memset(m, 0, sizeof(*m));
        m->kind = WALK_SAMPLE;
        m->pid = (__u32)(id >> 32);
        m->tid = tid;
        m->time_ns = bpf_ktime_get_ns();
        m->ip = PT_REGS_IP(&ctx->regs);
        m->sp = PT_REGS_SP(&ctx->regs);
        process = bpf_map_lookup_elem(&processes, &m->pid);
        if (!is_python(process, m) || !process)
                return 1;
        l = bpf_map_lookup_elem(&layouts, &process->binary);
        if (!l)
                return 1;
        m->tls = BPF_CORE_READ(task, thread.fsbase);
        m->binary = process->binary;
        m->bias = process->bias;
        s->used = 0;
        s->n_samples++;
        t = bpf_map_lookup_elem(&threads, &tid);
        if (t && is_current(l, t, process->runtime, m->tls, m->time_ns))
                s->found = *t;
        else
                search_states(s, l, process->runtime, tid, t);
        add_piece(s, process->runtime + l->runtime_interpreters, 8, 8);
        if (l->runtime_current != WALK_NO_FIELD)
                add_piece(s, process->runtime + l->runtime_current, 8, 8);
        m->n_states = s->found.n_states;
        for (__u32 i = 0; i < WALK_MAX_STATES; i++) {
                m->states[i] = s->found.states[i];
                if (i < m->n_states && m->states[i])
                        walk_state(s, l, m->states[i]);
        }
        size = sizeof(*m) + s->used;
        /* If there is no room, the sample has no Python frames, and is counted. */
        if (size <= sizeof(*m) + WALK_SCRATCH_BYTES)
                bpf_ringbuf_output(&ring, m, size, BPF_RB_NO_WAKEUP);
        return 1;
}

/* A child has the interpreter of its parent until it executes another program. */
SEC("raw_tp/sched_process_fork")
int on_fork(struct bpf_raw_tracepoint_args *ctx)
{
        struct task_struct *parent = (struct task_struct *)ctx->args[0],
                           *child = (struct task_struct *)ctx->args[1];
        __u32 from = (__u32)BPF_CORE_READ(parent, tgid), to = (__u32)BPF_CORE_READ(child, tgid);
        struct walk_process *process, copy;

        if (from == to)
                return 0;
        process = bpf_map_lookup_elem(&processes, &from);
        if (!process || process->kind != WALK_PYTHON) {
                bpf_map_delete_elem(&processes, &to);
                return 0;
        }
        copy = *process;
        bpf_map_update_elem(&processes, &to, &copy, BPF_ANY);
        return 0;
}

SEC("raw_tp/sched_process_exec")
int on_exec(struct bpf_raw_tracepoint_args *ctx)
{
        struct walk_message exec = {.kind = WALK_EXEC};

        (void)ctx;
        exec.pid = (__u32)(bpf_get_current_pid_tgid() >> 32);
        bpf_map_delete_elem(&threads, &exec.pid);
        if (!bpf_map_delete_elem(&processes, &exec.pid))
                bpf_ringbuf_output(&ring, &exec, sizeof(exec), BPF_RB_NO_WAKEUP);
        return 0;
}

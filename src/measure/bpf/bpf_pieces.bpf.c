/* SPDX-License-Identifier: BSD-3-Clause */
/* Included by bpf_walk.bpf.c: maps, messages, and the pieces of memory in them. */

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

struct mm_struct {
        unsigned long start_stack;
} __attribute__((preserve_access_index));

struct signal_struct {
        struct {
                int counter;
        } live; /* threads that have not ended */
} __attribute__((preserve_access_index));

struct task_struct {
        int pid, tgid;
        struct mm_struct *mm;
        struct signal_struct *signal;
        struct thread_struct thread;
} __attribute__((preserve_access_index));

enum {
        SEEN_CODES = 64,
        MAX_SEARCH = 4096,       /* thread states that a search reads: some 0.4 ms, in an interrupt */
        MAX_HOLDER_SEARCH = 128, /* the same at each sample without the GIL */
        TAG_BITS = 7,
        OWNER_SHIM = 3,
        STATUS_ACTIVE = 1 << 4,
        HASH_WORDS = 32, /* of a text */
        RING_BYTES = 1 << 24,
        WAKE_BYTES = RING_BYTES / 4, /* wake the recorder when so much waits */
        ASKS_BYTES = 1 << 16,
        UNKNOWN_NS = 1000000,
        /* A thread that has no state may be one of C code.  The next search waits for this part of the time
         * that the thread has had none, and at most so long. */
        WAIT_PART = 8,
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

/* The processes of the command, by pid, with the address of what their threads share in the kernel.  WALK_ALL
 * is among them while only they are sampled. */
struct {
        __uint(type, BPF_MAP_TYPE_HASH);
        __uint(max_entries, WALK_MAX_FOLLOWED);
        __uint(map_flags, BPF_F_NO_PREALLOC);
        __type(key, __u32);
        __type(value, __u64);
} followed SEC(".maps");

struct walk_thread {
        __u64 tls;
        __u64 newest; /* the newest interpreter at the search */
        __u64 states[WALK_MAX_STATES];
        __u32 n_states, n_interpreters;
        __u64 first_search_ns, next_search_ns; /* if it has no state */
};

struct {
        __uint(type, BPF_MAP_TYPE_LRU_HASH);
        __uint(max_entries, WALK_MAX_THREADS);
        __type(key, __u32);
        __type(value, struct walk_thread);
} threads SEC(".maps");

struct code_key {
        __u64 pid, born_ns, addr, hash;
};

/* The last code object of a slot, which was sent. */
struct walk_seen {
        struct code_key key;
        __u64 sample; /* the number of the last sample that has it */
};

struct {
        __uint(type, BPF_MAP_TYPE_LRU_HASH);
        __uint(max_entries, WALK_MAX_CODES);
        __type(key, struct code_key);
        __type(value, __u32);
} codes SEC(".maps");

/* The beginning of a text. */
struct text_words {
        __u64 words[HASH_WORDS];
};

/* The walk of the frames of a thread state. */
struct frame_chain {
        __u64 addr;                /* the next frame */
        __u64 callee;              /* address of the frame before */
        __u64 cframe;              /* 3.11: of the native eval frame that runs the current frames; 0: none */
        __u64 window, window_last; /* first and last address of frames in a copy of the data stack; 0: none */
        __u64 window_at;           /* of its bytes in the message */
};

/* A search for the states of a thread. */
struct walk_search {
        __u64 interp, state, current;
        __u64 holder; /* the state that has the GIL */
};

/* The copy of a stack. */
struct stack_copy {
        __u64 start, at, end, used;
        __u32 is_lost, is_unread;
};

/* The line table of a code object, from the size of the bytes object on. */
struct line_table {
        __u64 addr, n_left;
        __u64 is_lost;
};

/* One for each CPU: values of per-CPU maps are smaller. */
struct scratch {
        __u64 n_samples;
        struct walk_seen seen[SEEN_CODES];
        struct walk_thread found;
        __u8 code[WALK_CODE_BYTES];
        struct text_words text;
        struct frame_chain chain;
        struct line_table lines;
        struct walk_search search;
        struct stack_copy stack;
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

struct {
        __uint(type, BPF_MAP_TYPE_RINGBUF);
        __uint(max_entries, RING_BYTES);
} stacks SEC(".maps");

struct {
        __uint(type, BPF_MAP_TYPE_ARRAY);
        __uint(max_entries, 1);
        __type(key, __u32);
        __type(value, struct walk_counts);
} counts SEC(".maps");

/* Processes that the recorder is to look at. */
struct {
        __uint(type, BPF_MAP_TYPE_RINGBUF);
        __uint(max_entries, ASKS_BYTES);
} asks SEC(".maps");

static __always_inline int read_user(void *to, __u64 size, __u64 addr)
{
        return bpf_probe_read_user(to, (__u32)size, (void *)addr);
}

static __always_inline int read_word(__u64 addr, __u64 *ret_word)
{
        return bpf_probe_read_user(ret_word, sizeof(*ret_word), (void *)addr);
}

#define COUNT(field)                                                                                         \
        do {                                                                                                 \
                __u32 zero_ = 0;                                                                             \
                struct walk_counts *counts_ = bpf_map_lookup_elem(&counts, &zero_);                          \
                                                                                                             \
                if (counts_)                                                                                 \
                        __sync_fetch_and_add(&counts_->field, 1);                                            \
        } while (0)

/* The recorder reads the rings from time to time, and if much waits. */
static __always_inline __u64 wake_flags(void *of_ring)
{
        return bpf_ringbuf_query(of_ring, BPF_RB_AVAIL_DATA) > WAKE_BYTES ? BPF_RB_FORCE_WAKEUP
                                                                          : BPF_RB_NO_WAKEUP;
}

/* Sends a message with `used` bytes of pieces, for which there is room for `most`. */
static __always_inline int send(struct walk_message *m, __u64 used, __u64 most)
{
        /* The verifier must see the comparison of the number that is passed. */
        asm volatile("" : "+r"(used));
        if (used > most)
                return 1;
        return bpf_ringbuf_output(&ring, m, sizeof(*m) + used, wake_flags(&ring)) != 0;
}

/* --- pieces of the message --- */

/* Sends the pieces so far if there may be no room for those of another frame.  1: it has. */
static __always_inline int send_part(struct scratch *s)
{
        enum { FRAME_ROOM = WALK_WINDOW_BYTES + WALK_CFRAME_BYTES + 3 * sizeof(struct walk_piece) + 64 };

        if (s->used <= WALK_SCRATCH_BYTES - FRAME_ROOM)
                return 0;
        s->message.kind = WALK_PART;
        if (send(&s->message, s->used, WALK_SCRATCH_BYTES))
                s->message.is_cut = 1;
        s->message.kind = WALK_SAMPLE;
        s->used = 0;
        return 1;
}

/* Copies memory of the process into the message; NULL if it can't be read or there is no room. */
static __always_inline __u8 *add_piece(struct scratch *s, __u64 addr, __u64 size, __u32 most)
{
        __u32 used = s->used;
        struct walk_piece *piece;
        __u8 *bytes;

        asm volatile("" : "+r"(size));
        if (size > most || used > WALK_SCRATCH_BYTES - sizeof(*piece) - most - 8)
                return 0;
        piece = (struct walk_piece *)(s->bytes + used);
        bytes = (__u8 *)(piece + 1);
        if (read_user(bytes, size, addr))
                return 0;
        piece->addr = addr;
        piece->hash = 0;
        piece->size = (__u32)size;
        piece->pad = 0;
        s->used = used + sizeof(*piece) + (((__u32)size + 7) & ~7u);
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

/* Global functions are verified once, and not for each state in which they are called. */
__noinline __u64 hash_words(const struct text_words *text, __u32 n, __u64 hash)
{
        if (!text)
                return hash;
        for (__u32 i = 0; i < HASH_WORDS; i++) {
                if (i >= n)
                        break;
                hash = mix(hash, text->words[i]);
        }
        return hash;
}

/* The beginning of the content of a text or of bytes. */
static __always_inline __u64 hash_content(struct scratch *s, __u64 length, __u64 addr, __u64 hash)
{
        __u64 size = length < sizeof(s->text) - 8 ? length : sizeof(s->text) - 8;

        asm volatile("" : "+r"(size));
        if (size > sizeof(s->text) - 8)
                return hash;
        s->text.words[size / 8] = 0;
        if (read_user(&s->text, size, addr))
                return hash;
        return hash_words(&s->text, (__u32)(size + 7) / 8, mix(hash, length));
}

/* CPython keeps the hash of a text that it has looked up. */
static __always_inline __u64 hash_text(struct scratch *s, const struct walk_layout *l, __u64 addr, __u64 hash)
{
        struct {
                __u64 length, hash;
        } text;

        if (read_user(&text, sizeof(text), addr + l->text_length))
                return hash;
        if (text.hash != ~0ull)
                return mix(mix(hash, text.length), text.hash);
        return hash_content(s, text.length, addr + l->text_ascii_bytes, hash);
}

/* Code that is made anew may differ in nothing but its lines. */
static __always_inline __u64 hash_lines(struct scratch *s, const struct walk_layout *l, __u64 addr,
                                        __u64 hash)
{
        __u64 size = 0;

        if (read_word(addr + l->bytes_size, &size))
                return hash;
        return hash_content(s, size, addr + l->bytes_data, hash);
}

/* The hash of the bytes of a code object that do not change while it exists. */
__noinline __u64 hash_code(const struct scratch *s, const struct walk_layout *l)
{
        __u64 hash = 0;

        if (!s || !l)
                return 0;
        for (int i = 0; i < WALK_CODE_BYTES / 8; i++)
                hash = mix(hash, ((__u64 *)s->code)[i] & l->code_mask[i]);
        return hash;
}

static __always_inline int add_code_piece(struct scratch *s, __u64 addr, __u64 size, __u32 most)
{
        __u32 used = s->code_used;
        struct walk_piece *piece;

        asm volatile("" : "+r"(size));
        if (size > most || used > sizeof(s->code_bytes) - sizeof(*piece) - most - 8)
                return 0;
        piece = (struct walk_piece *)(s->code_bytes + used);
        if (read_user(piece + 1, size, addr))
                return 0;
        piece->addr = addr;
        piece->hash = 0;
        piece->size = (__u32)size;
        piece->pad = 0;
        s->code_used = used + sizeof(*piece) + (((__u32)size + 7) & ~7u);
        return 1;
}

/* Characters have one to four bytes, behind a longer header if they are not ASCII.  The memory behind a text
 * of ASCII may not be there. */
static __always_inline void add_text(struct scratch *s, const struct walk_layout *l, __u64 addr)
{
        __u64 length = 0, size, most;

        if (read_word(addr + l->text_length, &length))
                return;
        if (length > WALK_NAME_CHARS)
                length = WALK_NAME_CHARS;
        size = l->text_ascii_bytes + length;
        most = l->text_ascii_bytes + 16 + length * 4;
        if (!add_code_piece(s, addr, most, WALK_NAME_BYTES))
                add_code_piece(s, addr, size, WALK_NAME_BYTES);
}

static __always_inline int send_code_part(struct scratch *s, const struct code_key *key, __u64 part)
{
        struct walk_message *m = &s->code_message;
        __u64 used = s->code_used;

        __builtin_memset(m, 0, sizeof(*m));
        m->kind = WALK_CODE;
        m->pid = (__u32)key->pid;
        m->born_ns = key->born_ns;
        m->states[0] = key->addr;
        m->states[1] = key->hash;
        m->states[2] = part;
        s->code_used = 0;
        return send(m, used, sizeof(s->code_bytes));
}

struct line_loop {
        struct scratch *s;
        const struct code_key *key;
};

static long send_lines(__u32 part, struct line_loop *loop)
{
        struct scratch *s = loop->s;
        struct line_table *t = &s->lines;
        __u64 size = t->n_left < WALK_LINES_BYTES ? t->n_left : WALK_LINES_BYTES;

        if (!size || !add_code_piece(s, t->addr, size, WALK_LINES_BYTES))
                return 1;
        t->addr += size;
        t->n_left -= size;
        if (!t->n_left) /* the last part is sent with the code object */
                return 1;
        t->is_lost = send_code_part(s, loop->key, part + 1);
        return t->is_lost;
}

/* 0: it was sent. */
__noinline int send_code(struct scratch *s, const struct walk_layout *l, const struct code_key *key)
{
        struct line_loop loop = {s, key};
        struct line_table *t;
        __u64 size = 0;

        if (!s || !l || !key)
                return 1;
        t = &s->lines;
        __builtin_memset(t, 0, sizeof(*t));
        t->addr = word_at(s->code, l->code_lines, WALK_CODE_BYTES) + l->bytes_size;
        if (!read_word(t->addr, &size))
                t->n_left = size + (l->bytes_data - l->bytes_size);
        if (t->n_left > WALK_MAX_LINES_PARTS * WALK_LINES_BYTES) {
                t->n_left = 0;
                COUNT(n_long_codes);
        }
        s->code_used = 0;
        bpf_loop(WALK_MAX_LINES_PARTS, send_lines, &loop, 0);
        add_code_piece(s, key->addr, l->code_bytes, WALK_CODE_BYTES);
        add_text(s, l, word_at(s->code, l->code_name, WALK_CODE_BYTES));
        add_text(s, l, word_at(s->code, l->code_file, WALK_CODE_BYTES));
        return t->is_lost || send_code_part(s, key, 0);
}

/* Whether two keys are the same. */
static __always_inline int is_same(const struct code_key *a, const struct code_key *b)
{
        return a->hash == b->hash && a->addr == b->addr && a->pid == b->pid && a->born_ns == b->born_ns;
}

static __always_inline void see_code(struct scratch *s, const struct walk_layout *l, __u64 addr)
{
        struct code_key key = {.pid = s->message.pid, .born_ns = s->message.born_ns, .addr = addr};
        struct walk_seen *seen = &s->seen[(addr >> 5) & (SEEN_CODES - 1)];
        __u32 one = 1;

        if (seen->key.addr == addr && seen->sample == s->n_samples)
                return;
        if (l->code_bytes > WALK_CODE_BYTES || read_user(s->code, l->code_bytes, addr))
                return;
        key.hash = hash_code(s, l);
        if (l->code_version > WALK_CODE_BYTES - 4 || !*(__u32 *)(s->code + l->code_version)) {
                key.hash = hash_text(s, l, word_at(s->code, l->code_name, WALK_CODE_BYTES), key.hash);
                key.hash = hash_text(s, l, word_at(s->code, l->code_file, WALK_CODE_BYTES), key.hash);
                key.hash = hash_lines(s, l, word_at(s->code, l->code_lines, WALK_CODE_BYTES), key.hash);
        }
        if (!is_same(&seen->key, &key) && !bpf_map_lookup_elem(&codes, &key)) {
                if (send_code(s, l, &key)) {
                        COUNT(n_lost_codes);
                        return;
                }
                bpf_map_update_elem(&codes, &key, &one, BPF_ANY);
        }
        add_code_of_sample(s, addr, key.hash);
        seen->key = key;
        seen->sample = s->n_samples;
}

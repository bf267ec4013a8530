/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples with named stacks for the tests of exports that keep time: of an ordinary program, and of one
 * whose names are hostile. */
#ifndef SAMPLES_BUILDER_H
#define SAMPLES_BUILDER_H

#include <stdlib.h>
#include <string.h>

#include "export_builder.h"
#include "named_stacks.h"
#include "sample_list.h"
#include "strpool.h"

enum {
        SAMPLES_PYTHON,
        SAMPLES_LIBC,
        SAMPLES_KERNEL,
        SAMPLES_NAT,
        SAMPLES_JIT,
        SAMPLES_VDSO,
        SAMPLES_HEAP,
        SAMPLES_BPF
};

static const struct named_module samples_modules[] = {
        {.kind = NAMED_FILE,
         .path = "/usr/bin/python3.11",
         .build_id = {0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0x10, 0x20,
                      0x30, 0x40, 0x50, 0x60, 0x70, 0x80, 0x90, 0xa0, 0xb0, 0xc0},
         .build_id_size = 20},
        {.kind = NAMED_FILE, .path = "/usr/lib/libc.so.6", .is_deleted = true},
        {.kind = NAMED_KERNEL, .path = "[kernel.kallsyms]"},
        {.kind = NAMED_KERNEL_MODULE, .path = "/lib/modules/6.1/kernel/net/nf-nat.ko.xz"},
        {.kind = NAMED_ANON, .path = "//anon", .pid = 7},
        {.kind = NAMED_VDSO, .path = "[vdso]"},
        {.kind = NAMED_ANON, .path = "[heap]", .pid = 7},
        {.kind = NAMED_BPF, .path = "bpf_prog_1_x"},
};

/* Frames of a node, innermost first. */
static const struct named_frame samples_frames[] = {
        {"main", "/src/work.c", 10, 3},
        {"carry", "/src/work.c", 41, 0},
        {"add", "/src/work.c", 31, 9},
        {"work", "/src/work.c", 21, 5},
        {"", "", 0, 0},
        {"do_syscall_64", "", 0, 0},
        {"nf_nat_setup", "", 0, 0},
        {"jit_loop", "", 0, 0},
        {"clock_gettime", "", 0, 0},
        {"bpf_prog_1_x", "", 0, 0},
};

#define NODE(parent_, module_, frame, n, ...)                                                                \
        {                                                                                                    \
                .parent = (parent_), .module = (module_), .first_frame = (frame), .n_frames = (n),           \
                __VA_ARGS__                                                                                  \
        }

static const struct named_node samples_nodes[] = {
        /* main calls work, in which add is inlined, in which carry is */
        NODE(NAMED_NONE, SAMPLES_PYTHON, 0, 1, .offset = 0x10ff, .addr = 0x11ff, .start = 0x1180,
             .size = 0x100, .has_start = true, .is_return = true),
        NODE(0, SAMPLES_PYTHON, 1, 3, .offset = 0x2000, .addr = 0x2100, .start = 0x2000, .has_start = true),
        /* of what is behind main nothing is known; one is where the other's call is, and not behind it */
        NODE(0, SAMPLES_LIBC, 4, 1, .offset = 0x3fff, .addr = 0x3fff, .is_return = true, .is_unwound = true),
        NODE(2, SAMPLES_KERNEL, 5, 1, .offset = 0xffffffff81000010, .addr = 0xffffffff81000010,
             .start = 0xffffffff81000000, .has_start = true, .is_return = true, .is_kernel = true),
        NODE(3, SAMPLES_NAT, 6, 1, .offset = 0xffffffffc0000000, .addr = 0xffffffffc0000000,
             .start = 0xffffffffc0000000, .has_start = true, .is_kernel = true),
        NODE(NAMED_NONE, NAMED_NONE, 4, 1, .is_cut = true),
        NODE(5, SAMPLES_JIT, 7, 1, .offset = 0x7f0000000004, .addr = 0x7f0000000004, .start = 0x7f0000000000,
             .size = 6, .has_start = true),
        NODE(6, SAMPLES_VDSO, 8, 1, .offset = 0xb48, .addr = 0xb48, .start = 0xaf0, .has_start = true),
        NODE(NAMED_NONE, NAMED_NONE, 4, 1, .offset = 0x10, .addr = 0x10),
        NODE(8, SAMPLES_HEAP, 4, 1, .offset = 0x5550, .addr = 0x5550),
        NODE(NAMED_NONE, SAMPLES_BPF, 9, 1, .offset = 0xffffffffc1000007, .addr = 0xffffffffc1000007,
             .start = 0xffffffffc1000000, .has_start = true, .is_kernel = true),
        /* the second place where work is: the first frame again, further on */
        NODE(0, SAMPLES_PYTHON, 3, 1, .offset = 0x2040, .addr = 0x2140, .start = 0x2000, .has_start = true),
        NODE(11, SAMPLES_PYTHON, 1, 3, .offset = 0x2000, .addr = 0x2100, .start = 0x2000, .has_start = true),
};

/* What there is, copied: the views only read it. */
static inline struct named_stacks *samples_stacks(const struct named_node *nodes, size_t n_nodes,
                                                  const struct named_frame *frames, size_t n_frames,
                                                  const struct named_module *modules, size_t n_modules)
{
        struct named_stacks *named = calloc(1, sizeof(*named));

        *named = (struct named_stacks){
                .nodes = malloc(n_nodes * sizeof(*nodes)),
                .n_nodes = n_nodes,
                .frames = malloc(n_frames * sizeof(*frames)),
                .n_frames = n_frames,
                .modules = malloc(n_modules * sizeof(*modules)),
                .n_modules = n_modules,
                .texts = strpool_new(),
        };
        if (!n_nodes)
                return named;
        memcpy(named->nodes, nodes, n_nodes * sizeof(*nodes));
        memcpy(named->frames, frames, n_frames * sizeof(*frames));
        memcpy(named->modules, modules, n_modules * sizeof(*modules));
        return named;
}

#define N_OF(array) (sizeof(array) / sizeof(*(array)))

static inline struct named_stacks *samples_ordinary_stacks(void)
{
        return samples_stacks(samples_nodes, N_OF(samples_nodes), samples_frames, N_OF(samples_frames),
                              samples_modules, N_OF(samples_modules));
}

static inline void samples_add(struct sample_list *list, uint64_t time_ns, uint32_t event, uint32_t node,
                               const char *comm, int32_t tid)
{
        sample_list_add(list, &(struct listed_sample){
                                      .time_ns = time_ns,
                                      .ip = 0x555500002000 + node,
                                      .weight = 1000 * (event + 1),
                                      .event = event,
                                      .node = node,
                                      .comm = sample_list_add_text(list, comm),
                                      .cpu = tid % 2 ? 1 : 12,
                                      .pid = 7,
                                      .tid = tid,
                              });
}

/* Two threads of process 7; the second has two names. */
static inline struct sample_list *samples_ordinary(void)
{
        struct sample_list *list = sample_list_new();

        samples_add(list, 99999999999, 0, 1, "python3", 7);
        samples_add(list, 100001000000, 0, 4, "python3", 7);
        samples_add(list, 100002000999, 1, 7, "Thread 1", 123456);
        samples_add(list, 100003000000, 0, 9, "", 123456);
        samples_add(list, 100004000000, 1, 10, "Thread 2", 123456);
        samples_add(list, 100005000000, 0, 12, "python3", 7);
        return list;
}

/* Names that would end, open or forge something, one that is not UTF-8, one without an end. */
static inline struct named_stacks *samples_hostile_stacks(void)
{
        static char endless[EXPORT_LONG + 1];
        const struct named_frame frames[] = {
                {"f\nroot 1 [000] 1.000000: 1 forged: ", "/src/\n\"\\", 1, UINT32_MAX},
                {"\"]}\\u0000", "\xff", UINT32_MAX, 0},
                {"\xed\xa0\x80\xc3", endless, 5, 5},
                {endless, "", 0, 0},
                {"\x01\x7f\xef\xbf\xbe", "", 0, 0},
        };
        const struct named_module modules[] = {
                {.kind = NAMED_FILE, .path = "/tmp/a\n\tffff f (x)\n\"\\", .build_id_size = 1},
                {.kind = NAMED_ANON, .path = "[\x1b]\xff", .pid = -1},
                {.kind = NAMED_KERNEL_MODULE, .path = "\n"},
                {.kind = NAMED_FILE, .path = endless, .build_id_size = 20},
                {.kind = NAMED_FILE, .path = ""},
        };
        struct named_node nodes[10];

        memset(endless, 'x', EXPORT_LONG);
        for (uint32_t i = 0; i < N_OF(nodes); i++)
                nodes[i] = (struct named_node){
                        .parent = i ? i - 1 : NAMED_NONE,
                        .module = i < N_OF(modules) ? i : NAMED_NONE,
                        .first_frame = i % 4,
                        .n_frames = 1 + i % 2,
                        .offset = UINT64_MAX - i % 2,
                        .addr = i % 3 ? 0 : UINT64_MAX,
                        .start = i,
                        .size = UINT64_MAX,
                        .has_start = i % 2,
                        .is_return = true,
                        .is_kernel = i == 2,
                };
        return samples_stacks(nodes, N_OF(nodes), frames, N_OF(frames), modules, N_OF(modules));
}

static inline struct sample_list *samples_hostile(void)
{
        struct sample_list *list = sample_list_new();

        samples_add(list, UINT64_MAX, 0, 9, "a\nb 1 2\"", 1);
        samples_add(list, 0, 0, 4, "\xff\xfe", -1);
        samples_add(list, 5, 1, 3, "\n", 0);
        return list;
}

#endif

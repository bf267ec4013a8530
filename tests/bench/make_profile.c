/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the reference session for measurements of reading and analysis: 2.2 million samples with 14 frames
 * on average over a call tree of 19,000 nodes, four CPUs' buffers in rounds, 366 MB.  make_profile FILE
 * [SAMPLES [LEVEL]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "perfdata_writer.h"
#include "session_builder.h"

enum {
        N_LAYERS = 20,
        NARROW_LAYERS = 5,  /* 1, 4, 16 and so on */
        LAYER_NODES = 1244, /* of each layer below */
        SHALLOWEST = 8,     /* a sample's depth is 8 to 20 */
        N_MODULES = 6,
        N_PROCESSES = 3,
        N_CPUS = 4,
        BATCH = 256, /* samples in one CPU's buffer in a round */
        STEP_NS = 250 * 1000,
};

static const uint64_t module_bytes = 1 << 20;

struct node {
        uint32_t parent;
        uint64_t addr;
};

struct tree {
        struct node nodes[N_LAYERS * LAYER_NODES];
        uint32_t layer_start[N_LAYERS + 1];
};

static uint64_t random_state = 1;

static uint64_t random_below(uint64_t n)
{
        return map_mix(random_state++) % n;
}

static uint64_t module_start(uint64_t module)
{
        return module ? 0x7f0000000000 + (module << 24) : 0x555500000000;
}

static struct tree *tree_new(void)
{
        struct tree *tree = mem_new(1, sizeof(*tree));
        uint32_t n = 0, width = 1;

        for (uint32_t layer = 0; layer < N_LAYERS; layer++) {
                tree->layer_start[layer] = n;
                for (uint32_t i = 0; i < width; i++, n++) {
                        uint64_t module = random_below(N_MODULES);

                        if (layer)
                                tree->nodes[n].parent = tree->layer_start[layer - 1] +
                                                        (uint32_t)random_below(tree->layer_start[layer] -
                                                                               tree->layer_start[layer - 1]);
                        tree->nodes[n].addr = module_start(module) + random_below(module_bytes / 16) * 16;
                }
                width = layer + 1 < NARROW_LAYERS ? width * 4 : LAYER_NODES;
        }
        tree->layer_start[N_LAYERS] = n;
        return tree;
}

static void add_sample(struct session_builder *b, const struct tree *tree, uint64_t time)
{
        uint32_t depth = SHALLOWEST + (uint32_t)random_below(N_LAYERS - SHALLOWEST + 1), layer = depth - 1;
        uint32_t at = tree->layer_start[layer] +
                      (uint32_t)random_below(tree->layer_start[layer + 1] - tree->layer_start[layer]);
        uint32_t pid = 1000 + (uint32_t)random_below(N_PROCESSES), tid = pid + (uint32_t)random_below(4) * 10;
        uint64_t words[N_LAYERS + 8], *to = words;

        *to++ = tree->nodes[at].addr;
        *to++ = (uint64_t)tid << 32 | pid;
        *to++ = time;
        *to++ = b->attrs[0].sample_period_or_freq;
        *to++ = depth + 1;
        *to++ = PERF_CONTEXT_USER;
        for (; depth--; at = tree->nodes[at].parent)
                *to++ = tree->nodes[at].addr;
        builder_begin(b, PERF_RECORD_SAMPLE, PERF_MISC_USER);
        builder_bytes(b, words, (size_t)(to - words) * sizeof(*to));
        builder_end(b);
}

static void add_processes(struct session_builder *b)
{
        for (int32_t pid = 1000; pid < 1000 + N_PROCESSES; pid++) {
                builder_comm(b, 0, pid, pid, "worker", true);
                for (uint64_t module = 0; module < N_MODULES; module++) {
                        char path[40];

                        snprintf(path, sizeof(path), "/usr/lib/module-%d.so", (int)module);
                        builder_mmap_inode(b, 0, pid, module_start(module), module_bytes, 0, path,
                                           100 + module);
                }
        }
}

static bool write_all(struct perfdata_writer *w, struct session_builder *b, uint64_t n_samples,
                      struct err *err)
{
        struct tree *tree = tree_new();
        uint64_t start = 1000000000;
        bool ok = true;

        add_processes(b);
        for (uint64_t done = 0; ok && done < n_samples; start += (uint64_t)BATCH * STEP_NS) {
                for (int cpu = 0; cpu < N_CPUS; cpu++) {
                        for (uint64_t i = 0; i < BATCH && done < n_samples; i++, done++)
                                add_sample(b, tree, start + i * STEP_NS + (uint64_t)cpu * 999);
                }
                builder_round(b);
                ok = perfdata_writer_put(w, b->records.data, b->records.len, err);
                buf_clear(&b->records);
        }
        free(tree);
        return ok;
}

int main(int argc, char **argv)
{
        uint64_t n_samples = argc > 2 ? strtoull(argv[2], NULL, 0) : 2200000;
        struct perfdata_writer *w;
        struct session_builder b;
        struct err err = {0};
        bool ok;

        builder_init(&b);
        b.attrs[0].sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
                                 PERF_SAMPLE_CALLCHAIN;
        w = argc > 1 ? perfdata_writer_open(argv[1], &err) : NULL;
        ok = w && (argc < 4 || perfdata_writer_set_compression(w, atoi(argv[3]), &err));
        if (ok)
                perfdata_writer_add_event(w, &b.attrs[0], "cpu-clock:u", b.ids, 1);
        ok = ok && perfdata_writer_begin(w, &err) && write_all(w, &b, n_samples, &err);
        if (ok)
                perfdata_writer_add_feature_str(w, FEATURE_ARCH, "x86_64");
        ok = w && perfdata_writer_close(w, ok ? &err : NULL) && ok;
        builder_release(&b);
        if (!ok)
                fprintf(stderr, "%s\n", argc > 1 ? err.text : "make_profile FILE [SAMPLES [LEVEL]]");
        return !ok;
}

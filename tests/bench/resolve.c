/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of addresses, for oracles and for measurements:
 *
 *   resolve [-k|-p] FILE < ADDRESSES   hexadecimal file offsets (absolute with -k and -p), one a line; prints
 *                                      `ADDR STATUS START SIZE NAME` for each
 *   resolve -r N [-k|-p] FILE          times opening the file and N random addresses in the code
 *
 * -k: FILE is a kallsyms; -p: a perf map; -d: names are made readable. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "object.h"
#include "os.h"
#include "resolver.h"

struct job {
        struct resolver *resolver;
        resolver_id id;
        enum resolver_kind kind;
        const char *path;
        size_t n_random;
};

static const char *const status_names[] = {
        [SYMBOL_NAMED] = "named", [SYMBOL_RANGE] = "range", [SYMBOL_NONE] = "none"};

static void answer(const struct job *job)
{
        char line[64];

        while (fgets(line, sizeof(line), stdin)) {
                struct symbol symbol = resolver_find(job->resolver, job->id, strtoull(line, NULL, 16));

                printf("%" PRIx64 " %s %" PRIx64 " %" PRIx64 " %s\n", symbol.addr,
                       status_names[symbol.status], symbol.start, symbol.size,
                       symbol.status == SYMBOL_NAMED ? resolver_text(job->resolver, symbol.name) : "");
        }
}

/* The range of random addresses: all code of a file, or all possible addresses of a kernel's code. */
static bool find_code(const struct job *job, uint64_t *ret_start, uint64_t *ret_size)
{
        AUTO(object) object = NULL;
        struct err err = {0};

        *ret_start = 0xffffffff81000000;
        *ret_size = 0x1400000;
        if (job->kind != RESOLVER_FILE)
                return true;
        object = object_open(job->path, &err);
        for (size_t i = 0; object && i < object_n_segments(object); i++) {
                const struct object_segment *segment = object_get_segment(object, i);

                if (!(segment->flags & OBJECT_SEGMENT_CODE))
                        continue;
                *ret_start = segment->file_off;
                *ret_size = segment->file_size;
                return *ret_size > 0;
        }
        fprintf(stderr, "resolve: %s\n", object ? "no code" : err.text);
        return false;
}

static uint64_t next_random(uint64_t *state)
{
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        return *state >> 20;
}

static uint64_t run(const struct job *job, const uint64_t *addrs, size_t n, size_t counts[3])
{
        uint64_t start = os_monotonic_ns();

        for (size_t i = 0; i < n; i++)
                counts[resolver_find(job->resolver, job->id, addrs[i]).status]++;
        return os_monotonic_ns() - start;
}

static int compare_addrs(const void *a, const void *b)
{
        const uint64_t *x = a, *y = b;

        return (*x > *y) - (*x < *y);
}

static int measure(const struct job *job)
{
        uint64_t *addrs = mem_new(job->n_random, sizeof(*addrs));
        size_t first[3] = {0}, counts[3] = {0}, again[3] = {0};
        uint64_t start, size, seed = 1;
        double open_ms, cold_ms, warm_ms, sorted_ms;

        if (!find_code(job, &start, &size)) {
                free(addrs);
                return 1;
        }
        for (size_t i = 0; i < job->n_random; i++)
                addrs[i] = start + next_random(&seed) % size;
        open_ms = (double)run(job, &start, 1, first) / 1e6;
        cold_ms = (double)run(job, addrs, job->n_random, counts) / 1e6;
        warm_ms = (double)run(job, addrs, job->n_random, again) / 1e6;
        qsort(addrs, job->n_random, sizeof(*addrs), compare_addrs);
        sorted_ms = (double)run(job, addrs, job->n_random, again) / 1e6;
        printf("open %.2f ms, %zu addresses first %.2f ms, again %.2f ms, sorted %.2f ms; "
               "named %zu, range %zu, none %zu\n",
               open_ms, job->n_random, cold_ms, warm_ms, sorted_ms, counts[SYMBOL_NAMED],
               counts[SYMBOL_RANGE], counts[SYMBOL_NONE]);
        free(addrs);
        return 0;
}

int main(int argc, char **argv)
{
        struct resolver_options options = {0};
        struct resolver_module module = {.kind = RESOLVER_FILE};
        AUTO(resolver) resolver = NULL;
        struct job job = {0};

        for (int i = 1; i < argc; i++) {
                if (!strcmp(argv[i], "-k"))
                        module.kind = RESOLVER_KERNEL;
                else if (!strcmp(argv[i], "-p"))
                        module.kind = RESOLVER_PERFMAP;
                else if (!strcmp(argv[i], "-d"))
                        options.demangle = true;
                else if (!strcmp(argv[i], "-r") && i + 1 < argc)
                        job.n_random = strtoul(argv[++i], NULL, 10);
                else
                        module.path = argv[i];
        }
        if (!module.path) {
                fprintf(stderr, "usage: resolve [-d] [-k|-p] [-r N] FILE\n");
                return 2;
        }
        if (module.kind == RESOLVER_KERNEL)
                options.kallsyms_path = module.path;
        resolver = resolver_new(&options);
        job.resolver = resolver;
        job.kind = module.kind;
        job.path = module.path;
        job.id = resolver_add_module(resolver, &module);
        if (job.n_random)
                return measure(&job);
        answer(&job);
        if (resolver_note(resolver, job.id))
                fprintf(stderr, "resolve: %s: %s\n", module.path, resolver_note(resolver, job.id));
        return 0;
}

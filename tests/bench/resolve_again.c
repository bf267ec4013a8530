/* SPDX-License-Identifier: BSD-3-Clause */
/* The time that the symbol cache saves:
 *
 *   resolve_again [-n ADDRESSES] FILE     random addresses in the code of FILE: from its debug information,
 *                                         and from the cache
 *   resolve_again -s [-n ADDRESSES]       artificial frames, five for each address, of functions with long
 *                                         names
 *
 * The cache is made in a folder below the current one, and removed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers_cache.h"
#include "debug_search.h"
#include "dwarf.h"
#include "mem.h"
#include "os.h"

enum { N_ROUNDS = 9, N_MADE_UP_FRAMES = 5, N_MADE_UP_FUNCTIONS = 12000 };

static const char folder[] = "resolve_again.tmp";

struct job {
        const char *path;
        struct object *own, *debug, *alt;
        struct answers_key key;
        uint64_t *addrs;
        size_t n;
        uint64_t ask_ns;
};

static uint64_t next_random(uint64_t *state)
{
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        return *state >> 20;
}

static int compare_u64(const void *a, const void *b)
{
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return x < y ? -1 : x > y;
}

static void choose_addrs(struct job *job, uint64_t start, uint64_t size)
{
        uint64_t state = 1;
        size_t n = 0;

        job->addrs = mem_new(job->n, sizeof(*job->addrs));
        for (size_t i = 0; i < job->n; i++)
                job->addrs[i] = start + next_random(&state) % size;
        qsort(job->addrs, job->n, sizeof(*job->addrs), compare_u64);
        for (size_t i = 0; i < job->n; i++) {
                if (!n || job->addrs[i] != job->addrs[n - 1])
                        job->addrs[n++] = job->addrs[i];
        }
        job->n = n;
}

/* --- Files --- */

static void check(bool ok, const struct err *err)
{
        if (ok)
                return;
        fprintf(stderr, "resolve_again: %s\n", err->text);
        exit(1);
}

static void open_files(struct job *job)
{
        static const char *const dirs[] = {"/usr/lib/debug", NULL};
        AUTO_RELEASE(buf) note = {0};
        struct answers_sources sources;
        struct err err = {0};

        job->own = object_open(job->path, &err);
        check(job->own, &err);
        if (!object_find_section(job->own, ".debug_info")) {
                const struct object_facts *facts = object_get_facts(job->own);
                struct debug_wanted wanted = {facts->build_id, facts->build_id_size, job->path, job->own,
                                              dirs};

                job->debug = debug_search(&wanted, &note);
        }
        job->alt = debug_search_alt(job->debug ? job->debug : job->own, dirs, NULL, &note);
        sources =
                (struct answers_sources){{job->debug ? job->debug : job->own, job->alt}, dwarf_section_name};
        check(answers_key_make(folder, job->own, &sources, &job->key, &err), &err);
        job->key.kind = ANSWER_FRAMES;
        job->key.version = DWARF_ANSWERS_VERSION;
}

static void close_files(struct job *job)
{
        object_free(job->alt);
        object_free(job->debug);
        object_free(job->own);
}

static void choose_in_text(struct job *job)
{
        for (size_t i = 0; i < object_n_sections(job->own) && !job->addrs; i++) {
                const struct object_section *section = object_get_section(job->own, i);

                if (!strcmp(section->name, ".text"))
                        choose_addrs(job, section->addr, section->size_bytes);
        }
}

/* --- Where the answers come from --- */

static bool ask_file(void *ctx, const uint64_t *addrs, size_t n, struct source_frames *ret_frames)
{
        struct job *job = ctx;
        uint64_t start = os_monotonic_ns();
        struct err err = {0};
        struct dwarf *dwarf = dwarf_open(job->debug ? job->debug : job->own, job->alt, &err);

        if (!dwarf) {
                fprintf(stderr, "resolve_again: %s\n", err.text);
                exit(1);
        }
        dwarf_find(dwarf, addrs, n, ret_frames);
        job->ask_ns = os_monotonic_ns() - start;
        /* Not freed: its texts are still in use. */
        return true;
}

static bool make_up(void *ctx, const uint64_t *addrs, size_t n, struct source_frames *ret_frames)
{
        static char functions[N_MADE_UP_FUNCTIONS][64], paths[2000][64];

        *ret_frames = (struct source_frames){.spans = mem_new(n, sizeof(*ret_frames->spans))};
        for (size_t i = 0; i < n; i++) {
                uint64_t state = addrs[i];

                ret_frames->spans[i] = (struct source_span){ret_frames->n_frames, N_MADE_UP_FRAMES};
                for (size_t j = 0; j < N_MADE_UP_FRAMES; j++) {
                        unsigned function = next_random(&state) % N_MADE_UP_FUNCTIONS;
                        unsigned path = next_random(&state) % N_ELEMENTS(paths);

                        snprintf(functions[function], sizeof(functions[0]), "some_function_of_%u_kernel",
                                 function);
                        snprintf(paths[path], sizeof(paths[0]), "/usr/src/linux/drivers/%u/file.c", path);
                        ARRAY_PUSH(ret_frames->frames, ret_frames->n_frames, ret_frames->cap_frames,
                                   (struct source_frame){functions[function], paths[path], function, 1,
                                                         j + 1 < N_MADE_UP_FRAMES, addrs[i]});
                }
        }
        return true;
}

/* --- Measuring --- */

static bool fail_to_ask(void *ctx, const uint64_t *addrs, size_t n, struct source_frames *ret_frames)
{
        fprintf(stderr, "resolve_again: %zu addresses were not in the index\n", n);
        exit(1);
}

/* So that reads are not optimised away. */
static volatile size_t sink;

/* Reads each of them. */
static size_t count_frames(const struct answered_frames *frames, size_t n_addrs)
{
        size_t n = 0, sum = 0;

        for (size_t i = 0; i < n_addrs; i++) {
                for (size_t k = 0; k < answered_count(frames, i); k++, n++) {
                        struct source_frame frame = answers_get(frames, i, k);

                        sum += (size_t)frame.function + (size_t)frame.path + frame.line + frame.start;
                }
        }
        sink = sum;
        return n;
}

/* Time in ns to open the files and the cache, look all addresses up, and close them. */
static uint64_t run_again(const struct job *job, const struct answers_cache_options *options,
                          size_t *ret_n_frames)
{
        uint64_t start = os_monotonic_ns();
        struct job again = {.path = job->path, .key = job->key};
        struct answered_frames frames;
        struct err err = {0};
        struct answers_cache *index;

        if (job->path)
                open_files(&again);
        index = answers_cache_open(options, &again.key, &err);
        check(index, &err);
        answers_cache_look_up(index, job->addrs, job->n, fail_to_ask, NULL, &frames);
        *ret_n_frames = count_frames(&frames, job->n);
        answers_frames_release(&frames);
        answers_cache_free(index);
        close_files(&again);
        return os_monotonic_ns() - start;
}

static bool remove_one(void *ctx, const char *name)
{
        char path[500];

        snprintf(path, sizeof(path), "%s/%s", folder, name);
        os_remove(path, NULL);
        return true;
}

static void measure(struct job *job, answers_ask_frames *ask)
{
        struct answers_cache_options options = {.folder = folder};
        struct answered_frames frames;
        struct err err = {0};
        struct answers_cache *index;
        uint64_t start, rounds[N_ROUNDS];
        size_t n_frames = 0;

        os_list_dir(folder, remove_one, NULL, NULL);
        index = answers_cache_open(&options, &job->key, &err);
        check(index, &err);
        start = os_monotonic_ns();
        answers_cache_look_up(index, job->addrs, job->n, ask, job, &frames);
        if (job->ask_ns)
                printf("from debug information  %8.2f ms\n", (double)job->ask_ns / 1e6);
        printf("the same, and added     %8.2f ms\n", (double)(os_monotonic_ns() - start) / 1e6);
        start = os_monotonic_ns();
        check(answers_cache_save(index, &err), &err);
        printf("saved                   %8.2f ms\n", (double)(os_monotonic_ns() - start) / 1e6);
        answers_frames_release(&frames);
        answers_cache_free(index);
        for (size_t i = 0; i < N_ROUNDS; i++)
                rounds[i] = run_again(job, &options, &n_frames);
        qsort(rounds, N_ROUNDS, sizeof(rounds[0]), compare_u64);
        printf("from the index          %8.2f ms (%.2f to %.2f)\n", (double)rounds[N_ROUNDS / 2] / 1e6,
               (double)rounds[0] / 1e6, (double)rounds[N_ROUNDS - 1] / 1e6);
        printf("%zu addresses, %zu frames\n", job->n, n_frames);
        os_list_dir(folder, remove_one, NULL, NULL);
}

int main(int argc, char **argv)
{
        struct job job = {.n = 5000};
        bool is_made_up = false;

        for (int i = 1; i < argc; i++) {
                if (!strcmp(argv[i], "-s"))
                        is_made_up = true;
                else if (!strcmp(argv[i], "-n") && i + 1 < argc)
                        job.n = strtoul(argv[++i], NULL, 10);
                else
                        job.path = argv[i];
        }
        if (is_made_up) {
                job.key = (struct answers_key){.kind = ANSWER_FRAMES, .build_id = {1}, .build_id_size = 20};
                choose_addrs(&job, 0xffffffff81000000, 0x1400000);
                measure(&job, make_up);
        } else if (job.path) {
                open_files(&job);
                choose_in_text(&job);
                measure(&job, ask_file);
        } else {
                fprintf(stderr, "usage: resolve_again [-s] [-n ADDRESSES] [FILE]\n");
                return 2;
        }
        close_files(&job);
        free(job.addrs);
        return 0;
}

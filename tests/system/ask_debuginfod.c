/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks for the debug files of object files, only on debuginfod servers:
 *
 *   ask_debuginfod [-l MILLISECONDS] [-L LIBRARY] [-s SOURCE] FILE...
 *
 * Prints a line for each: the debug file's path, or `none`, and a note if there is one; -s looks for a
 * source file instead.  At the end prints the note, the longest step of progress, and the number of
 * progress calls. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug_search.h"
#include "debuginfod.h"
#include "os.h"

struct told {
        unsigned n;
        uint64_t most_bytes, total_bytes;
};

static void tell(void *ctx, const struct debuginfod_progress *progress)
{
        struct told *told = ctx;

        told->n++;
        if (progress->n_bytes > told->most_bytes)
                told->most_bytes = progress->n_bytes;
        if (progress->total_bytes)
                told->total_bytes = progress->total_bytes;
        if (told->n == 1) {
                printf("asking for %s\n", progress->name);
                fflush(stdout);
        }
}

static void ask_debug(struct debuginfod *d, struct object *own)
{
        static const char *const no_dirs[] = {NULL};
        const struct object_facts *facts = object_get_facts(own);
        struct debug_remote remote = debuginfod_remote(d);
        struct debug_wanted wanted = {facts->build_id, facts->build_id_size, object_name(own), own, no_dirs,
                                      &remote};
        AUTO_RELEASE(buf) note = {0};
        AUTO(object) found = debug_search(&wanted, &note);

        printf("%s %s\n", found ? object_name(found) : "none", buf_text(&note));
}

static void ask_source(struct debuginfod *d, struct object *own, const char *source)
{
        const struct object_facts *facts = object_get_facts(own);
        AUTO_RELEASE(buf) path = {0};

        if (!debuginfod_find_source(d, facts->build_id, facts->build_id_size, source, &path))
                buf_add_str(&path, "none");
        printf("%s\n", buf_text(&path));
}

int main(int argc, char **argv)
{
        struct told told = {0};
        struct debuginfod_options options = {.progress = tell, .ctx = &told};
        const char *source = NULL;
        AUTO(debuginfod) d = NULL;
        int i = 1;

        for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
                if (argv[i][1] == 'l')
                        options.limit_ns = strtoull(argv[i + 1], NULL, 10) * 1000000;
                else if (argv[i][1] == 'L')
                        options.library = argv[i + 1];
                else
                        source = argv[i + 1];
        }
        os_catch_stop();
        d = debuginfod_new(&options);
        for (; i < argc; i++) {
                struct err err = {0};
                AUTO(object) own = object_open(argv[i], &err);

                if (!own) {
                        fprintf(stderr, "ask_debuginfod: %s\n", err.text);
                        return 1;
                }
                if (source)
                        ask_source(d, own, source);
                else
                        ask_debug(d, own);
        }
        printf("note: %s\n", debuginfod_note(d));
        printf("told: %u, %" PRIu64 " of %" PRIu64 " bytes\n", told.n, told.most_bytes, told.total_bytes);
        return 0;
}

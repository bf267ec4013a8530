/* SPDX-License-Identifier: BSD-3-Clause */
/* Other people's session files in $WPERF_CORPUS: each is read to its end or refused with one message; if
 * perf's results are next to them, counts of records, samples and thread names must be the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "codec.h"
#include "err.h"
#include "mem.h"
#include "os.h"
#include "perfdata_reader.h"
#include "text.h"
#include "world.h"

enum { N_TYPES = 128, MAX_TEXT = 1 << 30 };

struct seen {
        uint64_t time, ip;
        int32_t pid, tid;
        str_id comm;
};

struct seen_list {
        struct seen *items;
        size_t n, cap;
};

struct counted {
        uint64_t by_type[N_TYPES];
        struct seen_list samples;
        uint64_t n_placed, n_unparsed;
        struct perfdata_damage damage;
};

struct paths {
        char **items;
        size_t n, cap;
};

static int n_tests, n_bad;

static void report(bool ok, const char *what, const char *path)
{
        n_bad += !ok;
        printf("%sok %d - %s: %s\n", ok ? "" : "not ", ++n_tests, what, path);
}

/* --- the files --- */

struct listing {
        struct paths *paths;
        const char *folder;
};

static void list_folder(struct paths *paths, const char *folder);

static bool note_entry(void *ctx, const char *name)
{
        struct listing *listing = ctx;
        struct buf path = {0};
        struct os_stat st;

        buf_printf(&path, "%s/%s", listing->folder, name);
        if (os_stat(path.data, &st) && st.is_dir && !text_starts(name, "_truth"))
                list_folder(listing->paths, path.data);
        else if (st.is_file)
                ARRAY_PUSH(listing->paths->items, listing->paths->n, listing->paths->cap,
                           mem_strdup(path.data));
        buf_release(&path);
        return true;
}

static void list_folder(struct paths *paths, const char *folder)
{
        struct listing listing = {.paths = paths, .folder = folder};

        os_list_dir(folder, note_entry, &listing, NULL);
}

static int compare_paths(const void *a, const void *b)
{
        return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_session(const char *path)
{
        AUTO(os_map) map = os_map_open(path, NULL);

        return map && map->size_bytes >= 8 &&
               (!memcmp(map->bytes, "PERFILE2", 8) || !memcmp(map->bytes, "2ELIFREP", 8));
}

/* --- reading --- */

static void take_sample(struct counted *counted, struct world *world, struct perfdata_reader *reader,
                        const struct perfdata_record *record)
{
        struct sample s;

        if (record->event == UINT32_MAX)
                return;
        if (!sample_parse(&perfdata_get_event(reader, record->event)->attr, record->bytes, &s)) {
                counted->n_unparsed++;
                return;
        }
        counted->n_placed += world_find(world, s.pid, s.misc, s.ip).module != MODULE_NONE;
        ARRAY_PUSH(counted->samples.items, counted->samples.n, counted->samples.cap,
                   (struct seen){s.time, s.ip, s.pid, s.tid, world_thread_name_id(world, s.pid, s.tid)});
}

/* False if the file was refused; `err` has the message. */
static bool count_records(const char *path, struct counted *counted, struct world *world, struct err *err)
{
        AUTO(perfdata_reader) reader = perfdata_open(path, err);
        struct perfdata_record record;
        int got = -1;

        if (reader)
                world_add_build_ids(world, reader);
        while (reader && (got = perfdata_next(reader, &record, err)) == 1) {
                if (record.header.type < N_TYPES)
                        counted->by_type[record.header.type]++;
                world_replay(world, &record);
                if (record.header.type == PERF_RECORD_SAMPLE)
                        take_sample(counted, world, reader, &record);
        }
        if (reader)
                counted->damage = *perfdata_get_damage(reader);
        return !got;
}

/* --- perf's answers --- */

static void truth_path(struct buf *out, const char *root, const char *path, const char *suffix)
{
        buf_printf(out, "%s/_truth-perf-6.12.107/", root);
        for (const char *at = path + strlen(root) + 1; *at; at++) {
                if (*at == '/')
                        buf_add_str(out, "__");
                else
                        buf_add_char(out, *at);
        }
        buf_add_str(out, suffix);
}

static uint32_t type_named(const char *name)
{
        for (uint32_t type = 0; type < N_TYPES; type++) {
                if (record_type_name(type) && !strcmp(record_type_name(type), name))
                        return type;
        }
        return N_TYPES;
}

static bool compare_stats(const struct counted *counted, const char *text)
{
        bool ok = true;
        char line[200];

        for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
                char name[40];
                unsigned long long want;
                uint32_t type;

                snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
                if (strstr(line, " stats:"))
                        break; /* those of single events */
                if (sscanf(line, " %39s events: %llu", name, &want) != 2 || !strcmp(name, "TOTAL"))
                        continue;
                type = type_named(name);
                if (type == N_TYPES || counted->by_type[type] != want) {
                        printf("# %s: %llu, perf counts %llu\n", name,
                               type == N_TYPES ? 0 : (unsigned long long)counted->by_type[type], want);
                        ok = false;
                }
        }
        return ok;
}

/* COMM PID/TID [CPU] SECONDS.NANOSECONDS: ... IP */
static bool parse_line(char *line, struct seen *ret, char *ret_comm, size_t comm_size)
{
        char *last = strrchr(line, ' ');

        for (char *at = strchr(line, '/'); at; at = strchr(at + 1, '/')) {
                long long pid, tid, seconds, ns;
                char *start = at;

                while (start > line && strchr("-0123456789", start[-1]))
                        start--;
                if (start == at || start == line || start[-1] != ' ')
                        continue;
                if (sscanf(start, "%lld/%lld [%*d] %lld.%lld:", &pid, &tid, &seconds, &ns) != 4 &&
                    sscanf(start, "%lld/%lld %lld.%lld:", &pid, &tid, &seconds, &ns) != 4)
                        continue;
                *ret = (struct seen){.time = (uint64_t)(seconds * 1000000000 + ns),
                                     .pid = (int32_t)pid,
                                     .tid = (int32_t)tid,
                                     .ip = strtoull(last + 1, NULL, 16)};
                while (start > line && start[-1] == ' ')
                        start--;
                *start = '\0';
                snprintf(ret_comm, comm_size, "%s", line + strspn(line, " "));
                return true;
        }
        return false;
}

static void parse_samples(char *text, struct seen_list *list, struct strpool *names)
{
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
                struct seen seen;
                char comm[200];

                if (*line == '#' || !parse_line(line, &seen, comm, sizeof(comm)))
                        continue;
                seen.comm = strpool_add(names, comm);
                ARRAY_PUSH(list->items, list->n, list->cap, seen);
        }
}

static int compare_seen(const void *a, const void *b)
{
        const struct seen *x = a, *y = b;

        if (x->time != y->time)
                return x->time < y->time ? -1 : 1;
        if (x->ip != y->ip)
                return x->ip < y->ip ? -1 : 1;
        if (x->pid != y->pid)
                return x->pid < y->pid ? -1 : 1;
        return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* perf prints ":TID" for a thread without a name and for one that has exited (wperf keeps its name for late
 * samples), takes every thread 0 for the idle thread, and its columns lose spaces at the end. */
static bool same_name(const char *ours, const char *theirs, int32_t tid)
{
        size_t len = strlen(theirs);

        return (!strncmp(ours, theirs, len) && !ours[len + strspn(ours + len, " ")]) || *theirs == ':' ||
               (!tid && !strcmp(theirs, "swapper"));
}

/* perf prints a sample with the counts of a group once for each event of the group. */
static void drop_repeated(struct seen_list *list)
{
        size_t n = 0;

        for (size_t i = 0; i < list->n; i++) {
                if (!n || compare_seen(&list->items[n - 1], &list->items[i]))
                        list->items[n++] = list->items[i];
        }
        list->n = n;
}

static bool compare_samples(const struct counted *counted, struct world *world, char *text)
{
        AUTO(strpool) names = strpool_new();
        struct seen_list want = {0};
        const struct seen_list *got = &counted->samples;
        size_t n_wrong = 0, n_names = 0;

        parse_samples(text, &want, names);
        qsort(want.items, want.n, sizeof(*want.items), compare_seen);
        qsort(got->items, got->n, sizeof(*got->items), compare_seen);
        if (want.n == 2 * got->n)
                drop_repeated(&want);
        for (size_t i = 0; i < want.n && i < got->n; i++) {
                const struct seen *w = &want.items[i], *g = &got->items[i];

                if (compare_seen(w, g) && !n_wrong++)
                        printf("# first: %d/%d %llu %llx, perf has %d/%d %llu %llx\n", g->pid, g->tid,
                               (unsigned long long)g->time, (unsigned long long)g->ip, w->pid, w->tid,
                               (unsigned long long)w->time, (unsigned long long)w->ip);
                else if (!same_name(world_text(world, g->comm), strpool_get(names, w->comm), w->tid) &&
                         !n_names++)
                        printf("# first name: %d/%d '%s', perf has '%s'\n", g->pid, g->tid,
                               world_text(world, g->comm), strpool_get(names, w->comm));
        }
        if (want.n != got->n || n_wrong || n_names)
                printf("# %zu samples, perf has %zu; %zu differ, %zu names differ\n", got->n, want.n, n_wrong,
                       n_names);
        free(want.items);
        return want.n == got->n && !n_wrong && !n_names;
}

static void compare_with_truth(const char *root, const char *path, struct counted *counted,
                               struct world *world)
{
        struct buf name = {0}, text = {0}, packed = {0};

        truth_path(&name, root, path, ".stats.txt");
        if (os_read_file(buf_text(&name), MAX_TEXT, &text, NULL))
                report(compare_stats(counted, buf_text(&text)), "counts of records", path);
        buf_clear(&name);
        buf_clear(&text);
        truth_path(&name, root, path, ".samples.txt.zst");
        /* If there is a trace, perf adds samples that it decodes from it. */
        if (!counted->by_type[PERF_RECORD_AUXTRACE] &&
            os_read_file(buf_text(&name), MAX_TEXT, &packed, NULL) &&
            codec_unpack(CODEC_ZSTD, packed.data, packed.len, MAX_TEXT, &text, NULL) && text.data)
                report(compare_samples(counted, world, text.data), "samples", path);
        buf_release(&name);
        buf_release(&text);
        buf_release(&packed);
}

static void try_file(const char *root, const char *path)
{
        AUTO(world) world = world_new();
        struct counted counted = {0};
        struct err err = {0};
        bool ok = count_records(path, &counted, world, &err);

        if (!ok)
                printf("# refused: %s\n", err.text);
        else
                printf("# %zu samples, %.1f %% placed; cut %llu, malformed %llu, unknown types %llu, unknown events "
                       "%llu, late %llu, unparsed %llu%s%s\n",
                       counted.samples.n,
                       counted.samples.n ? 100.0 * counted.n_placed / counted.samples.n : 0.0,
                       (unsigned long long)counted.damage.cut_bytes,
                       (unsigned long long)counted.damage.n_malformed,
                       (unsigned long long)counted.damage.n_unknown_types,
                       (unsigned long long)counted.damage.n_unknown_events,
                       (unsigned long long)counted.damage.n_out_of_order,
                       (unsigned long long)counted.n_unparsed,
                       counted.damage.data_size_missing ? ", no data size" : "",
                       counted.damage.features_missing ? ", features missing" : "");
        report(ok ? !counted.n_unparsed : is_session(path) && text_starts(err.text, path), "read or refused",
               path);
        if (ok)
                compare_with_truth(root, path, &counted, world);
        free(counted.samples.items);
}

static void try_folder(const char *root)
{
        struct paths paths = {0};

        list_folder(&paths, root);
        qsort(paths.items, paths.n, sizeof(*paths.items), compare_paths);
        for (size_t i = 0; i < paths.n; i++) {
                if (is_session(paths.items[i]))
                        try_file(root, paths.items[i]);
                free(paths.items[i]);
        }
        free(paths.items);
}

int main(void)
{
        static const char *const folders[] = {"perfdata", "jit", "spe"};
        const char *corpus = os_environment("WPERF_CORPUS");

        if (!corpus) {
                printf("1..0 # SKIP WPERF_CORPUS is not set\n");
                return 0;
        }
        for (size_t i = 0; i < N_ELEMENTS(folders); i++) {
                struct buf root = {0};

                buf_printf(&root, "%s/%s", corpus, folders[i]);
                try_folder(root.data);
                buf_release(&root);
        }
        printf("1..%d\n", n_tests);
        return n_bad > 0;
}

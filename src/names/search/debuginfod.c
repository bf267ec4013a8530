/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits the waiting time: one limit for all requests, enforced in the library's progress callback.
 * Servers, retries and the cache are handled by libdebuginfod. */
#include "debuginfod.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "os.h"
#include "strpool.h"
#include "text.h"

#define LIBRARY "libdebuginfod.so.1"
#define PACKAGE "libdebuginfod1"
#define SERVERS "/etc/debuginfod"

#define SECOND_NS        ((uint64_t)1000000000)
#define PROGRESS_STEP_NS (SECOND_NS / 4)

typedef int progress_fn(void *client, long a, long b);

/* Functions of elfutils/debuginfod.h. */
struct functions {
        void *(*begin)(void);
        void (*end)(void *client);
        void (*set_progressfn)(void *client, progress_fn *fn);
        int (*find_debuginfo)(void *client, const unsigned char *build_id, int size, char **ret_path);
        int (*find_source)(void *client, const unsigned char *build_id, int size, const char *name,
                           char **ret_path);
};

enum state { NOT_LOADED, READY, NO_LIBRARY, NO_SERVER };

struct debuginfod {
        struct debuginfod_options options;
        enum state state;
        struct os_library *library;
        struct functions call;
        void *client;
        uint64_t waited_ns;       /* in all requests so far */
        uint64_t begin_ns;        /* begin of the current request */
        uint64_t said_ns;         /* time of the last call of `progress` */
        const char *name;         /* name in the current request */
        bool is_late, is_stopped; /* no more requests are made */
        size_t n_cut;             /* requests that were ended before they were finished */
        size_t n_unasked;
        size_t n_failed;
        int failure;        /* errno of the first request that failed */
        struct map answers; /* request -> str_id of a path, or 0 */
        struct strpool *paths;
        struct buf note;
};

struct question {
        const uint8_t *build_id;
        size_t build_id_size;
        const char *name;
        bool is_source;
};

/* The current request of this thread, because the library does not pass a context to its callback. */
static _Thread_local struct debuginfod *asking;

struct debuginfod *debuginfod_new(const struct debuginfod_options *options)
{
        struct debuginfod *d = mem_new(1, sizeof(*d));

        d->options = *options;
        if (!d->options.limit_ns)
                d->options.limit_ns = DEBUGINFOD_SECONDS * SECOND_NS;
        if (!d->options.library)
                d->options.library = LIBRARY;
        d->paths = strpool_new();
        return d;
}

/* The library stays loaded: libraries that it uses (TLS) keep memory that could not be found again. */
void debuginfod_free(struct debuginfod *d)
{
        if (!d)
                return;
        if (d->client)
                d->call.end(d->client);
        map_release(&d->answers);
        strpool_free(d->paths);
        buf_release(&d->note);
        free(d);
}

/* --- The limit --- */

/* Time left until the limit at the time `now`. */
static uint64_t left_ns(const struct debuginfod *d, uint64_t now)
{
        uint64_t waited = d->waited_ns + (now - d->begin_ns);

        return waited < d->options.limit_ns ? d->options.limit_ns - waited : 0;
}

static bool is_over(struct debuginfod *d, uint64_t now)
{
        if (os_stop_requested())
                d->is_stopped = true;
        else if (!left_ns(d, now))
                d->is_late = true;
        return d->is_stopped || d->is_late;
}

/* The library's callback; a result other than 0 ends the request.  While the file's size is not known, `b`
 * is 0 and `a` is undefined. */
static int on_progress(void *client, long a, long b)
{
        struct debuginfod *d = asking;
        uint64_t now = os_monotonic_ns();

        if (is_over(d, now))
                return 1;
        if (d->options.progress && (!d->said_ns || now - d->said_ns >= PROGRESS_STEP_NS)) {
                d->said_ns = now;
                d->options.progress(d->options.ctx, &(struct debuginfod_progress){
                                                            .name = d->name,
                                                            .n_bytes = b > 0 && a > 0 ? (uint64_t)a : 0,
                                                            .total_bytes = b > 0 ? (uint64_t)b : 0,
                                                            .left_ns = left_ns(d, now),
                                                    });
        }
        return 0;
}

/* --- Requests --- */

static bool load(struct debuginfod *d)
{
        if (d->state != NOT_LOADED)
                return d->state == READY;
        d->state = NO_LIBRARY;
        d->library = os_library_open(d->options.library, NULL);
        if (!d->library || !os_library_find(d->library, "debuginfod_begin", &d->call.begin) ||
            !os_library_find(d->library, "debuginfod_end", &d->call.end) ||
            !os_library_find(d->library, "debuginfod_set_progressfn", &d->call.set_progressfn) ||
            !os_library_find(d->library, "debuginfod_find_debuginfo", &d->call.find_debuginfo) ||
            !os_library_find(d->library, "debuginfod_find_source", &d->call.find_source))
                return false;
        d->client = d->call.begin();
        if (!d->client)
                return false;
        d->call.set_progressfn(d->client, on_progress);
        d->state = READY;
        return true;
}

static int ask(struct debuginfod *d, const struct question *q, char **ret_path)
{
        int size = (int)q->build_id_size, got;

        asking = d;
        d->name = q->name;
        d->said_ns = 0;
        got = q->is_source ? d->call.find_source(d->client, q->build_id, size, q->name, ret_path)
                           : d->call.find_debuginfo(d->client, q->build_id, size, ret_path);
        asking = NULL;
        d->waited_ns += os_monotonic_ns() - d->begin_ns;
        return got;
}

static void count_failure(struct debuginfod *d, int failure)
{
        if (d->is_late || d->is_stopped) {
                d->n_cut++;
        } else if (failure == ENOSYS) {
                d->state = NO_SERVER;
        } else if (failure != ENOENT && !d->n_failed++) {
                d->failure = failure;
        }
}

/* The path of the file, or 0. */
static str_id answer(struct debuginfod *d, const struct question *q)
{
        char *path = NULL;
        str_id id = 0;
        int got;

        d->begin_ns = os_monotonic_ns();
        /* A stop from before the request had another reason; a stop now ends only the requests. */
        os_release_stop();
        if (d->is_stopped || is_over(d, d->begin_ns)) {
                d->n_unasked++;
                return 0;
        }
        os_catch_stop();
        got = ask(d, q, &path);
        os_release_stop();
        if (got >= 0) {
                os_close_descriptor(got);
                id = strpool_add(d->paths, path);
        } else {
                count_failure(d, -got);
        }
        free(path);
        return id;
}

/* The same file is not requested twice. */
static bool find(struct debuginfod *d, const struct question *q, struct buf *out)
{
        uint64_t key, *id;
        bool is_new;

        /* For the library, size 0 means that the build id is text. */
        if (!q->build_id_size || q->build_id_size > OBJECT_BUILD_ID_BYTES || !load(d))
                return false;
        key = map_hash_bytes(q->build_id, q->build_id_size);
        if (q->is_source)
                key = map_mix(key) ^ map_hash_bytes(q->name, strlen(q->name));
        id = map_put(&d->answers, key, &is_new);
        if (is_new)
                *id = answer(d, q);
        if (!*id)
                return false;
        buf_add_str(out, strpool_get(d->paths, (str_id)*id));
        return true;
}

bool debuginfod_find_debug(struct debuginfod *d, const uint8_t *build_id, size_t build_id_size,
                           const char *name, struct buf *out)
{
        return find(d, &(struct question){build_id, build_id_size, name, false}, out);
}

bool debuginfod_find_source(struct debuginfod *d, const uint8_t *build_id, size_t build_id_size,
                            const char *source, struct buf *out)
{
        return find(d, &(struct question){build_id, build_id_size, source, true}, out);
}

static bool find_remote(void *ctx, const uint8_t *build_id, size_t build_id_size, const char *name,
                        struct buf *out)
{
        return debuginfod_find_debug(ctx, build_id, build_id_size, name, out);
}

struct debug_remote debuginfod_remote(struct debuginfod *d)
{
        return (struct debug_remote){.find = find_remote, .ctx = d};
}

struct server_search {
        const char *folder;
        struct buf *out;
};

static bool find_server(void *ctx, const char *name)
{
        const struct server_search *search = ctx;
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) text = {0};

        if (!text_ends(name, ".urls"))
                return true;
        buf_printf(&path, "%s/%s", search->folder, name);
        if (!os_read_file(buf_text(&path), 65536, &text, NULL) || !text_starts(buf_text(&text), "http"))
                return true;
        buf_add(search->out, text.data, strcspn(text.data, " \t\n"));
        return false;
}

void debuginfod_server(const char *folder, struct buf *out)
{
        static const struct {
                const char *id, *server;
        } servers[] = {
                {"\nID=debian\n", "https://debuginfod.debian.net"},
                {"\nID=ubuntu\n", "https://debuginfod.ubuntu.com"},
                {"\nID=fedora\n", "https://debuginfod.fedoraproject.org"},
                {"\nID=arch\n", "https://debuginfod.archlinux.org"},
                {"\nID=\"centos\"\n", "https://debuginfod.centos.org"},
                {"\nID=\"opensuse-tumbleweed\"\n", "https://debuginfod.opensuse.org"},
        };
        AUTO_RELEASE(buf) text = {0};
        struct server_search search = {folder ? folder : SERVERS, out};
        const char *server = "https://debuginfod.elfutils.org";
        size_t before = out->len;

        os_list_dir(search.folder, find_server, &search, NULL);
        if (out->len > before)
                return;
        buf_add_char(&text, '\n');
        os_read_file("/etc/os-release", 65536, &text, NULL);
        for (size_t i = 0; i < N_ELEMENTS(servers); i++) {
                if (strstr(buf_text(&text), servers[i].id))
                        server = servers[i].server;
        }
        buf_add_str(out, server);
}

/* --- Why files are missing --- */

static const char *files(size_t n)
{
        return n == 1 ? "file was" : "files were";
}

static void add_end(struct debuginfod *d)
{
        if (d->is_stopped)
                buf_add_str(&d->note, "the search was stopped, ");
        else
                buf_printf(&d->note, "the time limit of %g s was reached, ",
                           (double)d->options.limit_ns / (double)SECOND_NS);
        if (d->n_cut)
                buf_printf(&d->note, "%zu %s not fetched in time%s", d->n_cut, files(d->n_cut),
                           d->n_unasked ? ", " : "");
        if (d->n_unasked || !d->n_cut)
                buf_printf(&d->note, "%zu %s not requested", d->n_unasked, files(d->n_unasked));
        if (!d->is_stopped)
                buf_printf(&d->note, " (--debuginfod-timeout %g waits longer)",
                           10 * (double)d->options.limit_ns / (double)SECOND_NS);
}

static void add_failures(struct debuginfod *d)
{
        struct err err = {0};

        err_os(&err, ERR_IO, d->failure, "could not fetch %zu file%s", d->n_failed,
               d->n_failed == 1 ? "" : "s");
        buf_add_str(&d->note, err.text);
}

const char *debuginfod_note(struct debuginfod *d)
{
        bool has_end = (d->is_late || d->is_stopped) && (d->n_cut || d->n_unasked);

        buf_clear(&d->note);
        if (d->state == NO_LIBRARY) {
                buf_printf(&d->note, "debuginfod: can't load %s; install the package " PACKAGE,
                           d->options.library);
        } else if (d->state == NO_SERVER) {
                buf_add_str(&d->note, "debuginfod: no server is named: export DEBUGINFOD_URLS=");
                debuginfod_server(NULL, &d->note);
        } else if (has_end || d->n_failed) {
                buf_add_str(&d->note, "debuginfod: ");
                if (has_end)
                        add_end(d);
                if (has_end && d->n_failed)
                        buf_add_str(&d->note, "; ");
                if (d->n_failed)
                        add_failures(d);
        }
        return buf_text(&d->note);
}

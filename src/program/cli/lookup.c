/* SPDX-License-Identifier: BSD-3-Clause */
#include "lookup.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cmd_output.h"
#include "err.h"
#include "mem.h"
#include "os.h"
#include "perf_cache.h"
#include "progress_view.h"
#include "session_input.h"
#include "text.h"
#include "text_match.h"
#include "text_stream.h"

static const struct option lookup_options[] = {
        {
                .name = "no-index",
                .offset = offsetof(struct lookup_options, no_index),
                .help = "do not use the symbol cache (~/.cache/wperf)",
        },
        {
                .name = "debuginfod",
                .offset = offsetof(struct lookup_options, debuginfod),
                .help = "download missing debug files from the servers of $DEBUGINFOD_URLS; the default where "
                        "it is set, for at most 10 seconds",
        },
        {
                .name = "no-debuginfod",
                .offset = offsetof(struct lookup_options, no_debuginfod),
                .help = "ask no server for debug files",
        },
        {
                .name = "debuginfod-timeout",
                .kind = OPTION_DURATION,
                .arg = "SECONDS",
                .offset = offsetof(struct lookup_options, debuginfod_ns),
                .help = "like --debuginfod, but wait at most SECONDS for all files together; default 90",
        },
        {
                .name = "symbol-path",
                .kind = OPTION_STRING,
                .arg = "DIR[;DIR...]",
                .offset = offsetof(struct lookup_options, symbol_path),
                .help = "also look for programs, libraries, debug files and PDB files in these folders, then "
                        "in the folders of $_NT_SYMBOL_PATH",
        },
        {
                .name = "symfs",
                .kind = OPTION_FILE,
                .arg = "DIR",
                .offset = offsetof(struct lookup_options, symfs),
                .help = "look for each file at DIR/PATH first; use this with a copy of another machine's "
                        "files in DIR",
        },
        MAX_MEMORY_OPTION(struct lookup_options),
        {0},
};

static const struct option windows_options[] = {
        {
                .name = "pe_file",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct lookup_options, pe_file),
                .help = "read FILE, a Windows program or DLL, for the module of the same name",
        },
        {
                .name = "pdb_file",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct lookup_options, pdb_file),
                .help = "read names and lines from the PDB file FILE, if it belongs to the program or DLL",
        },
        {0},
};

const struct option_group lookup_windows_group = {"Windows images", windows_options};

const struct option_group lookup_group = {"Names and lines", lookup_options};

static bool is_absolute(const char *path)
{
        return path[0] == '/' || (path[0] && path[1] == ':');
}

/* The folder of the cache: $XDG_CACHE_HOME/wperf, else ~/.cache/wperf; on Windows below %LOCALAPPDATA%. */
static bool find_folder(struct buf *out)
{
        static const struct {
                const char *variable, *below;
        } places[] = {{"XDG_CACHE_HOME", "/wperf"}, {"HOME", "/.cache/wperf"}, {"LOCALAPPDATA", "/wperf"}};

        for (size_t i = 0; i < N_ELEMENTS(places); i++) {
                const char *value = os_environment(places[i].variable);

                /* A relative path would depend on the working folder and is not used. */
                if (!value || !is_absolute(value))
                        continue;
                buf_printf(out, "%s%s", value, places[i].below);
                return true;
        }
        return false;
}

/* Draws progress on one line of the screen, and erases it at the end. */
static void show_progress(void *ctx, const struct debuginfod_progress *progress)
{
        struct lookup *lookup = ctx;
        AUTO_RELEASE(buf) line = {0};

        if (lookup->is_browsing)
                return;
        progress_view_download(text_base_name(progress->name), progress->n_bytes, progress->total_bytes,
                               progress->left_ns, &line);
        text_stream_write(OS_STDERR, line.data, line.len, NULL);
        __atomic_store_n(&lookup->shows_progress, true, __ATOMIC_RELAXED);
}

static void add_dir(struct lookup *lookup, const char *dir, size_t len)
{
        const char *kept = len ? arena_copy(&lookup->names, dir, len) : NULL;

        ARRAY_PUSH(lookup->dirs, lookup->n_dirs, lookup->cap_dirs, kept);
}

/* In `srv*CACHE*https://SERVER` and `cache*DIR` only the parts that are folders are used; wperf does not
 * download from symbol servers. */
static bool is_folder(const char *part)
{
        static const char *const words[] = {"srv", "cache", "symsrv", "symsrv.dll"};

        for (size_t i = 0; i < N_ELEMENTS(words); i++) {
                if (text_equal_nocase(part, words[i]))
                        return false;
        }
        return *part && !text_starts(part, "http://") && !text_starts(part, "https://");
}

static void add_parts(struct lookup *lookup, const char *at, size_t len)
{
        AUTO_RELEASE(buf) part = {0};

        for (size_t i = 0; i <= len; i++) {
                if (i < len && at[i] != '*') {
                        buf_add(&part, at + i, 1);
                        continue;
                }
                if (is_folder(buf_text(&part)))
                        add_dir(lookup, buf_text(&part), part.len);
                buf_clear(&part);
        }
}

static void add_dirs(struct lookup *lookup, const char *list)
{
        while (list && *list) {
                size_t len = strcspn(list, ";");

                add_parts(lookup, list, len);
                list += len + (list[len] == ';');
        }
}

static void init_places(const struct lookup_options *options, struct lookup *lookup)
{
        add_dirs(lookup, options->symbol_path);
        add_dirs(lookup, os_environment("_NT_SYMBOL_PATH"));
        add_dir(lookup, NULL, 0);
        lookup->places = (struct pe_places){options->pe_file, options->pdb_file, lookup->dirs};
        lookup->sources.pe = &lookup->places;
}

static void add_debug_dir(struct lookup *lookup, const char *dir, const char *below)
{
        AUTO_RELEASE(buf) path = {0};

        buf_printf(&path, "%s%s", dir, below);
        ARRAY_PUSH(lookup->debug_dirs, lookup->n_debug_dirs, lookup->cap_debug_dirs,
                   arena_copy(&lookup->names, path.data, path.len));
}

static void init_elf_places(const struct lookup_options *options, struct lookup *lookup)
{
        AUTO_RELEASE(buf) cache = {0};

        if (options->symfs)
                add_debug_dir(lookup, options->symfs, "/usr/lib/debug");
        for (const char **dir = lookup->dirs; *dir; dir++)
                add_debug_dir(lookup, *dir, "");
        add_debug_dir(lookup, "/usr/lib/debug", "");
        ARRAY_PUSH(lookup->debug_dirs, lookup->n_debug_dirs, lookup->cap_debug_dirs, NULL);
        lookup->elf_places = (struct elf_places){
                .root = options->symfs,
                .dirs = lookup->dirs,
                .debug_dirs = lookup->debug_dirs,
        };
        if (perf_cache_find(&cache))
                lookup->elf_places.perf_cache = arena_copy(&lookup->names, cache.data, cache.len);
        lookup->sources.elf = &lookup->elf_places;
}

static bool check_symfs(const char *dir, struct err *err)
{
        struct os_stat there;

        return !dir || (os_stat(dir, &there) && there.is_dir) ||
               err_set(err, ERR_MISSING, "--symfs: there is no folder '%s'", dir);
}

static bool check_file(const char *what, const char *path, struct err *err)
{
        struct os_stat there;

        return !path || os_stat(path, &there) ||
               err_set(err, ERR_MISSING, "%s file '%s' doesn't exist", what, path);
}

uint64_t lookup_max_bytes(uint64_t max_mib)
{
        return max_mib ? max_mib << 20 : session_input_max_memory();
}

/* How long servers are asked; 0: not at all. Nobody who only has the variable set expects to wait long. */
static uint64_t debuginfod_limit(const struct lookup_options *options)
{
        enum { UNASKED_SECONDS = 10 };
        const char *servers = os_environment("DEBUGINFOD_URLS");

        if (options->no_debuginfod)
                return 0;
        if (options->debuginfod_ns)
                return options->debuginfod_ns;
        if (options->debuginfod)
                return DEBUGINFOD_SECONDS * UINT64_C(1000000000);
        return servers && *servers ? UNASKED_SECONDS * UINT64_C(1000000000) : 0;
}

bool lookup_init(const struct lookup_options *options, struct lookup *ret, struct err *err)
{
        uint64_t limit_ns;

        *ret = (struct lookup){0};
        if (options->no_debuginfod && (options->debuginfod || options->debuginfod_ns))
                return err_set(err, ERR_USAGE, "--no-debuginfod and --debuginfod cannot be used together");
        if (!check_file("PE", options->pe_file, err) || !check_file("PDB", options->pdb_file, err) ||
            !check_symfs(options->symfs, err))
                return false;
        budget_init(&ret->budget, lookup_max_bytes(options->max_mib));
        ret->sources.budget = &ret->budget;
        init_places(options, ret);
        init_elf_places(options, ret);
        if (!options->no_index && find_folder(&ret->folder)) {
                ret->index.folder = buf_text(&ret->folder);
                ret->index.save_err = &ret->save_err;
                ret->sources.index = &ret->index;
        }
        limit_ns = debuginfod_limit(options);
        if (!limit_ns)
                return true;
        ret->debuginfod = debuginfod_new(&(struct debuginfod_options){
                .limit_ns = limit_ns,
                .progress = os_is_terminal(OS_STDERR) ? show_progress : NULL,
                .ctx = ret,
        });
        ret->remote = debuginfod_remote(ret->debuginfod);
        ret->sources.remote = &ret->remote;
        return true;
}

void lookup_release(struct lookup *lookup)
{
        AUTO_RELEASE(buf) note = {0};

        if (lookup->shows_progress) {
                progress_view_erase(&note);
                text_stream_write(OS_STDERR, note.data, note.len, NULL);
                buf_clear(&note);
        }
        if (lookup->debuginfod) {
                buf_add_str(&note, debuginfod_note(lookup->debuginfod));
                if (note.len)
                        cmd_warn(&note);
                debuginfod_free(lookup->debuginfod);
        }
        if (lookup->save_err.code) {
                buf_clear(&note);
                buf_printf(&note, "can't write the symbol cache: %s", lookup->save_err.text);
                cmd_warn(&note);
        }
        budget_release(&lookup->budget);
        buf_release(&lookup->folder);
        free(lookup->dirs);
        free(lookup->debug_dirs);
        arena_release(&lookup->names);
}

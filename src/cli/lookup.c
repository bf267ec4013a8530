/* SPDX-License-Identifier: BSD-3-Clause */
#include "lookup.h"

#include <inttypes.h>
#include <string.h>

#include "cmd.h"
#include "os.h"
#include "text.h"

static const struct option lookup_options[] = {
        {
                .name = "no-index",
                .offset = offsetof(struct lookup_options, no_index),
                .help = "neither use nor keep answers on disk (in ~/.cache/wperf)",
        },
        {
                .name = "debuginfod",
                .offset = offsetof(struct lookup_options, debuginfod),
                .help = "ask the servers of $DEBUGINFOD_URLS for debug files that are not here",
        },
        {
                .name = "debuginfod-timeout",
                .kind = OPTION_DURATION,
                .arg = "SECONDS",
                .offset = offsetof(struct lookup_options, debuginfod_ns),
                .help = "ask them, and wait that long in all; 90 unless given",
        },
        {0},
};

const struct option_group lookup_group = {"Names and lines", lookup_options};

static bool is_absolute(const char *path)
{
        return path[0] == '/' || (path[0] && path[1] == ':');
}

/* $XDG_CACHE_HOME/wperf, else ~/.cache/wperf; on Windows under %LOCALAPPDATA%. */
static bool find_folder(struct buf *out)
{
        static const struct {
                const char *variable, *below;
        } places[] = {{"XDG_CACHE_HOME", "/wperf"}, {"HOME", "/.cache/wperf"}, {"LOCALAPPDATA", "/wperf"}};

        for (size_t i = 0; i < N_ELEMENTS(places); i++) {
                const char *value = os_environment(places[i].variable);

                /* A cache that depends on the working folder is none. */
                if (!value || !is_absolute(value))
                        continue;
                buf_printf(out, "%s%s", value, places[i].below);
                return true;
        }
        return false;
}

/* One line on the screen that is written over and over, and blank at last. */
static void show_progress(void *ctx, const struct debuginfod_progress *progress)
{
        AUTO_RELEASE(buf) line = {0};

        buf_add_str(&line, "\rdebuginfod: ");
        text_add_printable(&line, text_base_name(progress->name));
        if (progress->total_bytes)
                buf_printf(&line, " %" PRIu64 " of %" PRIu64 " KiB", progress->n_bytes / 1024,
                           progress->total_bytes / 1024);
        buf_printf(&line, ", %" PRIu64 " s left\x1b[K", progress->left_ns / 1000000000);
        os_write_stream(OS_STDERR, line.data, line.len, NULL);
        ((struct lookup *)ctx)->shows_progress = true;
}

void lookup_init(const struct lookup_options *options, struct lookup *ret)
{
        *ret = (struct lookup){0};
        if (!options->no_index && find_folder(&ret->folder)) {
                ret->index.folder = buf_text(&ret->folder);
                ret->index.save_err = &ret->save_err;
                ret->sources.index = &ret->index;
        }
        if (!options->debuginfod && !options->debuginfod_ns)
                return;
        ret->debuginfod = debuginfod_new(&(struct debuginfod_options){
                .limit_ns = options->debuginfod_ns,
                .progress = os_is_terminal(OS_STDERR) ? show_progress : NULL,
                .ctx = ret,
        });
        ret->remote = debuginfod_remote(ret->debuginfod);
        ret->sources.remote = &ret->remote;
}

void lookup_release(struct lookup *lookup)
{
        AUTO_RELEASE(buf) note = {0};

        if (lookup->shows_progress)
                os_write_stream(OS_STDERR, "\r\x1b[K", 4, NULL);
        if (lookup->debuginfod) {
                buf_add_str(&note, debuginfod_note(lookup->debuginfod));
                if (note.len)
                        cmd_warn(&note);
                debuginfod_free(lookup->debuginfod);
        }
        if (lookup->save_err.code) {
                buf_clear(&note);
                buf_printf(&note, "answers are not kept on disk: %s", lookup->save_err.text);
                cmd_warn(&note);
        }
        buf_release(&lookup->folder);
}

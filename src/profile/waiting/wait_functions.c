/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait_functions.h"

#include <string.h>

#include "attributes.h"
#include "text.h"

const char *wait_functions_module(const struct named_stacks *named, const struct named_node *node)
{
        return node->module == NAMED_NONE ? "" : named->modules[node->module].path;
}

bool wait_functions_are_python(const struct named_stacks *named, const struct named_node *node)
{
        return node->module != NAMED_NONE && named->modules[node->module].kind == NAMED_PYTHON;
}

size_t wait_functions_of(const struct named_stacks *named, uint32_t at, struct wait_function *ret, size_t max)
{
        size_t n = 0;

        for (; at != NAMED_NONE && n < max; at = named->nodes[at].parent) {
                const struct named_node *node = &named->nodes[at];
                bool python = wait_functions_are_python(named, node);

                for (uint32_t i = 0; !node->is_cut && i < node->n_frames && n < max; i++) {
                        const struct named_frame *f = &named->frames[node->first_frame + i];

                        ret[n++] = (struct wait_function){.name = *f->function ? f->function : "unknown",
                                                          .file = python ? f->file
                                                                         : wait_functions_module(named, node),
                                                          .line = python ? f->line : 0,
                                                          .is_python = python,
                                                          .is_kernel = node->is_kernel};
                }
        }
        return n;
}

static bool ends_with_one_of(const char *file, const char *const *ends, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                if (text_ends(file, ends[i]))
                        return true;
        }
        return false;
}

bool wait_functions_are_between(const char *file)
{
        static const char *const files[] = {"/threading.py",
                                            "/queue.py",
                                            "/selectors.py",
                                            "/multiprocessing/connection.py",
                                            "/multiprocessing/queues.py",
                                            "/multiprocessing/synchronize.py"};

        return ends_with_one_of(file, files, N_ELEMENTS(files));
}

/* Files of the standard library whose functions wait for the one that calls them. */
static bool are_for_caller(const char *file)
{
        static const char *const files[] = {"/subprocess.py",
                                            "/socket.py",
                                            "/ssl.py",
                                            "/asyncio/base_events.py",
                                            "/asyncio/events.py",
                                            "/asyncio/runners.py",
                                            "/asyncio/selector_events.py",
                                            "/asyncio/unix_events.py",
                                            "/concurrent/futures/_base.py",
                                            "/multiprocessing/pool.py",
                                            "/multiprocessing/process.py",
                                            "/multiprocessing/popen_fork.py"};

        return wait_functions_are_between(file) || ends_with_one_of(file, files, N_ELEMENTS(files));
}

bool wait_functions_are_of_system(const char *path)
{
        static const char *const names[] = {"libc.so", "libc-2.",      "libpthread", "ld-linux",
                                            "ld-musl", "libstdc++.so", "libc++.so",  "[vdso]"};
        const char *base = text_base_name(path);

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                if (text_starts(base, names[i]))
                        return true;
        }
        return false;
}

/* 3.8 to 3.10 have collect(), later versions gc_collect_main() and others for a part of the objects. */
static bool collects_garbage(const struct wait_function *f)
{
        const char *base = text_base_name(f->file);

        if (f->is_python || (!text_starts(base, "python") && !text_starts(base, "libpython")))
                return false;
        return !strcmp(f->name, "collect") || !strcmp(f->name, "collect_with_callback") ||
               !strcmp(f->name, "gc_collect_main") || !strcmp(f->name, "gc_collect_region") ||
               !strcmp(f->name, "gc_collect_increment") || !strcmp(f->name, "gc_collect_young");
}

bool wait_functions_collect_garbage(const struct wait_function *functions, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                if (collects_garbage(&functions[i]))
                        return true;
        }
        return false;
}

bool wait_functions_poll(const struct wait_function *functions, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                if (!strcmp(functions[i].name, "uv__io_poll"))
                        return true;
                if (functions[i].is_python)
                        return text_ends(functions[i].file, "/selectors.py");
        }
        return n == 1 && text_starts(functions->name, "epoll_");
}

const struct wait_function *wait_functions_shown(const struct wait_function *functions, size_t n)
{
        const struct wait_function *python = NULL, *native = NULL;

        for (size_t i = 0; i < n; i++) {
                const struct wait_function *f = &functions[i];

                if (f->is_python && !are_for_caller(f->file))
                        return f;
                if (f->is_python && !python)
                        python = f;
                if (!f->is_python && !native && !wait_functions_are_of_system(f->file))
                        native = f;
        }
        return python ? python : native ? native : n ? functions : NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The list: workers of pools and loops that have nothing to do. Each entry names where the function is. */
#include "wait_idle.h"

#include <string.h>

#include "attributes.h"
#include "text.h"
#include "wait_functions.h"

struct idle_function {
        const char *name; /* the whole name, or its end behind a "." or "::" */
        const char *file; /* the end of a Python file's path; NULL: a native function */
};

static const struct idle_function idle_functions[] = {
        /* CPython's Lib/ */
        {"_worker", "concurrent/futures/thread.py"},
        {"_process_worker", "concurrent/futures/process.py"},
        {"_ExecutorManagerThread.wait_result_broken_or_wakeup", "concurrent/futures/process.py"},
        {"worker", "multiprocessing/pool.py"},
        {"Pool._wait_for_updates", "multiprocessing/pool.py"},
        {"Pool._handle_tasks", "multiprocessing/pool.py"},
        {"Pool._handle_results", "multiprocessing/pool.py"},
        {"Queue._feed", "multiprocessing/queues.py"},
        {"Queue.get", "queue.py"},
        {"QueueListener._monitor", "logging/handlers.py"},
        {"BaseServer.serve_forever", "socketserver.py"},
        {"serve", "multiprocessing/resource_tracker.py"},
        {"main", "multiprocessing/forkserver.py"},
        {"main", "multiprocessing/resource_tracker.py"},
        /* gunicorn's arbiter, and threads of its workers */
        {"Arbiter.sleep", "gunicorn/arbiter.py"},
        /* libuv: src/threadpool.c; its loop waits in epoll, which has its own rule */
        {"uv__threadpool_worker", NULL},
        /* glib: glib/gthreadpool.c, gthread's workers */
        {"g_thread_pool_wait_for_new_task", NULL},
        {"g_thread_pool_thread_proxy", NULL},
        /* libgomp: threads between two parallel regions */
        {"gomp_thread_start", NULL},
        /* LLVM's and Intel's OpenMP: kmp_runtime.cpp */
        {"__kmp_launch_worker", NULL},
        /* OpenBLAS: driver/others/blas_server.c */
        {"blas_thread_server", NULL},
        /* oneTBB: rml's private server */
        {"private_worker::run", NULL},
        /* Go: runtime/proc.go, a thread without a goroutine; runtime/sigqueue.go */
        {"runtime.stopm", NULL},
        {"runtime.templateThread", NULL},
        {"runtime.sysmon", NULL},
        {"os/signal.signal_recv", NULL},
        /* Rust: rayon-core's registry.rs, tokio's schedulers */
        {"rayon_core::registry::WorkerThread::wait_until_cold", NULL},
        {"tokio::runtime::park::Inner::park", NULL},
        {"tokio::runtime::blocking::pool::Inner::run", NULL},
        /* V8 and Node: workers of the platform */
        {"v8::platform::DefaultWorkerThreadsTaskRunner::WorkerThread::Run", NULL},
        {"node::TaskQueue<v8::Task>::BlockingPop", NULL},
        /* the JVM's and the kernel's workers are not read: their frames have no names here */
};

/* Before 3.11 the names of Python functions have no classes. */
static bool is_name(const struct wait_function *function, const char *wanted)
{
        const char *name = function->name, *last = strrchr(wanted, '.');
        size_t len = strlen(name), wanted_len = strlen(wanted);

        if (function->is_python && last && !strcmp(name, last + 1))
                return true;
        if (!text_ends(name, wanted))
                return false;
        return len == wanted_len || strchr(".:>", name[len - wanted_len - 1]);
}

static bool is_entry(const struct idle_function *idle, const struct wait_function *function)
{
        if (function->is_python != (idle->file != NULL) || !is_name(function, idle->name))
                return false;
        return !idle->file || text_ends(function->file, idle->file);
}

static bool is_listed(const struct wait_function *function)
{
        for (size_t k = 0; k < N_ELEMENTS(idle_functions); k++) {
                if (is_entry(&idle_functions[k], function))
                        return true;
        }
        return false;
}

static const char *find_python(const struct wait_function *functions, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                if (!functions[i].is_python)
                        continue;
                if (is_listed(&functions[i]))
                        return functions[i].name;
                if (!wait_functions_are_between(functions[i].file))
                        return NULL;
        }
        return NULL;
}

/* Between the wait and the function there is no code but that of its own module: it runs nothing for
 * others. */
static const char *find_native(const struct wait_function *functions, size_t n)
{
        const char *module = NULL;

        for (size_t i = 0; i < n && !functions[i].is_python; i++) {
                if (!module && wait_functions_are_of_system(functions[i].file))
                        continue;
                if (module && strcmp(module, functions[i].file))
                        return NULL;
                module = functions[i].file;
                if (is_listed(&functions[i]))
                        return functions[i].name;
        }
        return NULL;
}

const char *wait_idle_find(const struct wait_function *functions, size_t n)
{
        const char *name = find_python(functions, n);

        return name ? name : find_native(functions, n);
}

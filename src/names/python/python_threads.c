/* SPDX-License-Identifier: BSD-3-Clause */
/* sys.modules["threading"]._active is a dict of pthread_self() to Thread; Lib/threading.py. */
#include "python_threads.h"

#include <stdlib.h>

#include "python_dict.h"

struct thread_names_search {
        struct python_objects *objects;
        struct python_slot ident, native_id, name;
        void (*see)(void *ctx, const struct python_named_thread *thread);
        void *ctx;
};

/* The thread object has its ident, too. */
static void see_thread(struct thread_names_search *search, uint64_t key, uint64_t thread)
{
        struct python_objects *objects = search->objects;
        struct python_named_thread named = {0};
        uint64_t ident;
        char *name;

        if (!python_objects_int(objects, key, &named.pointer) ||
            !python_objects_int(objects, python_objects_attribute(objects, thread, "_ident", &search->ident),
                                &ident) ||
            ident != named.pointer)
                return;
        if (!python_objects_int(objects,
                                python_objects_attribute(objects, thread, "_native_id", &search->native_id),
                                &named.native_id))
                named.native_id = 0;
        name = python_objects_text(objects,
                                   python_objects_attribute(objects, thread, "_name", &search->name));
        named.name = name;
        if (name)
                search->see(search->ctx, &named);
        free(name);
}

static void see_interpreter(struct thread_names_search *search, uint64_t interp)
{
        struct python_objects *objects = search->objects;
        struct python_dict dict;
        uint64_t active, key, thread;

        if (!python_dict_begin_module(&dict, objects, interp, "threading"))
                return;
        active = python_dict_find(&dict, "_active");
        if (!active || !python_dict_begin(&dict, objects, active))
                return;
        while (python_dict_next(&dict, &key, &thread))
                see_thread(search, key, thread);
}

void python_threads_each_name(const struct python_runtime *runtime, struct python_objects *objects,
                              void (*see)(void *ctx, const struct python_named_thread *thread), void *ctx)
{
        const struct python_layout *layout = &runtime->layout;
        struct thread_names_search search = {.objects = objects, .see = see, .ctx = ctx};
        uint64_t interp;

        if (layout->interp_modules == PYTHON_NO_FIELD || layout->type_keys == PYTHON_NO_FIELD)
                return;
        interp = python_objects_word(objects, runtime->addr + layout->runtime_interpreters);
        for (unsigned i = 0; interp && i < PYTHON_MAX_INTERPRETERS; i++) {
                see_interpreter(&search, interp);
                interp = python_objects_word(objects, interp + layout->interp_next);
        }
}

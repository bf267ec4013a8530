/* SPDX-License-Identifier: BSD-3-Clause */
/* Version 1: older ones return errors as pointers. */
#include "bpf_library.h"

#include <string.h>

#include "os.h"

static bool find_all(struct bpf_library *l)
{
        const struct {
                const char *name;
                void *function;
        } functions[] = {
                {"libbpf_set_print", &l->set_print},
                {"libbpf_num_possible_cpus", &l->num_cpus},
                {"bpf_object__open_mem", &l->open_mem},
                {"bpf_object__load", &l->load},
                {"bpf_object__close", &l->close},
                {"bpf_object__find_map_by_name", &l->find_map},
                {"bpf_map__set_max_entries", &l->set_max_entries},
                {"bpf_map__fd", &l->map_fd},
                {"bpf_object__find_program_by_name", &l->find_program},
                {"bpf_program__fd", &l->program_fd},
                {"bpf_program__attach", &l->attach},
                {"bpf_link__destroy", &l->destroy_link},
                {"bpf_map_lookup_elem", &l->lookup},
                {"bpf_map_update_elem", &l->update},
                {"ring_buffer__new", &l->ring_new},
                {"ring_buffer__add", &l->ring_add},
                {"ring_buffer__epoll_fd", &l->ring_epoll_fd},
                {"ring_buffer__consume", &l->ring_consume},
                {"ring_buffer__free", &l->ring_free},
        };

        for (size_t i = 0; i < N_ELEMENTS(functions); i++) {
                if (!os_library_find(l->library, functions[i].name, functions[i].function))
                        return false;
        }
        return true;
}

bool bpf_library_open(struct bpf_library *l, struct err *err)
{
        l->library = os_library_open("libbpf.so.1", NULL);
        if (l->library && find_all(l))
                return true;
        bpf_library_close(l);
        return err_set(err, ERR_MISSING, "libbpf was not found: install libbpf1");
}

void bpf_library_close(struct bpf_library *l)
{
        os_library_free(l->library);
        memset(l, 0, sizeof(*l));
}

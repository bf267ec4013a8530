/* SPDX-License-Identifier: BSD-3-Clause */
#include "function_codes.h"

#include <stdlib.h>
#include <string.h>

#include "code_body.h"
#include "code_image.h"
#include "map.h"
#include "mem.h"

/* A module whose functions are known. */
struct code_module {
        const struct report *report; /* in which it was looked up */
        module_id id;                /* in that report */
        struct code_image *image;
        struct map hashes; /* by function; NO_CODE: its code is not available */
};

enum { NO_CODE = 0 };

/* By function_codes_open(). */
struct opened_session {
        const char *path;
        struct report *report;
};

struct function_codes {
        struct code_module *modules;
        size_t n, cap;
        struct report **reports; /* to which images of other sessions' modules belong */
        size_t n_reports, cap_reports;
        struct opened_session *opened;
        size_t n_opened, cap_opened;
};

struct function_codes *function_codes_new(void)
{
        return mem_new(1, sizeof(struct function_codes));
}

static void release_module(struct code_module *module)
{
        code_image_free(module->image);
        map_release(&module->hashes);
}

void function_codes_free(struct function_codes *codes)
{
        if (!codes)
                return;
        for (size_t i = 0; i < codes->n; i++)
                release_module(&codes->modules[i]);
        for (size_t i = 0; i < codes->n_reports; i++)
                report_free(codes->reports[i]);
        for (size_t i = 0; i < codes->n_opened; i++)
                report_free(codes->opened[i].report);
        free(codes->modules);
        free(codes->reports);
        free(codes->opened);
        free(codes);
}

struct report *function_codes_open(struct function_codes *codes, const struct report_request *request)
{
        struct report *report;

        for (size_t i = 0; i < codes->n_opened; i++) {
                if (!strcmp(codes->opened[i].path, request->path))
                        return codes->opened[i].report;
        }
        report = report_make(request, NULL);
        if (report)
                ARRAY_PUSH(codes->opened, codes->n_opened, codes->cap_opened,
                           (struct opened_session){request->path, report});
        return report;
}

/* With all addresses that were sampled: a module without its file lists no other functions. */
static struct code_image *make_image(struct report *report, module_id id)
{
        const struct hot *hot = report->hot;
        struct report_session *session = &report->session;
        struct code_image *image =
                code_image_new(report_session_resolver(session), report_session_module(session, id));

        for (size_t i = 0; i < hot_n_pcs(hot); i++) {
                const struct hot_pc *pc = hot_get_pc(hot, i);

                if (pc->module == id)
                        code_image_add_sample(image, pc->addr, pc->count, pc->weight);
        }
        code_image_finish(image);
        /* Names that only one build has would make its code another. */
        code_image_set_naming(image, (struct code_naming){.contents = code_image_can_name(image).contents});
        return image;
}

static const struct module *module_of(const struct report *report, module_id id)
{
        return world_get_module(report->session.world, id);
}

static bool is_same_build(const struct module *a, const struct module *b)
{
        return a->build_id_size && a->build_id_size == b->build_id_size &&
               !memcmp(a->build_id, b->build_id, a->build_id_size);
}

/* Of one build, or the same module of the same session. */
static struct code_module *find_module(struct function_codes *codes, struct report *report, module_id id)
{
        const struct module *wanted = module_of(report, id);

        for (size_t i = 0; i < codes->n; i++) {
                struct code_module *m = &codes->modules[i];

                if ((m->report == report && m->id == id) ||
                    (code_image_lists_all(m->image) && is_same_build(module_of(m->report, m->id), wanted)))
                        return m;
        }
        ARRAY_PUSH(codes->modules, codes->n, codes->cap,
                   (struct code_module){report, id, make_image(report, id), {0}});
        return &codes->modules[codes->n - 1];
}

static uint64_t hash_of(const struct code_image *image, uint32_t function)
{
        struct code_body body;
        uint64_t hash;

        code_body_make(image, code_image_get(image, function), &body);
        hash = body.n_insns && !body.is_missing ? body.hash : NO_CODE;
        code_body_release(&body);
        return hash;
}

bool function_codes_find(struct function_codes *codes, struct report *report, module_id id, uint64_t addr,
                         struct function_code *ret)
{
        struct code_module *module = find_module(codes, report, id);
        uint32_t function = code_image_find(module->image, addr);
        uint64_t *hash;
        bool is_new;

        if (function == CODE_NO_FUNCTION)
                return false;
        hash = map_put(&module->hashes, function, &is_new);
        if (is_new)
                *hash = hash_of(module->image, function);
        *ret = (struct function_code){*hash, code_image_get(module->image, function)->size_bytes,
                                      (uint32_t)(module - codes->modules)};
        return *hash != NO_CODE;
}

/* Whether other sessions may have the module, whose functions are all known. */
static bool is_kept(const struct code_module *module)
{
        return code_image_lists_all(module->image) && module_of(module->report, module->id)->build_id_size;
}

void function_codes_end(struct function_codes *codes, struct report *report)
{
        size_t n = 0;
        bool is_needed = false;

        for (size_t i = 0; i < codes->n; i++) {
                struct code_module *m = &codes->modules[i];

                if (m->report == report && !is_kept(m)) {
                        release_module(m);
                        continue;
                }
                is_needed |= m->report == report;
                codes->modules[n++] = *m;
        }
        codes->n = n;
        if (is_needed)
                ARRAY_PUSH(codes->reports, codes->n_reports, codes->cap_reports, report);
        else
                report_free(report);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "unnamed_code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "code_body.h"
#include "code_image.h"
#include "map.h"
#include "mem.h"
#include "text.h"

/* A module whose functions are known. */
struct unnamed_module {
        const struct report *report; /* in which it was looked up */
        module_id id;                /* in that report */
        struct code_image *image;
        struct map hashes; /* by function; NO_CODE: its code is not available */
};

enum { NO_CODE = 0 };

struct unnamed_code {
        struct unnamed_module *modules;
        size_t n, cap;
        struct report **reports; /* to which images of other sessions' modules belong */
        size_t n_reports, cap_reports;
};

struct unnamed_code *unnamed_code_new(void)
{
        return mem_new(1, sizeof(struct unnamed_code));
}

static void release_module(struct unnamed_module *module)
{
        code_image_free(module->image);
        map_release(&module->hashes);
}

void unnamed_code_free(struct unnamed_code *unnamed)
{
        if (!unnamed)
                return;
        for (size_t i = 0; i < unnamed->n; i++)
                release_module(&unnamed->modules[i]);
        for (size_t i = 0; i < unnamed->n_reports; i++)
                report_free(unnamed->reports[i]);
        free(unnamed->modules);
        free(unnamed->reports);
        free(unnamed);
}

static bool is_unnamed(const struct hot *hot, const struct hot_row *row)
{
        return !row->resolved && text_starts(hot_text(hot, row->bare), "0x");
}

/* With all addresses of functions without names: a module without its file lists no others. */
static struct code_image *make_image(struct report *report, module_id id)
{
        const struct hot *hot = report->hot;
        struct report_session *session = &report->session;
        struct code_image *image =
                code_image_new(report_session_resolver(session), report_session_module(session, id));

        for (size_t i = 0; i < hot_n_pcs(hot); i++) {
                const struct hot_pc *pc = hot_get_pc(hot, i);

                if (pc->module == id && is_unnamed(hot, hot_get_row(hot, pc->row)))
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
static struct unnamed_module *find_module(struct unnamed_code *unnamed, struct report *report, module_id id)
{
        const struct module *wanted = module_of(report, id);

        for (size_t i = 0; i < unnamed->n; i++) {
                struct unnamed_module *m = &unnamed->modules[i];

                if ((m->report == report && m->id == id) ||
                    (code_image_lists_all(m->image) && is_same_build(module_of(m->report, m->id), wanted)))
                        return m;
        }
        ARRAY_PUSH(unnamed->modules, unnamed->n, unnamed->cap,
                   (struct unnamed_module){report, id, make_image(report, id), {0}});
        return &unnamed->modules[unnamed->n - 1];
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

static bool add_code(struct unnamed_module *module, uint64_t addr, struct buf *out)
{
        uint32_t function = code_image_find(module->image, addr);
        uint64_t *hash;
        bool is_new;

        if (function == CODE_NO_FUNCTION)
                return false;
        hash = map_put(&module->hashes, function, &is_new);
        if (is_new)
                *hash = hash_of(module->image, function);
        if (*hash != NO_CODE)
                buf_printf(out, "code %016" PRIx64, *hash);
        return *hash != NO_CODE;
}

bool unnamed_code_add_name(struct unnamed_code *unnamed, struct report *report, size_t row_index,
                           struct buf *out)
{
        const struct hot *hot = report->hot;
        const struct hot_row *row = hot_get_row(hot, row_index);
        const struct hot_pc *pc;
        const struct module *module;
        size_t n, first;

        if (!is_unnamed(hot, row))
                return false;
        first = hot_pcs_of_row(hot, row_index, &n);
        pc = n ? hot_get_pc(hot, first) : NULL;
        if (!pc || pc->module == MODULE_NONE)
                return false;
        if (add_code(find_module(unnamed, report, pc->module), pc->addr, out))
                return true;
        module = module_of(report, pc->module);
        if (!module->build_id_size)
                return false;
        buf_printf(out, "%s of build ", hot_text(hot, row->bare));
        for (size_t i = 0; i < module->build_id_size && i < 8; i++)
                buf_printf(out, "%02x", module->build_id[i]);
        return true;
}

/* Whether other sessions may have the module, whose functions are all known. */
static bool is_kept(const struct unnamed_module *module)
{
        return code_image_lists_all(module->image) && module_of(module->report, module->id)->build_id_size;
}

void unnamed_code_end(struct unnamed_code *unnamed, struct report *report)
{
        size_t n = 0;
        bool is_needed = false;

        for (size_t i = 0; i < unnamed->n; i++) {
                struct unnamed_module *m = &unnamed->modules[i];

                if (m->report == report && !is_kept(m)) {
                        release_module(m);
                        continue;
                }
                is_needed |= m->report == report;
                unnamed->modules[n++] = *m;
        }
        unnamed->n = n;
        if (is_needed)
                ARRAY_PUSH(unnamed->reports, unnamed->n_reports, unnamed->cap_reports, report);
        else
                report_free(report);
}

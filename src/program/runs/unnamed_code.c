/* SPDX-License-Identifier: BSD-3-Clause */
#include "unnamed_code.h"

#include <inttypes.h>
#include <stdlib.h>

#include "code_body.h"
#include "code_image.h"
#include "map.h"
#include "mem.h"
#include "text.h"

struct unnamed_module {
        module_id id;
        struct code_image *image;
};

struct unnamed_code {
        struct report *report;
        struct unnamed_module *modules;
        size_t n, cap;
};

struct unnamed_code *unnamed_code_new(struct report *report)
{
        struct unnamed_code *unnamed = mem_new(1, sizeof(*unnamed));

        unnamed->report = report;
        return unnamed;
}

void unnamed_code_free(struct unnamed_code *unnamed)
{
        if (!unnamed)
                return;
        for (size_t i = 0; i < unnamed->n; i++)
                code_image_free(unnamed->modules[i].image);
        free(unnamed->modules);
        free(unnamed);
}

static bool is_unnamed(const struct hot *hot, const struct hot_row *row)
{
        return !row->resolved && text_starts(hot_text(hot, row->bare), "0x");
}

/* With all addresses of functions without names: a module without its file lists no others. */
static struct code_image *make_image(struct unnamed_code *unnamed, module_id id)
{
        const struct hot *hot = unnamed->report->hot;
        struct report_session *session = &unnamed->report->session;
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

static struct code_image *image_of(struct unnamed_code *unnamed, module_id id)
{
        for (size_t i = 0; i < unnamed->n; i++) {
                if (unnamed->modules[i].id == id)
                        return unnamed->modules[i].image;
        }
        ARRAY_PUSH(unnamed->modules, unnamed->n, unnamed->cap,
                   (struct unnamed_module){id, make_image(unnamed, id)});
        return unnamed->modules[unnamed->n - 1].image;
}

static bool add_code(const struct code_image *image, uint64_t addr, struct buf *out)
{
        uint32_t index = code_image_find(image, addr);
        struct code_body body;
        bool is_known;

        if (index == CODE_NO_FUNCTION)
                return false;
        code_body_make(image, code_image_get(image, index), &body);
        is_known = body.n_insns && !body.is_missing;
        if (is_known)
                buf_printf(out, "code %016" PRIx64, body.hash);
        code_body_release(&body);
        return is_known;
}

bool unnamed_code_add_name(struct unnamed_code *unnamed, size_t row_index, struct buf *out)
{
        const struct hot *hot = unnamed->report->hot;
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
        if (add_code(image_of(unnamed, pc->module), pc->addr, out))
                return true;
        module = world_get_module(unnamed->report->session.world, pc->module);
        if (!module->build_id_size)
                return false;
        buf_printf(out, "%s of build ", hot_text(hot, row->bare));
        for (size_t i = 0; i < module->build_id_size && i < 8; i++)
                buf_printf(out, "%02x", module->build_id[i]);
        return true;
}

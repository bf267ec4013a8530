/* SPDX-License-Identifier: BSD-3-Clause */
#include "unnamed_code.h"

#include <inttypes.h>

#include "text.h"

static bool is_unnamed(const struct hot *hot, const struct hot_row *row)
{
        return !row->resolved && text_starts(hot_text(hot, row->bare), "0x");
}

static bool is_shared(const struct shared_builds *builds, const struct report *report,
                      const struct module *module)
{
        const char *path = world_text(report->session.world, module->path);

        return builds && shared_builds_have_module(builds, module, path);
}

bool unnamed_code_add_name(struct function_codes *codes, const struct shared_builds *builds,
                           struct report *report, size_t row_index, struct buf *out)
{
        const struct hot *hot = report->hot;
        const struct hot_row *row = hot_get_row(hot, row_index);
        const struct hot_pc *pc;
        const struct module *module;
        struct function_code code;
        size_t n, first;

        if (!is_unnamed(hot, row))
                return false;
        first = hot_pcs_of_row(hot, row_index, &n);
        pc = n ? hot_get_pc(hot, first) : NULL;
        if (!pc || pc->module == MODULE_NONE)
                return false;
        module = world_get_module(report->session.world, pc->module);
        if (!is_shared(builds, report, module) &&
            function_codes_find(codes, report, pc->module, pc->addr, &code)) {
                buf_printf(out, "code %016" PRIx64, code.hash);
                return true;
        }
        if (!module->build_id_size)
                return false;
        buf_printf(out, "%s of build ", hot_text(hot, row->bare));
        for (size_t i = 0; i < module->build_id_size && i < 8; i++)
                buf_printf(out, "%02x", module->build_id[i]);
        return true;
}

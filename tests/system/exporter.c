/* SPDX-License-Identifier: BSD-3-Clause */
/* exporter FORMAT ordinary|hostile: an export of a tree made by hand, on standard output; pprof as it is before gzip. */
#include <stdio.h>
#include <string.h>

#include "export_builder.h"
#include "export_folded.h"
#include "export_pprof.h"
#include "export_speedscope.h"
#include "export_svg.h"

static bool add_export(const char *format, const struct calltree *tree, const struct export_about *about,
                       struct buf *out)
{
        if (!strcmp(format, "folded"))
                export_folded(tree, &(struct export_folded_options){.annotate = true}, out);
        else if (!strcmp(format, "speedscope"))
                export_speedscope(&(struct export_speedscope_profile){tree, about}, 1, out);
        else if (!strcmp(format, "pprof"))
                export_pprof(tree, about, out);
        else if (!strcmp(format, "svg"))
                export_svg(tree, about, &(struct export_svg_options){0}, out);
        else
                return false;
        return true;
}

int main(int argc, char **argv)
{
        AUTO_RELEASE(buf) out = {0};
        AUTO(calltree) tree = NULL;
        bool is_hostile;

        if (argc != 3)
                return 2;
        is_hostile = !strcmp(argv[2], "hostile");
        tree = is_hostile ? export_hostile() : export_ordinary();
        if (!add_export(argv[1], tree, is_hostile ? &export_hostile_about : &export_ordinary_about, &out))
                return 2;
        return fwrite(buf_text(&out), 1, out.len, stdout) == out.len && !fflush(stdout) ? 0 : 1;
}

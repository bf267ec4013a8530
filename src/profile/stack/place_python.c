/* SPDX-License-Identifier: BSD-3-Clause */
#include "place_python.h"

#include "buf.h"
#include "python_label.h"

bool place_python_is(const struct place_modules *modules, module_id module)
{
        struct module_facts facts;

        if (module == MODULE_NONE)
                return false;
        modules->tell(modules->ctx, module, &facts);
        return facts.has_lines;
}

static bool find_frame(struct place_names *names, const struct code_place *place, struct resolver_frame *ret)
{
        resolver_id module = names->modules->get(names->modules->ctx, place->module);
        struct resolver_frames found;
        uint64_t addr;
        bool ok;

        if (!resolver_to_addr(names->resolver, module, place->offset, &addr))
                return false;
        resolver_find_frames(names->resolver, module, &addr, 1, &found);
        ok = found.n_frames == 1 && found.frames[0].function;
        if (ok)
                *ret = found.frames[0];
        resolver_frames_release(&found);
        return ok;
}

bool place_python_find(struct place_names *names, const struct code_place *place, struct place_python *ret)
{
        AUTO_RELEASE(buf) label = {0};
        AUTO_RELEASE(buf) line_label = {0};
        struct resolver_frame frame;
        const char *name, *file;

        if (!place_python_is(names->modules, place->module) || !find_frame(names, place, &frame))
                return false;
        name = resolver_text(names->resolver, frame.function);
        file = frame.file ? resolver_text(names->resolver, frame.file)
                          : python_label_file(resolver_text(names->resolver, frame.path));
        python_label_add_file(&line_label, name, file, frame.line);
        if (!resolver_add_arguments(names->resolver, frame.function, &label))
                python_label_add_file(&label, name, file, 0);
        *ret = (struct place_python){
                .function = frame.function,
                .path = frame.path,
                .line = frame.line,
                .first_line = python_label_line(buf_text(&label)),
                .label = strpool_add(names->texts, buf_text(&label)),
                .line_label = strpool_add(names->texts, buf_text(&line_label)),
                .name = strpool_add(names->texts, name),
                .file = strpool_add(names->texts, file),
        };
        return true;
}

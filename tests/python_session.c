/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_session.h"

#include <string.h>

#include "elf_names.h"
#include "mem.h"
#include "os.h"
#include "perfdata_format.h"
#include "python_names.h"
#include "session_builder.h"

enum { PID = 100, MAX_CHAIN = 16, OLD_ATTR_BYTES = 112 /* which perf takes */ };

static const uint64_t libpython = 0x7f0000000000, json_module = 0x7f1000000000;

enum native { MAIN, RUN, SORTED, EVAL, COLD, SCAN, ONCE, N_NATIVE };

static const struct native_function {
        const char *name;
        uint64_t addr;
        bool in_json;
} natives[N_NATIVE] = {
        [MAIN] = {"main", 0x1000, false},
        [RUN] = {"PyRun_Main", 0x1100, false},
        [SORTED] = {"sorted_impl", 0x1200, false},
        [EVAL] = {"_PyEval_EvalFrameDefault", 0x2000, false},
        [COLD] = {"_PyEval_EvalFrameDefault.cold", 0x3000, false},
        [SCAN] = {"py_scan", 0x1000, true},
        [ONCE] = {"scan_once", 0x1100, true},
};

enum { FUNCTION_BYTES = 0x100, CALL_OFFSET = 0x20 };

struct making {
        const char *folder;
        struct session_builder session;
        struct python_places *places;
        uint64_t chain[MAX_CHAIN], time;
        unsigned times; /* as many samples */
        size_t n;
};

static bool write_file(const char *folder, const char *name, const struct buf *bytes)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO(os_file) file = NULL;

        buf_printf(&path, "%s/%s", folder, name);
        file = os_file_create(buf_text(&path), NULL);
        return file && os_file_write(file, bytes->data, bytes->len, NULL);
}

/* Code has bytes in its file. */
static void fill_segment(struct buf *image)
{
        enum { FILE_SIZE_AT = 64 + 32, MEMORY_SIZE_AT = 64 + 40 };
        uint64_t size;

        memcpy(&size, image->data + MEMORY_SIZE_AT, sizeof(size));
        memcpy(image->data + FILE_SIZE_AT, &size, sizeof(size));
        if (image->len < size)
                buf_add_zeros(image, (size_t)size - image->len);
}

static bool write_image(const char *folder, const char *name, bool is_json)
{
        struct elf_name names[N_NATIVE];
        AUTO_RELEASE(buf) texts = {0};
        AUTO_RELEASE(buf) image = {0};
        size_t n = 0;

        for (size_t i = 0; i < N_NATIVE; i++) {
                if (natives[i].in_json != is_json)
                        continue;
                names[n++] = (struct elf_name){natives[i].addr, FUNCTION_BYTES, texts.len};
                buf_add(&texts, natives[i].name, strlen(natives[i].name) + 1);
        }
        elf_names_make(&(struct elf_names){names, n, buf_text(&texts), texts.len}, &image);
        fill_segment(&image);
        return write_file(folder, name, &image);
}

/* --- Chains --- */

static void begin(struct making *m)
{
        m->n = 0;
        m->chain[m->n++] = PERF_CONTEXT_USER;
}

/* For all frames but the first, this is a return address. */
static void native(struct making *m, enum native function)
{
        uint64_t base = natives[function].in_json ? json_module : libpython;

        m->chain[m->n++] = base + natives[function].addr + CALL_OFFSET;
}

static void python(struct making *m, const char *function, const char *file, uint32_t first_line,
                   uint32_t line)
{
        AUTO_RELEASE(buf) path = {0};

        buf_printf(&path, "%s/%s", m->folder, file);
        m->chain[m->n++] = python_places_add(m->places, function, buf_text(&path), first_line, line);
}

static void end(struct making *m, unsigned times)
{
        native(m, RUN);
        native(m, MAIN);
        for (times *= m->times; times; times--)
                builder_sample(&m->session, 0, m->time += 1000000, PID, PID, PERF_MISC_USER, m->chain, m->n);
}

static void parse(struct making *m, uint32_t line, unsigned times)
{
        python(m, "parse", "app.py", 5, line);
        python(m, "<module>", "app.py", 1, 40);
        end(m, times);
}

static void from_c(struct making *m, const char *function, uint32_t first_line)
{
        begin(m);
        native(m, SORTED);
        native(m, EVAL);
        python(m, function, "app.py", first_line, first_line + 1);
        native(m, SORTED);
        native(m, EVAL);
        python(m, "<module>", "app.py", 1, 42);
        end(m, 3);
}

static void add_samples(struct making *m)
{
        begin(m);
        native(m, ONCE);
        native(m, SCAN);
        native(m, EVAL);
        python(m, "loads", "json/__init__.py", 299, 346);
        parse(m, 6, 40);
        begin(m);
        native(m, EVAL);
        parse(m, 6, 25);
        begin(m);
        native(m, EVAL);
        parse(m, 7, 15);
        begin(m);
        native(m, COLD);
        python(m, "fib", "app.py", 9, 12);
        python(m, "fib", "app.py", 9, 12);
        python(m, "fib", "app.py", 9, 10);
        python(m, "<module>", "app.py", 1, 41);
        end(m, 10);
        from_c(m, "Key.__init__", 20);
        from_c(m, "Other.__init__", 30);
        begin(m);
        end(m, 2);
        begin(m);
        native(m, EVAL);
        end(m, 2);
}

static void map(struct making *m, uint64_t at, uint64_t size, const char *name)
{
        AUTO_RELEASE(buf) path = {0};

        buf_printf(&path, "%s/%s", m->folder, name);
        builder_mmap(&m->session, 1000, PID, at, size, 0, buf_text(&path));
}

static bool write_session(struct making *m)
{
        const struct python_counts counts = {98, 96, 2, {{1, "in start-up"}, {1, "generator at exit"}}};
        AUTO_RELEASE(buf) section = {0};
        AUTO_RELEASE(buf) path = {0};
        AUTO(python_section) read = NULL;
        size_t n_left_out;

        builder_comm(&m->session, 900, PID, PID, "python3", true);
        map(m, libpython, 0x10000, "libpython.so");
        map(m, json_module, 0x10000, "_json.so");
        map(m, PYTHON_PLACES_BASE, PYTHON_PLACES_SIZE_BYTES, "python.data.pysyms");
        add_samples(m);
        python_places_write(m->places, &counts, &section);
        builder_feature(&m->session, FEATURE_WPERF_PYTHON, section.data, section.len);
        read = python_section_new(cursor_make(section.data, section.len));
        buf_printf(&path, "%s/python.data.pysyms", m->folder);
        if (!read || !python_names_write(read, buf_text(&path), PYTHON_NAMES_MAX_BYTES, &n_left_out, NULL))
                return false;
        buf_clear(&path);
        buf_printf(&path, "%s/python.data", m->folder);
        return builder_save(&m->session, buf_text(&path));
}

bool python_session_write(const char *folder, unsigned times)
{
        struct making m = {.folder = folder, .places = python_places_new(), .time = 1000000, .times = times};
        bool ok;

        builder_init(&m.session);
        m.session.names[0] = "cpu-clock";
        m.session.attr_bytes = m.session.attrs[0].size = OLD_ATTR_BYTES;
        ok = write_image(folder, "libpython.so", false) && write_image(folder, "_json.so", true) &&
             write_session(&m);
        builder_release(&m.session);
        python_places_free(m.places);
        return ok;
}

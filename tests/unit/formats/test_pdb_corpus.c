/* SPDX-License-Identifier: BSD-3-Clause */
/* Other people's PDBs in $WPERF_CORPUS/pdb: results for addresses are compared with llvm-symbolizer's
 * results, Breakpad's .sym files and symbolic's snapshots next to them.  docs/pdb-oracles.md explains each
 * kind of difference. */
#include <stdlib.h>

#include "buf.h"
#include "codec.h"
#include "err.h"
#include "mem.h"
#include "os.h"
#include "pdb.h"
#include "tap.h"
#include "text.h"

enum {
        MAX_TEXT_BYTES = 64 << 20,
        MAX_PDB_BYTES = 128 << 20,
        MAX_FRAMES = 64,
};

static const char *corpus; /* the folder of PDBs */
static int n_tests, n_bad;

static void say(bool is_good, const char *name, const char *text)
{
        printf("%sok %d - %s%s%s\n", is_good ? "" : "not ", ++n_tests, name, *text ? ": " : "", text);
        fflush(stdout);
        n_bad += !is_good;
}

/* --- Files --- */

struct opened {
        struct buf bytes; /* of a packed one */
        struct pdb *pdb;
};

static void opened_release(struct opened *o)
{
        pdb_free(o->pdb);
        buf_release(&o->bytes);
}

static bool open_file(struct opened *o, const char *path, struct err *err)
{
        AUTO_RELEASE(buf) packed = {0};

        if (!text_ends(path, ".zst")) {
                o->pdb = pdb_open(path, err);
                return o->pdb;
        }
        if (!os_read_file(path, MAX_PDB_BYTES, &packed, err) ||
            !codec_unpack(CODEC_ZSTD, packed.data, packed.len, MAX_PDB_BYTES, &o->bytes, err))
                return false;
        o->pdb = pdb_open_bytes(o->bytes.data, o->bytes.len, path, err);
        return o->pdb;
}

/* --- One address --- */

struct line {
        const char *function, *path;
        uint32_t line;
};

struct frames {
        struct line items[MAX_FRAMES];
        size_t n;
};

static const char *or_empty(const char *text)
{
        return text ? text : "";
}

static void ask(struct pdb *pdb, uint64_t rva, struct frames *ret_frames)
{
        struct source_frames found;

        pdb_find(pdb, &rva, 1, &found);
        ret_frames->n = 0;
        for (size_t i = 0; i < found.spans[0].n && i < MAX_FRAMES; i++) {
                const struct source_frame *frame = &found.frames[found.spans[0].first + i];

                ret_frames->items[ret_frames->n++] =
                        (struct line){or_empty(frame->function), or_empty(frame->path), frame->line};
        }
        source_frames_release(&found);
}

/* --- llvm-symbolizer --- */

enum kind {
        EQUAL,
        PADDING,    /* no function has the address; llvm prints the public symbol before it */
        SEPARATED,  /* code that is separate from its function: llvm prints the public symbol before it */
        TRAMPOLINE, /* llvm has no name */
        HIDDEN,     /* llvm prints the mark for "no line" as a line */
        DEEPER,     /* llvm leaves out an inlined function */
        OTHER_LINE, /* line of the outermost function, if several rows have one address */
        INNER_LINE, /* of an inlined one */
        /* llvm does not find the public symbol at the start of a function that has another one inside */
        OTHER_NAME,
        UNEXPLAINED,
        N_KINDS,
};

static const char *const kind_names[N_KINDS] = {
        "equal",         "padding",         "separated code",     "trampolines",       "hidden lines",
        "more inlining", "line of a start", "line of an inlined", "undecorated names", "unexplained",
};

static bool is_same_line(const struct line *a, const struct line *b)
{
        return a->line == b->line && !strcmp(a->path, b->path);
}

static bool is_same_function(const struct line *a, const struct line *b)
{
        return !strcmp(a->function, b->function);
}

/* How many of the outermost frames agree. */
static size_t count_same(const struct frames *a, const struct frames *b)
{
        size_t n = 0;

        while (n < a->n && n < b->n && is_same_function(&a->items[a->n - 1 - n], &b->items[b->n - 1 - n]) &&
               is_same_line(&a->items[a->n - 1 - n], &b->items[b->n - 1 - n]))
                n++;
        return n;
}

static enum kind compare_one_depth(const struct frames *got, const struct frames *want)
{
        const struct line *g = &got->items[got->n - 1], *w = &want->items[want->n - 1];

        if (got->n == 1 && !is_same_function(g, w) && text_ends(g->function, w->function) &&
            is_same_line(g, w))
                return OTHER_NAME;
        for (size_t i = 0; i < got->n; i++) {
                if (!is_same_function(&got->items[i], &want->items[i]))
                        return UNEXPLAINED;
        }
        if (w->line == 0xf00f00 || w->line == 0xfeefee)
                return g->line ? UNEXPLAINED : HIDDEN;
        if (!is_same_line(g, w))
                return OTHER_LINE;
        return INNER_LINE;
}

static enum kind compare(struct pdb *pdb, uint32_t rva, const struct frames *got, const struct frames *want)
{
        struct pdb_function function;
        bool is_there = pdb_find_function(pdb, rva, &function);
        size_t n_same = count_same(got, want);

        if (n_same == want->n && n_same == got->n)
                return EQUAL;
        if (!is_there)
                return got->n <= 1 && want->n == 1 ? PADDING : UNEXPLAINED;
        if (function.same_from != function.start)
                return function.same_from > function.start ? SEPARATED : UNEXPLAINED;
        if (want->n == 1 && !*want->items[0].function)
                return TRAMPOLINE;
        if (n_same && n_same == want->n)
                return DEEPER;
        if (got->n == want->n)
                return compare_one_depth(got, want);
        return got->n > want->n && is_same_function(&got->items[got->n - 1], &want->items[want->n - 1])
                       ? DEEPER
                       : UNEXPLAINED;
}

/* The text up to the next tab or the line's end, terminated by a NUL. */
static char *next_field(char **at)
{
        char *field = *at;
        size_t n = strcspn(field, "\t");

        *at = field + n + (field[n] != 0);
        field[n] = 0;
        return field;
}

struct truth {
        struct opened opened;
        size_t n[N_KINDS];
        uint32_t rva;
        struct frames want;
        struct buf first; /* what is not explained */
};

static void truth_release(struct truth *truth)
{
        opened_release(&truth->opened);
        buf_release(&truth->first);
}

static void end_address(struct truth *truth)
{
        struct frames got;
        enum kind kind;

        if (!truth->want.n)
                return;
        ask(truth->opened.pdb, truth->rva, &got);
        if (!got.n)
                got = (struct frames){{{"", "", 0}}, 1};
        kind = compare(truth->opened.pdb, truth->rva, &got, &truth->want);
        truth->n[kind]++;
        if (kind == UNEXPLAINED && !truth->first.len)
                buf_printf(&truth->first, " (first 0x%x: %s, llvm %s)", truth->rva, got.items[0].function,
                           truth->want.items[0].function);
        truth->want.n = 0;
}

/* RVA, depth, function, file, line, column. */
static void add_row(struct truth *truth, char *row)
{
        uint32_t rva = (uint32_t)strtoul(next_field(&row), NULL, 16);
        struct line line;

        if (strtoul(next_field(&row), NULL, 10) == 0)
                end_address(truth);
        truth->rva = rva;
        line.function = next_field(&row);
        line.path = next_field(&row);
        line.line = (uint32_t)strtoul(next_field(&row), NULL, 10);
        if (truth->want.n < MAX_FRAMES)
                truth->want.items[truth->want.n++] = line;
}

/* The second path of "# IMAGE + PDB  image base ...". */
static bool open_of_header(struct truth *truth, const char *header, struct err *err)
{
        const char *start = strstr(header, " + "), *end = start ? strstr(start, "  image") : NULL;
        AUTO_RELEASE(buf) path = {0};

        if (!end)
                return err_set(err, ERR_FORMAT, "names no PDB");
        buf_printf(&path, "%s/%.*s", corpus, (int)(end - start - 3), start + 3);
        return open_file(&truth->opened, buf_text(&path), err);
}

static void try_truth(const char *path, const char *name)
{
        AUTO_RELEASE(truth) truth = {0};
        AUTO_RELEASE(buf) text = {0}, out = {0};
        struct err err = {0};
        char *row, *next;

        if (!os_read_file(path, MAX_TEXT_BYTES, &text, &err) ||
            !open_of_header(&truth, buf_text(&text), &err)) {
                say(false, name, err.text);
                return;
        }
        pdb_set_decorated(truth.opened.pdb, true);
        for (row = strchr(text.data, '\n'); row && row[1]; row = next) {
                row++;
                next = strchr(row, '\n');
                if (next)
                        *next = 0;
                add_row(&truth, row);
        }
        end_address(&truth);
        for (size_t i = 0; i < N_KINDS; i++) {
                if (truth.n[i])
                        buf_printf(&out, "%s%zu %s", out.len ? ", " : "", truth.n[i], kind_names[i]);
        }
        buf_add_str(&out, buf_text(&truth.first));
        say(!truth.n[UNEXPLAINED] && truth.n[EQUAL] && !*pdb_note(truth.opened.pdb), name, buf_text(&out));
}

/* --- Breakpad --- */

/* Lines of FILE records, by number. */
struct sym_files {
        const char **paths;
        size_t n;
};

static const char *get_path(const struct sym_files *files, size_t i)
{
        return i < files->n && files->paths[i] ? files->paths[i] : "";
}

static void add_path(struct sym_files *files, char *at)
{
        size_t i = strtoul(at, &at, 10);

        if (i >= 1 << 20)
                return;
        if (i >= files->n) {
                files->paths = mem_resize(files->paths, i + 1, sizeof(*files->paths));
                while (files->n <= i)
                        files->paths[files->n++] = NULL;
        }
        files->paths[i] = at + 1;
}

/* Our name without leading underscores, or `@name@8` without the parts around it, is in the wide name. */
static bool has_name(const char *wide, const char *ours)
{
        bool is_fastcall = *ours == '@';

        ours += strspn(ours, "_@");
        for (const char *at = wide; *at; at++) {
                if (!strncmp(at, ours, is_fastcall ? strcspn(ours, "@") : strlen(ours)))
                        return true;
        }
        return false;
}

/* FUNC [m] RVA SIZE PARAMETERS NAME: the name may have types around it and lack underscores; m: it is one
 * of several. */
static bool is_function(struct pdb *pdb, const char *at)
{
        struct pdb_function function;
        bool has_many_names = text_starts(at, "m ");
        const char *name;
        uint32_t rva, size;
        char *end;

        if (has_many_names)
                at += 2;
        rva = (uint32_t)strtoul(at, &end, 16);
        size = (uint32_t)strtoul(end, &end, 16);
        strtoul(end, &end, 16);
        name = end + 1;
        if (!pdb_find_function(pdb, rva, &function) || function.start != rva || function.size_bytes != size)
                return false;
        return has_many_names || has_name(name, function.name);
}

/* RVA SIZE LINE FILE: the line of the outermost function at the first and last byte. */
static bool is_line(struct pdb *pdb, const struct sym_files *files, const char *at)
{
        char *end;
        uint32_t rva = (uint32_t)strtoul(at, &end, 16), size = (uint32_t)strtoul(end, &end, 16);
        uint32_t line = (uint32_t)strtoul(end, &end, 10);
        const char *path = get_path(files, strtoul(end, &end, 10));

        for (uint32_t i = 0; i<size; i += size> 1 ? size - 1 : 1) {
                struct frames got;

                ask(pdb, rva + i, &got);
                if (line == 0xf00f00)
                        return got.n && !got.items[got.n - 1].line;
                if (!got.n || got.items[got.n - 1].line != line ||
                    strcmp(got.items[got.n - 1].path, path) != 0)
                        return false;
        }
        return true;
}

static void try_sym(const char *path, const char *name)
{
        AUTO_RELEASE(opened) o = {0};
        AUTO_RELEASE(buf) text = {0}, pdb_path = {0}, out = {0};
        struct sym_files files = {0};
        size_t n_functions = 0, n_lines = 0, n_bad_functions = 0, n_bad_lines = 0;
        struct err err = {0};

        buf_printf(&pdb_path, "%.*s.pdb", (int)(strlen(path) - strlen(".sym")), path);
        if (!os_read_file(path, MAX_TEXT_BYTES, &text, &err) || !open_file(&o, buf_text(&pdb_path), &err)) {
                say(err.code == ERR_UNSUPPORTED && strstr(err.text, "OMAP"), name, err.text);
                return;
        }
        for (char *row = strtok(text.data, "\r\n"); row; row = strtok(NULL, "\r\n")) {
                bool is_good = true;

                if (text_starts(row, "FILE ")) {
                        add_path(&files, row + 5);
                } else if (text_starts(row, "FUNC ")) {
                        is_good = is_function(o.pdb, row + 5);
                        n_functions++;
                        n_bad_functions += !is_good;
                } else if (strspn(row, "0123456789abcdef") && row[strspn(row, "0123456789abcdef")] == ' ') {
                        is_good = is_line(o.pdb, &files, row);
                        n_lines++;
                        n_bad_lines += !is_good;
                }
                if (!is_good && out.len < 300)
                        buf_printf(&out, " (%s)", row);
        }
        printf("# %s: %zu functions, %zu not the same; %zu lines, %zu not the same%s\n", name, n_functions,
               n_bad_functions, n_lines, n_bad_lines, buf_text(&out));
        say(n_functions > 10 && n_lines > 10 && !n_bad_functions && !n_bad_lines, name, "");
        free(files.paths);
}

/* --- symbolic --- */

/* "  > 0xRVA: NAME (0xSIZE)" and "  0xRVA: FILE:LINE (FOLDER)", indented by two more spaces for each
 * depth. */
struct snapshot {
        struct opened opened;
        char *functions[MAX_FRAMES];
        size_t n_lines, n_bad;
        struct buf first;
};

static void snapshot_release(struct snapshot *snapshot)
{
        opened_release(&snapshot->opened);
        buf_release(&snapshot->first);
}

static void add_snapshot_line(struct snapshot *snapshot, size_t depth, char *at)
{
        uint32_t rva = (uint32_t)strtoul(at, &at, 16);
        char *file = at + 2, *colon = strchr(file, ':');
        const struct line *got;
        struct frames frames;
        uint32_t line;

        if (!colon || depth >= MAX_FRAMES || !snapshot->functions[depth])
                return;
        *colon = 0;
        line = (uint32_t)strtoul(colon + 1, NULL, 10);
        ask(snapshot->opened.pdb, rva, &frames);
        got = depth < frames.n ? &frames.items[frames.n - 1 - depth] : NULL;
        snapshot->n_lines++;
        if (got && got->line == line && text_ends(got->path, file) &&
            text_starts(snapshot->functions[depth], got->function))
                return;
        snapshot->n_bad++;
        if (snapshot->first.len < 600)
                buf_printf(&snapshot->first, " (0x%x depth %zu: %s:%u, want %s %s:%u)", rva, depth,
                           got ? got->function : "no frame", got ? got->line : 0, snapshot->functions[depth],
                           file, line);
}

static void try_snapshot(const char *pdb_name, const char *snapshot_name)
{
        AUTO_RELEASE(snapshot) snapshot = {0};
        AUTO_RELEASE(buf) text = {0}, path = {0}, pdb_path = {0}, out = {0};
        struct err err = {0};

        buf_printf(&path, "%s/%s", corpus, snapshot_name);
        buf_printf(&pdb_path, "%s/%s", corpus, pdb_name);
        if (!os_read_file(buf_text(&path), MAX_TEXT_BYTES, &text, &err) ||
            !open_file(&snapshot.opened, buf_text(&pdb_path), &err)) {
                say(false, snapshot_name, err.text);
                return;
        }
        for (char *row = strtok(text.data, "\n"); row; row = strtok(NULL, "\n")) {
                size_t n_spaces = strspn(row, " ");
                char *at = row + n_spaces;

                if (text_starts(at, "> 0x") && n_spaces / 2 < MAX_FRAMES)
                        snapshot.functions[n_spaces / 2] = strchr(at, ':') + 2;
                else if (text_starts(at, "0x") && n_spaces >= 2)
                        add_snapshot_line(&snapshot, n_spaces / 2 - 1, at);
        }
        buf_printf(&out, "%zu lines, %zu not the same%s", snapshot.n_lines, snapshot.n_bad,
                   buf_text(&snapshot.first));
        say(snapshot.n_lines > 100 && !snapshot.n_bad, snapshot_name, buf_text(&out));
}

/* --- All of them --- */

static bool try_entry(void *ctx, const char *name)
{
        AUTO_RELEASE(buf) path = {0};

        buf_printf(&path, "%s/%s", (const char *)ctx, name);
        if (text_ends(name, ".symbolize.tsv"))
                try_truth(buf_text(&path), name);
        else if (text_ends(name, ".sym"))
                try_sym(buf_text(&path), name);
        return true;
}

int main(void)
{
        static const char *const folders[] = {"_truth-llvm-19.1.7", "breakpad",
                                              "symbolic/symbolic-testutils/fixtures/windows"};
        AUTO_RELEASE(buf) root = {0};

        if (!os_environment("WPERF_CORPUS")) {
                printf("1..0 # SKIP WPERF_CORPUS is not set\n");
                return 0;
        }
        buf_printf(&root, "%s/pdb", os_environment("WPERF_CORPUS"));
        corpus = buf_text(&root);
        for (size_t i = 0; i < N_ELEMENTS(folders); i++) {
                AUTO_RELEASE(buf) folder = {0};

                buf_printf(&folder, "%s/%s", corpus, folders[i]);
                os_list_dir(buf_text(&folder), try_entry, folder.data, NULL);
        }
        try_snapshot("symbolic/symbolic-testutils/fixtures/windows/crash.pdb",
                     "symbolic/symbolic-debuginfo/tests/snapshots/test_objects__pdb_functions.snap");
        printf("1..%d\n", n_tests);
        return n_bad > 0;
}

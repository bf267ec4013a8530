/* SPDX-License-Identifier: BSD-3-Clause */
#include "file_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "run_values_internal.h"

enum { MAX_PARTS = 64 }; /* of a path; the rest of a longer one counts as its first part */

#define NO_FILE SIZE_MAX

/* A file of one group. */
struct side_file {
        const char *path;
        enum run_side side;
        unsigned n_parts;
        size_t partner; /* index, or NO_FILE */
        size_t next;    /* another file with the same hash, in one round */
        bool is_wanted; /* paired by the user, whose words are the label */
        str_id label;
};

struct file_pairing {
        struct run_values *values;
        struct side_file *files;
        size_t n, cap;
        unsigned most_parts; /* of all paths */
        struct map indexes;  /* path and side to index */
};

static void file_pairing_release(struct file_pairing *p)
{
        free(p->files);
        map_release(&p->indexes);
}

static bool is_separator(char c)
{
        return c == '/' || c == '\\';
}

/* The last `n` parts of the path. */
static const char *end_of(const char *path, unsigned n)
{
        const char *at = path + strlen(path);

        for (; at > path; at--) {
                if (is_separator(at[-1]) && !--n)
                        return at;
        }
        return path;
}

static unsigned count_parts(const char *path)
{
        unsigned n = 1;

        for (const char *at = path + (*path != '\0'); *at && n < MAX_PARTS; at++)
                n += is_separator(*at);
        return n;
}

/* --- Files ------------------------------------------------------------------------------------------ */

static uint64_t key_of(str_id path, enum run_side side)
{
        return (uint64_t)path << 1 | side;
}

static void list_files(struct file_pairing *p)
{
        const struct run_values *v = p->values;

        for (size_t r = 0; r < v->n_runs; r++) {
                const struct stored_run *run = &v->runs[r];

                for (size_t i = 0; i < run->n_samples; i++) {
                        str_id path = v->names[run->samples[i].name].module;
                        struct side_file file = {strpool_get(v->texts, path), run->side, 0, NO_FILE, NO_FILE};
                        bool is_new;
                        uint64_t *index = map_put(&p->indexes, key_of(path, run->side), &is_new);

                        if (!is_new)
                                continue;
                        *index = p->n;
                        file.n_parts = count_parts(file.path);
                        p->most_parts = file.n_parts > p->most_parts ? file.n_parts : p->most_parts;
                        ARRAY_PUSH(p->files, p->n, p->cap, file);
                }
        }
}

static void pair(struct file_pairing *p, size_t a, size_t b)
{
        p->files[a].partner = b;
        p->files[b].partner = a;
}

/* --- Pairs of the user ------------------------------------------------------------------------------ */

static bool has_end(const char *path, const char *end, size_t len)
{
        size_t n = strlen(path);

        return n >= len && !memcmp(path + n - len, end, len) && (n == len || is_separator(path[n - len - 1]));
}

static bool find_by_end(const struct file_pairing *p, enum run_side side, const char *end, size_t len,
                        size_t *ret, struct err *err)
{
        size_t n = 0;

        for (size_t i = 0; i < p->n; i++) {
                const struct side_file *file = &p->files[i];

                if (file->side != side || file->partner != NO_FILE || !has_end(file->path, end, len))
                        continue;
                *ret = i;
                n++;
        }
        if (n == 1)
                return true;
        return err_set(err, ERR_MISSING, "--pair: %s file of %s ends in '%.*s'", n ? "more than one" : "no",
                       side == RUN_A ? "A" : "B", len < 200 ? (int)len : 200, end);
}

static bool pair_wanted(struct file_pairing *p, const char *wanted, struct err *err)
{
        for (const char *at = wanted; at && *at; at += *at == ',') {
                size_t len = strcspn(at, ","), a = NO_FILE, b = NO_FILE;
                const char *equal = memchr(at, '=', len);

                if (!equal || equal == at || equal + 1 == at + len)
                        return err_set(err, ERR_USAGE, "--pair takes FILE_OF_A=FILE_OF_B, not '%.*s'",
                                       len < 200 ? (int)len : 200, at);
                if (!find_by_end(p, RUN_A, at, (size_t)(equal - at), &a, err) ||
                    !find_by_end(p, RUN_B, equal + 1, (size_t)(at + len - equal - 1), &b, err))
                        return false;
                pair(p, a, b);
                p->files[a].is_wanted = true;
                p->files[a].label = strpool_add_len(p->values->texts, at, len);
                at += len;
        }
        return true;
}

/* --- Pairs by the longest common end ---------------------------------------------------------------- */

static bool takes_part(const struct side_file *file, enum run_side side, unsigned n_parts)
{
        return file->side == side && file->partner == NO_FILE && file->n_parts >= n_parts;
}

/* The first file of B in the chain that has this end. */
static size_t find_same(const struct file_pairing *p, size_t first, const char *end, unsigned n_parts)
{
        for (size_t i = first; i != NO_FILE; i = p->files[i].next) {
                if (p->files[i].partner == NO_FILE && !strcmp(end_of(p->files[i].path, n_parts), end))
                        return i;
        }
        return NO_FILE;
}

/* Pairs files whose last `n_parts` parts are the same, in the order in which they were seen. */
static void pair_round(struct file_pairing *p, unsigned n_parts)
{
        struct map by_end = {0};

        for (size_t i = p->n; i-- > 0;) {
                struct side_file *file = &p->files[i];
                const char *end = end_of(file->path, n_parts);
                bool is_new;
                uint64_t *first;

                if (!takes_part(file, RUN_B, n_parts))
                        continue;
                first = map_put(&by_end, map_hash_bytes(end, strlen(end)), &is_new);
                file->next = is_new ? NO_FILE : (size_t)*first;
                *first = i;
        }
        for (size_t i = 0; i < p->n; i++) {
                const char *end = end_of(p->files[i].path, n_parts);
                uint64_t *first;
                size_t b;

                if (!takes_part(&p->files[i], RUN_A, n_parts))
                        continue;
                first = map_find(&by_end, map_hash_bytes(end, strlen(end)));
                b = first ? find_same(p, (size_t)*first, end, n_parts) : NO_FILE;
                if (b == NO_FILE)
                        continue;
                pair(p, i, b);
                /* The next search begins after it: very many files may have one name. */
                if (b == (size_t)*first)
                        *first = p->files[b].next;
        }
        map_release(&by_end);
}

static void pair_same(struct file_pairing *p)
{
        for (size_t i = 0; i < p->n; i++) {
                struct side_file *file = &p->files[i];
                const char *path = file->path;
                str_id id;
                const uint64_t *b;

                if (file->side != RUN_A || file->partner != NO_FILE ||
                    !strpool_find_len(p->values->texts, path, strlen(path), &id))
                        continue;
                b = map_find(&p->indexes, key_of(id, RUN_B));
                if (b && p->files[*b].partner == NO_FILE)
                        pair(p, i, (size_t)*b);
        }
}

/* --- Labels ----------------------------------------------------------------------------------------- */

/* A pair is shown with the path of A, other files with their own. */
static bool is_shown(const struct side_file *file)
{
        return file->side == RUN_A || file->partner == NO_FILE;
}

/* Labels the files whose last `n_parts` parts no other one has. */
static void label_round(struct file_pairing *p, unsigned n_parts)
{
        struct map n_with = {0};

        for (size_t i = 0; i < p->n; i++) {
                const char *end = end_of(p->files[i].path, n_parts);

                if (is_shown(&p->files[i]) && !p->files[i].is_wanted)
                        ++*map_put(&n_with, map_hash_bytes(end, strlen(end)), NULL);
        }
        for (size_t i = 0; i < p->n; i++) {
                struct side_file *file = &p->files[i];
                const char *end = end_of(file->path, n_parts);

                if (!is_shown(file) || file->label)
                        continue;
                if (n_parts >= file->n_parts || *map_find(&n_with, map_hash_bytes(end, strlen(end))) == 1)
                        file->label = strpool_add(p->values->texts, end);
        }
        map_release(&n_with);
}

static void label_files(struct file_pairing *p)
{
        for (unsigned n = 1; n <= p->most_parts; n++)
                label_round(p, n);
        for (size_t i = 0; i < p->n; i++) {
                struct side_file *file = &p->files[i];

                if (!is_shown(file))
                        file->label = p->files[file->partner].label;
        }
}

/* --- Names ------------------------------------------------------------------------------------------ */

static const struct side_file *file_of(const struct file_pairing *p, str_id path, enum run_side side)
{
        return &p->files[*map_find(&p->indexes, key_of(path, side))];
}

/* Names become those of pairs: a name of a file that both groups have may belong to two. */
static void rename_samples(struct file_pairing *p)
{
        struct run_values *v = p->values;
        struct stored_name *names = NULL;
        size_t n = 0, cap = 0;
        struct map numbers = {0}; /* file and name to number */

        for (size_t r = 0; r < v->n_runs; r++) {
                const struct stored_run *run = &v->runs[r];

                for (size_t i = 0; i < run->n_samples; i++) {
                        struct stored_name name = v->names[run->samples[i].name];
                        const struct side_file *file = file_of(p, name.module, run->side);
                        size_t shown = is_shown(file) ? (size_t)(file - p->files) : file->partner;
                        bool is_new;
                        uint64_t *number =
                                map_put(&numbers, (uint64_t)shown << 32 | (uint64_t)name.name, &is_new);

                        if (is_new) {
                                *number = n;
                                name.module = file->label;
                                ARRAY_PUSH(names, n, cap, name);
                        }
                        run->samples[i].name = (uint32_t)*number;
                }
        }
        map_release(&numbers);
        map_release(&v->name_numbers);
        free(v->names);
        v->names = names;
        v->n_names = n;
        v->cap_names = cap;
}

static void note_wanted(struct file_pairing *p)
{
        struct run_values *v = p->values;
        size_t cap = 0;

        for (size_t i = 0; i < p->n; i++) {
                const struct side_file *a = &p->files[i];

                if (a->is_wanted)
                        ARRAY_PUSH(v->pairs, v->n_pairs, cap,
                                   (struct module_pair){
                                           strpool_add(v->texts, a->path),
                                           strpool_add(v->texts, p->files[a->partner].path),
                                   });
        }
}

bool file_pairs_apply(struct run_values *values, const char *wanted, struct err *err)
{
        AUTO_RELEASE(file_pairing) p = {.values = values};

        list_files(&p);
        if (!pair_wanted(&p, wanted, err))
                return false;
        pair_same(&p);
        for (unsigned n = p.most_parts; n > 0; n--)
                pair_round(&p, n);
        label_files(&p);
        rename_samples(&p);
        note_wanted(&p);
        values->has_files = true;
        return true;
}

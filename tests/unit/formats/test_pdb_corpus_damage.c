/* SPDX-License-Identifier: BSD-3-Clause */
/* Other people's PDBs in $WPERF_CORPUS/pdb: each opens, or is refused with one message that names it; the
 * reader survives cuts at many lengths and changed bytes, in limited time. */
#include <stdlib.h>

#include "buf.h"
#include "err.h"
#include "mem.h"
#include "os.h"
#include "pdb_asked.h"
#include "tap.h"
#include "text.h"

enum {
        MIN_BYTES = 64,
        MAX_BYTES = 16 << 20,
        N_CUTS = 40,
        N_CHANGES = 200,
        MAX_SECONDS = 20, /* for one damaged file; an undamaged one takes a hundredth */
};

struct tally {
        size_t n_opened, n_refused;
        uint64_t slowest_ns;
};

static void add_folder(struct tally *tally, const char *folder);

static void read_damaged(struct tally *tally, const char *path, const uint8_t *bytes, size_t size)
{
        uint64_t start_ns = os_monotonic_ns(), dur_ns;
        struct err err = {0};

        {
                AUTO(pdb) pdb = pdb_open_bytes(bytes, size, path, &err);

                if (pdb)
                        pdb_asked_read(pdb);
        }
        dur_ns = os_monotonic_ns() - start_ns;
        if (dur_ns > tally->slowest_ns)
                tally->slowest_ns = dur_ns;
}

/* The same changes in every run. */
static uint32_t next_random(uint32_t *state)
{
        *state = *state * 1664525 + 1013904223;
        return *state >> 8;
}

static void damage(struct tally *tally, const char *path, const uint8_t *bytes, size_t size)
{
        static const uint32_t values[] = {0, 1, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff};
        uint8_t *copy = mem_new(size, 1);
        uint32_t random = 1;

        for (size_t i = 0; i < N_CUTS; i++) {
                size_t n = i < N_CUTS / 2 ? size * i / (N_CUTS / 2)
                                          : size - 1 - (size_t)next_random(&random) % size;
                uint8_t *cut = mem_new(n, 1); /* so that a read behind the end is seen */

                memcpy(cut, bytes, n);
                read_damaged(tally, path, cut, n);
                free(cut);
        }
        memcpy(copy, bytes, size);
        for (size_t i = 0; i < N_CHANGES && size > 4; i++) {
                size_t off = i < 52 ? i : (size_t)((uint64_t)next_random(&random) * 251 % (size - 4));
                uint32_t value = values[i % N_ELEMENTS(values)];

                memcpy(copy + off, &value, i % 3 ? sizeof(value) : 1);
                read_damaged(tally, path, copy, size);
                memcpy(copy + off, bytes + off, sizeof(value));
        }
        free(copy);
}

static void try_file(struct tally *tally, const char *path)
{
        struct err err = {0};

        {
                AUTO(pdb) pdb = pdb_open(path, &err);

                if (pdb) {
                        pdb_asked_read(pdb);
                        tally->n_opened++;
                } else if (text_starts(err.text, path)) {
                        printf("# %s\n", err.text);
                        tally->n_refused++;
                } else {
                        TAP_FAIL("%s: %s", path, err.text);
                }
        }
        {
                AUTO(os_map) map = os_map_open(path, &err);

                if (map && map->size_bytes > MIN_BYTES && map->size_bytes < MAX_BYTES)
                        damage(tally, path, map->bytes, map->size_bytes);
        }
}

struct folder {
        struct tally *tally;
        const char *path;
};

static bool add_entry(void *ctx, const char *name)
{
        struct folder *folder = ctx;
        AUTO_RELEASE(buf) path = {0};
        struct os_stat stat;

        buf_printf(&path, "%s/%s", folder->path, name);
        if (!os_stat(buf_text(&path), &stat))
                return true;
        if (stat.is_dir)
                add_folder(folder->tally, buf_text(&path));
        else if (text_ends(name, ".pdb"))
                try_file(folder->tally, buf_text(&path));
        return true;
}

static void add_folder(struct tally *tally, const char *path)
{
        struct folder folder = {tally, path};

        os_list_dir(path, add_entry, &folder, NULL);
}

TEST(damaged_files_are_survived)
{
        AUTO_RELEASE(buf) root = {0};
        struct tally tally = {0};

        if (!os_environment("WPERF_CORPUS"))
                SKIP("WPERF_CORPUS is not set");
        buf_printf(&root, "%s/pdb", os_environment("WPERF_CORPUS"));
        add_folder(&tally, buf_text(&root));
        printf("# %zu opened, %zu refused; the slowest look at a damaged one took %.1f s\n", tally.n_opened,
               tally.n_refused, (double)tally.slowest_ns / 1e9);
        EXPECT_CMP(tally.n_opened, >, 20);
        EXPECT_CMP(tally.slowest_ns, <, MAX_SECONDS * UINT64_C(1000000000));
}

TAP_MAIN

/* SPDX-License-Identifier: BSD-3-Clause */
/* The container of a PDB: blocks of every size and in any order, beyond 4 GB, files that are refused, and
 * damage. */
#include <stdlib.h>

#include "buf.h"
#include "mem.h"
#include "os.h"
#include "pdb.h"
#include "pdb_sample.h"
#include "tap.h"
#include "test_data.h"

static void make_sample(struct msf_builder *msf)
{
        struct pdb_builder builder = {0};

        sample_make(&builder);
        built_streams(&builder, msf);
        built_release(&builder);
}

/* The results for the sample: a function's name, and the path of an inlined function. */
static void expect_sample(struct pdb *pdb)
{
        uint64_t rva = BUILT_RVA + SAMPLE_MAIN + 0x14;
        struct source_frames frames;

        pdb_find(pdb, &rva, 1, &frames);
        EXPECT_INT(frames.n_frames, 3);
        if (frames.n_frames == 3) {
                EXPECT_STR(frames.frames[0].function, "ns::Box::area");
                EXPECT_STR(frames.frames[0].path, "C:\\src\\more.h");
                EXPECT_STR(frames.frames[1].function, "ns::outer");
                EXPECT_STR(frames.frames[2].function, "ns::main");
        }
        source_frames_release(&frames);
        EXPECT_STR(pdb_note(pdb), "");
}

/* --- Blocks --- */

TEST(blocks_of_every_size_together_and_apart)
{
        for (uint32_t block_bytes = 512; block_bytes <= 64 * 1024; block_bytes *= 2) {
                for (int i = 0; i < 2; i++) {
                        struct msf_builder msf = {.block_bytes = block_bytes, .is_scattered = i};
                        AUTO_RELEASE(buf) bytes = {0};
                        struct err err = {0};

                        make_sample(&msf);
                        msf_build(&msf, msf_write_buf, &bytes);
                        {
                                AUTO(pdb) pdb = pdb_open_bytes(bytes.data, bytes.len, "built.pdb", &err);

                                if (pdb)
                                        expect_sample(pdb);
                                else
                                        TAP_FAIL("%u: %s", block_bytes, err.text);
                        }
                        msf_release(&msf);
                }
        }
}

/* A stream so large that its blocks are on both sides of the second pair of free-block maps. */
TEST(blocks_around_free_block_maps)
{
        struct msf_builder msf = {.block_bytes = 512, .first_block = 500};
        AUTO_RELEASE(buf) bytes = {0};

        make_sample(&msf);
        msf_build(&msf, msf_write_buf, &bytes);
        EXPECT_CMP(bytes.len, >, 513 * 512);
        {
                AUTO(pdb) pdb = pdb_open_bytes(bytes.data, bytes.len, "built.pdb", NULL);

                ASSERT_TRUE(pdb);
                expect_sample(pdb);
        }
        msf_release(&msf);
}

/* Windows makes no sparse files unless the program asks for it. */
#ifndef _WIN32
static void write_file(void *ctx, uint64_t off, const void *bytes, size_t size)
{
        FILE *file = ctx;

        if (fseeko(file, (off_t)off, SEEK_SET) || fwrite(bytes, 1, size, file) != size)
                TAP_FAIL("can't write at %llu", (unsigned long long)off);
}

/* The file has a hole of 9 GB before its blocks. */
TEST(blocks_beyond_4_gb)
{
        struct msf_builder msf = {.block_bytes = 4096, .first_block = 9u << 18};
        FILE *file = fopen("large.pdb.tmp", "wb");
        struct err err = {0};

        if (!file)
                SKIP("the folder can't be written");
        make_sample(&msf);
        msf_build(&msf, write_file, file);
        EXPECT_INT(fclose(file), 0);
        msf_release(&msf);
        {
                AUTO(pdb) pdb = pdb_open("large.pdb.tmp", &err);

                if (pdb)
                        expect_sample(pdb);
                else
                        TAP_FAIL("%s", err.text);
        }
        EXPECT_TRUE(os_remove("large.pdb.tmp", NULL));
}
#endif

/* --- Refusals --- */

static void expect_refused(const void *bytes, size_t size, enum err_code code, const char *text)
{
        struct err err = {0};
        AUTO(pdb) pdb = pdb_open_bytes(bytes, size, "x.pdb", &err);

        EXPECT_TRUE(!pdb);
        EXPECT_INT(err.code, code);
        EXPECT_STR(err.text, text);
}

TEST(other_formats_are_refused_in_a_sentence)
{
        static const char old[64] = "Microsoft C/C++ program database 2.00\r\n\x1aJG";
        static const char msfz[64] = "Microsoft MSFZ Container\r\n\x1a"
                                     "ALD";
        static const char cab[64] = "MSCF", szdd[64] = "SZDD\x88\xf0\x27\x33", managed[64] = "BSJB";

        expect_refused(old, sizeof(old), ERR_UNSUPPORTED,
                       "x.pdb: is a PDB of a format older than 7.00, which wperf does not read");
        expect_refused(msfz, sizeof(msfz), ERR_UNSUPPORTED,
                       "x.pdb: is a compressed PDB (MSFZ), which wperf does not read; unpack it first");
        expect_refused(
                cab, sizeof(cab), ERR_UNSUPPORTED,
                "x.pdb: is a compressed file (.pd_), which wperf does not read; unpack it with cabextract or expand");
        expect_refused(
                szdd, sizeof(szdd), ERR_UNSUPPORTED,
                "x.pdb: is a compressed file (.pd_), which wperf does not read; unpack it with expand");
        expect_refused(managed, sizeof(managed), ERR_UNSUPPORTED,
                       "x.pdb: is a portable PDB of managed code, which wperf does not read");
        expect_refused("", 0, ERR_FORMAT, "x.pdb: is empty");
        expect_refused("\177ELF", 4, ERR_FORMAT,
                       "x.pdb: is not a PDB (its first bytes are not those of a PDB)");
}

/* In the superblock. */
enum { BLOCK_SIZE_OFF = 32, NUM_DIRECTORY_BYTES_OFF = 44, BLOCK_MAP_ADDR_OFF = 52 };

static void expect_changed(size_t off, uint32_t v, enum err_code code, const char *text)
{
        struct msf_builder msf = {.block_bytes = 512};
        AUTO_RELEASE(buf) bytes = {0};

        make_sample(&msf);
        msf_build(&msf, msf_write_buf, &bytes);
        built_set_u32(&bytes, off, v);
        expect_refused(bytes.data, bytes.len, code, text);
        msf_release(&msf);
}

TEST(a_damaged_superblock_is_refused)
{
        expect_changed(BLOCK_SIZE_OFF, 0, ERR_FORMAT,
                       "x.pdb: has blocks of 0 bytes, a size that is not valid in a PDB");
        expect_changed(BLOCK_SIZE_OFF, 768, ERR_FORMAT,
                       "x.pdb: has blocks of 768 bytes, a size that is not valid in a PDB");
        expect_changed(BLOCK_SIZE_OFF, 1 << 17, ERR_FORMAT,
                       "x.pdb: has blocks of 131072 bytes, a size that is not valid in a PDB");
        expect_changed(NUM_DIRECTORY_BYTES_OFF, 0, ERR_FORMAT, "x.pdb: has no directory of its streams");
        expect_changed(NUM_DIRECTORY_BYTES_OFF, UINT32_MAX, ERR_FORMAT,
                       "x.pdb: has no directory of its streams");
        expect_changed(BLOCK_MAP_ADDR_OFF, UINT32_MAX, ERR_FORMAT,
                       "x.pdb: a block lies behind the file's end");
}

/* In the headers of the info stream and of the DBI stream. */
enum { INFO_VERSION_OFF = 0, DBI_VERSION_SIGNATURE_OFF = 0, DBI_MOD_INFO_SIZE_OFF = 24 };

/* `off`: UINT32_MAX if there is no such stream. */
static void expect_stream(uint32_t stream, uint32_t off, uint32_t v, enum err_code code, const char *text)
{
        struct msf_builder msf = {.block_bytes = 512};
        AUTO_RELEASE(buf) bytes = {0};

        make_sample(&msf);
        if (off == UINT32_MAX)
                msf.is_nil[stream] = true;
        else
                built_set_u32(&msf.streams[stream], off, v);
        if (msf.is_nil[stream])
                buf_release(&msf.streams[stream]);
        msf_build(&msf, msf_write_buf, &bytes);
        expect_refused(bytes.data, bytes.len, code, text);
        msf_release(&msf);
}

TEST(what_says_nothing_of_addresses_is_refused)
{
        expect_stream(BUILT_INFO, UINT32_MAX, 0, ERR_FORMAT, "x.pdb: has no info stream");
        expect_stream(
                BUILT_INFO, INFO_VERSION_OFF, 19970604, ERR_UNSUPPORTED,
                "x.pdb: is a PDB of version 19970604, which is too old: wperf reads 20000404 and later; link the "
                "program again with a newer linker");
        expect_stream(BUILT_DBI, UINT32_MAX, 0, ERR_FORMAT,
                      "x.pdb: has no DBI stream, so it has no addresses");
        expect_stream(BUILT_DBI, DBI_VERSION_SIGNATURE_OFF, 5, ERR_UNSUPPORTED,
                      "x.pdb: has a DBI stream of an old format, which wperf does not read");
        expect_stream(BUILT_DBI, DBI_MOD_INFO_SIZE_OFF, 0x10000, ERR_FORMAT,
                      "x.pdb: its DBI stream is shorter than the sizes in its header say");
        expect_stream(
                BUILT_SECTIONS, UINT32_MAX, 0, ERR_UNSUPPORTED,
                "x.pdb: has no section headers, so it has no addresses (it describes only managed code)");
}

/* --- Damage --- */

/* Makes all lookups in a PDB, without checking the results. */
static void read_all(const void *bytes, size_t size)
{
        AUTO(pdb) pdb = pdb_open_bytes(bytes, size, "damaged.pdb", NULL);
        uint64_t rvas[0xc0];
        struct source_frames frames;

        if (!pdb)
                return;
        for (size_t i = 0; i < N_ELEMENTS(rvas); i++)
                rvas[i] = BUILT_RVA + 4 * i;
        pdb_find(pdb, rvas, N_ELEMENTS(rvas), &frames);
        for (size_t i = 0; i < frames.n_frames; i++) {
                const struct source_frame *frame = &frames.frames[i];

                EXPECT_TRUE(!frame->function || strlen(frame->function) < 100000);
                EXPECT_TRUE(!frame->path || strlen(frame->path) < 100000);
        }
        source_frames_release(&frames);
        for (size_t i = 0; i < N_ELEMENTS(rvas); i += 16) {
                struct pdb_function function;
                struct source_extent *extents;
                struct source_label *labels;

                pdb_find_function(pdb, (uint32_t)rvas[i], &function);
                EXPECT_TRUE(function.same_from <= rvas[i] && rvas[i] < function.same_to);
                pdb_find_extents(pdb, (uint32_t)rvas[i], &extents);
                pdb_find_labels(pdb, (uint32_t)rvas[i], &labels);
                free(extents);
                free(labels);
        }
}

static void read_copy(const char *bytes, size_t size)
{
        char *copy = mem_new(size, 1); /* so that a read behind the end is seen */

        memcpy(copy, bytes, size);
        read_all(copy, size);
        free(copy);
}

TEST(a_cut_file_is_survived)
{
        struct msf_builder msf = {.block_bytes = 512};
        AUTO_RELEASE(buf) bytes = {0};

        make_sample(&msf);
        msf_build(&msf, msf_write_buf, &bytes);
        for (size_t size = 0; size < bytes.len; size += 29)
                read_copy(bytes.data, size);
        msf_release(&msf);
}

TEST(changed_bytes_are_survived)
{
        static const uint8_t values[] = {0, 0x7f, 0xff};
        struct msf_builder msf = {.block_bytes = 512};
        AUTO_RELEASE(buf) bytes = {0};

        make_sample(&msf);
        msf_build(&msf, msf_write_buf, &bytes);
        for (size_t off = 0; off < bytes.len; off++) {
                char old = bytes.data[off];

                for (size_t i = 0; old && i < N_ELEMENTS(values); i++) {
                        bytes.data[off] = (char)values[i];
                        read_all(bytes.data, bytes.len);
                }
                bytes.data[off] = old;
        }
        msf_release(&msf);
}

/* Each 4 bytes of each stream as a length with an extreme value. */
TEST(lengths_at_extremes_are_survived)
{
        static const uint32_t values[] = {0x7fffffff, 0xfffffff0, 0xffffffff};
        struct msf_builder msf = {.block_bytes = 512};
        AUTO_RELEASE(buf) bytes = {0};

        make_sample(&msf);
        msf_build(&msf, msf_write_buf, &bytes);
        for (size_t off = 0; off + 4 <= bytes.len; off += 4) {
                uint32_t old;

                memcpy(&old, bytes.data + off, sizeof(old));
                for (size_t i = 0; old && i < N_ELEMENTS(values); i++) {
                        built_set_u32(&bytes, off, values[i]);
                        read_all(bytes.data, bytes.len);
                }
                built_set_u32(&bytes, off, old);
        }
        msf_release(&msf);
}

TAP_MAIN

/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes small files that unpack to, or name, much more than their own size.
 * Usage: make_hostile KIND FILE N BYTES: N symbols, sections, zstd frames, samples or lines; BYTES of the
 * string that all symbols share, what each section or frame unpacks to, or frames of each stack. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive_section.h"
#include "buf.h"
#include "codec.h"
#include "hostile_names.h"
#include "hostile_records.h"
#include "map.h"
#include "mem.h"
#include "os.h"
#include "perfdata_format.h"
#include "session_builder.h"
#include "source_archive.h"
#include "stack_archive.h"
#include "symbol_archive.h"

enum {
        HEADER_BYTES = 64,
        SECTION_BYTES = 64,
        SEGMENT_BYTES = 56,
        SYMTAB = 2,
        STRTAB = 3,
        PROGBITS = 1,
        CODE_FLAGS = 6,
        COMPRESSED = 1 << 11,
        FUNCTION = 0x12, /* global */
        CODE_BYTES = 16, /* of each function */
        CODE_ADDR = 0x400000,
        PID = 77,
};

/* --- ELF --- */

struct elf {
        struct buf content; /* follows the header and the segment */
        struct buf sections;
        struct buf names;
        uint16_t n_sections;
};

static uint64_t content_off(const struct elf *elf)
{
        return HEADER_BYTES + SEGMENT_BYTES + elf->content.len;
}

static void add_section(struct elf *elf, const char *name, uint32_t type, uint64_t flags, uint64_t addr,
                        uint64_t off, uint64_t size, uint32_t link, uint64_t entry_bytes)
{
        struct buf *out = &elf->sections;

        buf_add_u32(out, (uint32_t)elf->names.len);
        buf_add(&elf->names, name, strlen(name) + 1);
        buf_add_u32(out, type);
        buf_add_u64(out, flags);
        buf_add_u64(out, addr);
        buf_add_u64(out, off);
        buf_add_u64(out, size);
        buf_add_u32(out, link);
        buf_add_u32(out, 0);
        buf_add_u64(out, 1);
        buf_add_u64(out, entry_bytes);
        elf->n_sections++;
}

static void begin_elf(struct elf *elf, uint64_t code_bytes)
{
        add_section(elf, "", 0, 0, 0, 0, 0, 0, 0);
        add_section(elf, ".text", PROGBITS, CODE_FLAGS, CODE_ADDR, 0, code_bytes, 0, 0);
}

static void add_head(const struct elf *elf, uint64_t code_bytes, struct buf *out)
{
        static const uint8_t ident[16] = {0x7f, 'E', 'L', 'F', 2, 1, 1};

        buf_add(out, ident, sizeof(ident));
        buf_add_u16(out, 2);  /* a program */
        buf_add_u16(out, 62); /* x86-64 */
        buf_add_u32(out, 1);
        buf_add_u64(out, CODE_ADDR);
        buf_add_u64(out, HEADER_BYTES);
        buf_add_u64(out, content_off(elf));
        buf_add_u32(out, 0);
        buf_add_u16(out, HEADER_BYTES);
        buf_add_u16(out, SEGMENT_BYTES);
        buf_add_u16(out, 1);
        buf_add_u16(out, SECTION_BYTES);
        buf_add_u16(out, elf->n_sections);
        buf_add_u16(out, (uint16_t)(elf->n_sections - 1));
        buf_add_u32(out, 1); /* a segment with code, from the start of the file on */
        buf_add_u32(out, 5);
        buf_add_u64(out, 0);
        buf_add_u64(out, CODE_ADDR);
        buf_add_u64(out, CODE_ADDR);
        buf_add_u64(out, code_bytes);
        buf_add_u64(out, code_bytes);
        buf_add_u64(out, 4096);
}

static void end_elf(struct elf *elf, uint64_t code_bytes, struct buf *out)
{
        uint64_t off = content_off(elf);

        buf_add_str(&elf->names, "");
        add_section(elf, ".shstrtab", STRTAB, 0, 0, off, elf->names.len + strlen(".shstrtab") + 1, 0, 0);
        buf_add(&elf->content, elf->names.data, elf->names.len);
        add_head(elf, code_bytes, out);
        buf_add(out, elf->content.data, elf->content.len);
        buf_add(out, elf->sections.data, elf->sections.len);
        buf_release(&elf->content);
        buf_release(&elf->sections);
        buf_release(&elf->names);
}

/* N symbols, and their names in one string of `size` characters. */
struct symbols {
        char character;
        uint64_t n_names;  /* names begin at the first n_names bytes of the string in turn */
        uint64_t distance; /* between the addresses of symbols */
        uint64_t end;      /* 0: each symbol has CODE_BYTES; else all end here, or at their address */
};

static void make_symbols(const struct symbols *how, uint64_t n, uint64_t size, struct buf *out)
{
        struct elf elf = {0};
        uint64_t off;

        begin_elf(&elf, n * CODE_BYTES);
        off = content_off(&elf);
        for (uint64_t i = 0; i < n; i++) {
                uint64_t code_off = i * how->distance;

                buf_add_u32(&elf.content, (uint32_t)(1 + i % how->n_names));
                buf_add_u8(&elf.content, FUNCTION);
                buf_add_u8(&elf.content, 0);
                buf_add_u16(&elf.content, 1);
                buf_add_u64(&elf.content, CODE_ADDR + code_off);
                buf_add_u64(&elf.content, how->end > code_off ? how->end - code_off : CODE_BYTES);
        }
        add_section(&elf, ".symtab", SYMTAB, 0, 0, off, elf.content.len, 3, 24);
        off = content_off(&elf);
        buf_add_u8(&elf.content, 0);
        memset(buf_extend(&elf.content, size), how->character, size);
        buf_add_u8(&elf.content, 0);
        add_section(&elf, ".strtab", STRTAB, 0, 0, off, size + 2, 0, 0);
        end_elf(&elf, n * CODE_BYTES, out);
}

/* Each symbol's name is the rest of one string from a different byte on. */
static void make_names(uint64_t n, uint64_t size, struct buf *out)
{
        make_symbols(&(struct symbols){'a', size, CODE_BYTES, 0}, n, size, out);
}

/* All symbols have one long name. */
static void make_shared_name(uint64_t n, uint64_t size, struct buf *out)
{
        make_symbols(&(struct symbols){'a', 1, CODE_BYTES, 0}, n, size, out);
}

/* All symbols are at one address, so their names are compared, first by their underscores. */
static void make_underscores(uint64_t n, uint64_t size, struct buf *out)
{
        make_symbols(&(struct symbols){'_', 7, 0, 0}, n, size, out);
}

/* Each function contains all that follow. */
static void make_nested(uint64_t n, uint64_t size, struct buf *out)
{
        make_symbols(&(struct symbols){'a', 1, CODE_BYTES, n * CODE_BYTES}, n, size, out);
}

/* A zlib stream of zeros: gzip's without its header and trailer. */
static bool add_zeros(uint64_t size, struct buf *out)
{
        enum { GZIP_HEAD = 10, GZIP_TAIL = 8, ADLER_BASE = 65521 };
        AUTO_RELEASE(buf) packed = {0};
        char *zeros = mem_new(size, 1);
        bool ok = codec_pack_gzip(zeros, size, &packed, NULL);

        free(zeros);
        if (!ok)
                return false;
        buf_add_u8(out, 0x78);
        buf_add_u8(out, 0x9c);
        buf_add(out, packed.data + GZIP_HEAD, packed.len - GZIP_HEAD - GZIP_TAIL);
        buf_add_u8(out, (uint8_t)(size % ADLER_BASE >> 8));
        buf_add_u8(out, (uint8_t)(size % ADLER_BASE));
        buf_add_u8(out, 0);
        buf_add_u8(out, 1);
        return true;
}

static bool make_sections(uint64_t n, uint64_t size, struct buf *out)
{
        static const char *const names[] = {
                ".debug_info",        ".debug_abbrev", ".debug_aranges", ".debug_line",
                ".debug_str",         ".debug_addr",   ".debug_ranges",  ".debug_line_str",
                ".debug_str_offsets", ".debug_frame",  ".debug_loc",     ".debug_rnglists",
        };
        struct elf elf = {0};
        uint64_t off;

        begin_elf(&elf, CODE_BYTES);
        off = content_off(&elf);
        buf_add_u64(&elf.content, 1); /* zlib */
        buf_add_u64(&elf.content, size);
        buf_add_u64(&elf.content, 1);
        if (!add_zeros(size, &elf.content))
                return false;
        for (uint64_t i = 0; i < n && i < sizeof(names) / sizeof(names[0]); i++)
                add_section(&elf, names[i], PROGBITS, COMPRESSED, 0, off, content_off(&elf) - off, 0, 0);
        end_elf(&elf, CODE_BYTES, out);
        return true;
}

/* --- Sessions --- */

/* N COMPRESSED records, each with samples at one place that need `size` bytes. */
static bool make_frames(uint64_t n, uint64_t size, struct buf *out)
{
        AUTO(codec_packer) packer = codec_packer_new(1, NULL);
        struct session_builder b;
        struct buf plain;

        if (!packer)
                return false;
        builder_init(&b);
        builder_comm(&b, 1, PID, PID, "bomb", true);
        while (b.records.len < size)
                builder_sample_ip(&b, 1000, PID, PID, 0x1000);
        plain = b.records;
        b.records = (struct buf){0};
        for (uint64_t i = 0; i < n; i++) {
                AUTO_RELEASE(buf) packed = {0};

                codec_packer_feed(packer, plain.data, plain.len, &packed, NULL);
                builder_begin(&b, PERF_RECORD_COMPRESSED, 0);
                builder_bytes(&b, packed.data, packed.len);
                builder_end(&b);
        }
        buf_release(&plain);
        builder_file(&b, out);
        builder_release(&b);
        return true;
}

/* A session with a sample in each of N functions of FILE without its suffix. */
static void make_samples(const char *module, uint64_t n, struct buf *out)
{
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 1, PID, PID, "hostile", true);
        builder_mmap(&b, 2, PID, CODE_ADDR, n * CODE_BYTES + 4096, 0, module);
        for (uint64_t i = 0; i < n; i++)
                builder_sample_ip(&b, 10 + i, PID, PID, CODE_ADDR + i * CODE_BYTES);
        builder_file(&b, out);
        builder_release(&b);
}

/* N samples of N threads, each with its own name and its own stack of `depth` frames. */
static void make_stacks(uint64_t n, uint64_t depth, struct buf *out)
{
        enum { MODULE_BYTES = 1 << 30, NAME_BYTES = 24 };
        uint64_t *chain = mem_new(depth + 1, sizeof(*chain)), next = 0;
        struct session_builder b;

        builder_init(&b);
        builder_mmap(&b, 1, PID, CODE_ADDR, MODULE_BYTES, 0, "/nowhere/many.so");
        chain[0] = PERF_CONTEXT_USER;
        for (uint64_t i = 0; i < n; i++) {
                int32_t tid = PID + (int32_t)i;
                char name[NAME_BYTES];

                snprintf(name, sizeof(name), "thread-%d", (int)tid);
                builder_comm(&b, 2 + i, PID, tid, name, false);
                for (uint64_t k = 1; k <= depth; k++)
                        chain[k] = CODE_ADDR + map_mix(++next) % MODULE_BYTES;
                builder_sample(&b, 0, 2 + i, PID, tid, PERF_MISC_USER, chain, depth + 1);
        }
        builder_file(&b, out);
        builder_release(&b);
        free(chain);
}

/* N processes, each with a name, a module whose path has `size` bytes, and a sample. */
static void make_processes(uint64_t n, uint64_t size, struct buf *out)
{
        enum { MODULE_BYTES = 1 << 16, NAME_BYTES = 24 };
        char *path = mem_new(size + NAME_BYTES, 1);
        struct session_builder b;

        builder_init(&b);
        memset(path, 'm', size);
        path[0] = '/';
        for (uint64_t i = 0; i < n; i++) {
                uint64_t chain[] = {PERF_CONTEXT_USER, CODE_ADDR + i % MODULE_BYTES, CODE_ADDR + 8};
                int32_t pid = PID + (int32_t)i;
                char name[NAME_BYTES];

                snprintf(name, sizeof(name), "process-%d", (int)pid);
                snprintf(path + size, NAME_BYTES, "%d", (int)pid);
                builder_comm(&b, 2 + i, pid, pid, name, true);
                builder_mmap(&b, 2 + i, pid, CODE_ADDR, MODULE_BYTES, 0, path);
                builder_sample(&b, 0, 2 + i, pid, pid, PERF_MISC_USER, chain, 3);
        }
        builder_file(&b, out);
        builder_release(&b);
        free(path);
}

/* Replaces the records by COMPRESSED records of some 64 KB each. */
static bool pack_records(struct session_builder *b)
{
        AUTO(codec_packer) packer = codec_packer_new(1, NULL);
        struct buf plain = b->records;
        size_t begin = 0;

        if (!packer)
                return false;
        b->records = (struct buf){0};
        for (size_t at = 0; at < plain.len;) {
                AUTO_RELEASE(buf) packed = {0};
                uint16_t size;

                memcpy(&size, plain.data + at + 6, sizeof(size));
                at += size;
                if (at < plain.len && at - begin < (1 << 16))
                        continue;
                codec_packer_feed(packer, plain.data + begin, at - begin, &packed, NULL);
                builder_begin(b, PERF_RECORD_COMPRESSED, 0);
                builder_bytes(b, packed.data, packed.len);
                builder_end(b);
                begin = at;
        }
        buf_release(&plain);
        return true;
}

/* A sample in each of N modules of one process, whose paths have `size` bytes, in packed records. */
static bool make_modules(uint64_t n, uint64_t size, struct buf *out)
{
        enum { MODULE_BYTES = 1 << 16, NUMBER_BYTES = 24 };
        char *path = mem_new(size + NUMBER_BYTES, 1);
        struct session_builder b;
        bool ok;

        builder_init(&b);
        builder_comm(&b, 1, PID, PID, "modules", true);
        memset(path, 'm', size);
        path[0] = '/';
        for (uint64_t i = 0; i < n; i++) {
                uint64_t addr = CODE_ADDR + i * MODULE_BYTES;

                snprintf(path + size, NUMBER_BYTES, "%u", (unsigned)i);
                builder_mmap(&b, 2 + i, PID, addr, MODULE_BYTES, 0, path);
                builder_sample_ip(&b, 2 + i, PID, PID, addr + 8);
        }
        ok = pack_records(&b);
        builder_file(&b, out);
        builder_release(&b);
        free(path);
        return ok;
}

/* N samples of one thread, whose chains end at different callers. */
static void make_ends(uint64_t n, uint64_t size, struct buf *out)
{
        enum { MODULE_BYTES = 1 << 30 };
        struct session_builder b;

        (void)size;
        builder_init(&b);
        builder_comm(&b, 1, PID, PID, "ends", true);
        builder_mmap(&b, 1, PID, CODE_ADDR, MODULE_BYTES, 0, "/nowhere/ends.so");
        for (uint64_t i = 0; i < n; i++) {
                uint64_t chain[] = {PERF_CONTEXT_USER, CODE_ADDR + 8,
                                    CODE_ADDR + i * CODE_BYTES % MODULE_BYTES};

                builder_sample(&b, 0, 2 + i, PID, PID, PERF_MISC_USER, chain, 3);
        }
        builder_file(&b, out);
        builder_release(&b);
}

/* A session with archive sections that unpack to `size` bytes each. */
static bool make_archive(uint64_t n, uint64_t size, struct buf *out)
{
        static const struct {
                unsigned feature;
                struct archive_section_kind kind;
        } sections[] = {
                {FEATURE_WPERF_SYMBOLS, {"WPSY", SYMBOL_ARCHIVE_VERSION}},
                {FEATURE_WPERF_SOURCE, {"WPSR", SOURCE_ARCHIVE_VERSION}},
                {FEATURE_WPERF_WALKS, {"WPSW", STACK_ARCHIVE_VERSION}},
        };
        AUTO_RELEASE(buf) content = {0};
        struct session_builder b;
        bool ok = true;

        (void)n;
        buf_add_zeros(&content, size);
        builder_init(&b);
        builder_comm(&b, 1, PID, PID, "hostile", true);
        builder_sample_ip(&b, 10, PID, PID, CODE_ADDR);
        for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
                AUTO_RELEASE(buf) section = {0};

                ok = ok && archive_section_write(&sections[i].kind, &content, &section, NULL) &&
                     section.len < size / 1000;
                builder_feature(&b, sections[i].feature, section.data, section.len);
        }
        builder_file(&b, out);
        builder_release(&b);
        return ok;
}

/* A perf map of N functions: of `size` bytes where the samples are, or 0: of a byte. */
static void make_perf_map(uint64_t n, uint64_t size, struct buf *out)
{
        for (uint64_t i = 0; i < n; i++)
                buf_printf(out, "%llx %llx a\n", (unsigned long long)(size ? CODE_ADDR + i * CODE_BYTES : i),
                           (unsigned long long)(size ? size : 1));
}

struct kind {
        const char *name;
        void (*make)(uint64_t n, uint64_t size, struct buf *out);
        bool (*make_packed)(uint64_t n, uint64_t size, struct buf *out);
};

static const struct kind kinds[] = {
        {"names", make_names, NULL},
        {"shared-name", make_shared_name, NULL},
        {"underscores", make_underscores, NULL},
        {"nested", make_nested, NULL},
        {"stacks", make_stacks, NULL},
        {"processes", make_processes, NULL},
        {"ends", make_ends, NULL},
        {"map", make_perf_map, NULL},
        {"forks", hostile_forks, NULL},
        {"overlaps", hostile_overlaps, NULL},
        {"comms", hostile_comms, NULL},
        {"ids", hostile_ids, NULL},
        {"branches", hostile_branches, NULL},
        {"build-ids", hostile_build_ids, NULL},
        {"rounds", hostile_rounds, NULL},
        {"jit-moves", hostile_jit_moves, NULL},
        {"jit-augmentations", hostile_jit_augmentations, NULL},
        {"python-codes", hostile_python_codes, NULL},
        {"python-files", hostile_python_files, NULL},
        {"kallsyms", hostile_kallsyms, NULL},
        {"kernel-samples", hostile_kernel_samples, NULL},
        {"etl", hostile_etl, NULL},
        {"sections", NULL, make_sections},
        {"frames", NULL, make_frames},
        {"modules", NULL, make_modules},
        {"archive", NULL, make_archive},
};

static bool make_kind(const char *name, uint64_t n, uint64_t size, struct buf *out, bool *ret_ok)
{
        for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
                if (strcmp(kinds[i].name, name) != 0)
                        continue;
                *ret_ok = !kinds[i].make_packed || kinds[i].make_packed(n, size, out);
                if (kinds[i].make)
                        kinds[i].make(n, size, out);
                return true;
        }
        return false;
}

int main(int argc, char **argv)
{
        AUTO_RELEASE(buf) out = {0};
        AUTO(os_file) file = NULL;
        struct err err = {0};
        uint64_t n, size;
        bool ok = true;

        if (argc != 5) {
                fprintf(stderr, "usage: make_hostile KIND|samples:MODULE|jit-samples:DUMP FILE N BYTES\n");
                return 2;
        }
        n = strtoull(argv[3], NULL, 10);
        size = strtoull(argv[4], NULL, 10);
        if (!strncmp(argv[1], "samples:", 8))
                make_samples(argv[1] + 8, n, &out);
        else if (!strncmp(argv[1], "jit-samples:", 12))
                hostile_jit_samples(argv[1] + 12, n, &out);
        else if (!make_kind(argv[1], n, size, &out, &ok))
                return 2;
        file = ok ? os_file_create(argv[2], &err) : NULL;
        if (file && os_file_write(file, out.data, out.len, &err) && os_file_close(TAKE(file), &err))
                return 0;
        fprintf(stderr, "make_hostile: %s\n", ok ? err.text : "this build has no zlib or zstd");
        return 1;
}

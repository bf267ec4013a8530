/* SPDX-License-Identifier: BSD-3-Clause */
#include "session_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "map.h"
#include "mem.h"
#include "os.h"
#include "os_paths.h"
#include "text.h"
#include "text_printable.h"

enum {
        MAX_BUILD_IDS = 16384,
        MAX_PATHS = 16, /* per build id, because each map record has its build id too */
};

struct session_facts {
        struct map seen;      /* hash of build id and path */
        struct map n_paths;   /* by hash of the build id */
        struct buf build_ids; /* the section as it will be written */
        uint64_t first_ns, last_ns;
        uint64_t midr; /* 0: unknown */
        bool has_python;
};

struct session_facts *session_facts_new(void)
{
        return mem_new(1, sizeof(struct session_facts));
}

void session_facts_free(struct session_facts *facts)
{
        if (!facts)
                return;
        map_release(&facts->seen);
        map_release(&facts->n_paths);
        buf_release(&facts->build_ids);
        free(facts);
}

/* Appends an entry of the table: header, pid, 20 bytes of id followed by its size, path padded to 64. */
static void add_build_id(struct buf *out, uint16_t misc, const uint8_t *id, size_t id_size, const char *path)
{
        enum { ID_FIELD_BYTES = 24, NAME_ALIGN = 64, SIZE_AT = BUILD_ID_MAX };
        size_t name_bytes = (strlen(path) + NAME_ALIGN) & ~(size_t)(NAME_ALIGN - 1);
        /* the flag says that the size is given */
        struct perf_header header = {.misc = (uint16_t)(misc | (1u << 15))};
        uint8_t field[ID_FIELD_BYTES] = {0};
        uint32_t pid = UINT32_MAX;

        header.size = (uint16_t)(sizeof(header) + sizeof(pid) + ID_FIELD_BYTES + name_bytes);
        memcpy(field, id, id_size);
        field[SIZE_AT] = (uint8_t)id_size;
        buf_add(out, &header, sizeof(header));
        buf_add(out, &pid, sizeof(pid));
        buf_add(out, field, sizeof(field));
        buf_add(out, path, strlen(path));
        buf_add_zeros(out, name_bytes - strlen(path));
}

/* "/usr/bin/python3.11", "libpython3.11.so.1.0", "python312.dll" */
static bool is_interpreter(const char *path)
{
        const char *base = text_base_name(path);

        return text_starts(base, "python3") || text_starts(base, "libpython3");
}

static void see_map(struct session_facts *facts, struct cursor record)
{
        struct record_mmap map;
        uint64_t id, path, *n_paths;

        if (!record_mmap_parse(record, true, &map))
                return;
        facts->has_python = facts->has_python || is_interpreter(map.path);
        if (!map.build_id_size)
                return;
        id = map_hash_bytes(map.build_id, sizeof(map.build_id));
        path = id ^ map_hash_bytes(map.path, strlen(map.path));
        if (map_find(&facts->seen, path) || facts->seen.n_used >= MAX_BUILD_IDS)
                return;
        n_paths = map_put(&facts->n_paths, id, NULL);
        if (*n_paths == MAX_PATHS)
                return;
        ++*n_paths;
        map_put(&facts->seen, path, NULL);
        add_build_id(&facts->build_ids, PERF_MISC_USER, map.build_id, map.build_id_size, map.path);
}

static void see_time(struct session_facts *facts, struct cursor record)
{
        /* All samples of wperf begin with identifier, ip, pid and tid, time. */
        enum { TIME_OFF = sizeof(struct perf_header) + 24 };
        uint64_t time;

        if (!cursor_skip(&record, TIME_OFF))
                return;
        time = cursor_u64(&record);
        if (!facts->first_ns || time < facts->first_ns)
                facts->first_ns = time;
        if (time > facts->last_ns)
                facts->last_ns = time;
}

void session_facts_see(struct session_facts *facts, const void *records, size_t size)
{
        struct cursor all = cursor_make(records, size), record;
        struct perf_header header;

        while (record_next(&all, &header, &record)) {
                if (header.type == PERF_RECORD_SAMPLE)
                        see_time(facts, record);
                else if (header.type == PERF_RECORD_MMAP2)
                        see_map(facts, record);
        }
}

/* Adds the kernel's own build id from the notes in sysfs. */
static void add_kernel_build_id(struct buf *out)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) notes = {0};
        struct cursor c;

        os_sysfs_notes(NULL, &path);
        if (!os_read_file(buf_text(&path), 1 << 20, &notes, NULL))
                return;
        c = cursor_make(notes.data, notes.len);
        while (cursor_left(&c) >= 12) {
                uint32_t name_size = cursor_u32(&c), size = cursor_u32(&c), type = cursor_u32(&c);
                const char *name = cursor_bytes(&c, ((uint64_t)name_size + 3) & ~3ull);
                const uint8_t *id = cursor_bytes(&c, ((uint64_t)size + 3) & ~3ull);

                if (c.failed)
                        return;
                if (type == 3 && name_size == 4 && !memcmp(name, "GNU", 4) && size <= BUILD_ID_MAX) {
                        add_build_id(out, PERF_MISC_KERNEL, id, size, "[kernel.kallsyms]");
                        return;
                }
        }
}

/* Appends a string with its length, padded to a multiple of 64 as perf does. */
static void add_string(struct buf *out, const char *text)
{
        size_t size = strlen(text) + 1, padded = (size + 63) & ~(size_t)63;

        buf_add_u32(out, (uint32_t)padded);
        buf_add(out, text, size);
        buf_add_zeros(out, padded - size);
}

static void write_command_line(struct perfdata_writer *writer, const char *command_line)
{
        AUTO_RELEASE(buf) out = {0};

        buf_add_u32(&out, 1);
        add_string(&out, command_line);
        perfdata_writer_add_feature(writer, FEATURE_CMDLINE, out.data, out.len);
}

static void write_numbers(const struct session_facts *facts, const struct os_machine *machine,
                          struct perfdata_writer *writer)
{
        uint32_t cpus[2] = {machine->n_cpus_available, machine->n_cpus_online};
        uint64_t times[2] = {facts->first_ns, facts->last_ns};

        perfdata_writer_add_feature(writer, FEATURE_NRCPUS, cpus, sizeof(cpus));
        perfdata_writer_add_feature(writer, FEATURE_TOTAL_MEM, &machine->memory_kib,
                                    sizeof(machine->memory_kib));
        perfdata_writer_add_feature(writer, FEATURE_SAMPLE_TIME, times, sizeof(times));
}

bool session_facts_has_python(const struct session_facts *facts)
{
        return facts->has_python;
}

bool session_facts_find_python(const void *records, size_t size)
{
        struct cursor all = cursor_make(records, size), record;
        struct perf_header header;
        struct record_mmap map;

        while (record_next(&all, &header, &record)) {
                if (header.type == PERF_RECORD_MMAP2 && record_mmap_parse(record, true, &map) &&
                    is_interpreter(map.path))
                        return true;
        }
        return false;
}

void session_facts_set_midr(struct session_facts *facts, uint64_t midr)
{
        facts->midr = midr;
}

void session_facts_write(const struct session_facts *facts, struct perfdata_writer *writer,
                         const char *command_line)
{
        AUTO_RELEASE(buf) build_ids = {0};
        struct os_machine machine;

        os_machine_get(&machine);
        if (!machine.cpuid[0] && facts->midr)
                snprintf(machine.cpuid, sizeof(machine.cpuid), "0x%016" PRIx64, facts->midr);
        perfdata_writer_add_feature_str(writer, FEATURE_HOSTNAME, machine.hostname);
        perfdata_writer_add_feature_str(writer, FEATURE_OSRELEASE, machine.os_release);
        perfdata_writer_add_feature_str(writer, FEATURE_VERSION, "wperf " WPERF_VERSION);
        perfdata_writer_add_feature_str(writer, FEATURE_ARCH, machine.arch);
        perfdata_writer_add_feature_str(writer, FEATURE_CPUDESC, machine.cpu_text);
        perfdata_writer_add_feature_str(writer, FEATURE_CPUID, machine.cpuid);
        write_numbers(facts, &machine, writer);
        if (command_line)
                write_command_line(writer, command_line);
        add_kernel_build_id(&build_ids);
        buf_add(&build_ids, facts->build_ids.data, facts->build_ids.len);
        if (build_ids.len)
                perfdata_writer_add_feature(writer, FEATURE_BUILD_ID, build_ids.data, build_ids.len);
}

void session_facts_add_command_line(const struct perfdata_reader *reader, struct buf *out)
{
        struct cursor c = perfdata_feature(reader, FEATURE_CMDLINE);
        uint32_t n = cursor_u32(&c);

        for (uint32_t i = 0; i < n; i++) {
                uint32_t size = cursor_u32(&c);
                const char *word = cursor_bytes(&c, size);

                if (c.failed)
                        return;
                if (i)
                        buf_add_char(out, ' ');
                buf_add(out, word, strnlen(word, size));
        }
}

void session_facts_add_governor(const char *prefix, struct buf *out)
{
        struct os_machine machine;
        AUTO_RELEASE(buf) seen = {0};

        os_machine_get(&machine);
        for (uint32_t cpu = 0; cpu < machine.n_cpus_available; cpu++) {
                AUTO_RELEASE(buf) path = {0};
                AUTO_RELEASE(buf) name = {0};

                buf_printf(&path, "%s%" PRIu32 "/cpufreq/scaling_governor", prefix, cpu);
                if (!os_read_file(buf_text(&path), 256, &name, NULL))
                        continue;
                buf_truncate(&name, strcspn(buf_text(&name), "\n"));
                buf_add_char(&name, ' ');
                if (strstr(buf_text(&seen), buf_text(&name)))
                        continue;
                buf_printf(out, "%s%.*s", seen.len ? " and " : "", (int)name.len - 1, buf_text(&name));
                buf_add(&seen, name.data, name.len);
        }
}

void session_facts_add_command(char *const *argv, struct buf *out)
{
        for (size_t i = 0; argv && argv[i]; i++)
                buf_printf(out, "%s%s", i ? " " : "", argv[i]);
}

static void add_fact(const char *text, struct buf *out)
{
        if (!text || !*text)
                return;
        if (out->len)
                buf_add_str(out, ", ");
        text_add_printable(out, text);
}

static void add_sizes(uint32_t n_cpus, uint64_t kib, struct buf *out)
{
        if (n_cpus)
                buf_printf(out, "%s%" PRIu32 " CPU%s", out->len ? ", " : "", n_cpus, n_cpus == 1 ? "" : "s");
        if (kib)
                buf_printf(out, "%s%.1f GiB of memory", out->len ? ", " : "", (double)kib / (1 << 20));
}

void session_facts_add_machine(const struct perfdata_reader *reader, struct buf *out)
{
        static const enum perfdata_feature texts[] = {FEATURE_HOSTNAME, FEATURE_OSRELEASE, FEATURE_ARCH,
                                                      FEATURE_CPUDESC};
        struct cursor cpus = perfdata_feature(reader, FEATURE_NRCPUS);
        struct cursor memory = perfdata_feature(reader, FEATURE_TOTAL_MEM);
        uint32_t n_cpus = cursor_u32(&cpus);
        uint64_t kib = cursor_u64(&memory);
        AUTO_RELEASE(buf) line = {0};

        for (size_t i = 0; i < N_ELEMENTS(texts); i++)
                add_fact(perfdata_feature_str(reader, texts[i]), &line);
        add_sizes(n_cpus, kib, &line);
        buf_add(out, line.data, line.len);
}

void session_facts_add_this_machine(struct buf *out)
{
        AUTO_RELEASE(buf) line = {0};
        struct os_machine machine;

        os_machine_get(&machine);
        add_fact(machine.hostname, &line);
        add_fact(machine.os_release, &line);
        add_fact(machine.arch, &line);
        add_fact(machine.cpu_text, &line);
        add_sizes(machine.n_cpus_available, machine.memory_kib, &line);
        buf_add(out, line.data, line.len);
}

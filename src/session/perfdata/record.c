/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses all records except samples, and the trailer of sample_id_all. */
#include "record.h"

#include <string.h>

#include "attributes.h"

static struct perf_header read_header(struct cursor *c)
{
        struct perf_header header = {.type = cursor_u32(c)};

        header.misc = cursor_u16(c);
        header.size = cursor_u16(c);
        return header;
}

/* Reads a text in a fixed or last field; fails if it has no NUL before the end of the record. */
static const char *read_text(struct cursor *c)
{
        return cursor_str(c, NULL);
}

bool record_is_big_endian(const struct cursor *c)
{
        return c->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

uint64_t record_bit_field(uint64_t value, bool big_endian)
{
        if (!big_endian)
                return value;
        value = __builtin_bswap64(value);
        value = (value & 0x0f0f0f0f0f0f0f0fu) << 4 | (value >> 4 & 0x0f0f0f0f0f0f0f0fu);
        value = (value & 0x3333333333333333u) << 2 | (value >> 2 & 0x3333333333333333u);
        return (value & 0x5555555555555555u) << 1 | (value >> 1 & 0x5555555555555555u);
}

size_t record_id_bytes(const struct perf_attr *attr)
{
        const uint64_t fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
                                PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

        if (!(attr->flags & PERF_ATTR_SAMPLE_ID_ALL))
                return 0;
        return 8 * (size_t)__builtin_popcountll(attr->sample_type & fields);
}

bool record_id_parse(const struct perf_attr *attr, struct cursor record, struct record_id *ret)
{
        size_t size = (size_t)(record.end - record.start), id_size = record_id_bytes(attr);
        uint64_t type = attr->sample_type;
        struct cursor c = record;

        *ret = (struct record_id){.pid = -1, .tid = -1, .cpu = UINT32_MAX};
        if (!id_size)
                return true;
        if (size < sizeof(struct perf_header) + id_size)
                return false;
        cursor_seek(&c, size - id_size);
        if (type & PERF_SAMPLE_TID) {
                ret->pid = (int32_t)cursor_u32(&c);
                ret->tid = (int32_t)cursor_u32(&c);
        }
        if (type & PERF_SAMPLE_TIME)
                ret->time = cursor_u64(&c);
        if (type & PERF_SAMPLE_ID)
                ret->id = cursor_u64(&c);
        if (type & PERF_SAMPLE_STREAM_ID)
                ret->stream_id = cursor_u64(&c);
        if (type & PERF_SAMPLE_CPU) {
                ret->cpu = cursor_u32(&c);
                cursor_skip(&c, 4);
        }
        if (type & PERF_SAMPLE_IDENTIFIER)
                ret->id = cursor_u64(&c);
        return !c.failed;
}

bool record_mmap_has_build_id(struct cursor record, bool asked)
{
        enum { IDENTITY_OFF = 40 };
        struct perf_header header = read_header(&record);
        uint8_t size;

        if (!asked || header.type != PERF_RECORD_MMAP2 || !(header.misc & PERF_MISC_MMAP_BUILD_ID) ||
            !cursor_seek(&record, IDENTITY_OFF))
                return false;
        size = cursor_u8(&record);
        return !record.failed && size && size <= BUILD_ID_MAX;
}

static void read_mmap_identity(struct cursor *c, bool has_build_id, struct record_mmap *ret)
{
        if (has_build_id) {
                const void *id;

                ret->build_id_size = cursor_u8(c);
                cursor_skip(c, 3);
                id = cursor_bytes(c, BUILD_ID_MAX);
                if (id)
                        memcpy(ret->build_id, id, BUILD_ID_MAX);
                return;
        }
        ret->maj = cursor_u32(c);
        ret->min = cursor_u32(c);
        ret->inode = cursor_u64(c);
        ret->inode_generation = cursor_u64(c);
}

/* Of what follows an AUXTRACE record. */
static uint64_t auxtrace_bytes(struct cursor record)
{
        return cursor_skip(&record, sizeof(struct perf_header)) ? cursor_u64(&record) : 0;
}

bool record_next(struct cursor *records, struct perf_header *ret_header, struct cursor *ret_record)
{
        if (cursor_left(records) < sizeof(*ret_header))
                return false;
        memcpy(ret_header, records->at, sizeof(*ret_header));
        *ret_record = cursor_sub(records, cursor_pos(records), ret_header->size);
        return ret_header->size >= sizeof(*ret_header) && cursor_skip(records, ret_header->size) &&
               (ret_header->type != PERF_RECORD_AUXTRACE ||
                cursor_skip(records, auxtrace_bytes(*ret_record)));
}

bool record_mmap_parse(struct cursor record, bool asked, struct record_mmap *ret)
{
        struct cursor c = record;
        struct perf_header header = read_header(&c);

        *ret = (struct record_mmap){.prot = header.misc & PERF_MISC_MMAP_DATA ? 0 : RECORD_PROT_EXEC};
        ret->pid = (int32_t)cursor_u32(&c);
        ret->tid = (int32_t)cursor_u32(&c);
        ret->start = cursor_u64(&c);
        ret->len = cursor_u64(&c);
        ret->pgoff = cursor_u64(&c);
        if (header.type == PERF_RECORD_MMAP2) {
                read_mmap_identity(&c, record_mmap_has_build_id(record, asked), ret);
                ret->prot = cursor_u32(&c);
                cursor_skip(&c, 4); /* flags */
        }
        ret->path = read_text(&c);
        return !c.failed;
}

bool record_comm_parse(struct cursor record, struct record_comm *ret)
{
        struct cursor c = record;
        struct perf_header header = read_header(&c);

        ret->exec = header.misc & PERF_MISC_COMM_EXEC;
        ret->given = header.misc & RECORD_MISC_COMM_GIVEN;
        ret->pid = (int32_t)cursor_u32(&c);
        ret->tid = (int32_t)cursor_u32(&c);
        ret->name = read_text(&c);
        return !c.failed;
}

bool record_task_parse(struct cursor record, struct record_task *ret)
{
        struct cursor c = record;

        read_header(&c);
        ret->pid = (int32_t)cursor_u32(&c);
        ret->ppid = (int32_t)cursor_u32(&c);
        ret->tid = (int32_t)cursor_u32(&c);
        ret->ptid = (int32_t)cursor_u32(&c);
        ret->time = cursor_u64(&c);
        return !c.failed;
}

bool record_lost_parse(struct cursor record, struct record_lost *ret)
{
        struct cursor c = record;
        struct perf_header header = read_header(&c);

        ret->id = header.type == PERF_RECORD_LOST ? cursor_u64(&c) : 0;
        ret->lost = cursor_u64(&c);
        return !c.failed;
}

bool record_ksymbol_parse(struct cursor record, struct record_ksymbol *ret)
{
        struct cursor c = record;

        read_header(&c);
        ret->addr = cursor_u64(&c);
        ret->len = cursor_u32(&c);
        ret->type = cursor_u16(&c);
        ret->flags = cursor_u16(&c);
        ret->name = read_text(&c);
        return !c.failed;
}

bool record_stat_parse(struct cursor record, struct record_stat *ret)
{
        struct cursor c = record;

        read_header(&c);
        ret->id = cursor_u64(&c);
        ret->cpu = cursor_u32(&c);
        ret->thread = cursor_u32(&c);
        ret->value = cursor_u64(&c);
        ret->enabled_ns = cursor_u64(&c);
        ret->running_ns = cursor_u64(&c);
        return !c.failed;
}

bool record_stat_round_parse(struct cursor record, struct record_stat_round *ret)
{
        struct cursor c = record;

        read_header(&c);
        ret->type = cursor_u64(&c);
        ret->time = cursor_u64(&c);
        return !c.failed;
}

/* simpleperf's types start at 32768. */
static const char *simpleperf_type_name(uint32_t type)
{
        static const char *const names[] = {
                [RECORD_SIMPLEPERF_KERNEL_SYMBOL - RECORD_SIMPLEPERF_FIRST] = "SIMPLEPERF_KERNEL_SYMBOL",
                [RECORD_SIMPLEPERF_DSO - RECORD_SIMPLEPERF_FIRST] = "SIMPLEPERF_DSO",
                [RECORD_SIMPLEPERF_SYMBOL - RECORD_SIMPLEPERF_FIRST] = "SIMPLEPERF_SYMBOL",
                [RECORD_SIMPLEPERF_SPLIT - RECORD_SIMPLEPERF_FIRST] = "SIMPLEPERF_SPLIT",
                [RECORD_SIMPLEPERF_SPLIT_END - RECORD_SIMPLEPERF_FIRST] = "SIMPLEPERF_SPLIT_END",
                [RECORD_SIMPLEPERF_EVENT_ID - RECORD_SIMPLEPERF_FIRST] = "SIMPLEPERF_EVENT_ID",
                [RECORD_SIMPLEPERF_CALLCHAIN - RECORD_SIMPLEPERF_FIRST] = "SIMPLEPERF_CALLCHAIN",
                [RECORD_SIMPLEPERF_UNWINDING_RESULT - RECORD_SIMPLEPERF_FIRST] =
                        "SIMPLEPERF_UNWINDING_RESULT",
                [RECORD_SIMPLEPERF_TRACING_DATA - RECORD_SIMPLEPERF_FIRST] = "SIMPLEPERF_TRACING_DATA",
                [RECORD_SIMPLEPERF_DEBUG - RECORD_SIMPLEPERF_FIRST] = "SIMPLEPERF_DEBUG",
        };

        if (type < RECORD_SIMPLEPERF_FIRST || type - RECORD_SIMPLEPERF_FIRST >= N_ELEMENTS(names))
                return NULL;
        return names[type - RECORD_SIMPLEPERF_FIRST];
}

const char *record_type_name(uint32_t type)
{
        static const char *const names[] = {
                [PERF_RECORD_MMAP] = "MMAP",
                [PERF_RECORD_LOST] = "LOST",
                [PERF_RECORD_COMM] = "COMM",
                [PERF_RECORD_EXIT] = "EXIT",
                [PERF_RECORD_THROTTLE] = "THROTTLE",
                [PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE",
                [PERF_RECORD_FORK] = "FORK",
                [PERF_RECORD_READ] = "READ",
                [PERF_RECORD_SAMPLE] = "SAMPLE",
                [PERF_RECORD_MMAP2] = "MMAP2",
                [PERF_RECORD_AUX] = "AUX",
                [PERF_RECORD_ITRACE_START] = "ITRACE_START",
                [PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
                [PERF_RECORD_SWITCH] = "SWITCH",
                [PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
                [PERF_RECORD_NAMESPACES] = "NAMESPACES",
                [PERF_RECORD_KSYMBOL] = "KSYMBOL",
                [PERF_RECORD_BPF_EVENT] = "BPF_EVENT",
                [PERF_RECORD_CGROUP] = "CGROUP",
                [PERF_RECORD_TEXT_POKE] = "TEXT_POKE",
                [PERF_RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
                [PERF_RECORD_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
                [PERF_RECORD_HEADER_ATTR] = "ATTR",
                [PERF_RECORD_HEADER_EVENT_TYPE] = "EVENT_TYPE",
                [PERF_RECORD_HEADER_TRACING_DATA] = "TRACING_DATA",
                [PERF_RECORD_HEADER_BUILD_ID] = "BUILD_ID",
                [PERF_RECORD_FINISHED_ROUND] = "FINISHED_ROUND",
                [PERF_RECORD_ID_INDEX] = "ID_INDEX",
                [PERF_RECORD_AUXTRACE_INFO] = "AUXTRACE_INFO",
                [PERF_RECORD_AUXTRACE] = "AUXTRACE",
                [PERF_RECORD_AUXTRACE_ERROR] = "AUXTRACE_ERROR",
                [PERF_RECORD_THREAD_MAP] = "THREAD_MAP",
                [PERF_RECORD_CPU_MAP] = "CPU_MAP",
                [PERF_RECORD_STAT_CONFIG] = "STAT_CONFIG",
                [PERF_RECORD_STAT] = "STAT",
                [PERF_RECORD_STAT_ROUND] = "STAT_ROUND",
                [PERF_RECORD_EVENT_UPDATE] = "EVENT_UPDATE",
                [PERF_RECORD_TIME_CONV] = "TIME_CONV",
                [PERF_RECORD_HEADER_FEATURE] = "FEATURE",
                [PERF_RECORD_COMPRESSED] = "COMPRESSED",
                [PERF_RECORD_FINISHED_INIT] = "FINISHED_INIT",
                [PERF_RECORD_COMPRESSED2] = "COMPRESSED2",
        };

        return type < N_ELEMENTS(names) ? names[type] : simpleperf_type_name(type);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "session_builder.h"

#include <stddef.h>
#include <string.h>

#include "codec.h"
#include "os.h"

enum { HEADER_BYTES = 104, SECTION_BYTES = 16, FIRST_ID = 11, EVENT_DESC = 12 };

static uint64_t reverse_bits(uint64_t v)
{
        uint64_t out = 0;

        for (int i = 0; i < 64; i++)
                out |= (v >> i & 1) << (63 - i);
        return out;
}

static void add_u16(const struct session_builder *b, struct buf *out, uint16_t v)
{
        buf_add_u16(out, b->swap ? __builtin_bswap16(v) : v);
}

static void add_u32(const struct session_builder *b, struct buf *out, uint32_t v)
{
        buf_add_u32(out, b->swap ? __builtin_bswap32(v) : v);
}

static void add_u64(const struct session_builder *b, struct buf *out, uint64_t v)
{
        buf_add_u64(out, b->swap ? __builtin_bswap64(v) : v);
}

void builder_init(struct session_builder *b)
{
        *b = (struct session_builder){.n_events = 1, .attr_bytes = sizeof(struct perf_attr)};
        b->ids[0] = FIRST_ID;
        b->attrs[0] = (struct perf_attr){
                .type = PERF_TYPE_SOFTWARE,
                .size = sizeof(struct perf_attr),
                .config = PERF_COUNT_SW_CPU_CLOCK,
                .sample_period_or_freq = 1000000,
                .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                               PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
                .flags = PERF_ATTR_SAMPLE_ID_ALL | PERF_ATTR_MMAP | PERF_ATTR_MMAP2 | PERF_ATTR_COMM |
                         PERF_ATTR_TASK | PERF_ATTR_EXCLUDE_KERNEL,
        };
}

void builder_release(struct session_builder *b)
{
        buf_release(&b->records);
        for (unsigned i = 0; i < b->n_features; i++)
                buf_release(&b->features[i].bytes);
        b->n_features = 0;
}

unsigned builder_add_event(struct session_builder *b, uint32_t type, uint64_t config)
{
        unsigned n = b->n_events++;

        b->attrs[n] = b->attrs[0];
        b->attrs[n].type = type;
        b->attrs[n].config = config;
        b->ids[n] = FIRST_ID + n;
        return n;
}

/* --- records --- */

void builder_begin(struct session_builder *b, uint32_t type, uint16_t misc)
{
        b->record_start = b->records.len;
        builder_u32(b, type);
        builder_u16(b, misc);
        builder_u16(b, 0);
}

void builder_u8(struct session_builder *b, uint8_t v)
{
        buf_add_u8(&b->records, v);
}

void builder_u16(struct session_builder *b, uint16_t v)
{
        add_u16(b, &b->records, v);
}

void builder_u32(struct session_builder *b, uint32_t v)
{
        add_u32(b, &b->records, v);
}

void builder_u64(struct session_builder *b, uint64_t v)
{
        add_u64(b, &b->records, v);
}

void builder_bytes(struct session_builder *b, const void *bytes, size_t size)
{
        buf_add(&b->records, bytes, size);
}

void builder_str(struct session_builder *b, const char *text)
{
        size_t len = strlen(text) + 1;

        builder_bytes(b, text, len);
        buf_add_zeros(&b->records, (8 - len % 8) % 8);
}

void builder_id(struct session_builder *b, uint64_t time, int32_t pid, int32_t tid)
{
        uint64_t type = b->attrs[0].sample_type;

        if (!(b->attrs[0].flags & PERF_ATTR_SAMPLE_ID_ALL))
                return;
        if (type & PERF_SAMPLE_TID) {
                builder_u32(b, (uint32_t)pid);
                builder_u32(b, (uint32_t)tid);
        }
        if (type & PERF_SAMPLE_TIME)
                builder_u64(b, time);
        if (type & PERF_SAMPLE_ID)
                builder_u64(b, time ? b->ids[0] : 0);
        if (type & PERF_SAMPLE_STREAM_ID)
                builder_u64(b, time ? b->ids[0] : 0);
        if (type & PERF_SAMPLE_CPU) {
                builder_u32(b, b->cpu);
                builder_u32(b, 0);
        }
        if (type & PERF_SAMPLE_IDENTIFIER)
                builder_u64(b, time ? b->ids[0] : 0);
}

void builder_end(struct session_builder *b)
{
        uint16_t size = (uint16_t)(b->records.len - b->record_start);

        if (b->swap)
                size = __builtin_bswap16(size);
        memcpy(b->records.data + b->record_start + offsetof(struct perf_header, size), &size, sizeof(size));
}

static void begin_mmap2(struct session_builder *b, uint16_t misc, int32_t pid, uint64_t start, uint64_t len,
                        uint64_t pgoff)
{
        builder_begin(b, PERF_RECORD_MMAP2, misc);
        builder_u32(b, (uint32_t)pid);
        builder_u32(b, (uint32_t)pid);
        builder_u64(b, start);
        builder_u64(b, len);
        builder_u64(b, pgoff);
}

static void end_mmap2(struct session_builder *b, uint32_t prot, const char *path, uint64_t time, int32_t pid)
{
        builder_u32(b, prot);
        builder_u32(b, 2);
        builder_str(b, path);
        builder_id(b, time, pid, pid);
        builder_end(b);
}

void builder_mmap_inode(struct session_builder *b, uint64_t time, int32_t pid, uint64_t start, uint64_t len,
                        uint64_t pgoff, const char *path, uint64_t inode)
{
        begin_mmap2(b, PERF_MISC_USER, pid, start, len, pgoff);
        builder_u32(b, inode ? 8 : 0);
        builder_u32(b, inode ? 1 : 0);
        builder_u64(b, inode);
        builder_u64(b, 0);
        end_mmap2(b, 5, path, time, pid);
}

void builder_mmap(struct session_builder *b, uint64_t time, int32_t pid, uint64_t start, uint64_t len,
                  uint64_t pgoff, const char *path)
{
        builder_mmap_inode(b, time, pid, start, len, pgoff, path, 0);
}

void builder_mmap_data(struct session_builder *b, uint64_t time, int32_t pid, uint64_t start, uint64_t len,
                       uint64_t pgoff, const char *path)
{
        static const uint8_t no_identity[24];

        begin_mmap2(b, PERF_MISC_USER | PERF_MISC_MMAP_DATA, pid, start, len, pgoff);
        builder_bytes(b, no_identity, sizeof(no_identity));
        end_mmap2(b, 3, path, time, pid);
}

void builder_mmap_build_id(struct session_builder *b, uint64_t time, int32_t pid, uint64_t start,
                           uint64_t len, uint64_t pgoff, const char *path, const void *id, uint8_t id_size)
{
        uint8_t bytes[20] = {0};

        memcpy(bytes, id, id_size < sizeof(bytes) ? id_size : sizeof(bytes));
        b->attrs[0].flags |= PERF_ATTR_BUILD_ID;
        begin_mmap2(b, PERF_MISC_USER | PERF_MISC_MMAP_BUILD_ID, pid, start, len, pgoff);
        builder_u8(b, id_size);
        builder_bytes(b, "\0\0\0", 3);
        builder_bytes(b, bytes, sizeof(bytes));
        end_mmap2(b, 5, path, time, pid);
}

void builder_kernel_mmap(struct session_builder *b, uint64_t start, uint64_t len, uint64_t pgoff,
                         const char *path)
{
        builder_begin(b, PERF_RECORD_MMAP, PERF_MISC_KERNEL);
        builder_u32(b, UINT32_MAX);
        builder_u32(b, 0);
        builder_u64(b, start);
        builder_u64(b, len);
        builder_u64(b, pgoff);
        builder_str(b, path);
        builder_id(b, 0, 0, 0);
        builder_end(b);
}

static void add_comm(struct session_builder *b, uint16_t misc, uint64_t time, int32_t pid, int32_t tid,
                     const char *name)
{
        builder_begin(b, PERF_RECORD_COMM, misc);
        builder_u32(b, (uint32_t)pid);
        builder_u32(b, (uint32_t)tid);
        builder_str(b, name);
        builder_id(b, time, pid, tid);
        builder_end(b);
}

void builder_comm(struct session_builder *b, uint64_t time, int32_t pid, int32_t tid, const char *name,
                  bool exec)
{
        add_comm(b, exec ? PERF_MISC_COMM_EXEC : 0, time, pid, tid, name);
}

void builder_given_name(struct session_builder *b, uint64_t time, int32_t pid, int32_t tid, const char *name)
{
        enum { MISC_COMM_GIVEN = 1 << 14 };

        add_comm(b, MISC_COMM_GIVEN, time, pid, tid, name);
}

static void add_task(struct session_builder *b, uint32_t type, uint16_t misc, uint64_t time, int32_t pid,
                     int32_t ppid, int32_t tid, int32_t ptid)
{
        builder_begin(b, type, misc);
        builder_u32(b, (uint32_t)pid);
        builder_u32(b, (uint32_t)ppid);
        builder_u32(b, (uint32_t)tid);
        builder_u32(b, (uint32_t)ptid);
        builder_u64(b, time);
        builder_id(b, time, pid, tid);
        builder_end(b);
}

void builder_fork(struct session_builder *b, uint64_t time, int32_t pid, int32_t ppid, int32_t tid,
                  int32_t ptid, uint16_t misc)
{
        add_task(b, PERF_RECORD_FORK, misc, time, pid, ppid, tid, ptid);
}

void builder_exit(struct session_builder *b, uint64_t time, int32_t pid, int32_t ppid, int32_t tid,
                  int32_t ptid)
{
        add_task(b, PERF_RECORD_EXIT, 0, time, pid, ppid, tid, ptid);
}

void builder_lost(struct session_builder *b, uint64_t time, uint64_t lost)
{
        builder_begin(b, PERF_RECORD_LOST, 0);
        builder_u64(b, b->ids[0]);
        builder_u64(b, lost);
        builder_id(b, time, 0, 0);
        builder_end(b);
}

void builder_ksymbol(struct session_builder *b, uint64_t time, uint64_t addr, uint32_t len, uint16_t flags,
                     const char *name)
{
        builder_begin(b, PERF_RECORD_KSYMBOL, 0);
        builder_u64(b, addr);
        builder_u32(b, len);
        builder_u16(b, 1);
        builder_u16(b, flags);
        builder_str(b, name);
        builder_id(b, time, 0, 0);
        builder_end(b);
}

void builder_round(struct session_builder *b)
{
        builder_begin(b, PERF_RECORD_FINISHED_ROUND, 0);
        builder_end(b);
}

static void begin_sample(struct session_builder *b, unsigned event, uint64_t time, int32_t pid, int32_t tid,
                         uint16_t misc, const uint64_t *chain, uint64_t n_chain)
{
        uint64_t ip = 0;

        for (uint64_t i = n_chain; i-- > 0;) {
                if (chain[i] < PERF_CONTEXT_MAX)
                        ip = chain[i];
        }
        builder_begin(b, PERF_RECORD_SAMPLE, misc);
        builder_u64(b, b->ids[event]);
        builder_u64(b, ip);
        builder_u32(b, (uint32_t)pid);
        builder_u32(b, (uint32_t)tid);
        builder_u64(b, time);
        builder_u32(b, b->cpu);
        builder_u32(b, 0);
        builder_u64(b, b->attrs[event].sample_period_or_freq);
        if (!(b->attrs[event].sample_type & PERF_SAMPLE_CALLCHAIN))
                return;
        builder_u64(b, n_chain);
        for (uint64_t i = 0; i < n_chain; i++)
                builder_u64(b, chain[i]);
}

void builder_sample(struct session_builder *b, unsigned event, uint64_t time, int32_t pid, int32_t tid,
                    uint16_t misc, const uint64_t *chain, uint64_t n_chain)
{
        begin_sample(b, event, time, pid, tid, misc, chain, n_chain);
        builder_end(b);
}

void builder_sample_branches(struct session_builder *b, unsigned event, uint64_t time, int32_t pid,
                             uint16_t misc, const uint64_t *chain, uint64_t n_chain,
                             const uint64_t (*branches)[3], uint64_t n_branches)
{
        begin_sample(b, event, time, pid, pid, misc, chain, n_chain);
        builder_u64(b, n_branches);
        for (uint64_t i = 0; i < n_branches; i++) {
                builder_u64(b, branches[i][0]);
                builder_u64(b, branches[i][1]);
                builder_u64(b, b->swap ? reverse_bits(branches[i][2]) : branches[i][2]);
        }
        builder_end(b);
}

void builder_deferred(struct session_builder *b, uint64_t time, int32_t pid, int32_t tid, uint64_t cookie,
                      const uint64_t *chain, uint64_t n_chain)
{
        builder_begin(b, PERF_RECORD_CALLCHAIN_DEFERRED, PERF_MISC_USER);
        builder_u64(b, cookie);
        builder_u64(b, n_chain);
        for (uint64_t i = 0; i < n_chain; i++)
                builder_u64(b, chain[i]);
        builder_id(b, time, pid, tid);
        builder_end(b);
}

void builder_sample_ip(struct session_builder *b, uint64_t time, int32_t pid, int32_t tid, uint64_t ip)
{
        uint64_t chain[] = {PERF_CONTEXT_USER, ip};

        builder_sample(b, 0, time, pid, tid, PERF_MISC_USER, chain, 2);
}

/* --- files --- */

void builder_feature(struct session_builder *b, unsigned number, const void *bytes, size_t size)
{
        b->features[b->n_features].number = number;
        b->features[b->n_features].bytes = (struct buf){0};
        buf_add(&b->features[b->n_features++].bytes, bytes, size);
}

static void add_text(const struct session_builder *b, struct buf *out, const char *text)
{
        size_t len = strlen(text) + 1, padded = (len + 63) / 64 * 64;

        add_u32(b, out, (uint32_t)padded);
        buf_add(out, text, len);
        buf_add_zeros(out, padded - len);
}

void builder_feature_str(struct session_builder *b, unsigned number, const char *text)
{
        struct buf bytes = {0};

        add_text(b, &bytes, text);
        builder_feature(b, number, bytes.data, bytes.len);
        buf_release(&bytes);
}

static void add_attr(const struct session_builder *b, struct buf *out, const struct perf_attr *a)
{
        size_t start = out->len;

        add_u32(b, out, a->type);
        add_u32(b, out, b->attr_bytes);
        add_u64(b, out, a->config);
        add_u64(b, out, a->sample_period_or_freq);
        add_u64(b, out, a->sample_type);
        add_u64(b, out, a->read_format);
        add_u64(b, out, b->swap ? reverse_bits(a->flags) : a->flags);
        add_u32(b, out, a->wakeup);
        add_u32(b, out, a->bp_type);
        add_u64(b, out, a->config1);
        add_u64(b, out, a->config2);
        add_u64(b, out, a->branch_sample_type);
        add_u64(b, out, a->sample_regs_user);
        add_u32(b, out, a->sample_stack_user);
        add_u32(b, out, (uint32_t)a->clockid);
        add_u64(b, out, a->sample_regs_intr);
        add_u32(b, out, a->aux_watermark);
        add_u16(b, out, a->sample_max_stack);
        add_u16(b, out, a->reserved_2);
        add_u32(b, out, a->aux_sample_size);
        add_u32(b, out, a->reserved_3);
        add_u64(b, out, a->sig_data);
        add_u64(b, out, a->config3);
        if (b->attr_bytes > sizeof(*a))
                buf_add_zeros(out, b->attr_bytes - sizeof(*a));
        buf_truncate(out, start + b->attr_bytes);
}

static void add_event_desc(struct session_builder *b)
{
        struct buf bytes = {0};

        add_u32(b, &bytes, b->n_events);
        add_u32(b, &bytes, b->attr_bytes);
        for (unsigned i = 0; i < b->n_events; i++) {
                add_attr(b, &bytes, &b->attrs[i]);
                add_u32(b, &bytes, 1);
                add_text(b, &bytes, b->names[i] ? b->names[i] : "");
                add_u64(b, &bytes, b->ids[i]);
        }
        builder_feature(b, EVENT_DESC, bytes.data, bytes.len);
        buf_release(&bytes);
}

static int compare_features(const struct session_builder *b, unsigned i, unsigned j)
{
        return (int)b->features[i].number - (int)b->features[j].number;
}

static void sort_features(struct session_builder *b)
{
        for (unsigned i = 1; i < b->n_features; i++) {
                for (unsigned j = i; j > 0 && compare_features(b, j - 1, j) > 0; j--) {
                        __typeof__(b->features[0]) t = b->features[j];

                        b->features[j] = b->features[j - 1];
                        b->features[j - 1] = t;
                }
        }
}

static void add_header(const struct session_builder *b, struct buf *out)
{
        uint64_t attrs_off = HEADER_BYTES + b->n_events * 8u;
        uint64_t attrs_size = b->n_events * (uint64_t)(b->attr_bytes + SECTION_BYTES), bits[4] = {0};

        buf_add(out, b->swap ? "2ELIFREP" : "PERFILE2", 8);
        add_u64(b, out, HEADER_BYTES);
        add_u64(b, out, b->attr_bytes + SECTION_BYTES);
        add_u64(b, out, attrs_off);
        add_u64(b, out, attrs_size);
        add_u64(b, out, attrs_off + attrs_size);
        add_u64(b, out, b->records.len);
        add_u64(b, out, 0);
        add_u64(b, out, 0);
        for (unsigned i = 0; i < b->n_features; i++)
                bits[b->features[i].number / 64] |= (uint64_t)1 << (b->features[i].number % 64);
        for (unsigned i = 0; i < 4; i++)
                add_u64(b, out, bits[i]);
}

static void add_features(const struct session_builder *b, struct buf *out)
{
        uint64_t off = out->len + b->n_features * (uint64_t)SECTION_BYTES;

        for (unsigned i = 0; i < b->n_features; i++) {
                add_u64(b, out, off);
                add_u64(b, out, b->features[i].bytes.len);
                off += b->features[i].bytes.len;
        }
        for (unsigned i = 0; i < b->n_features; i++)
                buf_add(out, b->features[i].bytes.data, b->features[i].bytes.len);
}

static void add_pipe_head(const struct session_builder *b, struct buf *out)
{
        buf_add(out, b->swap ? "2ELIFREP" : "PERFILE2", 8);
        add_u64(b, out, 16);
        for (unsigned i = 0; i < b->n_events; i++) {
                add_u32(b, out, PERF_RECORD_HEADER_ATTR);
                add_u16(b, out, 0);
                add_u16(b, out, (uint16_t)(8 + b->attr_bytes + 8));
                add_attr(b, out, &b->attrs[i]);
                add_u64(b, out, b->ids[i]);
        }
        for (unsigned i = 0; i < b->n_features; i++) {
                const struct buf *bytes = &b->features[i].bytes;

                add_u32(b, out, PERF_RECORD_HEADER_FEATURE);
                add_u16(b, out, 0);
                add_u16(b, out, (uint16_t)(16 + bytes->len));
                add_u64(b, out, b->features[i].number);
                buf_add(out, bytes->data, bytes->len);
        }
}

void builder_file(struct session_builder *b, struct buf *out)
{
        if (b->names[0])
                add_event_desc(b);
        sort_features(b);
        if (b->pipe) {
                add_pipe_head(b, out);
                buf_add(out, b->records.data, b->records.len);
                return;
        }
        add_header(b, out);
        for (unsigned i = 0; i < b->n_events; i++)
                add_u64(b, out, b->ids[i]);
        for (unsigned i = 0; i < b->n_events; i++) {
                add_attr(b, out, &b->attrs[i]);
                add_u64(b, out, HEADER_BYTES + i * 8u);
                add_u64(b, out, 8);
        }
        buf_add(out, b->records.data, b->records.len);
        add_features(b, out);
}

/* A recorder flushes, too, so the stream has several pieces. */
enum { FLUSH_BYTES = 256 };

bool builder_compress(struct session_builder *b, size_t piece, bool second_kind)
{
        struct buf plain = b->records, packed = {0};
        struct codec_packer *packer = codec_packer_new(1, NULL);

        if (!packer)
                return false;
        for (size_t at = 0; at < plain.len; at += FLUSH_BYTES) {
                size_t size = plain.len - at < FLUSH_BYTES ? plain.len - at : FLUSH_BYTES;

                codec_packer_feed(packer, plain.data + at, size, &packed, NULL);
        }
        codec_packer_free(packer);
        b->records = (struct buf){0};
        for (size_t at = 0; at < packed.len; at += piece) {
                size_t size = packed.len - at < piece ? packed.len - at : piece;

                builder_begin(b, second_kind ? PERF_RECORD_COMPRESSED2 : PERF_RECORD_COMPRESSED, 0);
                if (second_kind)
                        builder_u64(b, size);
                builder_bytes(b, packed.data + at, size);
                if (second_kind)
                        buf_add_zeros(&b->records, (8 - size % 8) % 8);
                builder_end(b);
        }
        buf_release(&plain);
        buf_release(&packed);
        return true;
}

bool builder_save(struct session_builder *b, const char *path)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(os_file) file = os_file_create(path, NULL);

        builder_file(b, &bytes);
        builder_release(b);
        return file && os_file_write(file, bytes.data, bytes.len, NULL) && os_file_close(TAKE(file), NULL);
}

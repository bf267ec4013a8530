/* SPDX-License-Identifier: BSD-3-Clause */
/* SPE bytes of other people's machines and of a generator, against what perf 6.12 and older versions, Arm's
 * own decoder and Google's print.  Looks in $WPERF_CORPUS/spe.
 *
 * Where perf differs, and the test therefore does too: for each byte that begins no packet perf makes an
 * `instructions' sample at address 0; older versions print fewer words. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "buf.h"
#include "codec.h"
#include "os.h"
#include "perfdata_layout.h"
#include "spe_record.h"
#include "spe_source.h"
#include "spe_text.h"
#include "tap.h"

enum { FILE_LIMIT = 64 << 20, AUXTRACE = 71, AUXTRACE_BYTES = 48, AUXTRACE_SIZE_OFF = 8 };

/* What the generated files say in their CPUID; in none of perf's tables of data sources. */
#define HISILICON_MIDR UINT64_C(0x481fd010)

/* A file of the corpus, unpacked if only NAME.zst is there; false says why not. */
static bool read_corpus(const char *name, struct buf *out)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) packed = {0};
        struct os_stat stat;
        struct err err = {0};

        buf_printf(&path, "%s/spe/%s", getenv("WPERF_CORPUS"), name);
        if (os_stat(buf_text(&path), &stat)) {
                if (os_read_file(buf_text(&path), FILE_LIMIT, out, &err))
                        return true;
        } else {
                buf_add_str(&path, ".zst");
                if (os_read_file(buf_text(&path), FILE_LIMIT, &packed, &err) &&
                    codec_unpack(CODEC_ZSTD, packed.data, packed.len, FILE_LIMIT, out, &err))
                        return true;
        }
        TAP_FAIL("%s", err.text);
        return false;
}

static uint64_t u64_at(const struct buf *file, size_t off)
{
        uint64_t value = 0;

        if (off + sizeof(value) <= file->len)
                memcpy(&value, file->data + off, sizeof(value));
        return value;
}

/* The payloads of the AUXTRACE records of a perf.data file, one after the other. */
static void extract_spe(const struct buf *file, struct buf *out)
{
        size_t off = u64_at(file, PERFDATA_DATA_OFFSET_OFF);
        size_t end = off + u64_at(file, PERFDATA_DATA_SIZE_OFF);

        while (off + 8 <= end && end <= file->len) {
                const uint64_t head = u64_at(file, off);
                const size_t size = head >> 48;
                const uint64_t payload =
                        (uint32_t)head == AUXTRACE ? u64_at(file, off + AUXTRACE_SIZE_OFF) : 0;

                if (size < 8 || payload > end - off - size)
                        break;
                buf_add(out, file->data + off + size, payload);
                off += size + payload;
        }
}

/* Cuts the next line off *text; NULL at the end. */
static char *next_line(char **text)
{
        char *line = *text, *end;

        if (!*line)
                return NULL;
        end = strchr(line, '\n');
        *text = end ? end + 1 : line + strlen(line);
        if (end)
                *end = 0;
        return line;
}

static char *next_packet_line(char **text)
{
        char *line;

        while ((line = next_line(text)) && strncmp(line, ".  ", 3) != 0)
                ;
        return line;
}

static void expect_same_packets(const char *name)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) data = {0};
        AUTO_RELEASE(buf) spe = {0};
        AUTO_RELEASE(buf) want = {0};
        AUTO_RELEASE(buf) got = {0};
        char *want_at, *got_at, *line;
        int n = 0;

        buf_printf(&path, "generated/%s.data", name);
        ASSERT_TRUE(read_corpus(buf_text(&path), &data));
        buf_clear(&path);
        buf_printf(&path, "generated/%s.packets.txt", name);
        ASSERT_TRUE(read_corpus(buf_text(&path), &want));
        extract_spe(&data, &spe);
        spe_text_add_dump(&got, spe.data, spe.len, 0, SPE_TEXT_PERF);
        want_at = want.data;
        got_at = got.data;
        while ((line = next_packet_line(&want_at))) {
                EXPECT_STR(next_line(&got_at), line);
                n++;
        }
        EXPECT_TRUE(!*got_at);
        EXPECT_CMP(n, >, 0);
        printf("# %s: %d lines\n", name, n);
}

TEST(spe_corpus_packets_are_perfs)
{
        if (!codec_available(CODEC_ZSTD))
                SKIP("zstd is not in this build");
        expect_same_packets("spe-01-hisilicon-branch");
        expect_same_packets("spe-03-context-two-records");
        expect_same_packets("spe-05-random-1cpu");
        expect_same_packets("spe-07-random-junk-bytes");
}

/* `COMM PID [CPU] TIME: EVENT: ADDR DATA_SRC |...| WEIGHT IP PHYS` */
struct perf_sample {
        uint64_t addr, data_src, weight, ip, phys;
};

static bool read_sample(const char *line, struct perf_sample *sample)
{
        const char *event = strstr(line, "instructions:");
        const char *last = strrchr(line, '|');

        return event && last &&
               sscanf(event + strlen("instructions:"), "%" SCNx64 " %" SCNx64, &sample->addr,
                      &sample->data_src) == 2 &&
               sscanf(strstr(last, "N/A") + 3, "%" SCNu64 " %" SCNx64 " %" SCNx64, &sample->weight,
                      &sample->ip, &sample->phys) == 3;
}

/* The next sample that is a record's. */
static bool next_sample(char **text, struct perf_sample *sample, uint64_t *n_phantoms)
{
        char *line;

        while ((line = next_line(text))) {
                if (!read_sample(line, sample))
                        continue;
                if (sample->ip)
                        return true;
                ++*n_phantoms;
        }
        return false;
}

static void expect_same_samples(const char *name)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) data = {0};
        AUTO_RELEASE(buf) spe = {0};
        AUTO_RELEASE(buf) want = {0};
        struct spe_decoder decoder;
        struct spe_record record;
        struct perf_sample sample;
        uint64_t n_phantoms = 0;
        char *want_at;

        buf_printf(&path, "generated/%s.data", name);
        ASSERT_TRUE(read_corpus(buf_text(&path), &data));
        buf_clear(&path);
        buf_printf(&path, "generated/%s.samples.txt", name);
        ASSERT_TRUE(read_corpus(buf_text(&path), &want));
        extract_spe(&data, &spe);
        want_at = want.data;
        spe_decoder_begin(&decoder, 0);
        spe_decoder_feed(&decoder, spe.data, spe.len);
        spe_decoder_end(&decoder);
        while (next_sample(&want_at, &sample, &n_phantoms)) {
                ASSERT_TRUE(spe_decoder_next(&decoder, &record));
                EXPECT_INT(record.pc.addr, sample.ip);
                EXPECT_INT(record.virtual_addr.addr, sample.addr);
                EXPECT_INT(record.physical_addr.addr, sample.phys);
                EXPECT_INT(record.total_cycles, sample.weight);
                EXPECT_INT(spe_source_to_perf(&record, HISILICON_MIDR), sample.data_src);
        }
        EXPECT_TRUE(!spe_decoder_next(&decoder, &record));
        EXPECT_CMP(decoder.counts.n_records, >, 0);
        EXPECT_INT(decoder.counts.n_damaged, 0);
        EXPECT_INT(decoder.counts.damaged_bytes, n_phantoms);
        printf("# %s: %" PRIu64 " records, %" PRIu64 " damaged bytes\n", name, decoder.counts.n_records,
               decoder.counts.damaged_bytes);
}

TEST(spe_corpus_records_are_perfs_samples)
{
        if (!codec_available(CODEC_ZSTD))
                SKIP("zstd is not in this build");
        expect_same_samples("spe-01-hisilicon-branch");
        expect_same_samples("spe-03-context-two-records");
        expect_same_samples("spe-05-random-1cpu");
        expect_same_samples("spe-07-random-junk-bytes");
}

/* The versions that printed these dumps have no word for general-purpose registers, none for the class of
 * other operations, and neither ch= nor pat=. */
static bool is_same_text(const char *got, const char *want)
{
        const size_t size = strlen(want);

        if (!strcmp(got, want))
                return true;
        if (!strncmp(got, want, size) &&
            (!strcmp(got + size, " GP-REG") || !strcmp(got + size, " ch=0 pat=0")))
                return true;
        return !strncmp(got, "OTHER ", 6) && !strcmp(got + 6, want);
}

enum { TEXT_COLUMN = 14 + 16 * 3 }; /* of a line of perf's dump */

static void expect_same_dump(const char *name)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) spe = {0};
        AUTO_RELEASE(buf) want = {0};
        AUTO_RELEASE(buf) got = {0};
        char *want_at, *got_at, *line;
        int n = 0;

        buf_printf(&path, "perf-dumps/%s.bin", name);
        ASSERT_TRUE(read_corpus(buf_text(&path), &spe));
        buf_clear(&path);
        buf_printf(&path, "perf-dumps/%s.dump", name);
        ASSERT_TRUE(read_corpus(buf_text(&path), &want));
        spe_text_add_dump(&got, spe.data, spe.len, 0, SPE_TEXT_PERF);
        want_at = want.data;
        got_at = got.data;
        while ((line = next_line(&want_at))) {
                char *mine = next_line(&got_at);

                ASSERT_TRUE(mine && strlen(mine) > TEXT_COLUMN && strlen(line) > TEXT_COLUMN);
                if (!is_same_text(mine + TEXT_COLUMN, line + TEXT_COLUMN))
                        EXPECT_STR(mine + TEXT_COLUMN, line + TEXT_COLUMN);
                mine[TEXT_COLUMN] = line[TEXT_COLUMN] = 0;
                EXPECT_STR(mine + 13, line + 13);
                n++;
        }
        EXPECT_TRUE(!*got_at);
        printf("# %s: %d lines\n", name, n);
}

TEST(spe_corpus_dumps_of_machines)
{
        expect_same_dump("01-hisilicon-branch-2021-06-26");
        expect_same_dump("03-vspe-guest-el1-2020");
        expect_same_dump("05-fvp-short-headers-2018");
        expect_same_dump("08-context-packets");
}

static struct spe_counts decode_all(const struct buf *spe,
                                    void (*each)(void *ctx, const struct spe_record *record), void *ctx)
{
        struct spe_decoder decoder;
        struct spe_record record;

        spe_decoder_begin(&decoder, 0);
        spe_decoder_feed(&decoder, spe->data, spe->len);
        spe_decoder_end(&decoder);
        while (spe_decoder_next(&decoder, &record)) {
                if (each)
                        each(ctx, &record);
        }
        return decoder.counts;
}

static void expect_records(const char *name, uint64_t n_records, uint64_t n_damaged_bytes)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) spe = {0};
        struct spe_counts counts;

        buf_printf(&path, "perf-dumps/%s.bin", name);
        ASSERT_TRUE(read_corpus(buf_text(&path), &spe));
        counts = decode_all(&spe, NULL, NULL);
        EXPECT_INT(counts.n_records, n_records);
        EXPECT_INT(counts.damaged_bytes, n_damaged_bytes);
        EXPECT_INT(counts.record_bytes + counts.padding_bytes + counts.damaged_bytes, spe.len);
}

/* 03 ends within a record; 08 is two packets of other records. */
TEST(spe_corpus_records_of_machines)
{
        expect_records("01-hisilicon-branch-2021-06-26", 16, 0);
        expect_records("03-vspe-guest-el1-2020", 2, 18);
        expect_records("05-fvp-short-headers-2018", 1, 0);
        expect_records("08-context-packets", 0, 10);
}

/* Each mispredicted branch is a line of perf script, with its time in microseconds. */
static void find_in_script(void *ctx, const struct spe_record *record)
{
        AUTO_RELEASE(buf) time = {0};
        AUTO_RELEASE(buf) addr = {0};
        const char *at = ctx;

        if (!(record->events & SPE_EVENT_BIT(SPE_EVENT_MISPREDICTED)))
                return;
        buf_printf(&time, "%" PRIu64 ".%06" PRIu64 ":", record->timestamp / 1000000000,
                   record->timestamp / 1000 % 1000000);
        buf_printf(&addr, "%" PRIx64 " ", record->pc.addr);
        while ((at = strstr(at, buf_text(&time)))) {
                const char *end = strchr(at, '\n'), *found = strstr(at, buf_text(&addr));

                if (found && end && found < end)
                        return;
                at++;
        }
        TAP_FAIL("no line with %s %s", buf_text(&time), buf_text(&addr));
}

TEST(spe_corpus_branch_misses_are_in_perf_script)
{
        AUTO_RELEASE(buf) spe = {0};
        AUTO_RELEASE(buf) script = {0};

        ASSERT_TRUE(read_corpus("perf-dumps/01-hisilicon-branch-2021-06-26.bin", &spe));
        ASSERT_TRUE(read_corpus("perf-dumps/01-hisilicon-branch-2021-06-26.perf-script", &script));
        decode_all(&spe, find_in_script, script.data);
}

static size_t read_hex(const char *text, uint8_t *bytes, size_t room)
{
        size_t n = 0;

        while (n < room && isxdigit((unsigned char)text[0]) && isxdigit((unsigned char)text[1])) {
                bytes[n++] = (uint8_t)strtoul((char[]){text[0], text[1], 0}, NULL, 16);
                text += 2 + (text[2] == ' ');
        }
        return n;
}

static void expect_vector(char *line)
{
        AUTO_RELEASE(buf) got = {0};
        char *want = strchr(line, '\t') + 1;
        struct spe_packet packet;
        uint8_t bytes[16];
        struct cursor c = cursor_make(bytes, read_hex(line, bytes, sizeof(bytes)));
        enum spe_packet_status status = spe_packet_read(&c, &packet);

        *strchr(want, '\t') = 0;
        if (!strncmp(want, "(invalid", 8)) {
                EXPECT_INT(status, SPE_PACKET_BAD);
                return;
        }
        ASSERT_CMP(status, ==, SPE_PACKET_WHOLE);
        EXPECT_TRUE(!cursor_left(&c));
        spe_text_add_packet(&got, &packet, SPE_TEXT_PERF);
        EXPECT_STR(buf_text(&got), want);
}

TEST(spe_corpus_vectors)
{
        AUTO_RELEASE(buf) vectors = {0};
        char *at, *line;
        int n = 0;

        ASSERT_TRUE(read_corpus("perf-dumps/vectors.tsv", &vectors));
        for (at = vectors.data; (line = next_line(&at));) {
                if (*line == '#')
                        continue;
                expect_vector(line);
                n++;
        }
        EXPECT_INT(n, 26);
}

/* A column of a line of numbers and bare words, "" when it is empty. */
static const char *csv_field(const char *line, int column, char *field, size_t size)
{
        size_t n;

        while (column-- && line)
                line = (line = strchr(line, ',')) ? line + 1 : NULL;
        n = line ? strcspn(line, ",\n") : 0;
        if (n >= size)
                n = size - 1;
        if (n)
                memcpy(field, line, n);
        field[n] = 0;
        return field;
}

enum csv_column {
        OP = 1,
        PC,
        EL,
        CONDITION,
        INDIRECT,
        EVENT,
        ISSUE,
        TOTAL,
        TARGET,
        TARGET_EL,
        PREVIOUS,
        PREVIOUS_EL,
        CONTEXT,
        TIME
};

static uint64_t csv_number(const char *line, enum csv_column column)
{
        char field[64];

        return strtoull(csv_field(line, column, field, sizeof(field)), NULL, 0);
}

static void expect_csv_record(void *ctx, const struct spe_record *record)
{
        const char *line = ctx;
        char field[64];

        EXPECT_STR(csv_field(line, OP, field, sizeof(field)), "B");
        EXPECT_INT(record->op.class_id, SPE_CLASS_BRANCH);
        EXPECT_INT(record->pc.addr, csv_number(line, PC));
        EXPECT_INT(record->pc.el, csv_number(line, EL));
        EXPECT_STR(csv_field(line, CONDITION, field, sizeof(field)),
                   record->op.flags & SPE_OPERATION_CONDITIONAL ? "true" : "false");
        EXPECT_STR(csv_field(line, INDIRECT, field, sizeof(field)),
                   record->op.flags & SPE_OPERATION_INDIRECT ? "true" : "false");
        EXPECT_STR(csv_field(line, EVENT, field, sizeof(field)), "RETIRED");
        EXPECT_INT(record->events, SPE_EVENT_BIT(SPE_EVENT_RETIRED));
        EXPECT_INT(record->issue_cycles, csv_number(line, ISSUE));
        EXPECT_INT(record->total_cycles, csv_number(line, TOTAL));
        EXPECT_INT(record->target.addr, csv_number(line, TARGET));
        EXPECT_INT(record->target.el, csv_number(line, TARGET_EL));
        EXPECT_INT(record->previous_target.addr, csv_number(line, PREVIOUS));
        EXPECT_STR(csv_field(line, CONTEXT, field, sizeof(field)), "");
        EXPECT_TRUE(!(record->has & (SPE_HAS_CONTEXT_EL1 | SPE_HAS_CONTEXT_EL2)));
        EXPECT_INT(record->timestamp, csv_number(line, TIME));
}

static void expect_csv(const char *name)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) spe = {0};
        AUTO_RELEASE(buf) csv = {0};
        const char *line;

        buf_printf(&path, "telemetry-solution/tests/testdata/%s.data", name);
        ASSERT_TRUE(read_corpus(buf_text(&path), &spe));
        buf_clear(&path);
        buf_printf(&path, "telemetry-solution/tests/testdata/%s.csv", name);
        ASSERT_TRUE(read_corpus(buf_text(&path), &csv));
        line = strchr(csv.data, '\n') + 1;
        EXPECT_INT(decode_all(&spe, expect_csv_record, (void *)line).n_records, 1);
}

TEST(spe_corpus_tables_of_arms_decoder)
{
        expect_csv("spe-b1-ts0");
        expect_csv("spe-b1-ts1");
}

int main(void)
{
        if (!getenv("WPERF_CORPUS")) {
                printf("1..0 # SKIP WPERF_CORPUS is not set\n");
                return 0;
        }
        return tap_run_all();
}

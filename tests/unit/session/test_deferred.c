/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples with deferred user stacks: what a reader returns, and when. */
#include "perfdata_deferred.h"

#include <inttypes.h>

#include "perfdata_reader.h"
#include "session_builder.h"
#include "tap.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void init(struct session_builder *b)
{
        builder_init(b);
        b->attrs[0].flags |= PERF_ATTR_DEFER_CALLCHAIN | PERF_ATTR_DEFER_OUTPUT;
}

static void add_waiting(struct session_builder *b, uint64_t time, int32_t tid, uint64_t kernel_addr,
                        uint64_t cookie)
{
        uint64_t chain[] = {PERF_CONTEXT_KERNEL, kernel_addr, PERF_CONTEXT_USER_DEFERRED, cookie};

        builder_sample(b, 0, time, 100, tid, PERF_MISC_KERNEL, chain, N(chain));
}

static void add_chain(const struct sample *sample, struct buf *out)
{
        struct cursor chain = sample->chain;

        for (uint64_t i = 0; i < sample->n_chain; i++) {
                uint64_t word = cursor_u64(&chain);

                buf_add_char(out, i ? ',' : '=');
                if (word == PERF_CONTEXT_KERNEL || word == PERF_CONTEXT_USER ||
                    word == PERF_CONTEXT_USER_DEFERRED)
                        buf_add_char(out, word == PERF_CONTEXT_KERNEL ? 'K'
                                          : word == PERF_CONTEXT_USER ? 'U'
                                                                      : 'D');
                else
                        buf_printf(out, "%" PRIx64, word);
        }
}

/* "1000=K,80,U,10,20" for a sample, the type of any other record. */
static void expect_bytes(const struct buf *file, bool raw, const char *want)
{
        AUTO_RELEASE(buf) out = {0};
        struct err err = {0};
        AUTO(perfdata_reader) reader = perfdata_open_bytes(file->data, file->len, "test", &err);
        struct perfdata_record record;
        struct sample sample;

        while (reader && (raw ? perfdata_next_raw : perfdata_next)(reader, &record, &err) == 1) {
                const struct perfdata_event *event = perfdata_get_event(reader, record.event);

                buf_add_str(&out, out.len ? " " : "");
                EXPECT_INT(record.header.size, record.bytes.end - record.bytes.start);
                if (record.header.type != PERF_RECORD_SAMPLE) {
                        buf_add_str(&out, record_type_name(record.header.type));
                        continue;
                }
                if (!event || !sample_parse(&event->attr, record.bytes, &sample)) {
                        buf_add_str(&out, "?");
                        continue;
                }
                EXPECT_INT(sample.time, record.time);
                buf_printf(&out, "%" PRIu64, sample.time);
                add_chain(&sample, &out);
        }
        EXPECT_STR(err.text, "");
        EXPECT_STR(buf_text(&out), want);
}

static void expect(struct session_builder *b, const char *want)
{
        AUTO_RELEASE(buf) file = {0};

        builder_file(b, &file);
        expect_bytes(&file, false, want);
        builder_release(b);
}

static const uint64_t user[] = {0x10, 0x20};

TEST(a_later_record_tells_the_users_part)
{
        struct session_builder b;

        init(&b);
        add_waiting(&b, 1000, 100, 0x80, 7);
        builder_sample_ip(&b, 1100, 100, 101, 0x99); /* of another thread, which is in user code */
        add_waiting(&b, 1200, 100, 0x81, 7);
        builder_deferred(&b, 1300, 100, 100, 7, user, N(user));
        builder_sample_ip(&b, 1400, 100, 100, 0x98);
        expect(&b, "1100=U,99 1000=K,80,U,10,20 1200=K,81,U,10,20 CALLCHAIN_DEFERRED 1400=U,98");
}

/* Some kernels put the mark into the record. */
TEST(a_mark_in_the_record_does_no_harm)
{
        static const uint64_t marked[] = {PERF_CONTEXT_USER, 0x10};
        struct session_builder b;

        init(&b);
        add_waiting(&b, 1000, 100, 0x80, 7);
        builder_deferred(&b, 1300, 100, 100, 7, marked, N(marked));
        expect(&b, "1000=K,80,U,U,10 CALLCHAIN_DEFERRED");
}

TEST(threads_and_cookies_are_kept_apart)
{
        struct session_builder b;

        init(&b);
        add_waiting(&b, 1000, 100, 0x80, 7);
        add_waiting(&b, 1001, 101, 0x81, 7);
        add_waiting(&b, 1002, 100, 0x82, 8); /* the record for 7 was lost */
        builder_deferred(&b, 1003, 100, 102, 7, user, N(user));
        builder_deferred(&b, 1004, 100, 100, 8, user, N(user));
        builder_deferred(&b, 1005, 100, 101, 7, user, 1);
        expect(&b, "CALLCHAIN_DEFERRED 1000=K,80,D,7 1002=K,82,U,10,20 CALLCHAIN_DEFERRED 1001=K,81,U,10 "
                   "CALLCHAIN_DEFERRED");
}

TEST(what_never_comes_is_not_waited_for_beyond_the_thread)
{
        struct session_builder b;

        init(&b);
        add_waiting(&b, 1000, 100, 0x80, 7);
        add_waiting(&b, 1001, 101, 0x81, 7);
        add_waiting(&b, 1002, 101, 0x82, 7);
        builder_deferred(&b, 1003, 100, 100, 7, user, 0); /* there was nothing to walk */
        builder_exit(&b, 1004, 100, 1, 101, 1);
        add_waiting(&b, 1005, 103, 0x83, 9);
        add_waiting(&b, 1006, 102, 0x84, 9);
        builder_round(&b);
        expect(&b,
               "FINISHED_ROUND 1000=K,80,D,7 CALLCHAIN_DEFERRED 1001=K,81,D,7 1002=K,82,D,7 EXIT 1005=K,83,D,9 "
               "1006=K,84,D,9");
}

TEST(every_kind_of_file_is_joined)
{
        /* a file, a pipe, both compressed */
        static const char *const wants[] = {
                "1000=K,80,U,10,20 CALLCHAIN_DEFERRED",
                "ATTR 1000=K,80,U,10,20 CALLCHAIN_DEFERRED",
                "COMPRESSED 1000=K,80,U,10,20 CALLCHAIN_DEFERRED",
                "ATTR COMPRESSED2 1000=K,80,U,10,20 CALLCHAIN_DEFERRED",
        };

        for (unsigned way = 0; way < 8; way++) {
                AUTO_RELEASE(buf) file = {0};
                struct session_builder b;

                init(&b);
                b.swap = way & 1;
                b.pipe = way & 2;
                add_waiting(&b, 1000, 100, 0x80, 7);
                builder_deferred(&b, 1001, 100, 100, 7, user, N(user));
                if (!(way & 4) || builder_compress(&b, 5000, way & 2)) {
                        builder_file(&b, &file);
                        if (!(way & 6))
                                expect_bytes(&file, true, "1000=K,80,D,7 CALLCHAIN_DEFERRED");
                        expect_bytes(&file, false, wants[way >> 1]);
                }
                builder_release(&b);
        }
}

/* What stands behind the record's addresses is no address. */
TEST(a_record_that_is_shorter_than_it_says_tells_nothing)
{
        static const uint64_t says[] = {3, 4, 7, 1u << 20, UINT64_MAX / 8 + 3};

        for (size_t i = 0; i < N(says); i++) {
                struct session_builder b;

                init(&b);
                add_waiting(&b, 1000, 100, 0x80, 7);
                builder_begin(&b, PERF_RECORD_CALLCHAIN_DEFERRED, PERF_MISC_USER);
                builder_u64(&b, 7);
                builder_u64(&b, says[i]);
                builder_u64(&b, 0x10);
                builder_u64(&b, 0x20);
                builder_id(&b, 1001, 100, 100);
                builder_end(&b);
                expect(&b, "1000=K,80,D,7 CALLCHAIN_DEFERRED");
        }
}

/* A chain that would not fit into a record does not change. */
TEST(a_record_has_at_most_64_kib)
{
        static uint64_t deep[8181];
        struct session_builder b;

        init(&b);
        add_waiting(&b, 1000, 100, 0x80, 7);
        builder_deferred(&b, 1002, 100, 100, 7, deep, N(deep));
        expect(&b, "1000=K,80,D,7 CALLCHAIN_DEFERRED");
}

/* The oldest go first when too many wait. */
TEST(waiting_samples_are_bounded)
{
        AUTO_RELEASE(buf) file = {0};
        struct session_builder b;
        struct err err = {0};
        AUTO(perfdata_reader) reader = NULL;
        struct perfdata_record record;
        uint64_t n = 0, n_first = 0, last = 0;

        init(&b);
        for (unsigned i = 0; i < LIMIT_WAITING_SAMPLES + 10; i++)
                add_waiting(&b, 1000 + i, 100 + (int32_t)(i % 3), 0x80, 7);
        builder_deferred(&b, 1000000, 100, 101, 7, user, N(user));
        builder_file(&b, &file);
        builder_release(&b);
        reader = perfdata_open_bytes(file.data, file.len, "test", &err);
        while (reader && perfdata_next(reader, &record, &err) == 1) {
                struct sample sample;

                if (record.header.type != PERF_RECORD_SAMPLE)
                        continue;
                EXPECT_TRUE(
                        sample_parse(&perfdata_get_event(reader, record.event)->attr, record.bytes, &sample));
                if (n < 10) {
                        n_first += record.time == 1000 + n && sample_is_deferred(&sample, NULL);
                } else if (sample.tid == 101) {
                        EXPECT_TRUE(!sample_is_deferred(&sample, NULL) && record.time > last);
                        last = record.time;
                }
                n++;
        }
        EXPECT_INT(n_first, 10);
        EXPECT_INT(n, LIMIT_WAITING_SAMPLES + 10);
}

TAP_MAIN

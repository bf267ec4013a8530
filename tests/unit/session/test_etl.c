/* SPDX-License-Identifier: BSD-3-Clause */
/* Event-trace files of Windows, made here: as samples, stacks and images of a session. */
#include "calltree.h"
#include "etl_report.h"
#include "etl_session.h"
#include "perf_abi.h"
#include "stacks_tree.h"
#include "text_utf16.h"

static bool has_bytes(const struct buf *in, const void *bytes, size_t n)
{
        for (size_t at = 0; at + n <= in->len; at++) {
                if (!memcmp(in->data + at, bytes, n))
                        return true;
        }
        return false;
}

static void begin(struct etl_builder *b)
{
        etl_begin_file(b);
        etl_begin_buffer(b, 3);
        etl_add_process(b, ETL_PROCESS_RUNNING, 1100, PID, 4, "app.exe");
        etl_add_thread(b, ETL_THREAD_RUNNING, 1100, PID, TID);
        etl_add_image(b, ETL_IMAGE_RUNNING, 1100, PID, PROGRAM, 0x10000, "C:\\a\\app.exe");
        etl_add_image(b, ETL_IMAGE_RUNNING, 1100, PID, LIBRARY, 0x20000, "C:\\a\\lib.dll");
        etl_add_image(b, ETL_IMAGE_RUNNING, 1100, 0, KERNEL, 0x100000, "\\SystemRoot\\ntoskrnl.exe");
}

/* "app.exe+0x10 2, ...": module, address and count of each row. */
static void show_rows(const struct report *report, struct buf *out)
{
        for (size_t i = 0; i < hot_n_rows(report->hot); i++) {
                const struct hot_row *row = hot_get_row(report->hot, i);

                buf_printf(out, "%s%s+0x%llx %u", i ? ", " : "", hot_text(report->hot, row->module),
                           (unsigned long long)row->addr, (unsigned)row->count);
        }
}

TEST(samples_are_in_images)
{
        AUTO_RELEASE(buf) rows = {0};
        AUTO(report) report = NULL;
        struct etl_builder b;

        begin(&b);
        for (unsigned i = 0; i < 3; i++)
                etl_add_sample(&b, 2000 + i, TID, PROGRAM + 0x1010);
        etl_add_sample(&b, 2010, TID, LIBRARY + 0x2020);
        etl_add_sample(&b, 2020, TID, LIBRARY + 0x2020);
        etl_add_sample(&b, 2030, TID, KERNEL + 0x3030);
        report = etl_report(&b, "etl-images.etl", 0, PROFILE_MODULE | PROFILE_ADDR);
        show_rows(report, &rows);
        EXPECT_STR(buf_text(&rows), "app.exe+0x1010 3, lib.dll+0x2020 2, ntoskrnl.exe+0x3030 1");
        EXPECT_STR(report->events[0].name, "timer");
        EXPECT_INT(report->events[0].mean_period, 1000000);
}

TEST(threads_belong_to_processes)
{
        AUTO(report) report = NULL;
        struct etl_builder b;

        begin(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM);
        etl_add_process(&b, ETL_PROCESS_START, 3000, OTHER_PID, PID, "other.exe");
        etl_add_thread(&b, ETL_THREAD_START, 3000, OTHER_PID, OTHER_TID);
        etl_add_sample(&b, 3001, OTHER_TID, PROGRAM);
        etl_add_sample(&b, 3002, OTHER_TID, PROGRAM);
        /* The number of the first thread is used again. */
        etl_add_thread(&b, ETL_THREAD_END, 4000, PID, TID);
        etl_add_thread(&b, ETL_THREAD_START, 4001, OTHER_PID, TID);
        etl_add_sample(&b, 4002, TID, PROGRAM);
        etl_add_sample(&b, 4003, 999, PROGRAM); /* a thread of which nothing is known */
        report = etl_report(&b, "etl-threads.etl", 0, PROFILE_PROCESS | PROFILE_PID);
        ASSERT_CMP(hot_n_rows(report->hot), ==, 3);
        EXPECT_STR(hot_text(report->hot, hot_get_row(report->hot, 0)->process), "other.exe");
        EXPECT_INT(hot_get_row(report->hot, 0)->count, 3);
        for (size_t i = 1; i < 3; i++)
                EXPECT_INT(hot_get_row(report->hot, i)->pid == PID || hot_get_row(report->hot, i)->pid == -1,
                           true);
}

/* The depth of the deepest path, and how many samples it has. */
static unsigned deepest(const struct calltree *tree, uint32_t index, uint64_t *ret_count)
{
        const struct calltree_node *node = calltree_get_node(tree, index);
        unsigned most = 0;

        if (node->first_child == CALLTREE_NONE)
                *ret_count = node->self_count;
        for (uint32_t child = node->first_child; child != CALLTREE_NONE;
             child = calltree_get_node(tree, child)->next) {
                uint64_t count = 0;
                unsigned depth = deepest(tree, child, &count);

                if (depth >= most)
                        *ret_count = count;
                most = depth > most ? depth : most;
        }
        return most + 1;
}

static void expect_stack(struct etl_builder *b, const char *path, unsigned depth, unsigned count)
{
        AUTO(report) report = NULL;
        AUTO(calltree) tree = NULL;
        uint64_t found = 0;

        report = etl_report(b, path, REPORT_TREE, 0);
        tree = stacks_tree_make(report->tree, 0);
        EXPECT_INT(deepest(tree, CALLTREE_ROOT, &found), depth + 1);
        EXPECT_INT(found, count);
}

/* Modules differ, so that neighbours are not folded into one. */
static const uint64_t user_frames[] = {PROGRAM + 0x10, LIBRARY + 0x10, PROGRAM + 0x50, LIBRARY + 0x90};
static const uint64_t kernel_frames[] = {KERNEL + 0x10};

TEST(stacks_belong_to_the_sample_of_their_time_and_thread)
{
        struct etl_builder b;

        begin(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM + 0x10);
        etl_add_stack(&b, ETL_STACK, 2001, 2000, PID, TID, user_frames, 4);
        etl_add_stack(&b, ETL_STACK, 2001, 2000, PID, OTHER_TID, user_frames, 1);
        etl_add_stack(&b, ETL_STACK, 2001, 1999, PID, TID, user_frames, 1);
        expect_stack(&b, "etl-stack.etl", 4, 1);
}

TEST(the_kernels_part_comes_first)
{
        struct etl_builder b;

        begin(&b);
        etl_add_sample(&b, 2000, TID, KERNEL + 0x10);
        etl_add_stack(&b, ETL_STACK, 2002, 2000, PID, TID, user_frames, 4);
        etl_add_stack(&b, ETL_STACK, 2001, 2000, PID, TID, kernel_frames, 1);
        expect_stack(&b, "etl-kernel.etl", 5, 1);
}

/* A key names frames until they are deleted, and may then name others. */
TEST(keys_name_frames_for_a_time)
{
        static const uint64_t key = 0xffffc000abcd;
        struct etl_builder b;

        begin(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM + 0x10);
        etl_add_stack(&b, ETL_STACK_KEY_USER, 2001, 2000, PID, TID, &key, 1);
        etl_add_frames(&b, ETL_STACK_DELETED, 2500, key, user_frames, 2);
        for (unsigned i = 0; i < 3; i++) {
                etl_add_sample(&b, 3000 + i, TID, PROGRAM + 0x10);
                etl_add_stack(&b, ETL_STACK_KEY_USER, 3001 + i, 3000 + i, PID, TID, &key, 1);
        }
        etl_add_frames(&b, ETL_STACK_KEPT, 9000, key, user_frames, 4);
        expect_stack(&b, "etl-keys.etl", 4, 3);
}

/* A program's part is walked when the thread leaves the kernel, and may get a key that named others' frames
 * at the time of the sample. */
TEST(keys_are_those_of_the_walk)
{
        static const uint64_t key = 0xffffc000abcd, others[] = {KERNEL + 0x90, LIBRARY + 0x90};
        struct etl_builder b;

        begin(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM + 0x10);
        etl_add_stack(&b, ETL_STACK_KEY_USER, 2600, 2000, PID, TID, &key, 1);
        etl_add_frames(&b, ETL_STACK_DELETED, 2500, key, others, 2);
        etl_add_frames(&b, ETL_STACK_KEPT, 9000, key, user_frames, 4);
        expect_stack(&b, "etl-walk.etl", 4, 1);
}

/* A buffer of another CPU, and with it a part that was walked later, may come first in the file. */
TEST(parts_are_in_the_order_of_their_walks)
{
        AUTO_RELEASE(buf) session = {0};
        struct etl_builder b;
        struct err err = {0};

        begin(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM + 0x10);
        etl_add_stack(&b, ETL_STACK, 2700, 2000, PID, TID, user_frames + 2, 2);
        etl_add_stack(&b, ETL_STACK, 2600, 2000, PID, TID, user_frames, 2);
        etl_end_buffer(&b);
        ASSERT_TRUE(etl_session_make(b.file.data, b.file.len, "a.etl", 1 << 20, &session, &err));
        EXPECT_TRUE(has_bytes(&session, user_frames, sizeof(user_frames)));
        buf_release(&b.file);
}

/* The kernel called back into the program: its frames stay between those of the program. */
TEST(callbacks_keep_their_place)
{
        static const uint64_t frames[] = {PROGRAM + 0x10, LIBRARY + 0x10, KERNEL + 0x50, KERNEL + 0x70,
                                          PROGRAM + 0x90};
        static const uint64_t written[] = {
                PERF_CONTEXT_KERNEL, KERNEL + 0x10, PERF_CONTEXT_USER, PROGRAM + 0x10,    LIBRARY + 0x10,
                PERF_CONTEXT_KERNEL, KERNEL + 0x50, KERNEL + 0x70,     PERF_CONTEXT_USER, PROGRAM + 0x90};
        AUTO_RELEASE(buf) session = {0};
        struct etl_builder b;
        struct err err = {0};

        begin(&b);
        etl_add_sample(&b, 2000, TID, KERNEL + 0x10);
        etl_add_stack(&b, ETL_STACK, 2002, 2000, PID, TID, frames, 5);
        etl_add_stack(&b, ETL_STACK, 2001, 2000, PID, TID, kernel_frames, 1);
        etl_end_buffer(&b);
        ASSERT_TRUE(etl_session_make(b.file.data, b.file.len, "a.etl", 1 << 20, &session, &err));
        EXPECT_TRUE(has_bytes(&session, written, sizeof(written)));
        buf_release(&b.file);
}

TEST(what_is_no_trace_is_refused)
{
        AUTO_RELEASE(buf) session = {0};
        struct etl_builder b;
        struct err err = {0};

        begin(&b);
        etl_end_buffer(&b);
        EXPECT_TRUE(etl_session_is(b.file.data, b.file.len));
        EXPECT_TRUE(!etl_session_make(b.file.data, b.file.len, "a.etl", 1 << 20, &session, &err));
        EXPECT_INT(err.code, ERR_MISSING);
        EXPECT_CONTAINS(err.text, "a.etl: no samples");
        EXPECT_TRUE(etl_session_make_any(b.file.data, b.file.len, "a.etl", 1 << 20, &session, &err));
        EXPECT_TRUE(has_bytes(&session, "app.exe", sizeof("app.exe")));
        buf_clear(&session);
        etl_begin_buffer(&b, 0);
        for (unsigned i = 0; i < 100; i++)
                etl_add_sample(&b, 2000 + i, TID, PROGRAM);
        etl_end_buffer(&b);
        EXPECT_TRUE(!etl_session_make(b.file.data, b.file.len, "a.etl", 8, &session, &err));
        EXPECT_INT(err.code, ERR_LIMIT);
        EXPECT_INT(session.len, 0);
        for (size_t size = 0; size < b.file.len; size += 3)
                etl_session_make(b.file.data, size, "a.etl", 1 << 20, &session, &err);
        EXPECT_TRUE(!etl_session_is(b.file.data + 1, b.file.len - 1));
        buf_release(&b.file);
}

/* A recording into a ring of buffers only says at its end what existed. */
TEST(what_is_said_at_the_end_existed_before)
{
        AUTO_RELEASE(buf) rows = {0};
        AUTO(report) report = NULL;
        struct etl_builder b;

        etl_begin_file(&b);
        etl_begin_buffer(&b, 3);
        etl_add_sample(&b, 2000, TID, PROGRAM + 0x1010);
        etl_add_sample(&b, 2001, TID, KERNEL + 0x2020);
        etl_add_sample(&b, 2002, OTHER_TID, LIBRARY + 0x30);
        etl_add_sample(&b, 2003, OTHER_TID, LIBRARY + 0x30);
        etl_add_image(&b, ETL_IMAGE_LEFT, 9000, PID, PROGRAM, 0x10000, "C:\\a\\app.exe");
        etl_add_image(&b, ETL_IMAGE_LEFT, 9000, 0, KERNEL, 0x100000, "ntoskrnl.exe");
        etl_add_image(&b, ETL_IMAGE_UNLOAD, 9000, OTHER_PID, LIBRARY, 0x10000, "C:\\a\\lib.dll");
        etl_add_thread(&b, ETL_THREAD_LEFT, 9000, PID, TID);
        etl_add_thread(&b, ETL_THREAD_END, 9000, OTHER_PID, OTHER_TID);
        etl_add_process(&b, ETL_PROCESS_LEFT, 9001, PID, 4, "app.exe");
        etl_add_process(&b, ETL_PROCESS_END, 9001, OTHER_PID, 4, "other.exe");
        report = etl_report(&b, "etl-left.etl", 0, PROFILE_PROCESS | PROFILE_MODULE);
        for (size_t i = 0; i < hot_n_rows(report->hot); i++) {
                const struct hot_row *row = hot_get_row(report->hot, i);

                buf_printf(&rows, "%s %s %u\n", hot_text(report->hot, row->process),
                           hot_text(report->hot, row->module), (unsigned)row->count);
        }
        EXPECT_CONTAINS(buf_text(&rows), "other.exe lib.dll 2\n");
        EXPECT_CONTAINS(buf_text(&rows), "app.exe app.exe 1\n");
        EXPECT_CONTAINS(buf_text(&rows), "app.exe ntoskrnl.exe 1\n");
}

/* Windows 7 leaves a number of the buffers' headers 0 in files that nobody merged. */
TEST(files_of_windows_7_are_read_as_they_are)
{
        AUTO_RELEASE(buf) session = {0}, again = {0};
        struct etl_builder b;
        struct err err = {0};
        uint32_t size;

        begin(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM);
        etl_end_buffer(&b);
        ASSERT_TRUE(etl_session_make(b.file.data, b.file.len, "a.etl", 1 << 20, &session, &err));
        for (size_t at = 0; at < b.file.len; at += size) {
                memcpy(&size, b.file.data + at + ETL_BUFFER_SIZE_OFF, sizeof(size));
                etl_put_u32(&b, at + ETL_SAVED_OFFSET_OFF, 0);
                etl_put_u32(&b, at + ETL_CURRENT_OFFSET_OFF, size);
        }
        EXPECT_TRUE(etl_session_is(b.file.data, b.file.len));
        ASSERT_TRUE(etl_session_make(b.file.data, b.file.len, "a.etl", 1 << 20, &again, &err));
        EXPECT_TRUE(again.len == session.len && !memcmp(again.data, session.data, session.len));
        buf_release(&b.file);
}

static void expect_rows(struct etl_builder *b, const char *path, const char *wanted)
{
        AUTO_RELEASE(buf) rows = {0};
        AUTO(report) report = etl_report(b, path, 0, PROFILE_PROCESS | PROFILE_MODULE);

        for (size_t i = 0; i < hot_n_rows(report->hot); i++) {
                const struct hot_row *row = hot_get_row(report->hot, i);

                buf_printf(&rows, "%s %s %u\n", hot_text(report->hot, row->process),
                           hot_text(report->hot, row->module), (unsigned)row->count);
        }
        EXPECT_STR(buf_text(&rows), wanted);
}

/* The list of what was running is written while samples are taken. */
TEST(what_was_running_existed_from_the_start)
{
        struct etl_builder b;

        etl_begin_file(&b);
        etl_begin_buffer(&b, 3);
        for (unsigned i = 0; i < 3; i++)
                etl_add_sample(&b, 1010 + i, TID, PROGRAM + 0x1010);
        for (unsigned i = 0; i < 2; i++)
                etl_add_sample(&b, 1020 + i, TID, LIBRARY + 0x2020);
        etl_add_sample(&b, 1030, TID, KERNEL + 0x3030);
        etl_end_buffer(&b);
        etl_begin_buffer(&b, 3);
        etl_add_process(&b, ETL_PROCESS_RUNNING, 5000, PID, 4, "app.exe");
        etl_add_thread(&b, ETL_THREAD_RUNNING, 5000, PID, TID);
        etl_add_image(&b, ETL_IMAGE_RUNNING, 5001, PID, PROGRAM, 0x10000, "C:\\a\\app.exe");
        etl_add_image(&b, ETL_IMAGE_RUNNING, 5002, PID, LIBRARY, 0x20000, "C:\\a\\lib.dll");
        etl_add_image(&b, ETL_IMAGE_RUNNING, 5003, 0, KERNEL, 0x100000, "ntoskrnl.exe");
        expect_rows(&b, "etl-running.etl", "app.exe app.exe 3\napp.exe lib.dll 2\napp.exe ntoskrnl.exe 1\n");
}

/* Numbers are used again before the list is written: it has the second process and thread, which began
 * during the recording. */
TEST(what_began_before_the_list_did_not_exist_before)
{
        struct etl_builder b;

        etl_begin_file(&b);
        etl_begin_buffer(&b, 3);
        for (unsigned i = 0; i < 2; i++)
                etl_add_sample(&b, 1010 + i, TID, PROGRAM + 0x1010);
        etl_add_image(&b, ETL_IMAGE_UNLOAD, 1100, PID, PROGRAM, 0x10000, "C:\\a\\old.exe");
        etl_add_thread(&b, ETL_THREAD_END, 1100, PID, TID);
        etl_add_process(&b, ETL_PROCESS_END, 1100, PID, 4, "old.exe");
        etl_add_process(&b, ETL_PROCESS_START, 1200, PID, 4, "new.exe");
        etl_add_thread(&b, ETL_THREAD_START, 1200, PID, TID);
        etl_add_image(&b, ETL_IMAGE_LOAD, 1201, PID, PROGRAM, 0x10000, "C:\\a\\new.exe");
        etl_add_sample(&b, 1300, TID, PROGRAM + 0x1010);
        etl_add_process(&b, ETL_PROCESS_RUNNING, 5000, PID, 4, "new.exe");
        etl_add_thread(&b, ETL_THREAD_RUNNING, 5000, PID, TID);
        etl_add_image(&b, ETL_IMAGE_RUNNING, 5001, PID, PROGRAM, 0x10000, "C:\\a\\new.exe");
        etl_add_sample(&b, 6000, TID, PROGRAM + 0x1010);
        etl_add_sample(&b, 6001, TID, PROGRAM + 0x1010);
        expect_rows(&b, "etl-again.etl", "new.exe new.exe 3\nold.exe old.exe 2\n");
}

/* The file does not say how its buffers are packed. */
TEST(buffers_that_cannot_be_unpacked_are_refused_in_a_sentence)
{
        AUTO_RELEASE(buf) session = {0};
        struct etl_builder b;
        struct err err = {0};

        begin(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM);
        etl_end_buffer(&b);
        etl_put_u16(&b, b.buffer + ETL_BUFFER_FLAG_OFF, ETL_FLAG_COMPRESSED | ETL_FLAG_PROCESSOR_INDEX);
        memset(b.file.data + b.buffer + ETL_BUFFER_HEADER, 0xff, 16);
        EXPECT_TRUE(!etl_session_make(b.file.data, b.file.len, "a.etl", 1 << 20, &session, &err));
        EXPECT_INT(err.code, ERR_UNSUPPORTED);
        EXPECT_TRUE(!etl_session_make_any(b.file.data, b.file.len, "a.etl", 1 << 20, &session, &err));
        EXPECT_CONTAINS(err.text,
                        "a.etl: its 1 packed buffers are damaged, or packed by LZNT1 or XPRESS Huffman");
        buf_release(&b.file);
}

/* A buffer of 15 packed bytes: one byte, and a match that repeats it. */
static void add_bomb(struct etl_builder *b, uint32_t unpacked)
{
        struct buf *file = &b->file;

        etl_begin_buffer(b, 0);
        buf_add_u32(file, 1u << 30); /* the second item is a match */
        buf_add_u8(file, 0);
        buf_add_u16(file, 7); /* at distance 1, of a length that follows */
        buf_add_u8(file, 15);
        buf_add_u8(file, 255);
        buf_add_u16(file, 0);
        buf_add_u32(file, unpacked - 1 - 3);
        etl_end_buffer(b);
        etl_put_u32(b, b->buffer + ETL_SAVED_OFFSET_OFF, unpacked + ETL_BUFFER_HEADER);
        etl_put_u16(b, b->buffer + ETL_BUFFER_FLAG_OFF, ETL_FLAG_COMPRESSED | ETL_FLAG_PROCESSOR_INDEX);
}

TEST(buffers_that_unpack_to_too_much_are_given_up)
{
        enum { N_BOMBS = 600, BOMB_BYTES = 16 << 20 };
        struct etl_builder b;
        AUTO(report) report = NULL;

        begin(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM);
        etl_end_buffer(&b);
        for (int i = 0; i < N_BOMBS; i++)
                add_bomb(&b, BOMB_BYTES - ETL_BUFFER_HEADER);
        etl_begin_buffer(&b, 0);
        report = etl_report(&b, "bombs.etl", 0, 0);
        ASSERT_TRUE(report);
        EXPECT_CONTAINS(report->run.info.source_note,
                        "bytes at the end of the file are given up, because it takes too much work to read");
        EXPECT_TRUE(quality_is_poor(&report->quality));
}

/* What was read before a file ends too early is kept, wherever that is. */
TEST(a_cut_file_keeps_what_is_before_the_cut)
{
        AUTO_RELEASE(buf) session = {0};
        struct etl_builder b;
        struct err err = {0};
        size_t first;

        begin(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM);
        etl_end_buffer(&b);
        first = b.file.len;
        etl_begin_buffer(&b, 1);
        etl_add_sample(&b, 3000, TID, PROGRAM);
        etl_end_buffer(&b);
        for (size_t size = first; size < b.file.len; size++) {
                AUTO(perfdata_reader) reader = NULL;
                AUTO_RELEASE(buf) text = {0};
                struct run_info info;

                buf_clear(&session);
                ASSERT_TRUE(etl_session_make(b.file.data, size, "a.etl", 1 << 20, &session, &err));
                reader = perfdata_open_bytes(session.data, session.len, "a.etl", &err);
                ASSERT_TRUE(reader && run_info_read(reader, &text, &info));
                EXPECT_INT(info.source_cut_bytes, size - first);
                if (size > first)
                        EXPECT_CONTAINS(info.source_note, "the file is damaged");
                else
                        EXPECT_STR(info.source_note, "");
        }
        buf_release(&b.file);
}

TEST(a_million_processes_take_no_more_than_the_limit)
{
        enum { MANY = 1000000, A_BUFFER = 10000, LIMIT = 64 << 20 };
        AUTO(perfdata_reader) reader = NULL;
        AUTO_RELEASE(buf) session = {0};
        AUTO_RELEASE(buf) text = {0};
        struct run_info info;
        struct etl_builder b;
        struct err err = {0};

        begin(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM);
        for (uint32_t i = 0; i < MANY; i++) {
                if (i % A_BUFFER == 0) {
                        etl_end_buffer(&b);
                        etl_begin_buffer(&b, 0);
                }
                etl_add_process(&b, ETL_PROCESS_RUNNING, 3000 + i, i, 0, "p");
        }
        etl_end_buffer(&b);
        ASSERT_TRUE(etl_session_make(b.file.data, b.file.len, "a.etl", LIMIT, &session, &err));
        EXPECT_CMP(session.len, <, LIMIT / 2);
        reader = perfdata_open_bytes(session.data, session.len, "a.etl", &err);
        ASSERT_TRUE(reader && run_info_read(reader, &text, &info));
        EXPECT_CONTAINS(info.source_note, "bytes are left out for lack of memory");
        EXPECT_INT(info.source_is_short, 1);
        buf_release(&b.file);
}

TEST(wide_texts_become_utf8)
{
        static const uint16_t text[] = {'a', 0xe9, 0x20ac, 0xd83d, 0xde00, 0xd83d, 'b', 0xde00, 0, 'c'};
        struct cursor c = cursor_make(text, sizeof(text));
        AUTO_RELEASE(buf) out = {0};

        EXPECT_TRUE(text_add_utf16(&c, &out));
        EXPECT_STR(buf_text(&out), "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd"
                                   "b\xef\xbf\xbd");
        EXPECT_INT(cursor_left(&c), 2);
        EXPECT_TRUE(!text_add_utf16(&c, &out));
}

TAP_MAIN

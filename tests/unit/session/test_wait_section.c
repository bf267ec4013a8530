/* SPDX-License-Identifier: BSD-3-Clause */
/* Readings are read back as they were written, by thread and time; a damaged section is refused. */
#include "wait_section.h"

#include "tap.h"

enum {
        HEAD_BYTES = 12,
        VERSION_AT = 4,
        COUNT_AT = 8,
        HOW_AT = HEAD_BYTES + 8,
        CALL_AT = HOW_AT + 2,
        OBJECT_AT = HOW_AT + 3,
        PEER_AT = HOW_AT + 4,
};

static const struct wait_reading readings[] = {
        {
                .time_ns = 300,
                .pid = 10,
                .tid = 12,
                .how = WAIT_HOW_STILL,
                .state = 'S',
                .call = WAIT_CALL_FUTEX,
                .object = WAIT_OBJECT_SOCKET,
                .peer = WAIT_PEER_CONNECTED,
                .python = WAIT_PYTHON_STATE | WAIT_PYTHON_RLOCK,
                .python_minor = 12,
                .number = 202,
                .inner_tid = 3,
                .gil_holder = 4,
                .owner = 5,
                .lock_object = 0x7f0011223344,
                .args = {1, 2, 3, 4, 5, UINT64_MAX},
                .n_switches = 77,
                .lock = {2, 1, 4711, [9] = 9},
                .text = "TCP 127.0.0.1:1 to 127.0.0.1:2",
                .python_name = "worker-1",
                .look_ns = 9000000,
        },
        {.time_ns = 200,
         .pid = 10,
         .tid = 12,
         .how = WAIT_HOW_STOPPED,
         .state = 'R',
         .number = -1,
         .stopped_ns = 40,
         .text = "",
         .python_name = ""},
        {.time_ns = 100,
         .pid = -1,
         .tid = INT32_MAX,
         .how = WAIT_HOW_REFUSED,
         .number = -1,
         .text = "x",
         .python_name = ""},
        {.time_ns = 100,
         .pid = 10,
         .tid = 10,
         .how = WAIT_HOW_MOVING,
         .number = 0,
         .text = "",
         .python_name = ""},
};

static struct wait_section *read(const struct buf *bytes)
{
        return wait_section_new(cursor_make(bytes->data, bytes->len));
}

static void write_all(struct buf *out)
{
        wait_section_write(readings, N_ELEMENTS(readings), NULL, 0, out);
}

static void expect_same(const struct wait_reading *got, const struct wait_reading *want)
{
        struct wait_reading copy = *got;

        EXPECT_STR(got->text, want->text);
        copy.text = want->text;
        EXPECT_INT(copy.time_ns, want->time_ns);
        EXPECT_INT(copy.pid, want->pid);
        EXPECT_INT(copy.how, want->how);
        EXPECT_INT(copy.state, want->state);
        EXPECT_INT(copy.call, want->call);
        EXPECT_INT(copy.object, want->object);
        EXPECT_INT(copy.peer, want->peer);
        EXPECT_INT(copy.python, want->python);
        EXPECT_INT(copy.python_minor, want->python_minor);
        EXPECT_INT(copy.number, want->number);
        EXPECT_INT(copy.inner_tid, want->inner_tid);
        EXPECT_INT(copy.gil_holder, want->gil_holder);
        EXPECT_INT(copy.owner, want->owner);
        EXPECT_INT(copy.lock_object, want->lock_object);
        EXPECT_INT(copy.n_switches, want->n_switches);
        EXPECT_INT(copy.stopped_ns, want->stopped_ns);
        EXPECT_INT(copy.look_ns, want->look_ns);
        EXPECT_STR(got->python_name, want->python_name);
        EXPECT_TRUE(!memcmp(copy.args, want->args, sizeof(copy.args)));
        EXPECT_TRUE(!memcmp(copy.lock, want->lock, sizeof(copy.lock)));
}

TEST(what_is_written_is_read_again)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(wait_section) section = NULL;

        write_all(&bytes);
        section = read(&bytes);
        ASSERT_TRUE(section);
        EXPECT_INT(section->n, N_ELEMENTS(readings));
        for (size_t i = 0; i < N_ELEMENTS(readings); i++) {
                const struct wait_reading *found =
                        wait_section_find(section, readings[i].tid, readings[i].time_ns);

                ASSERT_TRUE(found);
                expect_same(found, &readings[i]);
        }
        EXPECT_TRUE(!wait_section_find(section, 12, 301));
        EXPECT_TRUE(!wait_section_find(section, 11, 300));
}

TEST(they_are_sorted_by_thread_and_time)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(wait_section) section = NULL;

        write_all(&bytes);
        section = read(&bytes);
        ASSERT_TRUE(section);
        EXPECT_INT(section->readings[0].tid, 10);
        EXPECT_INT(section->readings[1].time_ns, 200);
        EXPECT_INT(section->readings[2].time_ns, 300);
        EXPECT_INT(section->readings[3].tid, INT32_MAX);
}

TEST(who_had_the_gil)
{
        static const struct wait_holder holders[] = {
                {.time_ns = 300, .tid = 12, .gil_holder = 4},
                {.time_ns = 200, .tid = 12, .gil_holder = 3, .has_gil = true},
                {.time_ns = 200, .tid = -1}};
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(wait_section) section = NULL;

        wait_section_write(readings, 1, holders, N_ELEMENTS(holders), &bytes);
        section = read(&bytes);
        ASSERT_TRUE(section);
        EXPECT_INT(section->n, 1);
        EXPECT_INT(section->n_holders, N_ELEMENTS(holders));
        for (size_t i = 0; i < N_ELEMENTS(holders); i++) {
                const struct wait_holder *found =
                        wait_section_find_holder(section, holders[i].tid, holders[i].time_ns);

                ASSERT_TRUE(found);
                EXPECT_INT(found->gil_holder, holders[i].gil_holder);
                EXPECT_TRUE(found->has_gil == holders[i].has_gil);
        }
        EXPECT_TRUE(!wait_section_find_holder(section, 12, 301));
        bytes.len--;
        EXPECT_TRUE(!read(&bytes));
}

TEST(parts_are_read_as_one_section)
{
        static const struct wait_holder holders[] = {{.time_ns = 200, .tid = 12, .gil_holder = 3},
                                                     {.time_ns = 100, .tid = 12, .gil_holder = 4}};
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(wait_section) section = NULL;

        wait_section_write(readings, 1, holders, 1, &bytes);
        wait_section_write(NULL, 0, NULL, 0, &bytes);
        wait_section_write(readings + 1, N_ELEMENTS(readings) - 1, holders + 1, 1, &bytes);
        section = read(&bytes);
        ASSERT_TRUE(section);
        EXPECT_INT(section->n, N_ELEMENTS(readings));
        for (size_t i = 0; i < N_ELEMENTS(readings); i++)
                EXPECT_TRUE(wait_section_find(section, readings[i].tid, readings[i].time_ns));
        EXPECT_INT(section->n_holders, 2);
        EXPECT_INT(section->holders[0].time_ns, 100);
        bytes.len--;
        EXPECT_TRUE(!read(&bytes));
}

/* It has one part, and no number of holders if there are none. */
TEST(version_3_is_read)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(wait_section) section = NULL;
        AUTO(wait_section) two = NULL;

        write_all(&bytes);
        bytes.data[VERSION_AT] = 3;
        bytes.len -= sizeof(uint32_t);
        section = read(&bytes);
        ASSERT_TRUE(section);
        EXPECT_INT(section->n, N_ELEMENTS(readings));
        buf_add_u32(&bytes, 0);
        write_all(&bytes);
        two = read(&bytes);
        EXPECT_TRUE(!two);
}

TEST(an_empty_section_has_no_readings)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(wait_section) section = NULL;

        wait_section_write(NULL, 0, NULL, 0, &bytes);
        section = read(&bytes);
        ASSERT_TRUE(section);
        EXPECT_INT(section->n, 0);
        EXPECT_TRUE(!wait_section_find(section, 1, 1));
}

TEST(a_section_that_ends_early_is_refused)
{
        AUTO_RELEASE(buf) bytes = {0};

        write_all(&bytes);
        for (size_t n = 0; n < bytes.len; n++) {
                struct wait_section *section = wait_section_new(cursor_make(bytes.data, n));

                EXPECT_TRUE(!section);
                wait_section_free(section);
        }
}

TEST(numbers_that_the_enums_do_not_have_are_refused)
{
        static const struct {
                size_t at;
                char value;
        } damages[] = {{0, 'X'},
                       {VERSION_AT, 2},
                       {COUNT_AT, 5},
                       {COUNT_AT + 3, 0x7f},
                       {HOW_AT, WAIT_N_HOWS},
                       {CALL_AT, WAIT_N_CALLS},
                       {OBJECT_AT, WAIT_N_OBJECTS},
                       {PEER_AT, WAIT_N_PEERS}};

        for (size_t i = 0; i < N_ELEMENTS(damages); i++) {
                AUTO_RELEASE(buf) bytes = {0};
                AUTO(wait_section) section = NULL;

                write_all(&bytes);
                bytes.data[damages[i].at] = damages[i].value;
                section = read(&bytes);
                EXPECT_TRUE(!section);
        }
}

TAP_MAIN

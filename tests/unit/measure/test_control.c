/* SPDX-License-Identifier: BSD-3-Clause */
/* Parsing of --control: the option's value, and lines into commands. */
#include "control.h"

#include "tap.h"

TEST(places)
{
        static const struct {
                const char *text, *ctl, *ack;
                int ctl_fd, ack_fd;
        } cases[] = {
                {"fifo:ctl", "ctl", NULL, -1, -1},  {"fifo:/tmp/a b,ack", "/tmp/a b", "ack", -1, -1},
                {"fifo:ctl,", "ctl", NULL, -1, -1}, {"fifo:ctl,ack,more", "ctl", "ack,more", -1, -1},
                {"fd:3", "3", NULL, 3, -1},         {"fd:10,11", "10", "11", 10, 11},
                {"fd:0,", "0", NULL, 0, -1},
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct control_place place;
                struct err err = {0};

                if (!control_place_parse(cases[i].text, &place, &err)) {
                        TAP_FAIL("%s: %s", cases[i].text, err.text);
                        continue;
                }
                EXPECT_STR(place.ctl, cases[i].ctl);
                EXPECT_STR(place.ack ? place.ack : "none", cases[i].ack ? cases[i].ack : "none");
                EXPECT_INT(place.ctl_fd, cases[i].ctl_fd);
                EXPECT_INT(place.ack_fd, cases[i].ack_fd);
                control_place_release(&place);
        }
}

TEST(no_places)
{
        static const char *const cases[] = {
                "",      "fifo",   "fifo:",    "fifo:,ack", "fd:",     "fd:x",          "fd:-1",
                "fd:3x", "fd:3,x", "fd:3,4,5", "fd: 3",     "ctl,ack", "fd:99999999999"};

        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct control_place place = {.ctl_fd = 42};
                struct err err = {0};

                if (control_place_parse(cases[i], &place, &err))
                        TAP_FAIL("'%s' was taken", cases[i]);
                EXPECT_INT(err.code, ERR_USAGE);
                EXPECT_CONTAINS(err.text,
                                "names no FIFO or descriptor: write fifo:CTL[,ACK] or fd:CTL[,ACK]");
                EXPECT_INT(place.ctl_fd, 42);
        }
}

/* All commands, one a line: the command's number, its argument, and where lines were dropped. */
static void take_all(struct control_lines *lines, struct buf *out)
{
        static const char *const names[] = {"ENABLE",   "DISABLE", "EVLIST", "PING",
                                            "SNAPSHOT", "STOP",    "UNKNOWN"};
        struct control_command command;
        bool too_long, found;

        do {
                found = control_lines_next(lines, &command, &too_long);
                if (too_long)
                        buf_add_str(out, "TOO LONG;");
                if (found)
                        buf_printf(out, "%s(%s);", names[command.word],
                                   command.word == CONTROL_UNKNOWN ? command.line
                                   : command.event                 ? command.event
                                                                   : "");
        } while (found);
}

static void expect_words(const char *const *parts, size_t n, const char *expected)
{
        AUTO_RELEASE(buf) out = {0};
        struct control_lines lines = {0};

        for (size_t i = 0; i < n; i++) {
                control_lines_add(&lines, parts[i], strlen(parts[i]));
                take_all(&lines, &out);
        }
        EXPECT_STR(buf_text(&out), expected);
        control_lines_release(&lines);
}

TEST(words)
{
        static const char *const cases[][2] = {
                {"enable\n", "ENABLE();"},
                {"disable\nping\nstop\nsnapshot\n", "DISABLE();PING();STOP();SNAPSHOT();"},
                {"enable cycles:u\ndisable  x y\n", "ENABLE(cycles:u);DISABLE(x y);"},
                {"enable \n", "ENABLE();"},
                {"evlist\nevlist -v\n", "EVLIST();EVLIST();"},
                {"\n\n\nping\n\n", "PING();"},
                {"enablefoo\n ping\nPing\nping now\nack\n",
                 "UNKNOWN(enablefoo);UNKNOWN( ping);UNKNOWN(Ping);UNKNOWN(ping now);UNKNOWN(ack);"},
                {"stop", "STOP();"},
                {"garb", ""},
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
                expect_words(&cases[i][0], 1, cases[i][1]);
}

TEST(lines_come_in_pieces)
{
        static const char *const torn[] = {"en", "abl", "e\ndis", "able\n"};
        static const char *const without_end[] = {"ping", "\n", "enable", "disable\n"};

        expect_words(torn, 4, "ENABLE();DISABLE();");
        expect_words(without_end, 4, "PING();ENABLE();DISABLE();");
}

TEST(a_nul_ends_a_line)
{
        AUTO_RELEASE(buf) out = {0};
        struct control_lines lines = {0};

        control_lines_add(&lines, "enable\0\0disable\0garb\0", 21);
        take_all(&lines, &out);
        EXPECT_STR(buf_text(&out), "ENABLE();DISABLE();UNKNOWN(garb);");
        control_lines_release(&lines);
}

/* For any pieces, such a line is dropped to its end, reported once, and not stored. */
TEST(long_lines)
{
        static const size_t pieces[] = {1, 7, 1024, 1025, 100000};

        for (size_t p = 0; p < sizeof(pieces) / sizeof(pieces[0]); p++) {
                AUTO_RELEASE(buf) in = {0}, out = {0};
                struct control_lines lines = {0};

                buf_add_str(&in, "ping\n");
                for (int i = 0; i < 50000; i++)
                        buf_add_char(&in, 'x');
                buf_add_str(&in, "\nenable\n");
                for (size_t at = 0; at < in.len; at += pieces[p]) {
                        size_t size = in.len - at < pieces[p] ? in.len - at : pieces[p];

                        control_lines_add(&lines, in.data + at, size);
                        take_all(&lines, &out);
                        if (lines.in.len - lines.at > CONTROL_LINE_MAX_BYTES)
                                TAP_FAIL("%zu bytes are kept", lines.in.len - lines.at);
                }
                EXPECT_STR(buf_text(&out), "PING();TOO LONG;ENABLE();");
                control_lines_release(&lines);
        }
}

TAP_MAIN

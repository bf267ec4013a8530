/* SPDX-License-Identifier: BSD-3-Clause */
#include "bpf_snapshot.h"

#include <string.h>

#include "bpf_walk.h"
#include "buf.h"
#include "tap.h"

enum { PID = 7, BORN = 100 };

static void ignore_forgotten(void *ctx, int32_t pid)
{
}

static void ignore_end(void *ctx, uint32_t image)
{
}

static struct bpf_processes *make_processes(void)
{
        return bpf_processes_new(ignore_forgotten, ignore_end, NULL);
}

static void add_piece(struct buf *out, uint64_t addr, uint64_t hash, const char *bytes, uint32_t size)
{
        struct walk_piece piece = {.addr = addr, .hash = hash, .size = size};

        buf_add(out, &piece, sizeof(piece));
        buf_add(out, bytes, size);
        buf_add_zeros(out, -(size_t)size & 7);
}

static struct cursor pieces_of(const struct buf *buf)
{
        return cursor_make(buf->data, buf->len);
}

static bool reads(struct bpf_snapshot *s, uint64_t addr, const char *want)
{
        char got[16] = {0};

        return bpf_snapshot_read(s, addr, got, strlen(want)) && !memcmp(got, want, strlen(want));
}

TEST(pieces_of_a_sample)
{
        AUTO(bpf_snapshot) s = bpf_snapshot_new();
        AUTO_RELEASE(buf) pieces = {0};

        add_piece(&pieces, 0x2000, 0, "state", 5);
        add_piece(&pieces, 0x1000, 0, "a long piece", 12);
        add_piece(&pieces, 0x1002, 0, "lo", 2);
        bpf_snapshot_begin(s, NULL, pieces_of(&pieces));
        EXPECT_TRUE(reads(s, 0x2000, "state"));
        EXPECT_TRUE(reads(s, 0x2001, "tat"));
        EXPECT_TRUE(reads(s, 0x1002, "long piece"));
        EXPECT_TRUE(!reads(s, 0x1002, "long pieces"));
        EXPECT_TRUE(!reads(s, 0xfff, "a"));
        EXPECT_TRUE(!reads(s, 0x2005, "s"));
        EXPECT_TRUE(!reads(s, UINT64_MAX, "ab"));
}

/* A line table may come in several pieces. */
TEST(pieces_that_follow_each_other)
{
        AUTO(bpf_snapshot) s = bpf_snapshot_new();
        AUTO_RELEASE(buf) pieces = {0};

        add_piece(&pieces, 0x1000, 0, "abcdefgh", 8);
        add_piece(&pieces, 0x1008, 0, "ijk", 3);
        add_piece(&pieces, 0x100c, 0, "mn", 2);
        bpf_snapshot_begin(s, NULL, pieces_of(&pieces));
        EXPECT_TRUE(reads(s, 0x1006, "ghijk"));
        EXPECT_TRUE(!reads(s, 0x1006, "ghijkl"));
}

TEST(code_objects_by_their_hash)
{
        AUTO(bpf_processes) processes = make_processes();
        AUTO(bpf_snapshot) s = bpf_snapshot_new();
        struct bpf_process *process = bpf_processes_get(processes, PID, BORN);
        AUTO_RELEASE(buf) first = {0};
        AUTO_RELEASE(buf) second = {0};
        AUTO_RELEASE(buf) sample = {0};

        add_piece(&first, 0x3000, 0, "first", 5);
        add_piece(&second, 0x3000, 0, "other", 5);
        bpf_processes_keep(processes, process, 0x3000, 1, 0, pieces_of(&first));
        bpf_processes_keep(processes, process, 0x3000, 2, 0, pieces_of(&second));
        add_piece(&sample, 0x3000, 2, "", 0);
        bpf_snapshot_begin(s, process, pieces_of(&sample));
        EXPECT_TRUE(reads(s, 0x3000, "other"));
        bpf_snapshot_begin(s, bpf_processes_get(processes, PID + 1, BORN), pieces_of(&sample));
        EXPECT_TRUE(!reads(s, 0x3000, "other"));
}

TEST(code_objects_in_parts)
{
        AUTO(bpf_processes) processes = make_processes();
        AUTO(bpf_snapshot) s = bpf_snapshot_new();
        struct bpf_process *process = bpf_processes_get(processes, PID, BORN);
        AUTO_RELEASE(buf) lines = {0};
        AUTO_RELEASE(buf) rest = {0};
        AUTO_RELEASE(buf) sample = {0};

        add_piece(&lines, 0x5000, 0, "lines of ", 9);
        add_piece(&rest, 0x5009, 0, "code", 4);
        bpf_processes_keep(processes, process, 0x3000, 1, 1, pieces_of(&lines));
        add_piece(&sample, 0x3000, 1, "", 0);
        bpf_snapshot_begin(s, process, pieces_of(&sample));
        EXPECT_TRUE(!reads(s, 0x5000, "lines"));
        bpf_processes_keep(processes, process, 0x3000, 1, 0, pieces_of(&rest));
        bpf_snapshot_begin(s, process, pieces_of(&sample));
        EXPECT_TRUE(reads(s, 0x5000, "lines of code"));
}

TEST(what_is_not_whole)
{
        AUTO(bpf_processes) processes = make_processes();
        AUTO(bpf_snapshot) s = bpf_snapshot_new();
        struct bpf_process *process = bpf_processes_get(processes, PID, BORN);
        AUTO_RELEASE(buf) pieces = {0};
        AUTO_RELEASE(buf) itself = {0};

        add_piece(&pieces, 0x1000, 0, "complete", 8);
        add_piece(&pieces, 0x2000, 0, "cut", 3);
        bpf_snapshot_begin(s, process, cursor_make(pieces.data, pieces.len - 1));
        EXPECT_TRUE(reads(s, 0x1000, "complete"));
        EXPECT_TRUE(!reads(s, 0x2000, "cut"));
        /* A code object that refers to itself does not come from the program, and ends. */
        add_piece(&itself, 0x4000, 5, "", 0);
        bpf_processes_keep(processes, process, 0x4000, 5, 0, pieces_of(&itself));
        bpf_snapshot_begin(s, process, pieces_of(&itself));
        EXPECT_TRUE(!reads(s, 0x4000, "x"));
}

TAP_MAIN

/* SPDX-License-Identifier: BSD-3-Clause */
#include "bpf_snapshot.h"

#include <string.h>

#include "bpf_walk.h"
#include "buf.h"
#include "tap.h"

enum { PID = 7 };

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
        bpf_snapshot_begin(s, PID, pieces_of(&pieces));
        EXPECT_TRUE(reads(s, 0x2000, "state"));
        EXPECT_TRUE(reads(s, 0x2001, "tat"));
        EXPECT_TRUE(reads(s, 0x1002, "long piece"));
        EXPECT_TRUE(!reads(s, 0x1002, "long pieces"));
        EXPECT_TRUE(!reads(s, 0xfff, "a"));
        EXPECT_TRUE(!reads(s, 0x2005, "s"));
        EXPECT_TRUE(!reads(s, UINT64_MAX, "ab"));
}

TEST(code_objects_by_their_hash)
{
        AUTO(bpf_snapshot) s = bpf_snapshot_new();
        AUTO_RELEASE(buf) first = {0};
        AUTO_RELEASE(buf) second = {0};
        AUTO_RELEASE(buf) sample = {0};

        add_piece(&first, 0x3000, 0, "first", 5);
        add_piece(&second, 0x3000, 0, "other", 5);
        bpf_snapshot_keep(s, PID, 0x3000, 1, pieces_of(&first));
        bpf_snapshot_keep(s, PID, 0x3000, 2, pieces_of(&second));
        add_piece(&sample, 0x3000, 2, "", 0);
        bpf_snapshot_begin(s, PID, pieces_of(&sample));
        EXPECT_TRUE(reads(s, 0x3000, "other"));
        bpf_snapshot_begin(s, PID + 1, pieces_of(&sample));
        EXPECT_TRUE(!reads(s, 0x3000, "other"));
}

TEST(what_is_not_whole)
{
        AUTO(bpf_snapshot) s = bpf_snapshot_new();
        AUTO_RELEASE(buf) pieces = {0};
        AUTO_RELEASE(buf) itself = {0};

        add_piece(&pieces, 0x1000, 0, "complete", 8);
        add_piece(&pieces, 0x2000, 0, "cut", 3);
        bpf_snapshot_begin(s, PID, cursor_make(pieces.data, pieces.len - 1));
        EXPECT_TRUE(reads(s, 0x1000, "complete"));
        EXPECT_TRUE(!reads(s, 0x2000, "cut"));
        /* A code object that refers to itself does not come from the program, and ends. */
        add_piece(&itself, 0x4000, 5, "", 0);
        bpf_snapshot_keep(s, PID, 0x4000, 5, pieces_of(&itself));
        bpf_snapshot_begin(s, PID, pieces_of(&itself));
        EXPECT_TRUE(!reads(s, 0x4000, "x"));
}

TAP_MAIN

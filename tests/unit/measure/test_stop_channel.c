/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between two processes: whole, in order, and none twice, while one writes and the other reads. */
#include "stop_channel.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os.h"
#include "tap.h"

/* A message whose length and bytes follow from its number. */
static bool add(struct stop_channel *channel, int32_t number)
{
        static uint8_t bytes[70000];
        size_t n = (size_t)number * 7919u % sizeof(bytes);
        const struct stop_piece_of_message pieces[] = {{bytes, n / 3}, {bytes + n / 3, n - n / 3}};

        memset(bytes, number, n);
        return stop_channel_add(channel, STOP_SAMPLE, number, (uint64_t)number * 3, pieces, 2);
}

static bool is_right(const struct stop_message *message, struct cursor bytes, int32_t number)
{
        size_t n = (size_t)number * 7919u % 70000;

        if (message->id != number || message->kind != STOP_SAMPLE ||
            message->time_ns != (uint64_t)number * 3 || cursor_left(&bytes) != n)
                return false;
        for (size_t i = 0; i < n; i++) {
                if (bytes.at[i] != (uint8_t)number)
                        return false;
        }
        return true;
}

TEST(messages_between_two_processes)
{
        enum { N = 3000 };
        AUTO(stop_channel) channel = stop_channel_new(NULL);
        int32_t n = 0, n_right = 0, n_takes = 0;
        bool has_ended = false;
        pid_t writer = fork();

        if (!writer) {
                for (int32_t i = 0; i < N;)
                        i += add(channel, i);
                _exit(0);
        }
        while (!has_ended) {
                struct cursor messages, bytes;
                const struct stop_message *message;

                has_ended = waitpid(writer, NULL, WNOHANG) == writer; /* then it is the last time */
                messages = stop_channel_take(channel);
                n_takes++;
                while ((message = stop_channel_next(&messages, &bytes)) != NULL)
                        n_right += is_right(message, bytes, n++);
        }
        printf("# taken %d times\n", n_takes);
        EXPECT_INT(n, N);
        EXPECT_INT(n_right, N);
}

/* Nobody takes: what has no room is refused, what was added stays. */
TEST(a_channel_that_is_full)
{
        AUTO(stop_channel) channel = stop_channel_new(NULL);
        struct cursor messages, bytes;
        const struct stop_message *message;
        int32_t n_added = 0, n_right = 0;

        while (add(channel, n_added))
                n_added++;
        EXPECT_CMP(n_added, >, 1000);
        EXPECT_CMP(stop_channel_waiting(channel), >, 64u << 20);
        /* What later messages depend on still has room. */
        for (int32_t i = 0; i < 1000; i++)
                EXPECT_TRUE(stop_channel_add(channel, STOP_SPAN_END, i, 1, NULL, 0));
        EXPECT_TRUE(!add(channel, n_added));
        messages = stop_channel_take(channel);
        EXPECT_INT(stop_channel_waiting(channel), 0);
        while ((message = stop_channel_next(&messages, &bytes)) != NULL && is_right(message, bytes, n_right))
                n_right++;
        EXPECT_INT(n_right, n_added);
        EXPECT_TRUE(add(channel, 1));
}

static bool is_told(const struct stop_channel *channel)
{
        struct pollfd fd = {.fd = stop_channel_fd(channel), .events = POLLIN};

        return poll(&fd, 1, 0) == 1 && fd.revents == POLLIN;
}

/* The recorder looks seldom, unless so much waits that it should look at once. */
TEST(many_bytes_are_told)
{
        AUTO(stop_channel) channel = stop_channel_new(NULL);

        add(channel, 1);
        stop_channel_tell(channel);
        EXPECT_TRUE(!is_told(channel));
        for (int round = 0; round < 3; round++) {
                for (int32_t i = 0; stop_channel_waiting(channel) < 8u << 20; i++)
                        add(channel, i);
                EXPECT_TRUE(!is_told(channel));
                stop_channel_tell(channel);
                stop_channel_tell(channel);
                EXPECT_TRUE(is_told(channel));
                stop_channel_take(channel);
                EXPECT_TRUE(!is_told(channel));
                stop_channel_tell(channel);
                EXPECT_TRUE(!is_told(channel));
        }
}

TAP_MAIN

/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait_peers.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static uint64_t inode_of(int fd)
{
        struct stat file;

        return fstat(fd, &file) ? 0 : file.st_ino;
}

/* A process that has no descriptor but `fd`. */
static pid_t start_holder(int fd)
{
        int ready[2];
        pid_t pid;
        char byte;

        EXPECT_TRUE(!pipe(ready));
        pid = fork();
        if (!pid) {
                for (int other = 0; other < 256; other++) {
                        if (other != fd && other != ready[1])
                                close(other);
                }
                if (write(ready[1], "r", 1) == 1)
                        close(ready[1]);
                for (;;)
                        pause();
        }
        close(ready[1]);
        EXPECT_INT(read(ready[0], &byte, 1), 1);
        EXPECT_INT(read(ready[0], &byte, 1), 0);
        close(ready[0]);
        return pid;
}

static void end_holder(pid_t pid)
{
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
}

TEST(who_has_the_other_end_of_a_pipe)
{
        AUTO(wait_peers) peers = wait_peers_new();
        struct map own = {0};
        uint64_t inode;
        pid_t pid;
        int fds[2];

        EXPECT_TRUE(!pipe(fds));
        inode = inode_of(fds[0]);
        pid = start_holder(fds[1]);
        close(fds[1]);
        wait_peers_read_pipes(peers, UINT64_MAX); /* they were not read yet */
        EXPECT_INT(wait_peers_holder(peers, inode, WAIT_PEERS_WRITE), pid);
        EXPECT_INT(wait_peers_holder(peers, inode, WAIT_PEERS_READ), getpid());
        wait_peers_add_ends(getpid(), false, &own);
        EXPECT_TRUE(map_find(&own, wait_peers_key(inode, WAIT_PEERS_READ)) != NULL);
        EXPECT_TRUE(!map_find(&own, wait_peers_key(inode, WAIT_PEERS_WRITE)));
        map_release(&own);
        end_holder(pid);
        wait_peers_read_pipes(peers, UINT64_MAX); /* what was read is not too old */
        EXPECT_INT(wait_peers_holder(peers, inode, WAIT_PEERS_WRITE), pid);
        wait_peers_read_pipes(peers, 0);
        EXPECT_INT(wait_peers_holder(peers, inode, WAIT_PEERS_WRITE), 0);
        close(fds[0]);
}

TEST(ends_of_sockets_where_they_are_wanted)
{
        struct map ends = {0};
        int fds[2];

        EXPECT_TRUE(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
        wait_peers_add_ends(getpid(), false, &ends);
        EXPECT_TRUE(!map_find(&ends, wait_peers_key(inode_of(fds[0]), WAIT_PEERS_READ)));
        wait_peers_add_ends(getpid(), true, &ends);
        EXPECT_TRUE(map_find(&ends, wait_peers_key(inode_of(fds[0]), WAIT_PEERS_READ)) != NULL);
        map_release(&ends);
        close(fds[0]);
        close(fds[1]);
}

static bool knows(struct wait_peers *peers, int32_t pid, uint64_t most_age_ns, int fd)
{
        AUTO_RELEASE(buf) text = {0};

        wait_peers_find_socket(peers, pid, most_age_ns, inode_of(fd), &text);
        return text.len > strlen("socket");
}

/* One table serves all processes of a network namespace. */
TEST(sockets_are_read_once_for_all_processes_until_they_are_old)
{
        AUTO(wait_peers) peers = wait_peers_new();
        int fds[2];
        pid_t pid = start_holder(0);
        AUTO_RELEASE(buf) text = {0};

        EXPECT_INT(wait_peers_find_socket(peers, pid, UINT64_MAX, 0, &text).peer, WAIT_PEER_UNKNOWN);
        EXPECT_TRUE(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
        EXPECT_TRUE(!knows(peers, getpid(), UINT64_MAX, fds[0]));
        EXPECT_TRUE(knows(peers, getpid(), 0, fds[0]));
        end_holder(pid);
        close(fds[0]);
        close(fds[1]);
}

TAP_MAIN

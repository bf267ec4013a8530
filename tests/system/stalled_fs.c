/* SPDX-License-Identifier: BSD-3-Clause */
/* stalled_fs FOLDER PROGRAM [takes]: a file system in user space that has the file PROGRAM as FOLDER/program,
 * and whose server hangs after SIGUSR1: nothing is answered any more, as when the server of a network file
 * system has gone. With `takes` requests are read, as by a server that waits for another one: who has made
 * one cannot be killed. A file that is opened with O_NONBLOCK is not cached. Says "ready" after it is
 * mounted, and "stalled". Its end aborts all requests.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
        FILE_NODE = 2,
        KEPT_SECONDS = 1000,
        MOST_BYTES = 1 << 17,
        REQUEST_BYTES = FUSE_MIN_READ_BUFFER + MOST_BYTES
};

static int device, program;
static off_t program_bytes;
static volatile sig_atomic_t is_stalled;

static void answer(const struct fuse_in_header *request, int error, const void *data, size_t size)
{
        static char bytes[sizeof(struct fuse_out_header) + MOST_BYTES];
        struct fuse_out_header header = {
                .len = (uint32_t)(sizeof(header) + size), .error = -error, .unique = request->unique};

        memcpy(bytes, &header, sizeof(header));
        if (size)
                memcpy(bytes + sizeof(header), data, size);
        if (write(device, bytes, header.len) != (ssize_t)header.len)
                perror("stalled_fs: write");
}

static struct fuse_attr attr_of(uint64_t node)
{
        return (struct fuse_attr){.ino = node,
                                  .size = node == FILE_NODE ? (uint64_t)program_bytes : 0,
                                  .mode = node == FILE_NODE ? S_IFREG | 0755 : S_IFDIR | 0755,
                                  .nlink = 1,
                                  .blksize = 4096};
}

static void answer_init(const struct fuse_in_header *request)
{
        struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION,
                                    .minor = FUSE_KERNEL_MINOR_VERSION,
                                    .max_readahead = 1 << 16,
                                    .max_write = 1 << 16};

        answer(request, 0, &out, sizeof(out));
        puts("ready");
        fflush(stdout);
}

static void answer_lookup(const struct fuse_in_header *request, const char *name)
{
        struct fuse_entry_out out = {
                .nodeid = FILE_NODE, .attr_valid = KEPT_SECONDS, .attr = attr_of(FILE_NODE)};

        if (strcmp(name, "program"))
                answer(request, ENOENT, NULL, 0);
        else
                answer(request, 0, &out, sizeof(out));
}

static void answer_open(const struct fuse_in_header *request, const struct fuse_open_in *in)
{
        struct fuse_open_out out = {.open_flags = in->flags & O_NONBLOCK ? FOPEN_DIRECT_IO : 0};

        answer(request, 0, &out, sizeof(out));
}

static void answer_read(const struct fuse_in_header *request, const struct fuse_read_in *in)
{
        static char bytes[MOST_BYTES];
        ssize_t n = pread(program, bytes, in->size < MOST_BYTES ? in->size : MOST_BYTES, (off_t)in->offset);

        answer(request, n < 0 ? EIO : 0, bytes, n < 0 ? 0 : (size_t)n);
}

static void answer_one(const struct fuse_in_header *request)
{
        struct fuse_attr_out attr = {.attr_valid = KEPT_SECONDS, .attr = attr_of(request->nodeid)};
        const void *body = request + 1;

        switch (request->opcode) {
        case FUSE_INIT: answer_init(request); break;
        case FUSE_LOOKUP: answer_lookup(request, body); break;
        case FUSE_GETATTR: answer(request, 0, &attr, sizeof(attr)); break;
        case FUSE_OPEN: answer_open(request, body); break;
        case FUSE_READ: answer_read(request, body); break;
        case FUSE_FLUSH:
        case FUSE_RELEASE: answer(request, 0, NULL, 0); break;
        case FUSE_FORGET:
        case FUSE_BATCH_FORGET:
        case FUSE_INTERRUPT: break;
        default: answer(request, ENOSYS, NULL, 0);
        }
}

static void stall(int signal)
{
        is_stalled = signal;
}

int main(int argc, char **argv)
{
        static char request[REQUEST_BYTES];
        char options[100];

        sigaction(SIGUSR1, &(struct sigaction){.sa_handler = stall}, NULL);
        device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
        program = argc >= 3 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1;
        program_bytes = lseek(program, 0, SEEK_END);
        snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", device);
        if (device < 0 || program_bytes < 0 ||
            mount("stalled", argv[1], "fuse.stalled", MS_NOSUID | MS_NODEV, options)) {
                perror("stalled_fs");
                return 1;
        }
        while (!is_stalled && read(device, request, sizeof(request)) > 0)
                answer_one((const struct fuse_in_header *)(void *)request);
        puts("stalled");
        fflush(stdout);
        while (argc > 3 && (read(device, request, sizeof(request)) > 0 || errno == EINTR || errno == ENOENT))
                ;
        for (;;)
                pause();
}

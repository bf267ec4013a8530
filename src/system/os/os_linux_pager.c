/* SPDX-License-Identifier: BSD-3-Clause */
/* A pager on a terminal, which the shell runs, because the value may contain options; and programs for files.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "os.h"

bool os_page(const char *pager, const void *bytes, size_t size)
{
        void (*old_pipe)(int) = signal(SIGPIPE, SIG_IGN), (*old_int)(int);
        FILE *pipe;
        int status;

        /* As in git: less shows short texts without waiting for a key, and keeps colours. */
        setenv("LESS", "FRX", 0);
        pipe = popen(pager, "w");
        if (!pipe) {
                signal(SIGPIPE, old_pipe);
                return false;
        }
        /* Ctrl-C is handled by the pager. */
        old_int = signal(SIGINT, SIG_IGN);
        fwrite(bytes, 1, size, pipe);
        status = pclose(pipe);
        signal(SIGINT, old_int);
        signal(SIGPIPE, old_pipe);
        /* 126 and 127 come from the shell: there is no such program. */
        return status >= 0 && status >> 8 != 126 && status >> 8 != 127;
}

/* A browser on this machine is not on the user's screen over ssh, unless the display is forwarded, which
 * takes minutes for a browser. */
bool os_open_viewer(const char *path, struct err *err)
{
        char *argv[] = {(char *)(uintptr_t) "xdg-open", (char *)(uintptr_t)path, NULL};
        posix_spawn_file_actions_t actions;
        pid_t child;
        int error;

        if (getenv("SSH_CONNECTION"))
                return err_set(err, ERR_MISSING, "this is an ssh connection");
        if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
                return err_set(err, ERR_MISSING, "there is no display");
        posix_spawn_file_actions_init(&actions);
        for (int fd = 0; fd < 3; fd++)
                posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
        error = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
        return !error || err_set(err, ERR_MISSING, "xdg-open cannot be started: %s", strerror(error));
}

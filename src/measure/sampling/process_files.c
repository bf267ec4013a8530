/* SPDX-License-Identifier: BSD-3-Clause */
#include "process_files.h"

#include <inttypes.h>

void process_kept_path(const struct kept_file *kept, struct buf *out)
{
        os_descriptor_path(kept->fd, NULL, out);
}

void process_file_path(int32_t pid, const char *path, struct buf *out)
{
        buf_printf(out, "/proc/%" PRId32 "/root%s", pid, path);
}

void process_perf_map_path(const struct collect_result *collected, int32_t pid, struct buf *out)
{
        AUTO_RELEASE(buf) below = {0};

        for (size_t i = 0; collected && i < collected->n_roots; i++) {
                const struct kept_root *root = &collected->roots[i];

                if (root->pid != pid || root->root_fd < 0)
                        continue;
                buf_printf(&below, "/tmp/perf-%" PRId32 ".map", root->inner_pid);
                os_descriptor_path(root->root_fd, buf_text(&below), out);
                return;
        }
        buf_printf(out, "/tmp/perf-%" PRId32 ".map", pid);
}

struct os_origin process_origin(const struct collect_result *collected, int32_t pid)
{
        for (size_t i = 0; collected && i < collected->n_users; i++) {
                const struct kept_user *user = &collected->users[i];

                if (user->pid == pid && user->started_ns)
                        return (struct os_origin){
                                .has_owner = true, .owner = user->user, .not_before_ns = user->started_ns};
        }
        return (struct os_origin){0};
}

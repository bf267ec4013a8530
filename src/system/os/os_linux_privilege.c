/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether this program has rights that its user does not have. */
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os.h"

/* The permitted capabilities; 0 if they can't be read. */
static uint64_t permitted_capabilities(void)
{
        struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
        struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

        if (syscall(SYS_capget, &head, data))
                return 0;
        return data[0].permitted | (uint64_t)data[1].permitted << 32;
}

/* A user who is not root has permitted capabilities from the file, or ambient ones, which were given to the
 * user. */
static bool has_file_capabilities(void)
{
        uint64_t permitted = geteuid() ? permitted_capabilities() : 0;

        for (unsigned long cap = 0; cap < 64; cap++) {
                if (permitted >> cap & 1 && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, cap, 0, 0) != 1)
                        return true;
        }
        return false;
}

bool os_has_borrowed_rights(void)
{
        return getuid() != geteuid() || getgid() != getegid() || has_file_capabilities();
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tap.h"
#include "wdm_client.h"

static const char *driver_path;

TEST(it_loads_and_tells_its_version)
{
        struct abi_version version = {0};
        HANDLE device;

        EXPECT_INT(wdm_service_install(driver_path), 0);
        EXPECT_INT(wdm_service_start(), 0);
        device = wdm_open();
        EXPECT_INT(device == INVALID_HANDLE_VALUE ? GetLastError() : 0, 0);
        EXPECT_INT(wdm_request(device, ABI_REQUEST_VERSION, NULL, 0, &version, sizeof(version)), 0);
        EXPECT_INT(version.abi, ABI_NUMBER);
        printf("# %s\n", version.text);
        CloseHandle(device);
        EXPECT_INT(wdm_service_stop(), 0);
        EXPECT_INT(wdm_service_remove(), 0);
}

int main(int argc, char **argv)
{
        driver_path = argv[1];
        if (argc != 2 || !wdm_machine())
                return 2;
        wdm_service_stop();
        wdm_service_remove();
        return tap_run_all();
}

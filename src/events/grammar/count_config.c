/* SPDX-License-Identifier: BSD-3-Clause */
#include "count_config.h"

#include <string.h>

#include "buf.h"
#include "text.h"
#include "text_number.h"

static void take_setting(const char *item, size_t len, uint64_t *period_ms, struct buf *warnings)
{
        static const char key[] = "count.period=";
        AUTO_RELEASE(buf) text = {0};
        const char *number;
        uint64_t value;

        buf_add(&text, item, len);
        number = text_starts(buf_text(&text), key) ? text.data + strlen(key) : "";
        if (text_to_u64(number, 10, &value) && value >= COUNT_PERIOD_MIN_MS && value <= COUNT_PERIOD_MAX_MS)
                *period_ms = value;
        else
                buf_printf(
                        warnings,
                        "can't set '%.60s' config: the only setting is count.period=N, with N from %d to %d\n",
                        buf_text(&text), COUNT_PERIOD_MIN_MS, COUNT_PERIOD_MAX_MS);
}

uint64_t count_config_period(const char *config, struct buf *warnings)
{
        uint64_t period_ms = COUNT_PERIOD_MS;

        while (config) {
                size_t len = strcspn(config, ",");

                take_setting(config, len, &period_ms, warnings);
                config = config[len] ? config + len + 1 : NULL;
        }
        return period_ms;
}

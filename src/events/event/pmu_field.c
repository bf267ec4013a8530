/* SPDX-License-Identifier: BSD-3-Clause */
/* Bit ranges in the config words: parses the text of a format/ file, reads and writes values. */
#include <assert.h>
#include <string.h>

#include "err.h"
#include "event_grammar.h"
#include "text.h"

uint64_t *pmu_config_word(struct perf_attr *attr, unsigned word)
{
        uint64_t *const words[] = {&attr->config, &attr->config1, &attr->config2, &attr->config3};

        return word < N_ELEMENTS(words) ? words[word] : NULL;
}

static bool parse_bit(const char **at, uint8_t *ret_bit)
{
        unsigned bit = 0;
        const char *c = *at;

        for (; *c >= '0' && *c <= '9'; c++) {
                bit = bit * 10 + (unsigned)(*c - '0');
                if (bit > 63)
                        return false;
        }
        if (c == *at)
                return false;
        *at = c;
        *ret_bit = (uint8_t)bit;
        return true;
}

static bool parse_ranges(const char *at, struct pmu_field *field)
{
        unsigned n_bits = 0;

        for (;;) {
                uint8_t low, high;

                if (field->n_ranges == PMU_RANGES_MAX || !parse_bit(&at, &low))
                        return false;
                high = low;
                if (*at == '-' && (at++, !parse_bit(&at, &high)))
                        return false;
                if (high < low || (n_bits += high - low + 1u) > 64)
                        return false;
                field->ranges[field->n_ranges].low = low;
                field->ranges[field->n_ranges++].high = high;
                if (*at++ != ',')
                        return !at[-1];
        }
}

bool pmu_field_parse(const char *text, struct pmu_field *ret, struct err *err)
{
        static const char *const words[] = {"config:", "config1:", "config2:", "config3:"};
        struct pmu_field field = {0};

        for (; field.word < N_ELEMENTS(words); field.word++) {
                if (!text_starts(text, words[field.word]))
                        continue;
                if (!parse_ranges(text + strlen(words[field.word]), &field))
                        break;
                *ret = field;
                return true;
        }
        return err_set(err, ERR_FORMAT, "'%s' does not name bits of a field, such as config:0-7,32-35",
                       span_quote(span_of(text)).text);
}

uint64_t pmu_field_max(const struct pmu_field *field)
{
        unsigned n_bits = 0;

        for (size_t i = 0; i < field->n_ranges; i++)
                n_bits += field->ranges[i].high - field->ranges[i].low + 1u;
        return n_bits < 64 ? (1ull << n_bits) - 1 : UINT64_MAX;
}

void pmu_field_set(const struct pmu_field *field, uint64_t value, struct perf_attr *attr)
{
        uint64_t *word = pmu_config_word(attr, field->word);

        assert(word);
        for (size_t i = 0; i < field->n_ranges; i++) {
                unsigned low = field->ranges[i].low, n_bits = field->ranges[i].high - low + 1u;
                uint64_t mask = n_bits < 64 ? (1ull << n_bits) - 1 : UINT64_MAX;

                *word = (*word & ~(mask << low)) | (value & mask) << low;
                value = n_bits < 64 ? value >> n_bits : 0;
        }
}

uint64_t pmu_field_get(const struct pmu_field *field, const struct perf_attr *attr)
{
        struct perf_attr copy = *attr;
        uint64_t word = *pmu_config_word(&copy, field->word), value = 0;
        unsigned n_bits = 0;

        for (size_t i = 0; i < field->n_ranges; i++) {
                unsigned low = field->ranges[i].low, width = field->ranges[i].high - low + 1u;
                uint64_t mask = width < 64 ? (1ull << width) - 1 : UINT64_MAX;

                value |= (word >> low & mask) << n_bits;
                n_bits += width;
        }
        return value;
}

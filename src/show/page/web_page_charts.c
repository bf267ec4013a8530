/* SPDX-License-Identifier: BSD-3-Clause */
#include "web_page_charts.h"

#include <math.h>
#include <string.h>

#include "mem.h"
#include "web_page_internal.h"

enum { MAX_VALUES = 200000 }; /* some 0.9 MB */

/* How many neighbouring spans become one. */
static size_t merged_spans(const struct web_page_charts *charts)
{
        size_t max = charts->max_values ? charts->max_values : MAX_VALUES;
        size_t max_spans = charts->n_lines && max > charts->n_lines ? max / charts->n_lines : 1;

        return charts->n_lines ? (charts->n_spans + max_spans - 1) / max_spans : 1;
}

static size_t end_of(const struct web_page_charts *charts, size_t first, size_t n_merged)
{
        return charts->n_spans - first < n_merged ? charts->n_spans : first + n_merged;
}

/* The time before each span, then the length of each. */
static void add_spans(const struct web_page_charts *charts, size_t n_merged, struct buf *out)
{
        AUTO_RELEASE(buf) lengths = {0};
        uint64_t before_ns = 0;

        buf_add_uleb(out, (charts->n_spans + n_merged - 1) / n_merged);
        for (size_t i = 0; i < charts->n_spans; i += n_merged) {
                uint64_t start_ns = charts->spans[i].start_ns;
                uint64_t end_ns = charts->spans[end_of(charts, i, n_merged) - 1].end_ns;

                buf_add_uleb(out, start_ns - before_ns);
                buf_add_uleb(&lengths, end_ns - start_ns);
                before_ns = end_ns;
        }
        buf_add(out, lengths.data, lengths.len);
}

/* The mean over the time that was counted. */
static double mean_of(const struct web_page_charts *charts, const struct web_page_line *line, size_t first,
                      size_t end)
{
        double sum = 0, whole = 0;

        for (size_t i = first; i < end && i < line->n; i++) {
                double length = (double)(charts->spans[i].end_ns - charts->spans[i].start_ns);

                if (isnan(line->values[i]))
                        continue;
                sum += line->values[i] * length;
                whole += length;
        }
        return whole > 0 ? sum / whole : NAN;
}

/* As 32 bits, the lowest first. */
static void add_fraction(struct buf *out, double value)
{
        float fraction = (float)value;
        uint32_t bits;

        memcpy(&bits, &fraction, sizeof(bits));
        for (int shift = 0; shift < 32; shift += 8)
                buf_add_u8(out, (uint8_t)(bits >> shift));
}

static void add_line(const struct web_page_charts *charts, const struct web_page_line *line, size_t n_merged,
                     struct strpool *texts, struct buf *out)
{
        buf_add_uleb(out, web_page_add_text(texts, line->title));
        buf_add_uleb(out, web_page_add_text(texts, line->unit));
        buf_add_uleb(out, web_page_add_text(texts, line->name));
        for (size_t i = 0; i < charts->n_spans; i += n_merged)
                add_fraction(out, mean_of(charts, line, i, end_of(charts, i, n_merged)));
}

void web_page_charts_add(const struct web_page_charts *charts, struct strpool *texts, struct buf *out)
{
        size_t n_merged = merged_spans(charts);

        buf_add_uleb(out, n_merged);
        add_spans(charts, n_merged, out);
        web_page_facts_write(charts->facts, charts->n_facts, texts, out);
        buf_add_uleb(out, charts->n_lines);
        for (size_t i = 0; i < charts->n_lines; i++)
                add_line(charts, &charts->lines[i], n_merged, texts, out);
}

bool web_page_charts_write(const struct web_page_charts *charts, struct buf *out, struct err *err)
{
        AUTO(strpool) texts = strpool_new();
        AUTO_RELEASE(buf) rest = {0};

        web_page_charts_add(charts, texts, &rest);
        return web_page_document_write(WEB_PAGE_COUNTS, texts, &rest, out, err);
}

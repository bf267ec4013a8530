/* SPDX-License-Identifier: BSD-3-Clause */
#include "web_page.h"

#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "mem.h"
#include "web_page_internal.h"

/* Made by tools/embed_page.py: each document before and after its data. */
extern const unsigned char web_page_profile_head[], web_page_profile_tail[], web_page_counts_head[],
        web_page_counts_tail[];
extern const size_t web_page_profile_head_bytes, web_page_profile_tail_bytes, web_page_counts_head_bytes,
        web_page_counts_tail_bytes;

/* --- Tables --- */

void web_page_table_add(struct web_page_table *table, const uint32_t *row)
{
        for (size_t i = 0; i < table->n_fields; i++) {
                struct web_page_column *column = &table->columns[i];

                ARRAY_PUSH(column->values, column->n, column->cap, row[i]);
        }
        table->n++;
}

void web_page_table_write(const struct web_page_table *table, struct buf *out)
{
        buf_add_uleb(out, table->n);
        for (size_t i = 0; i < table->n_fields; i++) {
                for (size_t row = 0; row < table->n; row++)
                        buf_add_uleb(out, table->columns[i].values[row]);
        }
}

void web_page_table_release(struct web_page_table *table)
{
        for (size_t i = 0; i < table->n_fields; i++)
                free(table->columns[i].values);
}

bool web_page_wants(const struct web_page *page, uint32_t event)
{
        for (size_t i = 0; i < page->n_events; i++) {
                if (page->events[i].index == event)
                        return true;
        }
        return false;
}

uint32_t web_page_add_text(struct strpool *texts, const char *text)
{
        AUTO_RELEASE(buf) safe = {0};

        export_add_text(text, &safe);
        return strpool_add(texts, buf_text(&safe));
}

/* --- The data --- */

void web_page_facts_write(const struct web_page_fact *facts, size_t n, struct strpool *texts, struct buf *out)
{
        buf_add_uleb(out, n);
        for (size_t i = 0; i < n; i++) {
                buf_add_uleb(out, web_page_add_text(texts, facts[i].label));
                buf_add_uleb(out, web_page_add_text(texts, facts[i].text));
        }
}

static void add_file(const struct sampled_file *file, struct strpool *texts, struct buf *out)
{
        struct web_page_table lines = {.n_fields = 2};
        uint32_t before = 0;

        for (size_t i = 0; i < file->n; i++) {
                web_page_table_add(&lines, (const uint32_t[]){file->lines[i].line - before,
                                                              web_page_add_text(texts, file->lines[i].text)});
                before = file->lines[i].line;
        }
        buf_add_uleb(out, web_page_add_text(texts, file->path));
        web_page_table_write(&lines, out);
        web_page_table_release(&lines);
}

/* The texts come first, because the reader needs them for the rest. */
static void add_texts(const struct strpool *texts, struct buf *out)
{
        size_t n = strpool_count(texts);

        buf_add_uleb(out, n);
        for (size_t i = 0; i < n; i++)
                buf_add_uleb(out, strlen(strpool_get(texts, (str_id)i)));
        for (size_t i = 0; i < n; i++)
                buf_add_str(out, strpool_get(texts, (str_id)i));
}

static void make_data(const struct web_page *page, struct strpool *texts, struct buf *rest)
{
        struct web_page_stacks stacks;

        web_page_stacks_make(page, texts, &stacks);
        web_page_table_write(&stacks.functions, rest);
        web_page_table_write(&stacks.frames, rest);
        web_page_table_write(&stacks.stacks, rest);
        buf_add_uleb(rest, stacks.least_samples);
        web_page_samples_write(page, &stacks, texts, rest);
        web_page_facts_write(page->facts, page->n_facts, texts, rest);
        buf_add_uleb(rest, page->source ? page->source->n : 0);
        for (size_t i = 0; page->source && i < page->source->n; i++)
                add_file(&page->source->files[i], texts, rest);
        web_page_wall_write(page->wall, page->strips, texts, rest);
        web_page_code_write(page, texts, rest);
        web_page_accesses_write(page, texts, rest);
        buf_add_uleb(rest, page->frames);
        buf_add_uleb(rest, 0); /* no comparison */
        web_page_stacks_release(&stacks);
}

/* --- The document --- */

static void add_head(enum web_page_script script, struct buf *out)
{
        if (script == WEB_PAGE_COUNTS)
                buf_add(out, web_page_counts_head, web_page_counts_head_bytes);
        else
                buf_add(out, web_page_profile_head, web_page_profile_head_bytes);
}

static void add_tail(enum web_page_script script, struct buf *out)
{
        if (script == WEB_PAGE_COUNTS)
                buf_add(out, web_page_counts_tail, web_page_counts_tail_bytes);
        else
                buf_add(out, web_page_profile_tail, web_page_profile_tail_bytes);
}

bool web_page_document_write(enum web_page_script script, const struct strpool *texts, const struct buf *rest,
                             struct buf *out, struct err *err)
{
        AUTO_RELEASE(buf) data = {0};
        AUTO_RELEASE(buf) packed = {0};
        bool packs = codec_available(CODEC_ZLIB);

        buf_add_uleb(&data, WEB_PAGE_VERSION);
        add_texts(texts, &data);
        buf_add(&data, rest->data, rest->len);
        if (packs && !codec_pack_gzip(buf_text(&data), data.len, &packed, err))
                return false;
        add_head(script, out);
        buf_printf(out, "<script type=\"application/octet-stream\" id=\"data\" data-packing=\"%s\">",
                   packs ? "gzip" : "none");
        buf_add_base64(out, buf_text(packs ? &packed : &data), packs ? packed.len : data.len);
        buf_add_str(out, "</script>\n");
        add_tail(script, out);
        return true;
}

bool web_page_write(const struct web_page *page, struct buf *out, struct err *err)
{
        AUTO(strpool) texts = strpool_new();
        AUTO_RELEASE(buf) rest = {0};

        make_data(page, texts, &rest);
        return web_page_document_write(WEB_PAGE_PROFILE, texts, &rest, out, err);
}

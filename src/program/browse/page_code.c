/* SPDX-License-Identifier: BSD-3-Clause */
/* The code of a function: instructions with their source lines, or source lines with their samples; the
 * same text as `annotate`. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate_output.h"
#include "annotate_python.h"
#include "mem.h"
#include "page_text.h"

enum code_form {
        FORM_BOTH,   /* instructions below their source lines */
        FORM_SOURCE, /* source lines only */
        FORM_CODE,   /* instructions only */
        FORM_PLAIN,  /* instructions without arrows, as the disassembler prints them */
};

struct listing_page {
        struct text_page text;
        struct annotate_output output;
        enum code_form form;
        char *python; /* the symbol of a page of Python source; NULL for native code */
};

static struct listing_page *own(const struct page *page)
{
        return (struct listing_page *)page;
}

/* --- what it shows --- */

static void add_source(struct listing_page *p, size_t index, struct annotate_view *view)
{
        const struct annotated function = annotation_get(p->output.annotation, index);
        struct annotate_rows lines;

        annotate_group(function.annotate, ANNOTATE_LINE, &lines, NULL);
        annotate_view_source(view, &lines, &p->text.text);
        annotate_rows_release(&lines);
}

static void make_native(struct listing_page *p)
{
        for (size_t i = 0; i < annotation_n_functions(p->output.annotation); i++) {
                struct annotate_view view = annotate_output_view(&p->output, i);

                view.marks = &p->text.marks;
                view.every_block = true;
                view.hides_lines = p->form != FORM_BOTH;
                view.hides_targets = p->form == FORM_PLAIN;
                if (i)
                        buf_add_char(&p->text.text, '\n');
                annotate_view_heading(&view, &p->text.text);
                if (p->form == FORM_SOURCE)
                        add_source(p, i, &view);
                else
                        annotate_view_code(&view, &p->text.text);
        }
}

/* Returns false if no function has this name. */
static bool make_python(const struct browser *browser, struct listing_page *p)
{
        struct annotate_page page;
        const struct annotate_python request = {
                .report = browser->report,
                .symbol = p->python,
                .source_folders = browser->request->source_folders,
                .takes_private = browser->request->private_source,
                .with_natives = p->form == FORM_BOTH,
                .max_sources = 20,
                .marks = &p->text.marks,
        };
        size_t n;

        annotate_page_begin(&page, true, false);
        n = annotate_python_show(&request, &page);
        buf_add(&p->text.text, page.text.data, page.text.len);
        annotate_page_release(&page);
        return n;
}

static bool make(const struct browser *browser, struct listing_page *p)
{
        bool ok = true;

        buf_clear(&p->text.text);
        p->text.marks.n = 0;
        if (p->python)
                ok = make_python(browser, p);
        else
                make_native(p);
        text_page_split(&p->text);
        return ok;
}

/* --- keys --- */

/* Goes to the target of a jump, or opens the function that is called. */
static void follow(struct browser *browser, struct listing_page *p)
{
        const struct view_mark *mark = text_page_mark(&p->text);
        AUTO_RELEASE(buf) name = {0};
        char *end;

        if (!mark || !mark->has_target) {
                browser_say(browser, "this line is not a call or a jump");
                return;
        }
        if (text_page_go_to(&p->text, mark->target))
                return;
        annotation_add_target(p->output.annotation, 0, mark->target, &name);
        if (!name.len) {
                browser_say(browser, "no symbol at 0x%" PRIx64, mark->target);
                return;
        }
        /* Keep only the name of "memcpy@plt+0x10". */
        end = strchr(name.data, '+');
        if (end)
                *end = 0;
        end = strstr(name.data, "@plt");
        if (end)
                *end = 0;
        browser_show_code(browser, &(struct browser_subject){.name = name.data, .module = ""});
}

static void toggle(struct browser *browser, struct listing_page *p, enum code_form form)
{
        static const char *const said[] = {
                [FORM_BOTH] = "source and instructions",
                [FORM_SOURCE] = "source lines only",
                [FORM_CODE] = "instructions only",
                [FORM_PLAIN] = "plain disassembly; o shows the arrows again",
        };
        const struct view_mark *mark = text_page_mark(&p->text);
        uint64_t addr = mark ? mark->addr : 0;

        p->form = p->form == form ? FORM_BOTH : form;
        make(browser, p);
        p->text.page.list.at = 0;
        if (!addr || !text_page_go_to(&p->text, addr))
                text_page_hottest(&p->text, 0);
        if (p->python)
                browser_say(browser, p->form == FORM_BOTH ? "source lines, with native functions below them"
                                                          : "source lines only");
        else
                browser_say(browser, "%s", said[p->form]);
}

static bool on_letter(struct browser *browser, struct listing_page *p, uint32_t code)
{
        if (code == 'H')
                text_page_hottest(&p->text, 0);
        else if (code == 's')
                toggle(browser, p, p->python ? FORM_SOURCE : FORM_CODE);
        else if (code == 'o' && !p->python)
                toggle(browser, p, FORM_PLAIN);
        else if (code == 'l' && !p->python)
                toggle(browser, p, FORM_SOURCE);
        else
                return false;
        return true;
}

static bool on_key(struct browser *browser, struct page *page, const struct key *key)
{
        struct listing_page *p = own(page);

        if (key->kind == KEY_TAB || key->kind == KEY_BACK_TAB) {
                text_page_hottest(&p->text, key->kind == KEY_TAB ? 1 : -1);
                return true;
        }
        if (key->kind == KEY_ENTER && !p->python) {
                follow(browser, p);
                return true;
        }
        if (key->kind == KEY_CHAR && on_letter(browser, p, key->code))
                return true;
        return text_page_key(browser, page, key);
}

static void release(struct page *page)
{
        struct listing_page *p = own(page);

        if (p->output.annotation)
                annotate_output_release(&p->output);
        free(p->python);
        text_page_free(page);
}

static const struct page_kind native_kind = {
        .keys = "? help  q quit  H hottest  TAB next  Enter follow  s source  l lines  o plain  Esc back  / search",
        .add_title = text_page_add_title,
        .draw = page_draw_rows,
        .draw_row = text_page_draw_row,
        .key = on_key,
        .matches = text_page_matches,
        .free = release,
};

static const struct page_kind python_kind = {
        .keys = "? help  q quit  H hottest  TAB next  s native functions  Esc back  / search",
        .add_title = text_page_add_title,
        .draw = page_draw_rows,
        .draw_row = text_page_draw_row,
        .key = on_key,
        .matches = text_page_matches,
        .free = release,
};

static struct page *begin(struct listing_page *p, const struct page_kind *kind, const char *name)
{
        p->text.page.kind = kind;
        p->text.title = mem_strdup(name);
        text_page_hottest(&p->text, 0);
        return &p->text.page;
}

struct page *page_code_new(struct browser *browser, const struct browser_subject *subject)
{
        struct listing_page *p;
        struct err err = {0};
        struct annotation *annotation = browser_annotate(browser, subject, true, &err);

        if (!annotation) {
                browser_say(browser, "%s", err.text);
                return NULL;
        }
        p = mem_new(1, sizeof(*p));
        p->output = (struct annotate_output){
                .report = browser->report, .annotation = annotation, .every_block = true};
        make(browser, p);
        return begin(p, &native_kind, annotate_output_view(&p->output, 0).function);
}

struct page *page_python_source_new(struct browser *browser, const char *symbol)
{
        struct listing_page *p = mem_new(1, sizeof(*p));

        p->python = mem_strdup(symbol);
        p->form = FORM_SOURCE;
        if (make(browser, p))
                return begin(p, &python_kind, symbol);
        release(&p->text.page);
        browser_say(browser, "no source line of %s has samples", symbol);
        return NULL;
}

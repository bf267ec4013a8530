/* SPDX-License-Identifier: BSD-3-Clause */
/* The actions for the selected function; they are the same on all pages. */
#include <stdlib.h>
#include <string.h>

#include "browser_internal.h"
#include "mem.h"

/* Labels of two lines of one Python function differ only in the line number: "parse [app.py:6]". */
static bool same_python(const char *a, const char *b)
{
        const char *end = strrchr(b, ':');
        size_t len = end ? (size_t)(end - b) + 1 : strlen(b);

        /* A table by the key `python` has names without lines. */
        return !strncmp(a, b, len) && (end || a[len] == ' ');
}

bool browser_subject_is(const struct calltree_function *f, const void *ctx)
{
        const struct browser_subject *subject = ctx;

        if (f->kind > CALLTREE_UNKNOWN || f->is_python != (subject->python != NULL))
                return false;
        if (subject->python)
                return same_python(f->name, subject->name);
        return (!strcmp(f->brief, subject->name) || !strcmp(f->name, subject->name)) &&
               (!*subject->module || !strcmp(f->module, subject->module));
}

struct annotation *browser_annotate(struct browser *browser, const struct browser_subject *subject,
                                    bool with_code, struct err *err)
{
        const struct browser_request *r = browser->request;
        AUTO_RELEASE(buf) whole = {0};
        struct annotation_request request = {
                .symbol = subject->name,
                .max_functions = 20,
                .with_code = with_code,
                .syntax = r->syntax,
                .source_folders = r->source_folders,
                .private_source = r->private_source,
                .debuginfod = r->debuginfod,
        };
        struct annotation *annotation;

        if (!subject->name || !*subject->module)
                return annotation_new(browser->report, &request, err);
        /* If several modules have a function of this name, the rows have names with a module. */
        buf_printf(&whole, "%s:%s", subject->name, subject->module);
        request.symbol = buf_text(&whole);
        annotation = annotation_new(browser->report, &request, NULL);
        request.symbol = subject->name;
        return annotation ? annotation : annotation_new(browser->report, &request, err);
}

/* Reading the code and lines of a large file takes longer than a key may. */
static bool wait_whole_for_code(struct browser *browser)
{
        if (!browser_wait_whole(browser))
                return false;
        browser_say_now(browser, "looking up code and lines ...");
        return true;
}

void browser_show_code(struct browser *browser, const struct browser_subject *subject)
{
        if (wait_whole_for_code(browser))
                browser_push(browser, subject->python ? page_python_source_new(browser, subject->python)
                                                      : page_code_new(browser, subject));
}

/* Shows the callers of a function with `is_inverted`, else all call paths through it. */
static void show_tree(struct browser *browser, const struct browser_subject *subject, bool is_inverted)
{
        AUTO_RELEASE(buf) title = {0};
        struct calltree *tree;
        struct page *page;

        if (!browser_wait_whole(browser))
                return;
        tree = is_inverted ? calltree_invert(browser_tree(browser), browser_subject_is, subject)
                           : calltree_through(browser_tree(browser), browser_subject_is, subject);
        if (calltree_n_nodes(tree) < 2) {
                browser_say(browser, "no call stack of this event has %s", subject->name);
                calltree_free(tree);
                return;
        }
        buf_printf(&title, is_inverted ? "callers of %s" : "call paths through %s", subject->name);
        page = page_tree_new(browser, tree, tree, buf_text(&title), is_inverted);
        if (!is_inverted)
                page_tree_select(page, browser_subject_is, subject);
        browser_push(browser, page);
}

void browser_show_callers(struct browser *browser, const struct browser_subject *subject)
{
        show_tree(browser, subject, true);
}

void browser_show_callees(struct browser *browser, const struct browser_subject *subject)
{
        show_tree(browser, subject, false);
}

void browser_show_function(struct browser *browser, const struct browser_subject *subject)
{
        if (wait_whole_for_code(browser))
                browser_push(browser, page_function_new(browser, subject));
}

void browser_show_times(struct browser *browser, const struct browser_subject *subject)
{
        if (browser_wait_samples(browser))
                browser_push(browser, page_strip_new(browser, subject));
}

void browser_only_module(struct browser *browser, const struct browser_subject *subject)
{
        bool is_filtered = browser->filter.module;

        free(browser->filter.module);
        browser->filter.module = is_filtered || !*subject->module ? NULL : mem_strdup(subject->module);
        if (is_filtered || *subject->module)
                browser_refilter(browser);
        else
                browser_say(browser, "the module of %s is not known", subject->name);
}

void browser_only_task(struct browser *browser, const struct browser_subject *subject)
{
        struct browser_filter *filter = &browser->filter;
        char *name = subject->comm ? mem_strdup(subject->comm) : NULL;

        if (subject->has_pid || subject->has_tid) {
                free(filter->thread);
                filter->thread = name;
                filter->has_pid = subject->has_pid;
                filter->pid = subject->pid;
                filter->has_tid = subject->has_tid;
                filter->tid = subject->tid;
        } else {
                free(filter->comm);
                filter->comm = name;
        }
        browser_refilter(browser);
}

void browser_copy_name(struct browser *browser, const struct browser_subject *subject)
{
        screen_copy(browser->screen, subject->name);
        browser_say(browser, "copied %s, if the terminal lets programs copy", subject->name);
}

struct browser_subject browser_subject_of(const struct calltree_function *f)
{
        return (struct browser_subject){
                .name = f->is_python ? f->name : f->brief,
                .module = f->is_python ? "" : f->module,
                .python = f->is_python ? f->brief : NULL,
        };
}

static const char *copy_text(const char *text, struct arena *texts)
{
        return text ? arena_copy(texts, text, strlen(text)) : NULL;
}

struct browser_subject browser_subject_copy(const struct browser_subject *subject, struct arena *texts)
{
        struct browser_subject copy = *subject;

        copy.name = copy_text(subject->name, texts);
        copy.module = copy_text(subject->module, texts);
        copy.python = copy_text(subject->python, texts);
        copy.comm = copy_text(subject->comm, texts);
        return copy;
}

bool browser_subject_key(struct browser *browser, const struct browser_subject *subjects, size_t n,
                         const struct key *key)
{
        uint32_t code = key->kind == KEY_CHAR ? key->code : 0;
        AUTO_RELEASE(arena) texts = {0};
        /* Copied, because an action may replace the report that owns the texts. */
        const struct browser_subject subject = browser_subject_copy(subjects, &texts);

        if (key->kind == KEY_ENTER || key->kind == KEY_RIGHT || code == 'm')
                browser_push(browser, page_menu_new(browser, subjects, n));
        else if (code == 'd' && (subject.name || *subject.module))
                browser_only_module(browser, &subject);
        else if (!subject.name && (code == 'x' || code == 'a' || code == 'r' || code == 'd' || code == 'y'))
                browser_say(browser, "this row has no function");
        else if (!subject.name)
                return false;
        else if (code == 'x')
                browser_show_function(browser, &subject);
        else if (code == 'a')
                browser_show_code(browser, &subject);
        else if (code == 'r')
                browser_show_callers(browser, &subject);
        else if (code == 't')
                browser_show_times(browser, &subject);
        else if (code == 'y')
                browser_copy_name(browser, &subject);
        else
                return false;
        return true;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "browser_internal.h"

#include <assert.h>

enum { WHEEL_ROWS = 3 };

static void move_up(struct browse_list *list, size_t rows)
{
        list->at = list->at > rows ? list->at - rows : 0;
}

static void move_down(struct browse_list *list, size_t rows)
{
        list->at = list->n && rows < list->n - 1 - list->at ? list->at + rows : list->n - 1;
        if (!list->n)
                list->at = 0;
}

/* Keeps the selected row visible. */
static void scroll(struct browse_list *list, size_t top)
{
        size_t last = list->n > list->height ? list->n - list->height : 0;

        list->top = top < last ? top : last;
        if (list->at < list->top)
                list->at = list->top;
        if (list->height && list->at >= list->top + list->height)
                list->at = list->top + list->height - 1;
}

static bool press(struct browse_list *list, const struct key *key, unsigned first_row)
{
        size_t row = list->top + (key->row - first_row);

        if (key->row < first_row || row >= list->n || key->row - first_row >= list->height)
                return false;
        list->at = row;
        return true;
}

bool browse_list_key(struct browse_list *list, const struct key *key, unsigned first_row)
{
        size_t page = list->height > 1 ? list->height - 1 : 1;

        switch (key->kind) {
        case KEY_UP: move_up(list, 1); return true;
        case KEY_DOWN: move_down(list, 1); return true;
        case KEY_PAGE_UP: move_up(list, page); return true;
        case KEY_PAGE_DOWN: move_down(list, page); return true;
        case KEY_HOME: list->at = 0; return true;
        case KEY_END: list->at = list->n ? list->n - 1 : 0; return true;
        case KEY_WHEEL_UP: scroll(list, list->top > WHEEL_ROWS ? list->top - WHEEL_ROWS : 0); return true;
        case KEY_WHEEL_DOWN: scroll(list, list->top + WHEEL_ROWS); return true;
        case KEY_PRESS: return press(list, key, first_row);
        case KEY_CHAR:
                if (key->code == ' ') {
                        move_down(list, page);
                        return true;
                }
                if (list->takes_j_k && (key->code == 'j' || key->code == 'k')) {
                        (key->code == 'j' ? move_down : move_up)(list, 1);
                        return true;
                }
                return false;
        default: return false;
        }
}

void browse_list_go_to(struct browse_list *list, size_t row)
{
        assert(row < list->n || !row);
        list->at = row;
        list->has_jumped = true;
}

void browse_list_fit(struct browse_list *list, unsigned height)
{
        list->height = height;
        if (list->at >= list->n)
                list->at = list->n ? list->n - 1 : 0;
        if (list->has_jumped && (list->at < list->top || list->at >= list->top + height))
                list->top = list->at > height / 2 ? list->at - height / 2 : 0;
        list->has_jumped = false;
        if (list->at < list->top)
                list->top = list->at;
        if (height && list->at >= list->top + height)
                list->top = list->at - height + 1;
        if (list->top + height > list->n)
                list->top = list->n > height ? list->n - height : 0;
}

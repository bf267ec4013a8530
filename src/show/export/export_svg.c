/* SPDX-License-Identifier: BSD-3-Clause */
/* Positions, colours and texts of frames.  All positions are integers in units of 1/100 pixel, so that the
 * output has the same bytes on every machine. */
#include "export_svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "export_svg_script.h"
#include "map.h"
#include "mem.h"
#include "text_number.h"
#include "text_printable.h"
#include "text_xml.h"

enum {
        WIDTH = 1200,
        MARGIN = 10,
        DRAWN = (WIDTH - 2 * MARGIN) * 100, /* in 1/100 pixel, like all horizontal positions */
        NARROWEST = 10,
        /* width of a character of the 12 pixel font: 7.23 pixels, the widest of the usual fonts */
        CHARACTER = 723,
        TITLE_CHARACTER = CHARACTER * 17 / 12,
        TEXT_MARGIN = 300,
        ROW = 17,
        TOP = 66,    /* space for title, command and legend above the frames */
        BOTTOM = 34, /* space for the note below */
        MODULE_MAX = 512,
        N_SHADES = 8,
        N_STEPS = 4, /* of colours for less, and for more */
};

enum color {
        COLOR_PROCESS,
        COLOR_USER,
        COLOR_KERNEL,
        COLOR_INLINED,
        COLOR_UNKNOWN,
        COLOR_PYTHON,
        COLOR_STATE,
        N_COLORS
};

static const struct {
        const char *name, *class;
        uint8_t red, green, blue; /* first shade */
        int8_t red_step, green_step, blue_step;
} colors[N_COLORS] = {
        {"process", "p", 205, 200, 220, 2, 2, 2},        {"user", "u", 226, 118, 62, 3, 12, 2},
        {"kernel", "k", 122, 165, 222, 6, 5, 2},         {"inlined", "i", 128, 190, 108, 8, 4, 6},
        {"without a name", "n", 188, 188, 188, 4, 4, 4}, {"Python", "y", 222, 196, 70, 3, 6, 8},
        {"waiting", "w", 150, 128, 176, 5, 6, 4},
};

struct drawing {
        const struct calltree *tree;
        const struct export_about *about;
        bool upwards, by_count;
        bool has_python, has_states; /* functions with these colours */
        unsigned shift; /* shift for values, so that their products with widths do not overflow */
        uint64_t total, total_shifted;
        const double *before;  /* as in export_svg_options */
        double largest_change; /* of a node in B, absolute */
        uint32_t n_rows;
        uint64_t *from;   /* for each depth: where the next child begins */
        size_t n_omitted; /* number of frames that are left out, without those inside them */
        uint64_t omitted;
        struct buf *out;
};

static bool is_used(const struct drawing *d, int color)
{
        return (color != COLOR_PYTHON || d->has_python) && (color != COLOR_STATE || d->has_states);
}

static uint64_t value_of(const struct drawing *d, const struct calltree_node *node)
{
        return d->by_count ? node->count : node->weight;
}

static uint32_t x_of(const struct drawing *d, uint64_t value)
{
        return d->total_shifted ? (uint32_t)((value >> d->shift) * DRAWN / d->total_shifted) : 0;
}

static void add_text(const char *text, struct buf *out)
{
        AUTO_RELEASE(buf) safe = {0};

        export_add_text(text, &safe);
        export_cut(&safe, 0, MODULE_MAX);
        text_add_xml(out, buf_text(&safe), safe.len);
}

/* Characters outside the alphabets may be twice as wide. */
static unsigned columns_of(const char *at, size_t *ret_len)
{
        size_t len = text_utf8_length((const unsigned char *)at);

        *ret_len = len ? len : 1;
        return len >= 3 ? 2 : 1;
}

/* Adds as much of a name as fits, with two dots if it was cut; nothing if there is no room for a letter and
 * the dots. */
static void add_label(const struct buf *name, uint32_t width, uint32_t character, struct buf *out)
{
        uint32_t room = width > 2 * TEXT_MARGIN ? (width - 2 * TEXT_MARGIN) / character : 0;
        size_t at = 0, cut = 0, len;
        uint32_t used = 0;

        while (at < name->len) {
                unsigned columns = columns_of(name->data + at, &len);

                if (used + columns > room)
                        break;
                if (used + columns + 2 <= room)
                        cut = at + len;
                used += columns;
                at += len;
        }
        if (at == name->len)
                cut = at;
        text_add_xml(out, buf_text(name), cut);
        if (cut && cut < name->len)
                buf_add_str(out, "..");
}

static enum color color_of(const struct calltree_function *f)
{
        switch (f->kind) {
        case CALLTREE_PROCESS: return COLOR_PROCESS;
        case CALLTREE_STATE: return COLOR_STATE;
        case CALLTREE_FUNCTION:
                if (f->is_python)
                        return COLOR_PYTHON;
                return f->is_kernel ? COLOR_KERNEL : f->is_inlined ? COLOR_INLINED : COLOR_USER;
        default: return COLOR_UNKNOWN;
        }
}

/* The shade depends only on the name, so that a function has the same colour in every picture. */
static void add_class(const struct calltree_function *f, struct buf *out)
{
        uint64_t hash = map_sum_bytes(f->name, strlen(f->name));

        buf_printf(out, "%s%u", colors[color_of(f)].class, (unsigned)(map_mix_fixed(hash) % N_SHADES));
}

/* What the node has more than before. */
static double change_of(const struct drawing *d, uint32_t at)
{
        return (double)calltree_get_node(d->tree, at)->weight - d->before[at];
}

/* Nodes with the largest difference have the strongest colour.  The root is the sum of all, and not
 * coloured. */
static void add_change_class(const struct drawing *d, uint32_t at, struct buf *out)
{
        double change =
                at == CALLTREE_ROOT || d->largest_change <= 0 ? 0 : change_of(d, at) / d->largest_change;
        int step = (int)(fabs(change) * N_STEPS + 0.5);

        buf_printf(out, "%c%d", step ? change > 0 ? 'a' : 'b' : 'e', step);
}

static void find_largest_change(struct drawing *d)
{
        for (uint32_t i = 1; i < calltree_n_nodes(d->tree); i++) {
                if (fabs(change_of(d, i)) > d->largest_change)
                        d->largest_change = fabs(change_of(d, i));
        }
}

/* 12.34 % as a whole number of hundredths, rounded. */
static void add_share(const struct drawing *d, uint64_t value, struct buf *out)
{
        uint64_t of = d->total_shifted ? d->total_shifted : 1;
        uint64_t share = ((value >> d->shift) * 10000 + of / 2) / of;

        buf_printf(out, "%" PRIu64 ".%02" PRIu64 " %%", share / 100, share % 100);
}

static void add_count(uint64_t n, const char *what, struct buf *out)
{
        text_add_thousands(out, n);
        buf_printf(out, " %s%s", what, n == 1 ? "" : "s");
}

static void add_change(const struct drawing *d, uint32_t at, struct buf *out)
{
        double before = d->before[at];

        buf_printf(out, "; A %.2f %%", d->before[0] > 0 ? before / d->before[0] * 100 : 0);
        if (before > 0)
                buf_printf(out, "; change %+.1f %%", change_of(d, at) / before * 100);
        else
                buf_add_str(out, "; only in B");
}

/* The first line is the name, which the script searches, and from which it makes labels. */
static void add_hover(const struct drawing *d, const struct calltree_function *f, uint32_t at,
                      const struct buf *name, struct buf *out)
{
        const struct calltree_node *node = calltree_get_node(d->tree, at);

        buf_add_str(out, "<title>");
        text_add_xml(out, buf_text(name), name->len);
        buf_add_char(out, '\n');
        if (f && *f->module) {
                add_text(f->module, out);
                buf_add_str(out, f->is_inlined ? ", inlined: " : ": ");
        }
        add_count(node->count, "sample", out);
        buf_add_str(out, ", ");
        add_share(d, value_of(d, node), out);
        if (node->self_count) {
                buf_add_str(out, "; ");
                text_add_thousands(out, node->self_count);
                buf_add_str(out, " of its own");
        }
        if (d->before)
                add_change(d, at, out);
        buf_add_str(out, "</title>");
}

static void add_hundredths(struct buf *out, uint32_t value)
{
        buf_printf(out, "%" PRIu32 ".%02" PRIu32, value / 100, value % 100);
}

static uint32_t row_y(const struct drawing *d, uint32_t depth)
{
        return TOP + ROW * (d->upwards ? d->n_rows - 1 - depth : depth);
}

static void add_frame(const struct drawing *d, uint32_t at, uint32_t from, uint32_t width)
{
        const struct calltree_node *node = calltree_get_node(d->tree, at);
        const struct calltree_function *f = at == CALLTREE_ROOT ? NULL : export_function(d->tree, at);
        uint32_t y = row_y(d, node->depth);
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) label = {0};

        if (f)
                export_add_name(f, &name);
        else
                buf_add_str(&name, "all");
        buf_add_str(d->out, "<g>");
        add_hover(d, f, at, &name, d->out);
        buf_add_str(d->out, "<rect class=\"");
        if (d->before)
                add_change_class(d, at, d->out);
        else if (f)
                add_class(f, d->out);
        else
                buf_add_str(d->out, "p0");
        buf_add_str(d->out, "\" x=\"");
        add_hundredths(d->out, MARGIN * 100 + from);
        buf_printf(d->out, "\" y=\"%" PRIu32 "\" width=\"", y);
        add_hundredths(d->out, width);
        buf_printf(d->out, "\" height=\"%d\"/>", ROW - 1);
        add_label(&name, width, CHARACTER, &label);
        if (label.len) {
                buf_add_str(d->out, "<text x=\"");
                add_hundredths(d->out, MARGIN * 100 + from + TEXT_MARGIN);
                buf_printf(d->out, "\" y=\"%" PRIu32 "\">%s</text>", y + 12, buf_text(&label));
        }
        buf_add_str(d->out, "</g>\n");
}

static uint32_t width_of(const struct drawing *d, uint64_t from, uint64_t value)
{
        return x_of(d, from + value) - x_of(d, from);
}

/* Calls `draw` for each frame that is wide enough, parents first; `draw` NULL: only computes the depth. */
static void visit_frames(struct drawing *d,
                         void (*draw)(const struct drawing *, uint32_t, uint32_t, uint32_t))
{
        uint32_t at = CALLTREE_ROOT;

        d->n_omitted = 0;
        d->omitted = 0;
        d->from[0] = 0;
        do {
                const struct calltree_node *node = calltree_get_node(d->tree, at);
                uint64_t value = value_of(d, node), from = d->from[node->depth];
                uint32_t width = width_of(d, from, value);

                d->from[node->depth] += value;
                if (width < NARROWEST && at != CALLTREE_ROOT) {
                        d->n_omitted++;
                        d->omitted += value;
                        at = export_skip(d->tree, at);
                        continue;
                }
                d->from[node->depth + 1] = from;
                if (draw)
                        draw(d, at, x_of(d, from), width);
                else if (node->depth >= d->n_rows)
                        d->n_rows = node->depth + 1;
                at = export_next(d->tree, at);
        } while (at != CALLTREE_ROOT);
}

/* --- Around the frames --- */

/* Red for more and blue for less, which most colour-blind people tell apart. */
static void add_change_style(struct buf *out)
{
        buf_add_str(out, ".e0{fill:#e8e8e8}");
        for (int step = 1; step <= N_STEPS; step++) {
                int pale = 225 - step * 150 / N_STEPS;

                buf_printf(out, ".a%d{fill:#ee%02x%02x}.b%d{fill:#%02x%02xee}", step, pale, pale, step, pale,
                           pale + 10);
        }
        buf_add_char(out, '\n');
}

static void add_style(const struct drawing *d, struct buf *out)
{
        buf_add_str(
                out,
                "<style>\n"
                "svg{overflow-anchor:none}text,.head,.status,.note{font:12px monospace}text{fill:#000}g>text{pointer-events:none}\n"
                ".t{font-size:17px}.f rect{stroke:#fff;stroke-width:.3}.f g:hover rect{stroke:#000;"
                "stroke-width:1}\n"
                ".m rect{fill:#c026d3!important}.o{opacity:.45}\n"
                ".head,.status,.note{box-sizing:border-box;background:#fff;color:#000;padding:4px 10px}"
                ".head{display:flex;flex-wrap:wrap;gap:4px 16px}.words{flex:1 1 300px;min-width:0}"
                ".line{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.bar{flex:0 1 260px}"
                ".bar input{font:inherit;box-sizing:border-box;width:100%}.bar button{font:inherit;float:right}"
                ".kind{display:inline-block;margin-right:16px}.key{display:inline-block;width:12px;height:12px;"
                "margin-right:5px;vertical-align:-2px}.status{border-top:1px solid #999;overflow:hidden;"
                "overflow-wrap:anywhere;max-height:40vh}.status span{margin-left:2ch}.status-box{pointer-events:none}\n");
        for (int i = 0; i < N_COLORS; i++) {
                if (!is_used(d, i))
                        continue;
                for (int shade = 0; shade < N_SHADES; shade++)
                        buf_printf(out, ".%s%d{fill:#%02x%02x%02x}", colors[i].class, shade,
                                   colors[i].red + shade * colors[i].red_step,
                                   colors[i].green + shade * colors[i].green_step,
                                   colors[i].blue + shade * colors[i].blue_step);
                buf_add_char(out, '\n');
        }
        if (d->before)
                add_change_style(out);
        buf_add_str(out, "</style>\n");
}

/* "cycles:u: 1,234 samples" */
static void make_title(const struct drawing *d, struct buf *ret)
{
        export_add_text(d->about->event, ret);
        buf_add_str(ret, ": ");
        add_count(calltree_get_node(d->tree, CALLTREE_ROOT)->count, "sample", ret);
}

static void add_change_legend(struct buf *out)
{
        static const struct {
                const char *class, *text;
        } keys[] = {{"a4", "more in B"},
                    {"a2", "somewhat more"},
                    {"e0", "equal"},
                    {"b2", "somewhat less"},
                    {"b4", "less in B"}};
        uint32_t x = MARGIN;

        buf_add_str(out, "<g class=\"l\">\n");
        for (size_t i = 0; i < N_ELEMENTS(keys); i++) {
                buf_printf(out,
                           "<rect class=\"%s\" x=\"%" PRIu32 "\" y=\"46\" width=\"12\" height=\"12\"/>"
                           "<text x=\"%" PRIu32 "\" y=\"56\">%s</text>\n",
                           keys[i].class, x, x + 17, keys[i].text);
                x += 17 + 8 * (uint32_t)strlen(keys[i].text) + 16;
        }
        buf_add_str(out, "</g>\n");
}

static void add_legend(const struct drawing *d, struct buf *out)
{
        uint32_t x = MARGIN;

        buf_add_str(out, "<g class=\"l\">\n");
        for (int i = COLOR_USER; i < N_COLORS; i++) {
                if (!is_used(d, i))
                        continue;
                buf_printf(out,
                           "<rect class=\"%s%d\" x=\"%" PRIu32 "\" y=\"46\" width=\"12\" height=\"12\"/>"
                           "<text x=\"%" PRIu32 "\" y=\"56\">%s</text>\n",
                           colors[i].class, N_SHADES / 2, x, x + 17, colors[i].name);
                x += 17 + 8 * (uint32_t)strlen(colors[i].name) + 16;
        }
        buf_add_str(out, "</g>\n");
}

static void add_opening(const struct drawing *d, const struct buf *title, const struct buf *command,
                        uint32_t height)
{
        struct buf *out = d->out;

        buf_printf(out,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%" PRIu32
                   "\" viewBox=\"0 0 %d %" PRIu32 "\"%s>\n<title>",
                   WIDTH, height, WIDTH, height, d->upwards ? " class=\"up\"" : "");
        text_add_xml(out, buf_text(title), title->len);
        buf_add_str(out, "</title>\n<desc>");
        text_add_xml(out, buf_text(command), command->len);
        buf_add_str(out, "</desc>\n");
        add_style(d, out);
        buf_printf(out, "<rect width=\"%d\" height=\"%" PRIu32 "\" fill=\"#fff\"/>\n", WIDTH, height);
}

/* The script replaces this head by one that fits the window. */
static void add_head(const struct drawing *d, uint32_t height)
{
        AUTO_RELEASE(buf) title = {0};
        AUTO_RELEASE(buf) command = {0};
        struct buf *out = d->out;

        make_title(d, &title);
        export_add_text(d->about->command, &command);
        add_opening(d, &title, &command, height);
        buf_printf(out, "<g class=\"s\">\n<text class=\"t\" x=\"%d\" y=\"22\">", MARGIN);
        add_label(&title, DRAWN, TITLE_CHARACTER, out);
        buf_printf(out, "</text>\n<text x=\"%d\" y=\"39\">", MARGIN);
        add_label(&command, DRAWN, CHARACTER, out);
        buf_add_str(out, "</text>\n");
        if (d->before)
                add_change_legend(out);
        else
                add_legend(d, out);
        buf_add_str(out, "</g>\n");
}

static void make_note(const struct drawing *d, struct buf *ret)
{
        if (d->before)
                buf_add_str(ret, "Colours are differences, which were not tested.  ");
        buf_add_str(ret, "Widths are shares of ");
        export_add_text(d->by_count ? "the samples" : d->about->is_time ? "the time" : d->about->event, ret);
        if (d->n_omitted) {
                buf_add_str(ret, "; ");
                add_count(d->n_omitted, "frame", ret);
                buf_add_str(ret, " narrower than 0.1 pixel, together ");
                add_share(d, d->omitted, ret);
                buf_printf(ret, ", %s not drawn, nor %s callees", d->n_omitted == 1 ? "is" : "are",
                           d->n_omitted == 1 ? "its" : "their");
        }
        buf_add_str(ret, ".  ");
        export_add_text(d->about->tool, ret);
}

static void add_note(const struct drawing *d, uint32_t height)
{
        AUTO_RELEASE(buf) note = {0};

        make_note(d, &note);
        buf_printf(d->out, "<g class=\"s\"><text class=\"n\" x=\"%d\" y=\"%" PRIu32 "\">", MARGIN,
                   height - 14);
        add_label(&note, DRAWN, CHARACTER, d->out);
        buf_add_str(d->out, "</text></g>\n");
}

static bool has_color(const struct calltree *tree, enum color color)
{
        for (size_t i = 0; i < calltree_n_functions(tree); i++) {
                if (color_of(calltree_get_function(tree, (uint32_t)i)) == color)
                        return true;
        }
        return false;
}

void export_svg(const struct calltree *tree, const struct export_about *about,
                const struct export_svg_options *options, struct buf *out)
{
        const struct calltree_node *root = calltree_get_node(tree, CALLTREE_ROOT);
        struct drawing d = {
                .tree = tree,
                .about = about,
                .upwards = options->upwards,
                .before = options->before,
                .by_count = !root->weight,
                .from = mem_new((size_t)export_depth(tree) + 2, sizeof(*d.from)),
                .out = out,
        };
        uint32_t height;

        d.total = value_of(&d, root);
        while (d.total >> d.shift >> 40)
                d.shift++;
        d.total_shifted = d.total >> d.shift;
        if (d.before)
                find_largest_change(&d);
        d.has_python = has_color(tree, COLOR_PYTHON);
        d.has_states = has_color(tree, COLOR_STATE);
        visit_frames(&d, NULL);
        height = TOP + ROW * d.n_rows + BOTTOM;
        add_head(&d, height);
        buf_add_str(out, "<g class=\"f\">\n");
        visit_frames(&d, add_frame);
        buf_add_str(out, "</g>\n");
        add_note(&d, height);
        for (const char *const *piece = export_svg_script; *piece; piece++)
                buf_add_str(out, *piece);
        buf_add_str(out, "</svg>\n");
        free(d.from);
}

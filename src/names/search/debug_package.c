/* SPDX-License-Identifier: BSD-3-Clause */
/* A list has a paragraph for each package, as `apt-cache show` prints them:
 *
 *   Package: python3.11-dbg
 *   ...
 *   Build-Ids: 00354fd4ac12d1b88b32cb6bd51b7d797159e0ee 08d7d3f08d9ca6549819dd699aeaa02660318370 ...
 *
 * apt-cache itself is not asked: without its cache, as in containers, it takes a second and more. */
#include "debug_package.h"

#include <string.h>

#include "object.h"
#include "os.h"
#include "text.h"

#define LISTS "/var/lib/apt/lists"
/* Those of Debian have some 50 MB. A process that maps no files reads them first, without a look at the time.
 */
#define MAX_LIST_BYTES (UINT64_C(256) << 20)
#define LIMIT_NS       (UINT64_C(1000000000) / 6)

/* A part of a list, without a NUL at its end. */
struct list_part {
        const char *at;
        size_t len;
};

static bool starts(struct list_part line, const char *name, struct list_part *ret_value)
{
        size_t len = strlen(name);

        if (line.len < len || memcmp(line.at, name, len) != 0)
                return false;
        *ret_value = (struct list_part){line.at + len, line.len - len};
        return true;
}

/* Cuts the text before the next `end` off `rest`. */
static struct list_part cut(struct list_part *rest, char end)
{
        const char *found = memchr(rest->at, end, rest->len);
        struct list_part part = {rest->at, found ? (size_t)(found - rest->at) : rest->len};
        size_t gone = part.len + (found != NULL);

        *rest = (struct list_part){rest->at + gone, rest->len - gone};
        return part;
}

static bool has_word(struct list_part words, const char *word)
{
        while (words.len) {
                struct list_part next = cut(&words, ' ');

                if (next.len == strlen(word) && !memcmp(next.at, word, next.len))
                        return true;
        }
        return false;
}

/* The name becomes part of a command. */
static bool is_package_name(struct list_part name)
{
        for (size_t i = 0; i < name.len; i++) {
                if (!memchr("abcdefghijklmnopqrstuvwxyz0123456789+-.", name.at[i], 39))
                        return false;
        }
        return name.len && name.at[0] != '-';
}

bool debug_package_in_list(const char *text, size_t size, const char *hex, uint64_t end_ns, struct buf *out)
{
        struct list_part rest = {text, size}, package = {0}, value;

        while (rest.len) {
                struct list_part line = cut(&rest, '\n');

                if (starts(line, "Package: ", &value)) {
                        package = value;
                        if (os_monotonic_ns() > end_ns)
                                return false;
                } else if (starts(line, "Build-Ids: ", &value) && has_word(value, hex) &&
                           is_package_name(package)) {
                        buf_add(out, package.at, package.len);
                        return true;
                }
        }
        return false;
}

struct list_search {
        const char *lists;
        char hex[2 * OBJECT_BUILD_ID_BYTES + 1];
        uint64_t end_ns;
        struct buf *out;
        bool is_found;
};

static bool search_list(void *ctx, const char *name)
{
        struct list_search *s = ctx;
        AUTO_RELEASE(buf) path = {0};
        AUTO(os_map) map = NULL;
        struct os_stat file;

        if (!text_ends(name, "_Packages"))
                return true;
        buf_printf(&path, "%s/%s", s->lists, name);
        if (os_stat(buf_text(&path), &file) && file.is_file && file.size_bytes <= MAX_LIST_BYTES)
                map = os_map_open(buf_text(&path), NULL);
        s->is_found = map && debug_package_in_list((const char *)map->bytes, map->size_bytes, s->hex,
                                                   s->end_ns, s->out);
        return !s->is_found && os_monotonic_ns() <= s->end_ns;
}

bool debug_package_find(const char *lists, const uint8_t *build_id, size_t build_id_size, struct buf *out)
{
        struct list_search search = {
                .lists = lists ? lists : LISTS, .end_ns = os_monotonic_ns() + LIMIT_NS, .out = out};

        if (!build_id_size || build_id_size > OBJECT_BUILD_ID_BYTES)
                return false;
        text_hex(search.hex, build_id, build_id_size);
        os_list_dir(search.lists, search_list, &search, NULL);
        return search.is_found;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Python frames are matched in segments: a segment is the frames that one native eval function runs. */
#include "python_pair.h"

#include <string.h>

#include "attributes.h"

static const char *const end_texts[PYTHON_N_PAIR_ENDS] = {
        [PYTHON_PAIR_MERGED] = "merged",
        [PYTHON_PAIR_NATIVE_ONLY] = "without Python",
        [PYTHON_PAIR_START] = "start-up",
        [PYTHON_PAIR_NO_FRAMES] = "no Python frames",
        [PYTHON_PAIR_PYTHON_CUT] = "Python frames cut",
        [PYTHON_PAIR_NATIVE_CUT] = "native stack cut",
        [PYTHON_PAIR_MORE_NATIVE] = "more native frames",
        [PYTHON_PAIR_MORE_PYTHON] = "more Python frames",
        [PYTHON_PAIR_NO_ROOM] = "too many frames",
};

const char *python_pair_end_text(enum python_pair_end end)
{
        return end < PYTHON_N_PAIR_ENDS ? end_texts[end] : "?";
}

struct pairing {
        const struct python_stacks *stacks;
        struct python_link *links;
        size_t n_links, max_links;
        size_t n_evals, n_entries;
        size_t n_known;    /* native frames whose stack pointers are known */
        size_t at;         /* index of the next native frame */
        size_t frame, end; /* the next segment: frames up to the shim, or up to and including the entry */
};

static bool add_link(struct pairing *pairing, bool is_python, size_t index)
{
        if (pairing->n_links == pairing->max_links)
                return false;
        pairing->links[pairing->n_links++] = (struct python_link){is_python, (uint32_t)index};
        return true;
}

static bool is_last_of_segment(const struct python_stacks *stacks, size_t i)
{
        return stacks->has_shims ? stacks->frames[i].kind == PYTHON_FRAME_SHIM : stacks->frames[i].is_entry;
}

/* Finds the last frame of the segment that begins at `frame`; n_frames if the segment has no end. */
static void find_segment(struct pairing *pairing)
{
        size_t i = pairing->frame;

        while (i < pairing->stacks->n_frames && !is_last_of_segment(pairing->stacks, i))
                i++;
        pairing->end = i;
}

static bool has_segment(const struct pairing *pairing)
{
        return pairing->frame < pairing->stacks->n_frames;
}

/* Adds the frames of the segment, and moves to the next segment. */
static bool add_segment(struct pairing *pairing)
{
        const struct python_stacks *stacks = pairing->stacks;

        for (size_t i = pairing->frame; i <= pairing->end && i < stacks->n_frames; i++)
                if (stacks->frames[i].kind == PYTHON_FRAME_CODE && !add_link(pairing, true, i))
                        return false;
        pairing->frame = pairing->end + 1;
        find_segment(pairing);
        return true;
}

/* An eval function that called no other function has just begun or is about to end, and may have no Python
 * frame.  Those that called a function have one. */
static bool is_innermost(const struct python_stacks *stacks, size_t at)
{
        while (at--)
                if (stacks->kinds[at] == PYTHON_NATIVE_EVAL)
                        return false;
        return true;
}

/* A shim without frames belongs to a function that has returned but whose eval function has not, or is the
 * outermost frame of a thread state. */
static bool is_empty(const struct pairing *pairing)
{
        return pairing->frame == pairing->end &&
               pairing->stacks->frames[pairing->frame].kind == PYTHON_FRAME_SHIM;
}

enum match { MATCH_SEGMENT, MATCH_NONE, MATCH_LATER };

/* Whether the native frame `at` runs the segment.  MATCH_NONE: it runs no segment; MATCH_LATER: the segment
 * belongs to a frame further inside. */
static enum match match_segment(struct pairing *pairing, size_t at)
{
        const struct python_stacks *stacks = pairing->stacks;
        const struct unwind_frame *native = &stacks->natives[at];
        uint64_t shim;

        if (!has_segment(pairing))
                return MATCH_NONE;
        if (!stacks->has_shims)
                return stacks->kinds[at] != PYTHON_NATIVE_EVAL ||
                                       (pairing->n_evals > pairing->n_entries && is_innermost(stacks, at))
                               ? MATCH_NONE
                               : MATCH_SEGMENT;
        while (has_segment(pairing) && is_empty(pairing) &&
               stacks->frames[pairing->frame].addr < native->sp) {
                pairing->frame++;
                find_segment(pairing);
        }
        if (pairing->end >= stacks->n_frames)
                return MATCH_NONE;
        shim = stacks->frames[pairing->end].addr;
        if (shim < native->sp)
                return MATCH_LATER;
        return at + 1 == pairing->n_known || shim < native[1].sp ? MATCH_SEGMENT : MATCH_NONE;
}

static bool is_eval(struct pairing *pairing, size_t at)
{
        uint8_t kind = pairing->stacks->kinds[at];

        return kind == PYTHON_NATIVE_EVAL ||
               (kind == PYTHON_NATIVE_UNKNOWN && match_segment(pairing, at) == MATCH_SEGMENT);
}

static bool add_natives(struct pairing *pairing, size_t end)
{
        for (; pairing->at < end; pairing->at++)
                if (!add_link(pairing, false, pairing->at))
                        return false;
        return true;
}

static size_t skip_glue(const struct python_stacks *stacks, size_t at)
{
        while (at < stacks->n_natives && stacks->kinds[at] == PYTHON_NATIVE_GLUE)
                at++;
        return at;
}

/* Skips frames that called an eval function on behalf of the interpreter.  The trampoline of -X perf is in
 * no file: the unwinder recognises it by its bytes, and no other stub calls eval functions.  In a stripped
 * file the trampoline's caller has no name. */
static size_t skip_callers(const struct python_stacks *stacks, size_t at)
{
        if (at + 1 < stacks->n_natives && stacks->kinds[at] == PYTHON_NATIVE_OTHER &&
            stacks->natives[at + 1].way == UNWIND_WAY_STUB) {
                at++;
                at += stacks->kinds[at] == PYTHON_NATIVE_UNKNOWN;
        }
        return skip_glue(stacks, at);
}

/* Replaces an eval function, and the glue on both sides of it, by its Python frames.  It stays if its
 * function has returned, or if it has begun and has no frame yet. */
static enum python_pair_end pair_eval(struct pairing *pairing, size_t eval)
{
        size_t end = skip_callers(pairing->stacks, eval + 1), n_before = pairing->n_links;
        enum match match = match_segment(pairing, eval);

        if (match == MATCH_LATER)
                return PYTHON_PAIR_MORE_PYTHON;
        if (match == MATCH_NONE && !is_innermost(pairing->stacks, eval))
                return PYTHON_PAIR_MORE_NATIVE;
        if (match == MATCH_SEGMENT && !add_segment(pairing))
                return PYTHON_PAIR_NO_ROOM;
        if (pairing->n_links != n_before)
                pairing->at = end;
        else if (!add_natives(pairing, end))
                return PYTHON_PAIR_NO_ROOM;
        return PYTHON_PAIR_MERGED;
}

/* A native frame of another function; it has a shim only if an eval frame was not found. */
static enum python_pair_end pair_other(struct pairing *pairing)
{
        enum match match = match_segment(pairing, pairing->at);

        if (match == MATCH_LATER)
                return PYTHON_PAIR_MORE_PYTHON;
        if (!add_natives(pairing, pairing->at + 1) || (match == MATCH_SEGMENT && !add_segment(pairing)))
                return PYTHON_PAIR_NO_ROOM;
        return PYTHON_PAIR_MERGED;
}

/* The Python frames that are left after the last native frame. */
static enum python_pair_end pair_rest(struct pairing *pairing)
{
        const struct python_stacks *stacks = pairing->stacks;

        for (size_t i = pairing->frame; i < stacks->n_frames; i++) {
                if (stacks->frames[i].kind != PYTHON_FRAME_CODE)
                        continue;
                if (stacks->is_native_whole || !stacks->has_shims)
                        return PYTHON_PAIR_MORE_PYTHON;
                if (!add_link(pairing, true, i))
                        return PYTHON_PAIR_NO_ROOM;
        }
        return PYTHON_PAIR_MERGED;
}

static enum python_pair_end pair_all(struct pairing *pairing)
{
        const struct python_stacks *stacks = pairing->stacks;

        find_segment(pairing);
        while (pairing->at < stacks->n_natives) {
                size_t at = skip_glue(stacks, pairing->at);
                enum python_pair_end end = PYTHON_PAIR_MERGED;

                if (at < stacks->n_natives && is_eval(pairing, at))
                        end = pair_eval(pairing, at);
                else if (at == pairing->at)
                        end = pair_other(pairing);
                else if (!add_natives(pairing, at))
                        end = PYTHON_PAIR_NO_ROOM;
                if (end != PYTHON_PAIR_MERGED)
                        return end;
        }
        return pair_rest(pairing);
}

/* By address, the stack pointers must be known.  By count, there must be as many eval functions as entries,
 * or one more, if the innermost eval function is at its beginning or end. */
static enum python_pair_end check_counts(struct pairing *pairing)
{
        const struct python_stacks *stacks = pairing->stacks;

        if (stacks->has_shims)
                return stacks->n_natives && stacks->natives[0].sp ? PYTHON_PAIR_MERGED
                                                                  : PYTHON_PAIR_NATIVE_CUT;
        if (!stacks->is_native_whole)
                return PYTHON_PAIR_NATIVE_CUT;
        for (size_t i = 0; i < stacks->n_frames; i++)
                pairing->n_entries += stacks->frames[i].is_entry;
        if (pairing->n_evals < pairing->n_entries)
                return PYTHON_PAIR_MORE_PYTHON;
        return pairing->n_evals <= pairing->n_entries + 1 ? PYTHON_PAIR_MERGED : PYTHON_PAIR_MORE_NATIVE;
}

static enum python_pair_end check_stacks(struct pairing *pairing)
{
        const struct python_stacks *stacks = pairing->stacks;
        bool has_code = false;

        for (size_t i = 0; i < stacks->n_natives; i++)
                pairing->n_evals += stacks->kinds[i] == PYTHON_NATIVE_EVAL;
        for (size_t i = 0; i < stacks->n_frames && !has_code; i++)
                has_code = stacks->frames[i].kind == PYTHON_FRAME_CODE;
        if (stacks->python_end == PYTHON_END_START)
                return PYTHON_PAIR_START;
        if (!has_code && !pairing->n_evals)
                return PYTHON_PAIR_NATIVE_ONLY;
        if (!has_code)
                return PYTHON_PAIR_NO_FRAMES;
        if (stacks->python_end != PYTHON_END_WHOLE)
                return PYTHON_PAIR_PYTHON_CUT;
        return check_counts(pairing);
}

/* The number of native frames of the running coroutine; all of them if no library has started one. */
static size_t find_bound(const struct python_stacks *stacks)
{
        bool has_eval = false;

        for (size_t i = 0; i < stacks->n_natives && stacks->switches; i++) {
                has_eval |= stacks->kinds[i] == PYTHON_NATIVE_EVAL;
                if (has_eval && stacks->kinds[i] == PYTHON_NATIVE_OTHER &&
                    stacks->switches(stacks->switches_ctx, i))
                        return i + 1;
        }
        return stacks->n_natives;
}

/* Pairs the first `n_natives` native frames. */
static enum python_pair_end pair_first(const struct python_stacks *stacks, size_t n_natives,
                                       struct pairing *pairing)
{
        struct python_stacks first = *stacks;
        enum python_pair_end end;

        first.n_natives = n_natives;
        first.is_native_whole |= n_natives < stacks->n_natives;
        *pairing = (struct pairing){.stacks = &first,
                                    .links = pairing->links,
                                    .max_links = pairing->max_links,
                                    .n_known = stacks->n_natives};
        end = check_stacks(pairing);
        return end == PYTHON_PAIR_MERGED ? pair_all(pairing) : end;
}

/* By count, one eval function more than entries may be the innermost one, or one of a suspended coroutine. */
static bool may_be_bounded(const struct python_stacks *stacks, const struct pairing *pairing,
                           enum python_pair_end end)
{
        if (stacks->has_shims || end != PYTHON_PAIR_MERGED)
                return end == PYTHON_PAIR_MORE_NATIVE || end == PYTHON_PAIR_NATIVE_CUT;
        return pairing->n_evals > pairing->n_entries;
}

enum python_pair_end python_pair(const struct python_stacks *stacks, struct python_link *links,
                                 size_t max_links, size_t *ret_n, size_t *ret_n_natives)
{
        struct pairing pairing = {.links = links, .max_links = max_links};
        enum python_pair_end end = pair_first(stacks, stacks->n_natives, &pairing);

        *ret_n_natives = stacks->n_natives;
        if (may_be_bounded(stacks, &pairing, end)) {
                size_t bound = find_bound(stacks);

                if (bound < stacks->n_natives) {
                        end = pair_first(stacks, bound, &pairing);
                        *ret_n_natives = end == PYTHON_PAIR_MERGED ? bound : stacks->n_natives;
                }
        }
        if (end != PYTHON_PAIR_MERGED) {
                pairing.n_links = 0;
                for (size_t i = 0; i < stacks->n_natives; i++)
                        if (!add_link(&pairing, false, i))
                                break;
        }
        *ret_n = pairing.n_links;
        return end;
}

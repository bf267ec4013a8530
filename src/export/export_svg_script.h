/* SPDX-License-Identifier: BSD-3-Clause */
/* The script of a flame graph, as an element of it: a constant text. */
#ifndef EXPORT_SVG_SCRIPT_H
#define EXPORT_SVG_SCRIPT_H

/* Its pieces, one behind the other, ended by NULL. */
extern const char *const export_svg_script[];

#endif

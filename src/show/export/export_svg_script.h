/* SPDX-License-Identifier: BSD-3-Clause */
/* The script of a flame graph as a script element: a constant text. */
#ifndef EXPORT_SVG_SCRIPT_H
#define EXPORT_SVG_SCRIPT_H

/* Its pieces in order; ends with NULL. */
extern const char *const export_svg_script[];

#endif

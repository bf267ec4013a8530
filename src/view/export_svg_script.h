/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a flame graph that moves. */
#ifndef EXPORT_SVG_SCRIPT_H
#define EXPORT_SVG_SCRIPT_H

/* A whole <script> element, the same in every file. */
extern const char export_svg_script[];

#endif

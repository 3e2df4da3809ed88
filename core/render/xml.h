/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RENDER_XML_H
#define RENDER_XML_H

#include "base/str.h"

/* Add text for an element or a quoted attribute: escaped, with U+FFFD for bytes that are not UTF-8
 * and characters that XML 1.0 does not allow (control characters, U+FFFE, U+FFFF). */
void xml_add(struct str *out, struct view text);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RENDER_XML_H
#define RENDER_XML_H

#include "base/str.h"

/* Text for an element or a quoted attribute: escaped, and U+FFFD for what XML 1.0 has no place
 * for (control characters, U+FFFE, U+FFFF) or is not UTF-8. */
void xml_add(struct str *out, struct view text);

#endif

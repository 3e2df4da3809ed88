// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/xml.h"

#include "base/utf8.h"

static const struct {
	u32 cp;
	const char *entity;
} entities[] = {
	{ '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" }, { '\'', "&#39;" },
};

static const char *entity_of(u32 cp)
{
	for (size_t i = 0; i < ARRAY_SIZE(entities); i++)
		if (entities[i].cp == cp)
			return entities[i].entity;
	return NULL;
}

static bool is_char(u32 cp)
{
	return cp != UTF8_BAD && !utf8_is_control(cp) && cp != 0xfffe && cp != 0xffff;
}

void xml_add(struct str *out, struct view text)
{
	while (text.n) {
		const char *start = text.p;
		u32 cp = utf8_next(&text);
		const char *entity = entity_of(cp);

		if (!is_char(cp))
			str_adds(out, "\xef\xbf\xbd");
		else if (entity)
			str_adds(out, entity);
		else
			str_add(out, start, (size_t)(text.p - start));
	}
}

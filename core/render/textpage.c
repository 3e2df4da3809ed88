// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/textpage.h"

#include "render/renderer.h"

void text_page(const struct report *r, const struct render_opts *opts, u32 columns, struct str *out)
{
	struct sink sink = SINK_IN_MEMORY;
	struct render render = { .sink = &sink, .opts = opts, .run = r->run, .columns = columns };

	text_renderer.report(&render, r);
	text_renderer.release(&render);
	str_add(out, str_text(&sink.buf), sink.buf.n);
	str_release(&sink.buf);
}

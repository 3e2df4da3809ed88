/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Drawings, compared byte by byte with the files in tests/golden/.  `--update` of a test
 * (build/tests/unit/render/golden_stacks) rewrites its files; read the difference.  `--write DIR`
 * writes its output to files for tests/render/.
 *
 * pprof is compared unpacked and as text, since zlib's output differs between its releases.  html
 * is compared without its scripts and style sheets, which are files of their own.
 */
#ifndef GOLDENS_H
#define GOLDENS_H

#include <errno.h>
#include <fcntl.h>
#include <zlib.h>

#include "base/file.h"
#include "render/render.h"
#include "test.h"

#define DIR "tests/golden"

static bool is_update;
static const char *write_dir; /* NULL: compare */

/* ---- protobuf as text, by a reader of its own: "field: value", messages indented ---- */

static inline u64 take_varint(struct view *v)
{
	u64 n = 0;

	for (int shift = 0; v->n; shift += 7) {
		u8 byte = (u8)*v->p;

		v->p++;
		v->n--;
		n |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return n;
}

/* Which length-delimited fields are messages: of Profile, and of what is in it. */
static inline bool is_message(int depth, u64 parent, u64 field)
{
	if (!depth)
		return field != 6 && field != 13;
	return depth == 1 && ((parent == 2 && field == 3) || (parent == 4 && field == 4));
}

static inline void dump(struct str *out, struct view v, int depth, u64 parent)
{
	while (v.n) {
		u64 tag = take_varint(&v), value = take_varint(&v);
		struct view bytes = { v.p, value };

		str_addf(out, "%*s%llu:", depth * 2, "", tag >> 3);
		if ((tag & 7) == 0) {
			str_addf(out, " %llu\n", value);
			continue;
		}
		CHECK((tag & 7) == 2 && value <= v.n);
		v.p += value;
		v.n -= value;
		if (is_message(depth, parent, tag >> 3)) {
			str_addc(out, '\n');
			dump(out, bytes, depth + 1, tag >> 3);
		} else if (!depth && tag >> 3 == 6) {
			str_addf(out, " \"%.*s\"\n", (int)bytes.n, bytes.p);
		} else {
			while (bytes.n)
				str_addf(out, " %llu", take_varint(&bytes));
			str_addc(out, '\n');
		}
	}
}

static inline void unpack(struct str *text)
{
	z_stream z = { .next_in = (Bytef *)text->p, .avail_in = (uInt)text->n };
	struct str raw = { 0 }, out = { 0 };
	int ret;

	CHECK(inflateInit2(&z, MAX_WBITS + 16) == Z_OK);
	do {
		z.next_out = (Bytef *)str_reserve(&raw, 65536);
		z.avail_out = 65536;
		ret = inflate(&z, Z_NO_FLUSH);
		raw.n += 65536 - z.avail_out;
	} while (ret == Z_OK);
	CHECK(ret == Z_STREAM_END);
	inflateEnd(&z);
	dump(&out, str_view(&raw), 0, 0);
	str_release(&raw);
	str_release(text);
	*text = out;
}

/* ---- HTML without what is the same in all pages ---- */

/* Leave out what is between each `start` and the `end` that follows. */
static inline void elide(struct str *text, const char *start, const char *end)
{
	const char *at = str_text(text), *from;
	struct str out = { 0 };

	while ((from = strstr(at, start))) {
		const char *to = strstr(from, end);

		CHECK(to);
		from += strlen(start);
		str_add(&out, at, (size_t)(from - at));
		str_adds(&out, "...");
		at = to;
	}
	str_adds(&out, at);
	str_release(text);
	*text = out;
}

static inline void shorten(struct str *text)
{
	elide(text, "<style>", "</style>");
	elide(text, "<script>", "</script>");
	elide(text, "script-src ", ";");
}

/* ---- comparing ---- */

/* A file that everything is rendered into; one per process. */
static inline char *scratch(void)
{
	static char path[] = "/tmp/bperf-golden-XXXXXX";
	static bool is_made;

	if (!is_made) {
		int fd = mkstemp(path);

		CHECK(fd >= 0);
		close(fd);
		is_made = true;
	}
	return path;
}

/* The input of a drawing: reports one after the other, or events. */
struct drawing {
	const struct run_info *run;
	u32 kinds;
	const struct report *const *reports;
	size_t n_reports;
	const struct event_row *events;
	size_t n_events;
	struct run_end end;
};

/* All of it in one format, with the header and the footer of a run. */
static inline struct str draw(const struct drawing *d, const char *format,
			      const struct render_opts *opts)
{
	char *spec = scratch();
	struct str text = { 0 };
	struct err err = { 0 };
	struct output *out;
	bool is_broken;

	CHECK(!output_open(&out, NULL, format, &spec, 1, false, d->kinds, opts, &err));
	CHECK(!output_begin(out, d->run, &err));
	for (size_t i = 0; i < d->n_reports; i++)
		CHECK(!output_report(out, d->reports[i], &err));
	for (size_t i = 0; i < d->n_events; i++)
		output_event(out, &d->events[i]);
	CHECK(!output_end(out, d->run, &d->end, &err));
	CHECK(!output_close(out, &is_broken, &err));
	CHECK(!file_read(spec, 1 << 24, &text));
	unlink(spec);
	if (!strcmp(format, "pprof") && !write_dir)
		unpack(&text);
	if (!strcmp(format, "html") && !write_dir)
		shorten(&text);
	return text;
}

static inline void write_golden(const char *path, const struct str *text)
{
	FILE *f = fopen(path, "w");

	CHECK(f && fwrite(str_text(text), 1, text->n, f) == text->n && !fclose(f));
}

static inline void show_difference(const char *path, const struct str *text)
{
	char command[256];
	FILE *f;

	snprintf(command, sizeof(command), "diff -u %s - | head -n 20 | sed 's/^/# /'", path);
	fflush(stdout);
	f = popen(command, "w");
	if (!f)
		return;
	fwrite(str_text(text), 1, text->n, f);
	pclose(f);
}

static inline void compare(const char *name, const char *extension, const struct str *text)
{
	struct str want = { 0 };
	char path[128];

	if (!strcmp(extension, "pprof.txt") && write_dir)
		extension = "pb.gz";
	snprintf(path, sizeof(path), "%s/%s.%s", write_dir ? write_dir : DIR, name, extension);
	if (is_update || write_dir) {
		write_golden(path, text);
		return;
	}
	CHECK(!file_read(path, 1 << 24, &want));
	if (want.n != text->n || memcmp(str_text(&want), str_text(text), want.n) != 0) {
		show_difference(path, text);
		CHECK(!"as in the file");
	}
	str_release(&want);
}

enum {
	IN_TEXT,
	IN_FOLDED,
	IN_JSON,
	IN_PPROF,
	IN_SVG,
	IN_HTML,
	IN_PERF
};

static const struct {
	const char *format, *extension;
} formats[] = {
	[IN_TEXT] = { "text", "txt" },	[IN_FOLDED] = { "folded", "folded" },
	[IN_JSON] = { "json", "json" }, [IN_PPROF] = { "pprof", "pprof.txt" },
	[IN_SVG] = { "svg", "svg" },	[IN_HTML] = { "html", "html" },
	[IN_PERF] = { "perf", "perf" },
};

static inline void check_drawing(const char *name, const struct drawing *d, u32 format,
				 const struct render_opts *opts)
{
	struct str text;

	CHECK(freopen("/dev/null", "w", stderr));
	text = draw(d, formats[format].format, opts);
	compare(name, formats[format].extension, &text);
	str_release(&text);
}

static inline void check_in(const char *name, const struct report *const *reports, size_t n,
			    u32 format, const struct render_opts *opts)
{
	const struct drawing d = {
		.run = reports[0]->run,
		.kinds = reports[0]->kind,
		.reports = reports,
		.n_reports = n,
		.end = { .reason = "done",
			 .elapsed_ns = 5000312000ULL,
			 .intervals = (u32)n,
			 .ledger = reports[n - 1]->ledger },
	};

	check_drawing(name, &d, format, opts);
}

/* In the first n_formats of them. */
static inline void check(const char *name, const struct report *const *reports, size_t n,
			 u32 n_formats, const struct render_opts *opts)
{
	for (u32 i = 0; i < n_formats; i++)
		check_in(name, reports, n, i, opts);
}

static const struct render_opts plain = { .top = 20, .color = COLOR_NEVER };

static bool golden_options(int argc, char **argv)
{
	is_update = argc == 2 && !strcmp(argv[1], "--update");
	write_dir = argc == 3 && !strcmp(argv[1], "--write") ? argv[2] : NULL;
	return is_update || write_dir;
}
TEST_OPTIONS(golden_options)

#endif

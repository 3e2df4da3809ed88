// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Folded lines that are too long for their readers: the part that is left, and the warning. */
#include <unistd.h>

#include "base/file.h"
#include "render/render.h"
#include "reports.h"
#include "test.h"

#define N_FRAMES 1000
#define MAX_LINE 65535 /* with the newline */

static struct frame frames[N_FRAMES];
static u32 path[N_FRAMES + 1];

/* Frames of `width` bytes each, but for the leaf "leaf" and the root "root". */
static void make_frames(u32 n, u32 width)
{
	for (u32 i = 0; i < n; i++) {
		bool is_end = i == 0 || i == n - 1;

		frames[i] = (struct frame){
			.name = is_end ? mem_strdup(i ? "root" : "leaf")
				       : mem_printf("%0*u_f", (int)width - 2, i),
			.kind = FRAME_KERNEL,
		};
		path[i] = i;
	}
	path[n] = NONE;
}

static struct str render(const struct sample *s)
{
	char spec[] = "/tmp/bperf-folded-XXXXXX", *specs[] = { spec };
	const struct render_opts opts = { .annotate = true, .delimited = true };
	struct run_end end = { .reason = "done" };
	struct err err = { 0 };
	struct str text = { 0 };
	struct output *out;
	bool is_broken;
	int fd = mkstemp(spec);

	CHECK(fd >= 0);
	close(fd);
	CHECK(freopen("/dev/null", "w", stderr));
	CHECK(!output_open(&out, NULL, "folded", specs, 1, false, REPORT_STACKS, &opts, &err));
	CHECK(!output_begin(out, &s->run, &err));
	CHECK(!output_report(out, &s->report, &err));
	CHECK(!output_end(out, &s->run, &end, &err));
	CHECK(!output_close(out, &is_broken, &err));
	CHECK(!file_read(spec, 1 << 24, &text));
	unlink(spec);
	return text;
}

static u32 n_found(const struct str *text, const char *what)
{
	u32 n = 0;

	for (const char *at = str_text(text); (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
}

static void check_line(const struct str *text)
{
	CHECK(text->n <= MAX_LINE);
	CHECK(strlen(str_text(text)) == text->n);
	CHECK(n_found(text, "\n") == 1 && text->p[text->n - 1] == '\n');
	CHECK(strstr(str_text(text), " 5\n"));
}

/* A row of 5 us, the sleeper's stack as deep as n frames, and n_links wakers alike. */
static void init(struct sample *s, u32 n, u32 n_links, const char *waker)
{
	sample_init(s, frames, n);
	sample_waits(s, "chain", SHAPE_CHAIN);
	sample_add(s, "app", 1, 5000, path, NULL);
	sample_chain(s, CHAIN_END_DEPTH);
	for (u32 i = 0; i < n_links; i++)
		sample_waker(s, waker, 2, path, NULL, 0);
}

TEST(lines_that_fit_are_whole)
{
	struct sample s;
	struct str text;

	make_frames(10, 20);
	init(&s, 10, CHAIN_MAX_LINKS, "w");
	text = render(&s);
	check_line(&text);
	CHECK_U64(n_found(&text, ";--;"), CHAIN_MAX_LINKS + 1);
	CHECK_U64(n_found(&text, "[truncated]"), 0);
	CHECK_U64(n_found(&text, ";root"), CHAIN_MAX_LINKS + 1);
	str_release(&text);
	sample_release(&s);
}

TEST(long_stacks_are_truncated_at_their_roots_and_say_so)
{
	struct sample s;
	struct str text;

	make_frames(N_FRAMES, 100);
	init(&s, N_FRAMES, CHAIN_MAX_LINKS, "w");
	text = render(&s);
	check_line(&text);
	CHECK(text.n > MAX_LINE * 9 / 10);
	CHECK_U64(n_found(&text, ";[truncated]"), CHAIN_MAX_LINKS + 1);
	CHECK_U64(n_found(&text, "leaf"), CHAIN_MAX_LINKS + 1);
	CHECK_U64(n_found(&text, "root"), 0);
	CHECK_U64(n_found(&text, ";[truncated];w;--;"), CHAIN_MAX_LINKS);
	CHECK(!strncmp(text.p, "app;[truncated];", 16));
	CHECK_U64(n_found(&text, ";leaf_[k];--;leaf;"), 1);
	CHECK(strstr(text.p, ";--;[depth] 5\n"));
	str_release(&text);
	sample_release(&s);
}

TEST(short_stacks_leave_their_room_to_long_ones)
{
	struct sample s;
	struct str text;

	make_frames(N_FRAMES, 100);
	init(&s, N_FRAMES, 0, NULL);
	for (u32 i = 0; i + 1 < CHAIN_MAX_LINKS; i++)
		sample_waker(&s, "w", 2, PATH(0), NULL, 0);
	text = render(&s);
	check_line(&text);
	CHECK(text.n > MAX_LINE * 9 / 10);
	CHECK_U64(n_found(&text, "[truncated]"), 1);
	CHECK_U64(n_found(&text, ";--;leaf;w"), CHAIN_MAX_LINKS - 1);
	str_release(&text);
	sample_release(&s);
}

/* Names longer than any real ones, in every place at once. */
TEST(no_names_are_too_long)
{
	struct sample s;
	struct str text, name = { 0 };

	for (u32 i = 0; i < 20000; i++)
		str_adds(&name, "\xe4\xb8\xad");
	make_frames(20, 4096);
	init(&s, 20, CHAIN_MAX_LINKS, str_text(&name));
	s.tasks.items[0].root = str_text(&name);
	text = render(&s);
	check_line(&text);
	CHECK_U64(n_found(&text, ";--;"), CHAIN_MAX_LINKS + 1);
	CHECK_U64(n_found(&text, "[truncated]"), CHAIN_MAX_LINKS + 1);
	str_release(&text);
	str_release(&name);
	sample_release(&s);
}

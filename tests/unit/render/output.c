// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/render.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "opt/output.h"
#include "render/renderer.h"
#include "reports.h"
#include "test.h"

static const struct render_opts plain = { .top = 20 };

static int open_spec(const char *spec, const char *format, bool many, u32 kinds, struct err *err)
{
	char *specs[] = { (char *)spec };
	struct output *out;
	bool is_broken;
	int ret = output_open(&out, NULL, format, specs, 1, many, kinds, &plain, err);

	if (!ret)
		output_close(out, &is_broken, err);
	return ret;
}

TEST(the_extension_chooses_the_format)
{
	static const struct {
		const char *path, *format;
	} rows[] = {
		{ "out.txt", "text" },	 { "out.folded", "folded" },  { "a.b.json", "json" },
		{ "x.jsonl", "json" },	 { "/d/out.pb.gz", "pprof" }, { "OUT.SVG", "svg" },
		{ "page.html", "html" }, { "p.htm", "html" },
	};
	struct err err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(renderer_for_file(rows[i].path, &err)->name, rows[i].format);
}

TEST(an_unknown_extension_names_the_known_ones)
{
	struct err err = { 0 };

	CHECK(open_spec("/tmp/out.xyz", NULL, false, REPORT_STACKS, &err) == -ERR_USAGE);
	CHECK(strstr(err.what, "out.xyz"));
	for (size_t i = 0; output_formats[i]; i++)
		CHECK(strstr(err.hint, output_formats[i]));
	CHECK(strstr(err.hint, ".pb.gz") && strstr(err.hint, "-O FORMAT"));
}

TEST(format_names_are_those_of_the_renderers)
{
	for (size_t i = 0; output_formats[i]; i++)
		CHECK_STR(renderer_find(output_formats[i])->name, output_formats[i]);
	CHECK(!renderer_find("xml"));
}

TEST(a_format_that_cannot_draw_functions_says_which_can)
{
	struct err err = { 0 };

	CHECK(open_spec("/tmp/out.svg", NULL, false, REPORT_FUNCS, &err) == -ERR_USAGE);
	CHECK_STR(err.what, "functions can't be written as svg, only as: text, json, html");
}

TEST(what_can_be_drawn_as_another_kind_says_how)
{
	struct err err = { 0 };

	CHECK(open_spec("/tmp/out.svg", NULL, false, REPORT_DISTS, &err) == -ERR_USAGE);
	CHECK_STR(err.what, "distributions can't be written as svg, only as: text, json, html");
	CHECK(strstr(err.hint, "--heat"));
	CHECK(strstr(err.hint, "-C"));
	err_clear(&err);
	CHECK(open_spec("/tmp/out.pprof", NULL, false, REPORT_DISTS, &err) == -ERR_USAGE);
	CHECK(!strstr(err.hint, "--heat"));
	CHECK(strstr(err.hint, "-C"));
	err_clear(&err);
	CHECK(open_spec("/tmp/out.pprof", NULL, false, REPORT_COUNTS, &err) == -ERR_USAGE);
	CHECK_STR(err.hint, "");
}

TEST(many_reports_in_one_picture_need_a_number_in_the_name)
{
	struct err err = { 0 };

	CHECK(open_spec("/tmp/out.svg", NULL, true, REPORT_STACKS, &err) == -ERR_USAGE);
	CHECK(strstr(err.hint, "%i"));
	err_clear(&err);
	CHECK(open_spec("/tmp/out.html", NULL, true, REPORT_DISTS, &err) == -ERR_USAGE);
	CHECK(strstr(err.hint, "%i"));
}

TEST(events_cannot_be_drawn_as_a_page)
{
	struct err err = { 0 };

	CHECK(open_spec("/tmp/out.html", NULL, false, REPORT_EVENTS, &err) == -ERR_USAGE);
	CHECK_STR(err.what, "events can't be written as html, only as: text, json");
}

static u32 occurrences(const struct str *text, const char *of)
{
	const char *at = str_text(text);
	u32 n = 0;

	while ((at = strstr(at, of))) {
		at += strlen(of);
		n++;
	}
	return n;
}

/* A reader may take the file of a snapshot before the run ends. */
TEST(a_page_is_whole_after_a_snapshot_and_at_the_end)
{
	char path[] = "/tmp/bperf-output-XXXXXX";
	char *spec = path;
	struct run_end end = { .reason = "done" };
	struct err err = { 0 };
	struct output *out;
	struct sample s;
	bool is_broken;

	CHECK(freopen("/dev/null", "w", stderr));
	close(mkstemp(path));
	sample_server(&s);
	CHECK(!output_open(&out, NULL, "html", &spec, 1, false, REPORT_STACKS, &plain, &err));
	CHECK(!output_begin(out, &s.run, &err));
	output_warn(out, "code", "<b>beware");
	for (int i = 0; i < 2; i++) {
		struct str text = { 0 };

		s.report.is_snapshot = !i;
		CHECK(!output_report(out, &s.report, &err));
		if (i)
			CHECK(!output_end(out, &s.run, &end, &err));
		CHECK(!file_read(path, 1 << 20, &text));
		CHECK_U64(occurrences(&text, "<!DOCTYPE html>"), 1);
		CHECK_U64(occurrences(&text, "</body>\n</html>\n"), 1);
		CHECK_U64(occurrences(&text, "<li>&lt;b&gt;beware</li>"), 1);
		CHECK_U64(occurrences(&text, "not yet: a snapshot"), !i);
		str_release(&text);
	}
	CHECK(!output_close(out, &is_broken, &err));
	unlink(path);
	sample_release(&s);
}

TEST(each_interval_has_its_own_file_that_is_whole)
{
	char dir[] = "/tmp/bperf-output-XXXXXX";
	struct run_end end = { .reason = "done" };
	struct err err = { 0 };
	struct output *out;
	struct sample s;
	char *spec;
	bool is_broken;

	CHECK(mkdtemp(dir) && freopen("/dev/null", "w", stderr));
	spec = mem_printf("%s/out.%%i.json", dir);
	sample_server(&s);
	CHECK(!output_open(&out, NULL, NULL, &spec, 1, true, REPORT_STACKS, &plain, &err));
	CHECK(!output_begin(out, &s.run, &err));
	for (s.report.interval = 0; s.report.interval < 3; s.report.interval++)
		CHECK(!output_report(out, &s.report, &err));
	CHECK(!output_end(out, &s.run, &end, &err));
	CHECK(!output_close(out, &is_broken, &err));
	for (int i = 0; i < 3; i++) {
		char *path = mem_printf("%s/out.%d.json", dir, i);
		struct str text = { 0 };

		CHECK(!file_read(path, 1 << 20, &text));
		CHECK(strstr(str_text(&text), "\"type\":\"meta\""));
		CHECK(strstr(str_text(&text), "\"type\":\"end\",\"reason\":\"interval\""));
		unlink(path);
		free(path);
		str_release(&text);
	}
	free(spec);
	CHECK(!rmdir(dir));
	sample_release(&s);
}

TEST(warnings_from_before_the_start_follow_the_header)
{
	char path[] = "/tmp/bperf-output-XXXXXX";
	char *spec = path;
	struct err err = { 0 };
	struct str text = { 0 };
	struct output *out;
	struct sample s;
	const char *warn;
	bool is_broken;

	close(mkstemp(path));
	sample_server(&s);
	CHECK(!output_open(&out, NULL, "json", &spec, 1, false, REPORT_STACKS, &plain, &err));
	output_warn(out, "early", "before the start");
	CHECK(!output_begin(out, &s.run, &err));
	output_warn(out, "late", "after it");
	CHECK(!output_close(out, &is_broken, &err));
	CHECK(!file_read(path, 1 << 20, &text));
	warn = strstr(str_text(&text), "\n{\"type\":\"warn\",\"code\":\"early\"");
	CHECK(warn && strstr(warn, "\"late\""));
	unlink(path);
	str_release(&text);
	sample_release(&s);
}

TEST(a_broken_pipe_is_known_and_no_error)
{
	struct err err = { 0 };
	struct output *out;
	struct sample s;
	bool is_broken;
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	CHECK(!pipe(ends) && dup2(ends[1], STDOUT_FILENO) >= 0);
	close(ends[0]);
	sample_server(&s);
	CHECK(!output_open(&out, "folded", NULL, NULL, 0, false, REPORT_STACKS, &plain, &err));
	CHECK(!output_begin(out, &s.run, &err));
	CHECK(!output_report(out, &s.report, &err));
	CHECK(output_is_broken(out));
	CHECK(!output_close(out, &is_broken, &err));
	CHECK(is_broken);
	sample_release(&s);
}

TEST(an_output_that_fails_does_not_affect_the_others)
{
	char path[] = "/tmp/bperf-output-XXXXXX";
	char full[] = "/dev/full", *specs[] = { full, path };
	struct run_end end = { .reason = "error" };
	struct err err = { 0 };
	struct str text = { 0 };
	struct output *out;
	struct sample s;
	bool is_broken;

	close(mkstemp(path));
	CHECK(freopen("/dev/null", "w", stderr));
	sample_server(&s);
	CHECK(!output_open(&out, NULL, "json", specs, 2, false, REPORT_STACKS, &plain, &err));
	CHECK(output_begin(out, &s.run, &err) == -ERR_FAIL);
	CHECK(output_report(out, &s.report, &err) == -ERR_FAIL);
	CHECK(output_end(out, &s.run, &end, &err) == -ERR_FAIL);
	CHECK(output_close(out, &is_broken, &err) == -ERR_FAIL);
	CHECK(!file_read(path, 1 << 20, &text));
	CHECK(strstr(str_text(&text), "\n{\"type\":\"stack\""));
	CHECK(strstr(str_text(&text), "\n{\"type\":\"end\",\"reason\":\"error\""));
	unlink(path);
	str_release(&text);
	sample_release(&s);
}

/* ---- on a terminal ---- */

/* The output for a terminal of this width; the caller frees it. */
static char *on_terminal(unsigned short columns, const struct render_opts *opts,
			 const struct report *r)
{
	struct winsize size = { .ws_row = 24, .ws_col = columns };
	char *text = mem_alloc(1, 65536);
	struct err err = { 0 };
	struct output *out;
	size_t n = 0;
	ssize_t got;
	bool is_broken;
	int pty;
	pid_t pid = forkpty(&pty, NULL, NULL, &size);

	if (!pid) {
		if (output_open(&out, "text", NULL, NULL, 0, false, r->kind, opts, &err) ||
		    output_begin(out, r->run, &err) || output_report(out, r, &err))
			_exit(1);
		_exit(output_close(out, &is_broken, &err) ? 1 : 0);
	}
	while ((got = read(pty, text + n, 65535 - n)) > 0)
		n += (size_t)got;
	close(pty);
	return text;
}

static size_t widest(const char *text)
{
	size_t max = 0;

	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\r\n");

		max = n > max ? n : max;
		line += n;
		line += strspn(line, "\r\n");
	}
	return max;
}

TEST(names_are_cut_to_the_terminal)
{
	const struct render_opts opts = { .top = 20, .color = COLOR_NEVER };
	const struct frame f = { .name = "a_namespace::a_class<with, many, arguments>::a_method"
					 "(of, a, long, list, of, types)::lambda" };
	struct sample s;
	char *text;

	sample_init(&s, &f, 1);
	sample_add(&s, "a", 1, 1, NULL, PATH(0));
	text = on_terminal(40, &opts, &s.report);
	CHECK_U64(widest(text), 40);
	CHECK(strstr(text, "..") && strstr(text, "::lambda"));
	free(text);
	sample_release(&s);
}

TEST(colour_is_for_terminals_that_have_it)
{
	static const struct {
		const char *no_color, *term;
		enum color_when when;
		bool want;
	} rows[] = {
		{ NULL, "xterm", COLOR_AUTO, true }, { "", "xterm", COLOR_AUTO, true },
		{ "1", "xterm", COLOR_AUTO, false }, { NULL, "dumb", COLOR_AUTO, false },
		{ "1", "dumb", COLOR_ALWAYS, true }, { NULL, "xterm", COLOR_NEVER, false },
	};
	struct sample s;

	sample_server(&s);
	unsetenv("CLICOLOR_FORCE");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct render_opts opts = { .top = 1, .color = rows[i].when };
		char *text;

		setenv("TERM", rows[i].term, 1);
		unsetenv("NO_COLOR");
		if (rows[i].no_color)
			setenv("NO_COLOR", rows[i].no_color, 1);
		text = on_terminal(80, &opts, &s.report);
		CHECK((strchr(text, '\033') != NULL) == rows[i].want);
		free(text);
	}
	sample_release(&s);
}

TEST(no_name_can_control_the_terminal)
{
	const struct render_opts opts = { .top = 20, .color = COLOR_NEVER };
	const struct frame f = { .name = "\033]0;owned\a\xc2\x9b"
					 "31m\x7f" };
	struct sample s;
	char *text;

	sample_init(&s, &f, 1);
	sample_add(&s, "\033[2J", 1, 1, NULL, PATH(0));
	text = on_terminal(80, &opts, &s.report);
	for (const char *p = text; *p; p++)
		CHECK(*p == '\r' || *p == '\n' || ((unsigned char)*p >= 0x20 && *p != 0x7f));
	CHECK(!strstr(text, "\xc2\x9b"));
	free(text);
	sample_release(&s);
}

TEST(pprof_is_not_written_to_a_terminal)
{
	struct winsize size = { .ws_col = 80 };
	int pty, status;
	pid_t pid = forkpty(&pty, NULL, NULL, &size);

	if (!pid) {
		struct err err = { 0 };
		struct output *out;

		_exit(output_open(&out, "pprof", NULL, NULL, 0, false, REPORT_STACKS, &plain,
				  &err) == -ERR_USAGE
			      ? 0
			      : 1);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	close(pty);
}

/* ---- folded ---- */

TEST(a_folded_line_is_shorter_than_64_k_and_says_that_it_was_cut)
{
	static char name[3000];
	static struct frame frames[64];
	static u32 path[65];
	char file[] = "/tmp/bperf-output-XXXXXX";
	char *spec = file;
	struct err err = { 0 };
	struct str text = { 0 };
	struct output *out;
	struct sample s;
	bool is_broken;

	memset(name, 'x', sizeof(name) - 1);
	for (u32 i = 0; i < ARRAY_SIZE(frames); i++) {
		frames[i].name = mem_printf("%s%u", name, i);
		path[i] = i;
	}
	path[ARRAY_SIZE(frames)] = NONE;
	close(mkstemp(file));
	sample_init(&s, frames, ARRAY_SIZE(frames));
	sample_add(&s, "app", 1, 7, NULL, path);
	CHECK(!output_open(&out, NULL, "folded", &spec, 1, false, REPORT_STACKS, &plain, &err));
	CHECK(!output_begin(out, &s.run, &err) && !output_report(out, &s.report, &err));
	CHECK(!output_close(out, &is_broken, &err));
	CHECK(!file_read(file, 1 << 20, &text));
	CHECK(text.n < 65536 && text.n > 60000);
	CHECK(!strncmp(text.p, "app;[truncated];x", 17));
	CHECK(!strcmp(text.p + text.n - 5, "x0 7\n"));
	unlink(file);
	str_release(&text);
	sample_release(&s);
}

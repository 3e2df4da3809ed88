// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reports written by hand, drawn by every renderer and compared byte by byte with the files in
 * tests/golden/.  `build/tests/unit/golden --update` writes them anew; read the difference.
 * `--write DIR` writes the files as they leave the program, for tests/out/.
 *
 * pprof is compared unpacked and as text: what zlib makes of it is the release's own affair.
 */
#include <errno.h>
#include <fcntl.h>
#include <zlib.h>

#include "base/file.h"
#include "out/render.h"
#include "reports.h"
#include "test.h"

#define DIR "tests/golden"

static bool is_update;
static const char *write_dir; /* NULL: compare */

/* ---- protobuf as text, by a reader of its own: "field: value", messages indented ---- */

static u64 take_varint(struct view *v)
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
static bool is_message(int depth, u64 parent, u64 field)
{
	if (!depth)
		return field != 6 && field != 13;
	return depth == 1 && ((parent == 2 && field == 3) || (parent == 4 && field == 4));
}

static void dump(struct str *out, struct view v, int depth, u64 parent)
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

static void unpack(struct str *text)
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

/* ---- comparing ---- */

/* A file that everything is rendered into; one per process. */
static char *scratch(void)
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

/* The reports in one format, with the header and the footer of a run. */
static struct str render(const struct report *const *reports, size_t n, const char *format,
			 const struct render_opts *opts)
{
	char *spec = scratch();
	struct run_end end = { .reason = "done", .elapsed_ns = 5000312000ULL };
	struct str text = { 0 };
	struct err err = { 0 };
	struct output *out;
	bool is_broken;

	end.intervals = (u32)n;
	end.ledger = reports[n - 1]->ledger;
	CHECK(!output_open(&out, NULL, format, &spec, 1, false, reports[0]->kind, opts, &err));
	CHECK(!output_begin(out, reports[0]->run, &err));
	for (size_t i = 0; i < n; i++)
		CHECK(!output_report(out, reports[i], &err));
	CHECK(!output_end(out, reports[0]->run, &end, &err));
	CHECK(!output_close(out, &is_broken, &err));
	CHECK(!file_read(spec, 1 << 24, &text));
	unlink(spec);
	if (!strcmp(format, "pprof") && !write_dir)
		unpack(&text);
	return text;
}

static void write_golden(const char *path, const struct str *text)
{
	FILE *f = fopen(path, "w");

	CHECK(f && fwrite(str_text(text), 1, text->n, f) == text->n && !fclose(f));
}

static void show_difference(const char *path, const struct str *text)
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

static void compare(const char *name, const char *extension, const struct str *text)
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
	IN_SVG
};

static const struct {
	const char *format, *extension;
} formats[] = {
	[IN_TEXT] = { "text", "txt" },	[IN_FOLDED] = { "folded", "folded" },
	[IN_JSON] = { "json", "json" }, [IN_PPROF] = { "pprof", "pprof.txt" },
	[IN_SVG] = { "svg", "svg" },
};

static void check_in(const char *name, const struct report *const *reports, size_t n, u32 format,
		     const struct render_opts *opts)
{
	struct str text;

	CHECK(freopen("/dev/null", "w", stderr));
	text = render(reports, n, formats[format].format, opts);
	compare(name, formats[format].extension, &text);
	str_release(&text);
}

static void check(const char *name, const struct report *const *reports, size_t n, u32 n_formats,
		  const struct render_opts *opts)
{
	for (u32 i = 0; i < n_formats; i++)
		check_in(name, reports, n, i, opts);
}

#define ALL_FORMATS ARRAY_SIZE(formats)

static const struct render_opts plain = { .top = 20, .color = COLOR_NEVER };

TEST(server)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_server(&s);
	check("server", &r, 1, ALL_FORMATS, &plain);
	sample_release(&s);
}

TEST(server_with_all_options)
{
	const struct render_opts opts = { .top = 3,
					  .color = COLOR_ALWAYS,
					  .delimited = true,
					  .annotate = true,
					  .addresses = true,
					  .inverted = true };
	struct sample s;
	const struct report *r = &s.report;

	sample_server(&s);
	check("options", &r, 1, ALL_FORMATS, &opts);
	sample_release(&s);
}

TEST(functions)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_server(&s);
	report_functions(&s.report);
	check_in("functions", &r, 1, IN_TEXT, &plain);
	check_in("functions", &r, 1, IN_JSON, &plain);
	sample_release(&s);
}

TEST(callers)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_server(&s);
	CHECK_U64(report_callers(&s.report, "tcp_sendmsg"), 4);
	check("callers", &r, 1, 2, &plain);
	sample_release(&s);
}

/* Waiting, in nanoseconds that don't divide into microseconds. */
TEST(offcpu)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	sample_waits(&s, "offcpu", SHAPE_STACK);
	s.report.n_open = 1;
	sample_add(&s, "nginx", 1200, 3400, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	s.report.stacks.items[0].count = 0;
	s.report.stacks.items[0].n_open = 1;
	sample_add(&s, "nginx", 1200, 2400, PATH(F_SYSCALL), PATH(F_WRITE, F_MAIN));
	s.report.stacks.items[1].count = 1204;
	s.report.stacks.items[1].n_open = 2;
	sample_add(&s, "nginx", 1201, 2400, PATH(F_SYSCALL), PATH(F_WRITE, F_WORKER, F_MAIN));
	s.report.stacks.items[2].variance = 300 * 300;
	sample_add(&s, "java", 77, 1300, PATH(F_SYSCALL), PATH(F_JIT));
	sample_add(&s, "java", 77, 400, NULL, PATH(F_JIT));
	check("offcpu", &r, 1, ALL_FORMATS, &plain);
	sample_release(&s);
}

/* Waits with one level of wakers: threads, interrupts of each kind, and nobody. */
static void add_woken(struct sample *s)
{
	sample_add(s, "nginx", 1200, 9310000, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_chain(s, CHAIN_END_NONE);
	sample_waker(s, "sshd", 812, PATH(F_NFT, F_SYSCALL), PATH(F_WRITE, F_WORKER), 0);
	sample_add(s, "nginx", 1201, 2000400, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_chain(s, CHAIN_END_NONE);
	sample_waker(s, "sshd", 813, PATH(F_NFT, F_SYSCALL), PATH(F_WRITE, F_WORKER), 0);
	sample_add(s, "nginx", 1200, 1000300, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_chain(s, CHAIN_END_IRQ);
	sample_interrupt(s, WAKER_IRQ, "nvme0q1", PATH(F_NFT, F_TCP), 0);
	sample_add(s, "nginx", 1200, 900000, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_chain(s, CHAIN_END_IRQ);
	sample_interrupt(s, WAKER_SOFTIRQ, "net_rx", PATH(F_NFT, F_TCP), 0);
	sample_add(s, "java", 77, 800000, PATH(F_SYSCALL), PATH(F_JIT));
	sample_chain(s, CHAIN_END_IRQ);
	sample_interrupt(s, WAKER_TIMER, NULL, PATH(F_NFT), 0);
	sample_add(s, "java", 77, 700000, PATH(F_SYSCALL), PATH(F_JIT));
	sample_chain(s, CHAIN_END_IRQ);
	sample_interrupt(s, WAKER_IPI, NULL, NULL, 0);
	sample_add(s, "java", 77, 600000, PATH(F_SYSCALL), PATH(F_JIT));
	sample_chain(s, CHAIN_END_UNKNOWN);
	s->report.n_open = 1;
}

TEST(offwake)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	sample_waits(&s, "offwake", SHAPE_CHAIN);
	add_woken(&s);
	check("offwake", &r, 1, ALL_FORMATS, &plain);
	sample_release(&s);
}

TEST(wakeup)
{
	struct sample s;
	const struct report *r = &s.report;
	struct stack_row *row;

	sample_init(&s, server_frames, F_N);
	sample_waits(&s, "wakeup", SHAPE_WAKEUP);
	add_woken(&s);
	vec_for_each(row, &s.report.stacks)
		row->kernel = row->user = 0;
	check("wakeup", &r, 1, ALL_FORMATS, &plain);
	sample_release(&s);
}

/* Relays of several threads; the values of the links are for --path. */
static void add_relays(struct sample *s)
{
	sample_add(s, "gzip", 30, 9310400, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_chain(s, CHAIN_END_IRQ);
	sample_waker(s, "tar", 29, PATH(F_NFT, F_SYSCALL), PATH(F_WRITE, F_WORKER), 1300300);
	sample_waker(s, "kworker/3:1", 88, PATH(F_TCP), NULL, 10100);
	sample_interrupt(s, WAKER_IRQ, "nvme0q1", PATH(F_NFT, F_TCP), 8000000);
	sample_add(s, "gzip", 30, 4000000, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_chain(s, CHAIN_END_RUNNING);
	sample_waker(s, "tar", 29, PATH(F_NFT, F_SYSCALL), PATH(F_WRITE, F_WORKER), 4000000);
	sample_add(s, "tar", 29, 3000000, PATH(F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_chain(s, CHAIN_END_CYCLE);
	sample_waker(s, "gzip", 30, PATH(F_NFT, F_SYSCALL), PATH(F_WRITE), 2000000);
	sample_waker(s, "tar", 29, PATH(F_NFT, F_SYSCALL), PATH(F_WRITE, F_WORKER), 500000);
	sample_add(s, "tar", 29, 2000000, PATH(F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_chain(s, CHAIN_END_DEPTH);
	sample_waker(s, "gzip", 30, PATH(F_NFT, F_SYSCALL), NULL, 1999999);
	sample_add(s, "java", 77, 600000, PATH(F_SYSCALL), PATH(F_JIT));
	s->report.stacks.items[4].count = 0;
	s->report.stacks.items[4].n_open = 1;
	s->report.n_open = 1;
}

TEST(chain)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	sample_waits(&s, "chain", SHAPE_CHAIN);
	add_relays(&s);
	check("chain", &r, 1, ALL_FORMATS, &plain);
	sample_release(&s);
}

TEST(chain_with_all_options)
{
	const struct render_opts opts = { .top = 3,
					  .color = COLOR_ALWAYS,
					  .delimited = true,
					  .annotate = true,
					  .addresses = true,
					  .inverted = true,
					  .unit = "ms" };
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	sample_waits(&s, "chain", SHAPE_CHAIN);
	add_relays(&s);
	check("chain-options", &r, 1, ALL_FORMATS, &opts);
	sample_release(&s);
}

TEST(paths)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	sample_waits(&s, "chain", SHAPE_CHAIN);
	s.report.kind = REPORT_PATHS;
	add_relays(&s);
	check("paths", &r, 1, 3, &plain);
	sample_release(&s);
}

TEST(states)
{
	const struct state_row idle = { .wall_ns = 5000312000,
					.n_threads = 1,
					.ns = { [STATE_SLEEP] = 5000312000 } };
	const struct state_row busy = { .wall_ns = 15000936000,
					.n_threads = 3,
					.ns = { [STATE_USER] = 4000100700,
						[STATE_SYSTEM] = 1000200600,
						[STATE_PREEMPTED] = 300600,
						[STATE_WAITING] = 10000000,
						[STATE_DISK] = 2000000000,
						[STATE_LOCK] = 7990334100 } };
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	sample_waits(&s, "offcpu", SHAPE_STACK);
	s.report.kind = REPORT_STATES;
	s.report.total = idle.wall_ns + busy.wall_ns;
	vec_push(&s.report.states, idle);
	vec_push(&s.report.states, busy);
	s.report.states.items[0].task = sample_task(&s, "bash", 12);
	s.report.states.items[1].task = sample_task(&s, "n\033[31mginx", 1200);
	s.tasks.items[0].tid = s.tasks.items[1].tid = -1;
	check_in("states", &r, 1, IN_TEXT, &plain);
	check_in("states", &r, 1, IN_JSON, &plain);
	sample_release(&s);
}

TEST(intervals)
{
	struct sample a, b;
	const struct report *reports[] = { &a.report, &b.report };

	sample_init(&a, server_frames, F_N);
	sample_init(&b, server_frames, F_N);
	a.run.interval_ns = NS_PER_SEC;
	a.run.count = 2;
	a.report.end_ns = b.report.start_ns = NS_PER_SEC;
	b.report.run = &a.run;
	b.report.end_ns = 2 * NS_PER_SEC;
	b.report.interval = 1;
	sample_add(&a, "nginx", 1200, 7, NULL, PATH(F_HANDLE, F_MAIN));
	sample_add(&b, "nginx", 1200, 9, NULL, PATH(F_MAIN));
	check("intervals", reports, 2, 3, &plain);
	sample_release(&a);
	sample_release(&b);
}

TEST(nothing)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, server_frames, F_N);
	check("nothing", &r, 1, ALL_FORMATS, &plain);
	sample_release(&s);
}

/* Every rule that somebody's parser, terminal or viewer would break without. */
static const struct frame hostile_frames[] = {
	{ .name = "a;b", .kind = FRAME_USER },
	{ .name = "line\nbreak\ttab", .kind = FRAME_USER },
	{ .name = "\033]0;owned\a\033[31mred", .kind = FRAME_USER },
	{ .name = "<script>alert(1)</script> & \"q\" 'a' ]]>", .kind = FRAME_USER },
	{ .name = "bad\xff\xc0\xaf utf-8 \xed\xa0\x80", .kind = FRAME_USER },
	{ .name = "c1\xc2\x9b"
		  "31m \xe2\x80\xae bidi",
	  .kind = FRAME_USER },
	{ .name = "ends in 12", .kind = FRAME_USER },
	{ .name = "ends in 1.5", .kind = FRAME_USER },
	{ .name = "", .kind = FRAME_USER },
	{ .name = "gr\xc3\xbc\xc3\x9f Gott \xe4\xb8\xad\xe6\x96\x87", .kind = FRAME_USER },
	{ .name = "operator new[](unsigned long)",
	  .module = "\x01/tmp/\"mod\"\\ule",
	  .kind = FRAME_USER },
	{ .module = "/tmp/a b;c 3", .kind = FRAME_USER },
	{ .name = "back\\slash\x7f\x01", .kind = FRAME_KERNEL },
};

TEST(hostile)
{
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, hostile_frames, ARRAY_SIZE(hostile_frames));
	s.run.title = "<CPU> & profile";
	s.run.host = "db\x1b[7m";
	for (u32 i = 0; i < ARRAY_SIZE(hostile_frames); i++)
		sample_add(&s, i % 2 ? "c\xff;o\x1bm 1" : "my app", 1, 100 - i, NULL, PATH(i, 0));
	check("hostile", &r, 1, ALL_FORMATS, &plain);
	sample_release(&s);
}

/* Names that are like what separates stacks, or like what stands for a waker. */
TEST(hostile_wakers)
{
	static const struct frame frames[] = { { .name = "--" },
					       { .name = "a;--;b" },
					       { .name = "-" } };
	struct sample s;
	const struct report *r = &s.report;

	sample_init(&s, frames, ARRAY_SIZE(frames));
	sample_waits(&s, "chain", SHAPE_CHAIN);
	sample_add(&s, "--", 1, 3000, NULL, PATH(0, 1));
	sample_chain(&s, CHAIN_END_NONE);
	sample_waker(&s, "--", 2, PATH(0), PATH(1, 2), 0);
	sample_waker(&s, "irq:\033[31m;x 1", 3, NULL, NULL, 0);
	sample_waker(&s, "", 4, NULL, NULL, 0);
	sample_add(&s, "-", 1, 2000, NULL, NULL);
	sample_chain(&s, CHAIN_END_IRQ);
	sample_interrupt(&s, WAKER_IRQ, "a;--;b\n\xff", PATH(2), 0);
	sample_add(&s, ";--;", 1, 1000, NULL, NULL);
	check("hostile-wakers", &r, 1, ALL_FORMATS, &plain);
	sample_release(&s);
}

int main(int argc, char **argv)
{
	is_update = argc == 2 && !strcmp(argv[1], "--update");
	write_dir = argc == 3 && !strcmp(argv[1], "--write") ? argv[2] : NULL;
	return test_main(is_update || write_dir ? 1 : argc, argv);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The time to render a report grows as its stacks do, in every format: eight times as many stacks
 * cost no more than 24 times the CPU time (they leave the caches; quadratic code would need 64
 * times).  100,000 stacks take less than two seconds, or on a slow machine three times as long as
 * making them.  Times are printed as a comment; BPERF_KEEP=DIR keeps the files.
 */
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/index.h"
#include "render/render.h"
#include "reports.h"
#include "test.h"

#define N_FRAMES   20000
#define DEPTH	   40
#define N_LINKS	   5
#define LINK_DEPTH 6
#define N_FEW	   (N_STACKS / 8)
#define MAX_GROWTH 24
#define LIMIT_NS   (2 * NS_PER_SEC)

/* Sanitizers look for other faults, and take ten times as long. */
#if defined(__SANITIZE_ADDRESS__)
#define IS_SLOW	 true
#define N_STACKS 10000
#else
#define IS_SLOW	 false
#define N_STACKS 100000
#endif

static struct frame frames[N_FRAMES];

static u64 seed = 1;

/* The same numbers in every run. */
static u32 next(u32 below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(seed >> 33) % below;
}

static void make_frames(void)
{
	for (u32 i = 0; i < N_FRAMES && !frames[i].name; i++) {
		bool is_kernel = i % 4 == 0;

		frames[i] = (struct frame){
			.name = mem_printf(is_kernel ? "kernel_function_%u"
						     : "ns::klass<%u>::method(int, char const*)",
					   i),
			.module = is_kernel ? "[kernel]" : "/usr/lib/x86_64-linux-gnu/libbig.so.1",
			.build_id = is_kernel ? NULL : "0123456789abcdef0123456789abcdef01234567",
			.vaddr = 0x1000 + i * 64ULL,
			.off = i % 64,
			.kind = is_kernel ? FRAME_KERNEL : FRAME_USER,
		};
	}
}

/* Stacks fan out as they grow: near the root few functions, many at the leaf. */
static u32 frame_at(u32 height, bool is_kernel)
{
	u32 width = height < 20 ? 2 + height / 4 : N_FRAMES / 8;
	u32 i = (height * 97 + next(width)) % (N_FRAMES / 4);

	return is_kernel ? i * 4 : i * 4 + 1 + i % 3;
}

/* One node for each path, as from the store. */
static u32 child_of(struct sample *s, struct index *t, u32 parent, u32 frame)
{
	u64 hash = hash_mix(parent, frame);
	size_t at = 0;
	u32 node;

	while (index_next(t, hash, &at, &node))
		if (s->nodes.items[node].parent == parent && s->nodes.items[node].frame == frame)
			return node;
	node = (u32)s->nodes.n;
	vec_push(&s->nodes, (struct stack_node){ parent, frame });
	index_add(t, hash, node);
	return node;
}

/* Fills the paths of a stack, a quarter of it in the kernel. */
static void add_path(struct sample *s, struct index *t, u32 depth, u32 *user, u32 *kernel)
{
	u32 k = 0;

	for (; k < depth - depth / 4; k++)
		*user = child_of(s, t, *user, frame_at(k, false));
	for (; k < depth; k++)
		*kernel = child_of(s, t, *kernel, frame_at(k, true));
}

static void add_row(struct sample *s, struct index *t, u32 i, u32 depth)
{
	const struct stack_task task = {
		.root = "service", .comm = "service", .pid = 1 + i % 50, .tid = -1, .cpu = -1
	};
	struct stack_row row = { .value = (1 + next(20)) * NS_PER_US, .count = 1 };

	add_path(s, t, depth, &row.user, &row.kernel);
	sample_add_row(s, &task, row);
}

static void make_report(struct sample *s, u32 n_stacks)
{
	struct index t = { 0 };

	sample_init(s, frames, N_FRAMES);
	make_frames();
	for (u32 i = 0; i < n_stacks; i++)
		add_row(s, &t, i, DEPTH);
	s->report.nodes = s->nodes.items;
	s->report.n_nodes = s->nodes.n;
	index_release(&t);
}

/* As many frames in all, but most of them of wakers: every row has a chain of its own. */
static void make_chains(struct sample *s, u32 n_stacks)
{
	struct index t = { 0 };

	sample_init(s, frames, N_FRAMES);
	sample_waits(s, "chain", SHAPE_CHAIN);
	make_frames();
	for (u32 i = 0; i < n_stacks; i++) {
		add_row(s, &t, i, DEPTH - N_LINKS * LINK_DEPTH);
		sample_chain(s, CHAIN_END_RUNNING);
		for (u32 l = 0; l < N_LINKS; l++) {
			struct waker_link link = { .task = next(i + 1) };

			add_path(s, &t, LINK_DEPTH, &link.user, &link.kernel);
			sample_link(s, link);
		}
	}
	s->report.nodes = s->nodes.items;
	s->report.n_nodes = s->nodes.n;
	index_release(&t);
}

/* CPU time of one rendering, nanoseconds. */
static u64 render_once(const struct sample *s, const char *extension)
{
	const struct render_opts opts = { .top = 0 };
	const char *dir = getenv("BPERF_KEEP");
	char *spec =
		mem_printf("%s/bperf-render-%d.%s", dir ? dir : "/tmp", (int)getpid(), extension);
	struct run_end end = { .reason = "done" };
	struct err err = { 0 };
	struct output *out;
	bool is_broken;
	u64 start, took;

	CHECK(!output_open(&out, NULL, NULL, &spec, 1, false, REPORT_STACKS, &opts, &err));
	start = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	CHECK(!output_begin(out, &s->run, &err));
	CHECK(!output_report(out, &s->report, &err));
	CHECK(!output_end(out, &s->run, &end, &err));
	CHECK(!output_close(out, &is_broken, &err));
	took = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start;
	if (!dir)
		unlink(spec);
	free(spec);
	return took;
}

/* CPU time, ns, of making 100,000 stacks: 0.7 s on a fast machine. */
static u64 time_to_make(void)
{
	u64 start = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct sample s;

	make_report(&s, N_STACKS);
	sample_release(&s);
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start;
}

static const struct format {
	const char *name, *extension;
} FORMATS[] = {
	{ "text", "txt" },    { "folded", "folded" }, { "json", "json" },
	{ "pprof", "pb.gz" }, { "svg", "svg" },	      { "html", "html" },
};

/* Both are timed in turn, since other programs cost CPU time too (they share caches): the best of
 * three. */
static void check_growth(const struct sample *small, const struct sample *large,
			 const struct format *f)
{
	u64 few = UINT64_MAX, all = UINT64_MAX;

	for (int i = 0; i < 3 && (!i || all > MAX_GROWTH * few || all > LIMIT_NS); i++) {
		u64 few_now = render_once(small, f->extension),
		    all_now = render_once(large, f->extension);

		few = few_now < few ? few_now : few;
		all = all_now < all ? all_now : all;
	}
	printf("# %s: %llu ms, %llu ms for an eighth\n", f->name, all / NS_PER_MS, few / NS_PER_MS);
	CHECK(all < MAX_GROWTH * few);
	CHECK(IS_SLOW || all < LIMIT_NS || all < 3 * time_to_make());
}

/* Making the samples takes as long as rendering them in all formats. */
static void check_formats(void (*make)(struct sample *s, u32 n_stacks))
{
	struct sample small, large;

	CHECK(freopen("/dev/null", "w", stderr));
	make(&small, N_FEW);
	make(&large, N_STACKS);
	for (size_t i = 0; i < ARRAY_SIZE(FORMATS); i++)
		check_growth(&small, &large, &FORMATS[i]);
	sample_release(&large);
	sample_release(&small);
}

TEST(every_format_of_many_stacks)
{
	check_formats(make_report);
}

TEST(every_format_of_many_chains)
{
	check_formats(make_chains);
}

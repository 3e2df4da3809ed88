// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The bench of bench.h.  tests/accuracy/expr-programs.sh runs the tests on it. */
#include "tests/codegen/bench.h"

#include "host/btf.h"
#include "syntax/parse.h"

#include "probe.skel.h"

#define SIGNATURE "unsigned long sp, unsigned long key, long value, const char *text"

static struct probe_bpf *skel;
struct fixed_code fixed;
bool has_atomics;
static struct arena arena;
struct types types;
struct scope scope;
static struct scope start_scope;
static const struct text sig_text = { SIGNATURE, sizeof(SIGNATURE) - 1 };

static int load_skeleton(const char *program)
{
	size_t n;
	const void *object = probe_bpf__elf_bytes(&n);
	const struct rawbtf *kernel = kernel_types_raw(NULL);
	LIBBPF_OPTS(bpf_object_open_opts, opts,
		    .btf_custom_path = kernel ? kernel_types_reduce(kernel, object, n) : NULL);
	struct bpf_program *prog;

	skel = probe_bpf__open_opts(&opts);
	CHECK(skel);
	bpf_object__for_each_program(prog, skel->obj)
		bpf_program__set_autoload(prog, !strcmp(bpf_program__name(prog), program));
	bpf_map__set_value_size(skel->maps.scratch, 16000);
	skel->rodata->event_max_bytes = 8000;
	bpf_map__set_max_entries(skel->maps.events, 1 << 20);
	bpf_map__set_max_entries(skel->maps.frames, 64);
	bpf_map__set_max_entries(skel->maps.saved, 1024);
	bpf_map__set_value_size(skel->maps.saved, 400);
	bpf_map__set_max_entries(skel->maps.stacks_sent, 64);
	bpf_map__set_max_entries(skel->maps.probe_counts, 2);
	if (!probe_bpf__load(skel))
		return 0;
	probe_bpf__destroy(skel);
	return -1;
}

static void make_scope(struct scope *s)
{
	struct ast_signature sig;
	struct err err = { 0 };

	scope_init(s, &types, SCOPE_WORDS, SIDE_EVENT, "raw:test");
	s->space = SPACE_USER;
	scope_args(s, 4);
	CHECK(!parse_signature(&arena, &sig_text, span_all(&sig_text), &sig, &err));
	CHECK(!scope_signature(s, &sig_text, &sig, &err));
}

struct generated_opts load_opts = { .name = "test", .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT };

void begin(void)
{
	const char *name = "fixed_all_exchange";
	struct err err = { 0 };

	if (geteuid())
		SKIP("not root");
	libbpf_set_print(NULL);
	has_atomics = !load_skeleton(name);
	if (!has_atomics) {
		name = "fixed_all";
		CHECK(!load_skeleton(name));
	}
	CHECK(!fixed_code_init(&fixed, bpf_object__find_program_by_name(skel->obj, name),
			       FIXED_N_ALL, &err));
	types_init(&types, &arena, STRINGS);
	make_scope(&scope);
	make_scope(&start_scope);
	scope.entry = &start_scope;
}

const struct tree *compile(const char *text, enum check_as as)
{
	struct text *t = arena_new(&arena, struct text);
	struct check_opts opts = { 0 };
	struct err err = { 0 };
	const struct tree *tree;

	*t = text_of(text);
	if (expr_compile(t, span_all(t), &scope, as, &opts, &tree, &err)) {
		printf("# %s: %s\n", text, err.what);
		CHECK(!"compiles");
	}
	return tree;
}

const struct tree *value(const char *text)
{
	return compile(text, CHECK_VALUE);
}

struct gen_plan plan_of(enum gen_action action)
{
	return (struct gen_plan){ .work.action = action,
				  .host.has_atomics = has_atomics,
				  .probe = 1,
				  .maps.probe_counts = bpf_map__fd(skel->maps.probe_counts) };
}

int load(const struct gen_plan *plan)
{
	struct text t = text_of("");
	struct err err = { 0 };
	struct insns in;
	int fd;

	insns_init(&in);
	CHECK(gen_scratch_bytes(plan) <= 16000);
	CHECK(!gen_program(plan, &t, &in, &err));
	fd = generated_load(&in, &fixed, &t, &load_opts, &err);
	if (fd < 0)
		printf("# %s\n", err.what);
	CHECK(fd >= 0);
	insns_release(&in);
	return fd;
}

int saved_fd(void)
{
	return bpf_map__fd(skel->maps.saved);
}

void hit(int prog, u64 sp, u64 key, u64 number, const char *text)
{
	u64 args[4] = { sp, key, number, (u64)text };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));

	CHECK(!bpf_prog_test_run_opts(prog, &opts));
}

struct probe_count counted(void)
{
	static struct probe_count cpus[MAX_CPUS];
	struct probe_count sum = { 0 };
	u32 probe = 1;

	CHECK(libbpf_num_possible_cpus() <= MAX_CPUS);
	CHECK(!bpf_map_lookup_elem(bpf_map__fd(skel->maps.probe_counts), &probe, cpus));
	for (int i = 0; i < libbpf_num_possible_cpus(); i++) {
		sum.hits += cpus[i].hits;
		sum.sent += cpus[i].sent;
		sum.absent += cpus[i].absent;
		sum.map_full += cpus[i].map_full;
		sum.no_start += cpus[i].no_start;
		sum.missed += cpus[i].missed;
		sum.span_full += cpus[i].span_full;
	}
	return sum;
}

struct got got[MAX_EVENTS];
u32 n_got;

static int keep(void *ctx, void *data, size_t bytes)
{
	(void)ctx;
	CHECK(n_got < MAX_EVENTS);
	CHECK(bytes <= sizeof(got[0]));
	memcpy(&got[n_got++], data, bytes);
	return 0;
}

void drain(void)
{
	struct ring_buffer *ring =
		ring_buffer__new(bpf_map__fd(skel->maps.events), keep, NULL, NULL);

	CHECK(ring);
	n_got = 0;
	ring_buffer__consume(ring);
	ring_buffer__free(ring);
}

u64 scalar(const struct got *g, u32 i)
{
	u64 v;

	memcpy(&v, g->data + 8 * i, sizeof(v));
	return v;
}

/* Item number i after n_scalars numbers. */
static const char *rest(const struct got *g, u32 n_scalars, u32 i, u32 *length)
{
	u32 at = 8 * n_scalars, end = g->event.bytes - sizeof(struct event);

	for (;; i--) {
		CHECK(at + 4 <= end);
		memcpy(length, g->data + at, sizeof(*length));
		if (!i)
			return (const char *)g->data + at + 4;
		at += (4 + (*length & ~EVENT_CUT) + 7) & ~7U;
	}
}

bool rest_is(const struct got *g, u32 n_scalars, u32 i, const char *want, u32 flags)
{
	u32 length, n = (u32)strlen(want);
	const char *text = rest(g, n_scalars, i, &length);
	static const char zeros[8];
	u32 pad = ((4 + n + 7) & ~7U) - 4 - n;

	return length == (n | flags) && !memcmp(text, want, n) && !memcmp(text + n, zeros, pad);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The object of compiled probes: its fixed functions, the sizes of its maps, rings and windows, the
 * hooks that clean up. */
#include "probe/probes_int.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/cleanup.h"
#include "bpf/abi/keytext.h"
#include "bpf/abi/span.h"
#include "probe.skel.h"
#include "run/handlers.h"
#include "run/prog.h"

/* The number of threads inside traced calls at the same time, and of calls whose arguments are
 * kept. */
#define FRAMES_MAX	     8192
#define SAVED_MAX	     16384
/* Strings of keys that wait until they are fetched, which happens every 100 ms. */
#define KEY_TEXTS_MAX	     10240
#define KEY_TEXTS_LONG_BYTES (2U << 20)
#define KEY_TEXTS_KNOWN_MAX  (2 * KEY_TEXTS_MAX)
/* Different stacks used as values in a run. */
#define STACKS_SENT_MAX	     16384
/* Space after a record for two stacks, or for the longest path component with its slash. */
#define ROOM_BYTES	     (2 * EVENT_MAX_FRAMES * sizeof(u64) + 264)
#define CPU_ELEMENT_BYTES    32768 /* limit of a per-CPU table's elements: PCPU_MIN_UNIT_SIZE */
_Static_assert(GEN_CPU_SCRATCH + ROOM_BYTES <= CPU_ELEMENT_BYTES, "no kernel makes the table");
/* For the slots of all CPUs if they are long; but at least one slot for each CPU. */
#define LONG_SCRATCH_BYTES (64U << 20)
/* A ring has room for this many of the longest events. */
#define RING_EVENTS	   8
#define RING_BYTES_MAX	   (1U << 30)

/* ---- the fixed part ----------------------------------------------------------------------- */

static const struct {
	const char *name;
	u32 n_fns;
} fixed_levels[] = {
	{ "fixed_few", FIXED_N_FEW },
	{ "fixed_calls", FIXED_N_CALLS },
	{ "fixed_all", FIXED_N_ALL },
	{ "fixed_walked", FIXED_N },
};

enum {
	LEVEL_FEW,
	LEVEL_CALLS,
	LEVEL_ALL,
	LEVEL_WALKED
};

static void fixed_name(const struct probes *p, u32 level, char out[64])
{
	snprintf(out, 64, "%s%s", fixed_levels[level].name, p->has_exchange ? "_exchange" : "");
}

u32 probes_level_of(const struct insns *code, u32 level)
{
	for (size_t i = 0; i < code->calls.n; i++)
		while (code->calls.items[i].label >= fixed_levels[level].n_fns)
			level++;
	return level;
}

/* ---- tables ------------------------------------------------------------------------------- */

struct sizes {
	u32 scratch, event, saved;
	bool has_texts; /* keys have strings that are kept apart */
};

static bool has_texts(const struct gen_plan *plan)
{
	for (u32 i = 0; i < plan->work.n_key; i++)
		if (plan->work.key[i]->type->is_apart)
			return true;
	return false;
}

static u32 max_u32(u32 a, u32 b)
{
	return a > b ? a : b;
}

/* The memory that path() and stack() may write to: temporaries are after the record. */
static void measure_scratch(const struct gen_plan *plan, struct sizes *s)
{
	u32 bytes = gen_scratch_bytes(plan);

	s->scratch = max_u32(s->scratch, bytes);
	s->event = max_u32(s->event, bytes - (u32)offsetof(struct scratch, event));
}

static void measure(const struct probes *p, struct sizes *s)
{
	*s = (struct sizes){ .event = sizeof(struct event), .saved = sizeof(struct span_record) };
	probe_for_each(probe, p) {
		group_for_each(g, probe) {
			measure_scratch(&g->gen, s);
			s->has_texts |= has_texts(&g->gen);
			if (!g->has_entry)
				continue;
			measure_scratch(&g->entry, s);
			s->saved = max_u32(s->saved, gen_saved_bytes(g->entry.work.values,
								     g->entry.work.n_values));
		}
	}
	s->scratch =
		max_u32(s->scratch, (u32)(offsetof(struct scratch, event) + s->event + ROOM_BYTES));
	s->scratch = (s->scratch + 7) & ~7U;
}

static bool wants_program(const struct probes *p, const char *name, u32 level)
{
	char fixed[64];

	fixed_name(p, level, fixed);
	return !strcmp(name, fixed) || (p->has_calls && !strcmp(name, "probe_on_exit"));
}

/* Strings that do not fit into a per-CPU table (-Z): put the slots into an ordinary one. */
static void make_long(struct probes *p, const struct sizes *s)
{
	u32 n_cpus = (u32)libbpf_num_possible_cpus(), n = LONG_SCRATCH_BYTES / n_cpus / s->scratch;

	if (s->scratch <= CPU_ELEMENT_BYTES)
		return;
	n = n < 1 ? 1 : n > FIXED_SCRATCH_N ? FIXED_SCRATCH_N : n;
	p->skel->rodata->n_long_slots = n;
	bpf_map__set_type(p->skel->maps.scratch, BPF_MAP_TYPE_ARRAY);
	bpf_map__set_max_entries(p->skel->maps.scratch, n * n_cpus);
}

static void size_ring(struct probes *p, const struct sizes *s)
{
	while (p->opts.ring_bytes / RING_EVENTS < s->event && p->opts.ring_bytes < RING_BYTES_MAX)
		p->opts.ring_bytes *= 2;
}

static void set_rodata(struct probes *p, const struct sizes *s)
{
	struct probe_bpf__rodata *ro = p->skel->rodata;

	ro->event_max_bytes = s->event;
	ro->key_text_max = s->has_texts ? p->types.key_string_size : 0;
	ro->ring_wake_bytes = p->opts.ring_bytes / 4;
	ro->n_rings = p->n_rings;
	ro->n_spans = p->has_calls ? (u32)(p->v.n + p->call_owners.n) : 0;
	ro->has_cpus = p->opts.cpus->v.n != 0;
	for (size_t i = 0; i < p->opts.cpus->v.n; i++)
		ro->cpu_mask[p->opts.cpus->v.items[i] / 64] |= 1ULL
							       << p->opts.cpus->v.items[i] % 64;
	ro->filter = p->opts.filter->conf;
	ro->filter_comm = p->opts.filter->comm;
	if (getrandom((void *)ro->stack_seed, sizeof(ro->stack_seed), 0) < 0)
		ro->stack_seed[0] = (u64)getpid();
}

static void size_maps(struct probes *p, const struct sizes *s, u32 level)
{
	bpf_map__set_value_size(p->skel->maps.scratch, s->scratch);
	make_long(p, s);
	bpf_map__set_max_entries(p->skel->maps.probe_counts, (u32)(p->v.n + p->call_owners.n));
	bpf_map__set_max_entries(p->skel->maps.events, p->n_rings ? 4096 : (u32)p->opts.ring_bytes);
	if (p->n_rings)
		bpf_map__set_max_entries(p->skel->maps.rings, p->n_rings);
	if (p->has_calls) {
		bpf_map__set_max_entries(p->skel->maps.frames, FRAMES_MAX);
		bpf_map__set_max_entries(p->skel->maps.saved, SAVED_MAX);
		bpf_map__set_value_size(p->skel->maps.saved, s->saved);
	}
	if (s->has_texts) {
		u32 bytes = KEY_TEXT_VALUE(p->types.key_string_size);

		bpf_map__set_max_entries(p->skel->maps.key_texts, KEY_TEXTS_MAX);
		bpf_map__set_max_entries(p->skel->maps.key_texts_known, KEY_TEXTS_KNOWN_MAX);
		if (bytes > bpf_map__value_size(p->skel->maps.key_texts_long)) {
			bpf_map__set_value_size(p->skel->maps.key_texts_long, bytes);
			bpf_map__set_max_entries(p->skel->maps.key_texts_long,
						 KEY_TEXTS_LONG_BYTES / bytes);
		}
	}
	if (level >= LEVEL_ALL)
		bpf_map__set_max_entries(p->skel->maps.stacks_sent, STACKS_SENT_MAX);
}

/* Runs that walk no user stacks do not pay for these maps. */
static int size_walks(struct probes *p, struct err *err)
{
	struct bpf_map *maps[] = {
		p->skel->maps.cfi_processes,  p->skel->maps.cfi_mappings, p->skel->maps.cfi_pages,
		p->skel->maps.cfi_rules,      p->skel->maps.cfi_chunks,	  p->skel->maps.cfi_walks,
		p->skel->maps.event_copyings,
	};

	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		bpf_map__set_autocreate(maps[i], p->has_tables);
	if (!p->has_tables)
		return 0;
	bpf_map__set_max_entries(p->skel->maps.cfi_walks, FIXED_SCRATCH_N);
	return unwinding_prepare(p->obj, err);
}

/* Create the map of maps through which probes_next_window() waits for programs. */
static int make_grace(struct probes *p, struct err *err)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .inner_map_fd = (u32)p->window_fd);

	p->windows_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "windows", sizeof(u32),
				       sizeof(u32), 1, &opts);
	return p->windows_fd < 0 ? prog_explain(errno, "create", "the run's windows", err) : 0;
}

static int make_window(struct probes *p, struct err *err)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	void *at;

	p->window_fd =
		bpf_map_create(BPF_MAP_TYPE_ARRAY, "window", sizeof(u32), sizeof(u32), 1, &opts);
	if (p->window_fd < 0)
		return prog_explain(errno, "create", "the run's window", err);
	at = mmap(NULL, sizeof(*p->window), PROT_READ | PROT_WRITE, MAP_SHARED, p->window_fd, 0);
	if (at == MAP_FAILED)
		return prog_explain(errno, "map", "the run's window", err);
	p->window = at;
	return make_grace(p, err);
}

/* On a machine with many CPUs: one ring per CPU. */
static int make_rings(struct probes *p, struct err *err)
{
	for (u32 cpu = 0; cpu < p->n_rings; cpu++) {
		int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "events", 0, 0,
					(u32)p->opts.ring_bytes, NULL);

		if (fd < 0)
			return prog_explain(errno, "create", "a ring buffer", err);
		vec_push(&p->rings, fd);
		if (bpf_map_update_elem(bpf_map__fd(p->skel->maps.rings), &cpu, &fd, BPF_ANY))
			return prog_explain(errno, "fill", "the table of ring buffers", err);
	}
	return 0;
}

static int take_fixed(struct probes *p, u32 level, struct err *err)
{
	char name[64];

	fixed_name(p, level, name);
	return fixed_code_init(&p->fixed, bpf_object__find_program_by_name(p->obj, name),
			       fixed_levels[level].n_fns, err);
}

static int load_sized(struct probes *p, const struct sizes *s, u32 level, struct err *err)
{
	struct bpf_object_open_opts opts;
	struct bpf_program *prog;
	size_t n;
	const void *object = probe_bpf__elf_bytes(&n);
	int ret = prog_open_opts(p->opts.btf, object, n, &opts, err)
			  ?: fixed_code_catch(&p->fixed, err);

	if (ret)
		return ret;
	p->skel = probe_bpf__open_opts(&opts);
	prog_drop_object();
	if (!p->skel)
		return prog_explain(errno, "open", "the probes", err);
	p->obj = p->skel->obj;
	bpf_object__for_each_program(prog, p->obj)
		bpf_program__set_autoload(prog, wants_program(p, bpf_program__name(prog), level));
	p->opts.filter->wants_moved = probes_are_limited(p);
	ret = filter_prepare(p->opts.filter, p->obj, err);
	if (ret)
		return ret;
	size_ring(p, s);
	set_rodata(p, s);
	size_maps(p, s, level);
	p->has_tables = level == LEVEL_WALKED;
	ret = size_walks(p, err);
	if (ret)
		return ret;
	ret = handlers_load(p->skel->skeleton);
	if (ret)
		return prog_explain(-ret, "load", "the probes", err);
	p->counts_fd = bpf_map__fd(p->skel->maps.probe_counts);
	return make_window(p, err) ?: make_rings(p, err) ?: take_fixed(p, level, err);
}

int probes_load_object(struct probes *p, u32 level, struct err *err)
{
	struct sizes sizes;

	measure(p, &sizes);
	/* With long events, one ring per CPU would take gigabytes, and long events are rare. */
	if (libbpf_num_possible_cpus() > PROBES_ONE_RING_CPUS && sizes.scratch <= CPU_ELEMENT_BYTES)
		p->n_rings = (u32)libbpf_num_possible_cpus();
	return load_sized(p, &sizes, level, err);
}

void probes_release_object(struct probes *p)
{
	fixed_code_release(&p->fixed);
	for (size_t i = 0; i < p->rings.n; i++)
		close(p->rings.items[i]);
	vec_release(&p->rings);
	vec_release(&p->call_owners);
	if (p->window)
		munmap(p->window, sizeof(*p->window));
	if (p->window_fd > 0)
		close_p(&p->window_fd);
	if (p->windows_fd > 0)
		close_p(&p->windows_fd);
	if (p->skel)
		handlers_detach(p->skel->skeleton);
	probe_bpf__destroy(p->skel);
}

/* ---- its variables and maps --------------------------------------------------------------- */

u64 probes_n_moved(const struct probes *p)
{
	return __atomic_load_n(&p->skel->bss->filter_n_moved, __ATOMIC_ACQUIRE);
}

u64 probes_n_joined(const struct probes *p)
{
	return __atomic_load_n(&p->skel->bss->filter_n_joined, __ATOMIC_ACQUIRE);
}

void probes_set_polling(struct probes *p, bool is_polling)
{
	__atomic_store_n(&p->skel->bss->reader_comes, is_polling, __ATOMIC_SEQ_CST);
}

u32 *probes_stack_generation(const struct probes *p)
{
	return &p->skel->bss->stack_generation;
}

struct unwinding_kernel probes_unwinding(const struct probes *p)
{
	return (struct unwinding_kernel){
		.is_on = &p->skel->bss->cfi_is_on,
		.copies_left = &p->skel->bss->cfi_copies_left,
		.repeats_left = &p->skel->bss->event_repeats_left,
	};
}

int probes_saved_fd(const struct probes *p)
{
	return bpf_map__fd(p->skel->maps.saved);
}

int probes_stacks_sent_fd(const struct probes *p)
{
	return bpf_map__fd(p->skel->maps.stacks_sent);
}

const struct bpf_map *probes_key_texts(const struct probes *p, u32 i)
{
	const struct bpf_map *tables[] = { p->skel->maps.key_texts, p->skel->maps.key_texts_long };

	return p->skel->rodata->key_text_max && i < ARRAY_SIZE(tables) ? tables[i] : NULL;
}

int probes_key_texts_known_fd(const struct probes *p)
{
	return bpf_map__fd(p->skel->maps.key_texts_known);
}

/* ---- other programs of the object -------------------------------------------------------- */

/* The hooks that clean up the tables; the fixed programs are never attached. */
int probes_attach_hooks(struct probes *p, struct err *err)
{
	struct bpf_program *prog;
	int ret;

	bpf_object__for_each_program(prog, p->obj)
		if (!strncmp(bpf_program__name(prog), "fixed_", 6))
			bpf_program__set_autoattach(prog, false);
	ret = probe_bpf__attach(p->skel);
	return ret ? prog_explain(-ret, "attach", "the hooks that follow processes", err) : 0;
}

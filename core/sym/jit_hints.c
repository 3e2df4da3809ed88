// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/jit_hints.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "sym/jvm.h"

/* One line is enough: with forty workers of the same kind, forty lines would not help more. */
#define MAX_SAID 1

enum runtime_kind {
	RUNTIME_JIT,
	RUNTIME_HOTSPOT,     /* compiles, and writes a map on request */
	RUNTIME_INTERPRETER, /* does not compile: it has no map, and no addresses without names */
};

static const struct runtime {
	const char *glob; /* matches the last component of the file's path */
	const char *code;
	const char *name;
	const char *advice; /* after "java 4711: "; may hold one %u for the process id */
	enum runtime_kind kind;
} runtimes[] = {
	{ "libjvm.so", "jit-java", "java",
	  "for names use --jit-maps or run 'jcmd %u Compiler.perfmap' during the profile (JDK "
	  "17+), for whole stacks start it with -XX:+PreserveFramePointer",
	  RUNTIME_HOTSPOT },
	{ "libj9vm*.so", "jit-java", "java", "start it with -XX:+PerfTool for names", RUNTIME_JIT },
	{ "node", "jit-node", "node",
	  "start it with --perf-basic-prof-only-functions --interpreted-frames-native-stack for "
	  "names",
	  RUNTIME_JIT },
	{ "libnode.so*", "jit-node", "node",
	  "start it with --perf-basic-prof-only-functions --interpreted-frames-native-stack for "
	  "names",
	  RUNTIME_JIT },
	{ "libcoreclr.so", "jit-dotnet", "dotnet",
	  "start it with DOTNET_PerfMapEnabled=1 for names", RUNTIME_JIT },
	{ "libpython3.1[2-9]*.so*", "jit-python", "python",
	  "start it with -X perf (or PYTHONPERFSUPPORT=1) to see Python functions",
	  RUNTIME_INTERPRETER },
	{ "python3.1[2-9]", "jit-python", "python",
	  "start it with -X perf (or PYTHONPERFSUPPORT=1) to see Python functions",
	  RUNTIME_INTERPRETER },
	{ "libruby*.so*", "jit-ruby", "ruby", "start it with --yjit-perf for names", RUNTIME_JIT },
	{ "beam.smp", "jit-erlang", "erlang", "start it with +JPperf true for names", RUNTIME_JIT },
};

int runtime_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; slash && i < ARRAY_SIZE(runtimes); i++)
		if (!fnmatch(runtimes[i].glob, slash + 1, 0))
			return (int)i;
	return -1;
}

int runtime_of_program(const char *path)
{
	static const struct {
		const char *glob, *library;
	} launchers[] = {
		{ "*/java", "/libjvm.so" },
		{ "*/dotnet", "/libcoreclr.so" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(launchers); i++)
		if (!fnmatch(launchers[i].glob, path, 0))
			return runtime_of(launchers[i].library);
	return runtime_of(path);
}

const char *runtime_name(int runtime)
{
	return runtimes[runtime].name;
}

bool runtime_compiles(int runtime)
{
	return runtimes[runtime].kind != RUNTIME_INTERPRETER;
}

static int runtime_of_life(const struct symbolizer *s, const struct life *l)
{
	const struct region *r;

	vec_for_each(r, &l->now->list) {
		int found = runtime_of(s->files.list.items[r->file].path);

		if (found >= 0)
			return found;
	}
	return -1;
}

/* Indexed by serial: does the process have code without a name?  The caller frees the array. */
static bool *lives_without_names(const struct symbolizer *s)
{
	bool *marks = mem_alloc(s->procs.by_serial.n + 1, sizeof(*marks));

	for (size_t i = 0; i < s->locs.list.n; i++) {
		const struct loc *l = &s->locs.list.items[i];

		if (l->space == LOC_LIFE && !s->locs.frames.items[i].name)
			marks[l->owner] = true;
	}
	return marks;
}

static void add_advice(const struct runtime *r, u32 tgid, struct str *text)
{
	const char *hole = strstr(r->advice, "%u");

	str_addf(text, "%s %u: ", r->name, tgid);
	if (hole) {
		str_add(text, r->advice, (size_t)(hole - r->advice));
		str_addf(text, "%u%s", tgid, hole + 2);
	} else {
		str_adds(text, r->advice);
	}
}

const char *runtime_advice(struct arena *a, int runtime, u32 tgid)
{
	struct str text = { 0 };
	const char *advice;

	add_advice(&runtimes[runtime], tgid, &text);
	advice = arena_view(a, str_view(&text));
	str_release(&text);
	return advice;
}

static void say_for(const struct runtime *r, u32 tgid,
		    void (*say)(const char *code, const char *text))
{
	struct str text = { 0 };

	add_advice(r, tgid, &text);
	say(r->code, str_text(&text));
	str_release(&text);
}

static void life_hint(struct symbolizer *s, const struct life *l, bool has_nameless,
		      void (*say)(const char *code, const char *text))
{
	int found;

	if (!l->was_sampled)
		return;
	found = runtime_of_life(s, l);
	if (found < 0 || s->said[found] >= MAX_SAID)
		return;
	if (!has_nameless && (runtimes[found].kind != RUNTIME_INTERPRETER || l->has_map))
		return;
	s->said[found]++;
	say_for(&runtimes[found], l->tgid, say);
}

void runtime_hints(struct symbolizer *s, void (*say)(const char *code, const char *text))
{
	bool *nameless = lives_without_names(s);

	_Static_assert(ARRAY_SIZE(runtimes) <= ARRAY_SIZE(s->said), "a counter for each runtime");
	for (size_t i = 0; i < LIFE_BUCKETS; i++)
		for (struct life *l = s->procs.buckets[i]; l; l = l->next)
			life_hint(s, l, nameless[l->serial], say);
	free(nameless);
}

/* ---- maps on request ---- */

static void refuse(struct life *l, int error, void (*say)(const char *code, const char *text))
{
	struct str text = { 0 };

	/* It is not asked again, because each request may send a signal. */
	l->has_refused = true;
	str_addf(&text, "java %u: no names by --jit-maps: %s", l->tgid, jvm_error(error));
	say("jit-maps", str_text(&text));
	str_release(&text);
}

static int send_request(struct symbolizer *s, struct life *l, const struct sym_request *how)
{
	_cleanup_(close_p) int process = (int)syscall(SYS_pidfd_open, l->tgid, 0);
	u64 until = now_ns() + SYM_REQUEST_NS;
	struct jvm jvm = { .proc_root = s->opts.proc_root, .tgid = l->tgid, .process_fd = process };

	/* Check it after the descriptor was opened: if the id was reused, it is another process. */
	processes_look(&s->procs, l);
	if (process < 0 || !processes_is_alive(&s->procs, l))
		return -ESRCH;
	jvm.ns_tgid = l->ns_tgid;
	return jvm_write_map(&jvm, until < how->deadline_ns ? until : how->deadline_ns, how->stop,
			     how->meanwhile, how->ctx);
}

static void request_map(struct symbolizer *s, u32 serial, const struct sym_request *how,
			void (*say)(const char *code, const char *text))
{
	int ret = send_request(s, processes_by_serial(&s->procs, serial), how);
	struct life *l = processes_by_serial(&s->procs, serial); /* it may be gone by now */

	if (l && ret)
		refuse(l, ret, say);
	else if (l)
		l->jit_read_ns = 0;
}

static bool has_maps_on_request(const struct symbolizer *s, const struct life *l)
{
	int found = l && !l->has_exited && !l->has_refused ? runtime_of_life(s, l) : -1;

	return found >= 0 && runtimes[found].kind == RUNTIME_HOTSPOT;
}

void runtime_request_maps(struct symbolizer *s, const struct sym_request *how,
			  void (*say)(const char *code, const char *text))
{
	bool *nameless = lives_without_names(s);
	u32 n = (u32)s->procs.by_serial.n; /* processes that come later are left out */

	for (u32 serial = 1; serial <= n && now_ns() < how->deadline_ns; serial++)
		if (nameless[serial] &&
		    has_maps_on_request(s, processes_by_serial(&s->procs, serial)))
			request_map(s, serial, how, say);
	free(nameless);
}

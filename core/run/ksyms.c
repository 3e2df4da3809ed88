// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "bpf/abi/ksyms.h"

#include "run/ksyms.h"

#include <bpf/bpf.h>
#include <linux/btf.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

#include "host/btf.h"
#include "host/rawbtf.h"
#include "ksyms.skel.h"
#include "run/messages.h"
#include "run/prog.h"

/* A file that is mounted over /proc/kallsyms stands in for it. */
static bool is_procfs(void)
{
	struct statfs fs;

	return !statfs("/proc/kallsyms", &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

static bool run(const struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	return !bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);
}

static u64 find(const struct ksyms_bpf *skel, const char *name)
{
	struct ksyms_question *question = &skel->bss->question;

	memset(question->name, 0, sizeof(question->name));
	snprintf(question->name, sizeof(question->name), "%s", name);
	return run(skel->progs.ksyms_find) ? question->addr : 0;
}

/* A kernel that hides its addresses finds no symbol: its names are hidden too then. */
static void load(struct ksyms *p)
{
	p->is_tried = true;
	if (!is_procfs())
		return;
	messages_hush(true);
	p->skel = ksyms_bpf__open_and_load();
	prog_drop_object();
	messages_hush(false);
	if (p->skel && !find(p->skel, "_stext")) {
		ksyms_bpf__destroy(p->skel);
		p->skel = NULL;
	}
}

static const struct ksyms_bpf *loaded(struct ksyms *p)
{
	if (!p->is_tried)
		load(p);
	return p->skel;
}

static const char *ask_name(void *ctx, u64 addr)
{
	const struct ksyms_bpf *skel = loaded(ctx);
	struct ksyms_question *question;

	if (!skel)
		return NULL;
	question = &skel->bss->question;
	question->addr = addr;
	if (!run(skel->progs.ksyms_name) || question->n <= 0 || question->n > KSYMS_TEXT_BYTES)
		return NULL;
	question->text[KSYMS_TEXT_BYTES - 1] = '\0';
	return question->text;
}

static u64 ask_addr(void *ctx, const char *name)
{
	const struct ksyms_bpf *skel = loaded(ctx);

	return skel ? find(skel, name) : 0;
}

void ksyms_init(struct ksyms *p)
{
	*p = (struct ksyms){ .source = { .name = ask_name, .find = ask_addr, .ctx = p } };
}

bool ksyms_can_find(struct ksyms *p, const char *btf_path)
{
	const struct rawbtf *types = kernel_types_raw(btf_path);

	return types && rawbtf_find(types, "kallsyms_on_each_match_symbol", BTF_KIND_FUNC) &&
	       loaded(p);
}

void ksyms_release(struct ksyms *p)
{
	ksyms_bpf__destroy(p->skel);
	p->skel = NULL;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Functions by the beginning of their names: the same as among all functions, in texts like a
 * kernel's. */
#include "host/kfuncs.h"

#include "base/str.h"
#include "kallsyms.h"

/* Data, a label, init code and a BPF program are between the functions. */
static const char text[] = "0000000000000000 D __per_cpu_start\n"
			   "ffffffff81000000 T _stext\n"
			   "ffffffff81001000 T vfs_read\n"
			   "ffffffff81002000 t vfs_readv\n"
			   "ffffffff81003000 t do_vfs_read\n"
			   "ffffffff81004000 t vfs_read.isra.0\n"
			   "ffffffff81004800 t vfs_read.cold\n"
			   "ffffffff81005000 T __pfx_vfs_read\n"
			   "ffffffff82180000 D vfs_read_data\n"
			   "ffffffff83000000 T _sinittext\n"
			   "ffffffff83001000 t vfs_read_init\n"
			   "ffffffff83002000 T _einittext\n"
			   "ffffffff83003000 T vfs_read_exit\n"
			   "ffffffffc0400000 t vfs_read\t[fs]\n"
			   "ffffffffc0500000 t vfs_read_probe\t[bpf]\n"
			   "ffffffffc0600000 t vfs_read_last\t[fs]";

static struct str taken;
static const char *wanted;

static void take(void *ctx, const struct kfunc *f)
{
	(void)ctx;
	str_addf(&taken, "%llx %.*s %.*s\n", f->addr, (int)f->name.n, f->name.p, (int)f->module.n,
		 f->module.p);
}

static bool take_if_wanted(void *ctx, const struct kfunc *f)
{
	if (view_starts(f->name, wanted))
		take(ctx, f);
	return true;
}

static const char *starting(struct kernel *k, const char *name)
{
	str_clear(&taken);
	CHECK(!kfuncs_starting(k, name, take, NULL));
	return str_text(&taken);
}

TEST(functions_are_found_by_the_beginning_of_their_names)
{
	struct kernel *k = kernel_with(text);

	CHECK_STR(starting(k, "vfs_read"), "ffffffff81001000 vfs_read \n"
					   "ffffffff81002000 vfs_readv \n"
					   "ffffffff81004000 vfs_read.isra.0 \n"
					   "ffffffff83003000 vfs_read_exit \n"
					   "ffffffffc0400000 vfs_read fs\n"
					   "ffffffffc0600000 vfs_read_last fs\n");
	CHECK_STR(starting(k, "_sinittext"), "");
	CHECK_STR(starting(k, "read"), "");
	CHECK_STR(starting(k, "T"), "");
	CHECK_U64(kfuncs_text_start(k), 0xffffffff81000000);
	kernel_close(k);
	str_release(&taken);
}

TEST(they_are_the_same_as_among_all)
{
	static const char *const names[] = { "vfs_read", "do_", "v", "", "_", "fs" };
	struct kernel *k = kernel_with(text);
	struct str all = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		wanted = names[i];
		str_clear(&taken);
		CHECK(!kfuncs_each(k, take_if_wanted, NULL));
		str_clear(&all);
		str_adds(&all, str_text(&taken));
		CHECK_STR(starting(k, wanted), str_text(&all));
	}
	str_release(&all);
	str_release(&taken);
	kernel_close(k);
}

/* Without the right to see addresses, init code cannot be told from the rest. */
TEST(hidden_addresses_leave_nothing_out)
{
	struct kernel *k = kernel_with("0000000000000000 T _stext\n0000000000000000 T vfs_read\n"
				       "0000000000000000 T _sinittext\n"
				       "0000000000000000 t vfs_read_init\n"
				       "0000000000000000 T _einittext\n");

	CHECK_STR(starting(k, "vfs_"), "0 vfs_read \n0 vfs_read_init \n");
	CHECK_U64(kfuncs_text_start(k), 0);
	kernel_close(k);
	str_release(&taken);
}

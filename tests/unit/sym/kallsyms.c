// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/kallsyms.h"

#include "test.h"

static const char symbols[] = "0000000000001000 A percpu\n"
			      "ffffffff81000000 T _stext\n"
			      "ffffffff81000000 T startup_64\n"
			      "ffffffff81001000 t do_work\n"
			      "ffffffff81001100 T next_work.isra.0\n"
			      "ffffffff81002000 T __entry_text_end\n"
			      "ffffffff81003000 T after_entry\n"
			      "ffffffff81200000 T _etext\n"
			      "ffffffff82000000 D some_data\n"
			      "ffffffffc0102000 t mod_late\t[ext4]\n"
			      "ffffffffc0101000 t mod_early\t[ext4]\n"
			      "ffffffffc0201000 t ftrace_trampoline\t[__builtin__ftrace]\n"
			      "ffffffffc0300000 t bpf_prog_6deef7357e7b4530_on_switch\t[bpf]\n";
static const char modules[] = "ext4 12288 1 - Live 0xffffffffc0100000\n"
			      "empty 4096 0 a,b, Live 0xffffffffc0110000 (OE)\n";

struct answer {
	char name[128], module[64];
	u64 start;
	bool is_named, is_shown;
};

static struct answer ask_in(const char *syms, const char *mods, u64 addr)
{
	struct answer a = { 0 };
	struct wants w = { 0 };
	struct kfunctions known = { 0 };
	struct modules *loaded;
	struct lines s, m;

	wants_add(&w, 0, addr);
	wants_sort(&w);
	lines_init_text(&s, view_of(syms));
	lines_init_text(&m, view_of(mods));
	loaded = modules_read(&m);
	a.is_shown = kallsyms_name(&w, &s, loaded, &known);
	modules_free(loaded);
	a.is_named = w.list.items[0].is_named;
	a.start = w.list.items[0].start;
	snprintf(a.name, sizeof(a.name), "%s", str_text(&w.list.items[0].found));
	snprintf(a.module, sizeof(a.module), "%s", str_text(&w.list.items[0].module));
	wants_release(&w);
	return a;
}

static struct answer ask(u64 addr)
{
	return ask_in(symbols, modules, addr);
}

TEST(an_address_is_in_the_symbol_before_it)
{
	CHECK_STR(ask(0xffffffff81001000).name, "do_work");
	CHECK_STR(ask(0xffffffff810010ff).name, "do_work");
	CHECK_U64(ask(0xffffffff810010ff).start, 0xffffffff81001000);
	CHECK_STR(ask(0xffffffff81001100).name, "next_work.isra.0");
	CHECK_STR(ask(0xffffffff81001100).module, "");
}

TEST(a_function_is_preferred_to_the_linkers_mark)
{
	CHECK_STR(ask(0xffffffff81000004).name, "startup_64");
}

TEST(of_aliases_the_one_without_underscores_is_shown)
{
	struct answer a = ask_in("ffffffff81001000 T __pi_memcpy\nffffffff81001000 T memcpy\n"
				 "ffffffff81001000 T __memcpy\n",
				 "", 0xffffffff81001008);

	CHECK_STR(a.name, "memcpy");
}

TEST(a_strong_symbol_is_shown_and_not_its_weak_alias)
{
	CHECK_STR(ask_in("ffffffff81001000 T __alloc\nffffffff81001000 W alloc\n", "",
			 0xffffffff81001008)
			  .name,
		  "__alloc");
	CHECK_STR(ask_in("ffffffff81001000 T _stext\nffffffff81001000 W weak\n", "",
			 0xffffffff81001008)
			  .name,
		  "weak");
}

TEST(after_the_end_of_text_there_is_no_name)
{
	CHECK(!ask(0xffffffff81002004).is_named);
	CHECK(!ask(0xffffffff81200010).is_named);
	CHECK(!ask(0xffffffff82000010).is_named);
	CHECK(!ask(0xffff888000000000).is_named);
	CHECK(!ask(0).is_named);
	CHECK(!ask(0x2000).is_named);
}

TEST(module_symbols_need_no_order_and_stay_in_their_module)
{
	CHECK_STR(ask(0xffffffffc0101010).name, "mod_early");
	CHECK_STR(ask(0xffffffffc0102010).name, "mod_late");
	CHECK_STR(ask(0xffffffffc0102010).module, "ext4");
	CHECK(!ask(0xffffffffc0103010).is_named); /* ext4 ends at 0xc0103000 */
}

TEST(a_module_without_that_symbol_still_says_its_name)
{
	CHECK(!ask(0xffffffffc0110010).is_named);
	CHECK_STR(ask(0xffffffffc0110010).module, "empty");
	CHECK_STR(ask(0xffffffffc0100010).module, "ext4");
	CHECK(!ask(0xffffffffc0100010).is_named);
}

TEST(bpf_programs_have_their_name_and_a_limit)
{
	CHECK_STR(ask(0xffffffffc0300100).name, "bpf_prog_6deef7357e7b4530_on_switch");
	CHECK_STR(ask(0xffffffffc0300100).module, "bpf");
	CHECK(!ask(0xffffffffc0320000).is_named);
}

TEST(ftraces_own_pages_are_the_kernels)
{
	CHECK_STR(ask(0xffffffffc0201004).name, "ftrace_trampoline");
	CHECK_STR(ask(0xffffffffc0201004).module, "");
}

/* The answer by the symbols that were collected when the text was read a second time. */
static struct answer ask_known(u64 addr)
{
	struct kfunctions known = { 0 };
	struct answer a = { 0 };
	struct wants w = { 0 };
	struct modules *loaded;
	struct lines s, m;

	lines_init_text(&m, view_of(modules));
	loaded = modules_read(&m);
	kfunctions_begin(&known, modules_hash(loaded));
	for (int i = 0; i < 2; i++) {
		CHECK(!known.is_collected);
		lines_init_text(&s, view_of(symbols));
		kallsyms_name(&w, &s, loaded, &known);
	}
	CHECK(known.is_collected);
	wants_add(&w, 0, addr);
	wants_sort(&w);
	kallsyms_name_known(&w, loaded, &known);
	a.is_named = w.list.items[0].is_named;
	a.start = w.list.items[0].start;
	snprintf(a.name, sizeof(a.name), "%s", str_text(&w.list.items[0].found));
	snprintf(a.module, sizeof(a.module), "%s", str_text(&w.list.items[0].module));
	kfunctions_begin(&known, modules_hash(loaded) + 1);
	CHECK(!known.is_collected && !known.list.n);
	wants_release(&w);
	modules_free(loaded);
	kfunctions_release(&known);
	return a;
}

TEST(collected_symbols_give_the_same_names)
{
	for (u64 addr = 0xffffffff80fff000; addr < 0xffffffff82001000; addr += 0x80) {
		struct answer a = ask(addr), b = ask_known(addr);

		CHECK_STR(b.name, a.name);
		CHECK_U64(b.start, a.start);
		addr += addr > 0xffffffff81004000 ? 0x40000 : 0;
	}
	for (u64 addr = 0xffffffffc0100000; addr < 0xffffffffc0105000; addr += 0x80) {
		struct answer a = ask(addr), b = ask_known(addr);

		CHECK_STR(b.name, a.name);
		CHECK_STR(b.module, a.is_named ? a.module : "");
	}
}

TEST(collected_symbols_do_not_name_what_comes_and_goes)
{
	CHECK(ask(0xffffffffc0201004).is_named);
	CHECK(!ask_known(0xffffffffc0201004).is_named);
	CHECK(ask(0xffffffffc0300004).is_named);
	CHECK(!ask_known(0xffffffffc0300004).is_named);
}

TEST(zeros_mean_hidden_and_name_nothing)
{
	struct answer a = ask_in("0000000000000000 T _stext\n0000000000000000 t do_work\n",
				 "ext4 12288 1 - Live 0x0000000000000000\n", 0xffffffff81001000);

	CHECK(!a.is_shown);
	CHECK(!a.is_named);
	CHECK(ask(1).is_shown);
}

TEST(garbage_is_passed_over)
{
	struct answer a =
		ask_in("\n\nx\nffffffff81001000\nffffffff81001000 T\n"
		       "ffffffff81001000 TT f\nffffffff81001000 T good\n1 T\n",
		       "\nx\nx y\nx 1 2\nx 1 2 - Live\nx 1 2 - Live zz\n", 0xffffffff81001001);

	CHECK_STR(a.name, "good");
}

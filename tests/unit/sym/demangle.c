// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/demangle.h"

#include <stdlib.h>

#include "base/clock.h"
#include "test.h"

static char out[20000];

static const char *styled(const char *raw, enum names_style style)
{
	struct str s = { 0 };

	demangle(raw, style, &s);
	snprintf(out, sizeof(out), "%s", str_text(&s));
	str_release(&s);
	return out;
}

#define SHORT(raw) styled(raw, SYM_NAMES_SHORT)
#define FULL(raw)  styled(raw, SYM_NAMES_FULL)

TEST(plain_names_stay)
{
	CHECK_STR(SHORT("main"), "main");
	CHECK_STR(SHORT("main.main"), "main.main");
	CHECK_STR(SHORT("_start"), "_start");
	CHECK_STR(SHORT("runtime.(*mcache).refill"), "runtime.(*mcache).refill");
	CHECK_STR(SHORT(""), "");
}

TEST(cpp_loses_parameters_in_short_names_only)
{
	CHECK_STR(SHORT("_ZN3foo3barEiPKc"), "foo::bar");
	CHECK_STR(FULL("_ZN3foo3barEiPKc"), "foo::bar(int, char const*)");
	CHECK_STR(styled("_ZN3foo3barEiPKc", SYM_NAMES_MANGLED), "_ZN3foo3barEiPKc");
	CHECK_STR(SHORT("_Z3addIiET_S0_S0_"), "add<int>");
}

TEST(calls_have_their_parameters_and_no_return_type)
{
	struct str s = { 0 };

	demangle_call("_Z3addIiET_S0_S0_", &s);
	CHECK_STR(str_text(&s), "add<int>(int, int)");
	str_clear(&s);
	demangle_call("_ZNK3foo3barERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", &s);
	CHECK_STR(str_text(&s), "foo::bar(std::string const&) const");
	str_clear(&s);
	demangle_call("main", &s);
	CHECK_STR(str_text(&s), "main");
	str_release(&s);
}

TEST(strings_and_default_arguments_are_folded)
{
	CHECK_STR(SHORT("_ZNSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS5_"
			"EE9push_backEOS5_"),
		  "std::vector<std::string>::push_back");
	CHECK_STR(SHORT("_ZNSt3mapIiSt6vectorIiSaIiEESt4lessIiESaISt4pairIKiS2_EEEixERS6_"),
		  "std::map<int, std::vector<int>>::operator[]");
	CHECK_STR(SHORT("_ZNSolsEi"), "std::ostream::operator<<");
}

TEST(abi_tags_and_inline_namespaces_go)
{
	CHECK_STR(SHORT("_ZN3foo3barB5cxx11Ev"), "foo::bar");
	CHECK_STR(SHORT("_ZNSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEE6appendEPK"
			"c"),
		  "std::string::append");
}

TEST(rust_legacy_names_lose_their_hash)
{
	CHECK_STR(SHORT("_ZN5alloc3vec12Vec$LT$T$GT$4push17h0123456789abcdefE"),
		  "alloc::vec::Vec<T>::push");
	CHECK_STR(FULL("_ZN4core3ptr13drop_in_place17h0123456789abcdefE"),
		  "core::ptr::drop_in_place");
}

TEST(rust_v0_names_are_read)
{
	CHECK_STR(SHORT("_RNvCs15kBYyAo9fc_7mycrate7example"), "mycrate::example");
	CHECK_STR(SHORT("_RINvNtC3std3mem8align_ofdE"), "std::mem::align_of::<f64>");
}

TEST(compilers_suffixes_go_from_short_names)
{
	CHECK_STR(SHORT("tcp_sendmsg.isra.0"), "tcp_sendmsg");
	CHECK_STR(SHORT("f.constprop.0.cold"), "f");
	CHECK_STR(SHORT("f.part.0"), "f");
	CHECK_STR(SHORT("f.llvm.1234567"), "f");
	CHECK_STR(SHORT("_ZN3foo3barEi.isra.0"), "foo::bar");
	CHECK_STR(SHORT("main.cold"), "main");
	CHECK_STR(SHORT(".isra.0"), ".isra.0");
	CHECK_STR(styled("f.isra.0", SYM_NAMES_FULL), "f.isra.0");
}

TEST(symbol_versions_go_and_plt_stays)
{
	CHECK_STR(SHORT("memcpy@@GLIBC_2.14"), "memcpy");
	CHECK_STR(SHORT("memcpy@GLIBC_2.2.5"), "memcpy");
	CHECK_STR(SHORT("malloc@plt"), "malloc@plt");
	CHECK_STR(SHORT("@x"), "@x");
	CHECK_STR(SHORT("_ZN3foo3barEi@plt"), "foo::bar@plt");
}

TEST(operators_with_angles_do_not_confuse)
{
	CHECK_STR(SHORT("_ZN3fooltERKS_"), "foo::operator<");
	CHECK_STR(SHORT("_ZN3fooptEv"), "foo::operator->");
	CHECK_STR(SHORT("_ZN3fooltISaIiEEEbT_"), "foo::operator< <std::allocator<int>>");
}

TEST(what_only_looks_mangled_stays)
{
	CHECK_STR(SHORT("_Z"), "_Z");
	CHECK_STR(SHORT("_ZN"), "_ZN");
	CHECK_STR(SHORT("_Zzzz"), "_Zzzz");
	CHECK_STR(SHORT("_R"), "_R");
	CHECK_STR(SHORT("_ZN99999999999999999999foo"), "_ZN99999999999999999999foo");
}

TEST(long_names_are_cut)
{
	char *name = malloc(100001);

	memset(name, 'a', 100000);
	name[100000] = '\0';
	CHECK_U64(strlen(SHORT(name)), 4096 + 3);
	CHECK_STR(SHORT(name) + 4096, "...");
	free(name);
}

/* f(a<int, int>, a<that, that>, ...): each parameter is twice as long as the one before. */
static void doubling_name(struct str *name, int n)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	str_adds(name, "_Z1f1aIiiE");
	for (int i = 0; i < n; i++)
		str_addf(name, "S_IS%c_S%c_E", digits[i], digits[i]);
}

TEST(names_that_unfold_without_end_are_cut)
{
	struct str name = { 0 };
	u64 start = now_ns();

	doubling_name(&name, 1);
	CHECK_STR(FULL(str_text(&name)), "f(a<int, int>, a<a<int, int>, a<int, int> >)");
	doubling_name((str_clear(&name), &name), 34);
	CHECK_U64(strlen(FULL(str_text(&name))), 16384 + 3);
	CHECK_STR(FULL(str_text(&name)) + 16384, "...");
	CHECK(now_ns() - start < 2 * NS_PER_SEC);
	str_release(&name);
}

/* f(x<a, b<a, a>, b<b<a, a>, b<a, a>>, ...>...): a pack expansion over a type that doubles. */
static void doubling_pack(struct str *name, int n)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	str_adds(name, "_Z1fDp1xI1a1bIS0_S0_E");
	for (int i = 2; i < n; i++)
		str_addf(name, "S1_IS%c_S%c_E", digits[i], digits[i]);
	str_adds(name, "E");
}

TEST(pack_expansions_that_take_forever_stay_mangled)
{
	struct str name = { 0 };

	doubling_pack(&name, 4);
	CHECK(!strncmp(FULL(str_text(&name)), "f((x<a, b<a, a>", 15));
	doubling_pack((str_clear(&name), &name), 36);
	CHECK_STR(FULL(str_text(&name)), str_text(&name));
	CHECK_STR(SHORT(str_text(&name)), str_text(&name));
	str_release(&name);
}

TEST(any_bytes_are_survived)
{
	char name[200];

	srand(7);
	for (int i = 0; i < 20000; i++) {
		static const char *const heads[] = { "_ZN", "_RNv", "_RI", "_Z", "_ZNSt" };
		static const char alphabet[] = "0123456789SIENvTKPRiC_$.abLXBnstu";
		size_t n = (size_t)(rand() % 150);
		size_t at = (size_t)snprintf(name, sizeof(name), "%s", heads[rand() % 5]);

		for (size_t k = 0; k < n && at < sizeof(name) - 1; k++)
			name[at++] = alphabet[(size_t)rand() % (sizeof(alphabet) - 1)];
		name[at] = '\0';
		SHORT(name);
		FULL(name);
	}
}

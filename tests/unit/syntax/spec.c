// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "syntax/spec.h"

#include "base/str.h"
#include "test.h"

static void add_name(struct str *s, const struct site_pattern *p, const struct site_name *n)
{
	str_addf(s, " %s:", site_kind_letter(p->kind));
	if (p->kind == SITE_UFUNC || p->kind == SITE_UFUNC_RET || n->lib)
		str_addf(s, "<%s>", n->lib ? n->lib : "");
	if (n->provider)
		str_addf(s, "<%s>", n->provider);
	if (n->module)
		str_addf(s, "%s`", n->module);
	str_adds(s, n->func);
	if (n->version)
		str_addf(s, "@%s", n->version);
	if (n->has_offset)
		str_addf(s, "+%llu", n->offset);
	if (n->is_address)
		str_addf(s, "@%llx", n->offset);
	if (n->is_glob)
		str_adds(s, "~");
}

static void add_part(struct str *s, const struct text *t, const char *name, bool has,
		     struct text_range at)
{
	if (has)
		str_addf(s, " %s{%.*s}", name, (int)at.n, t->p + at.at);
}

static void add_spec(struct str *s, const struct probe_spec *spec);

static void add_span(struct str *s, const struct probe_spec *spec)
{
	str_adds(s, " span(");
	for (size_t i = 0; i < spec->span->starts.n; i++)
		add_spec(s, &spec->span->starts.items[i]);
	str_adds(s, " ;");
	for (size_t i = 0; i < spec->span->ends.n; i++)
		add_spec(s, &spec->span->ends.items[i]);
	str_adds(s, spec->span->keep_first ? " first" : "");
	str_adds(s, spec->span->is_shared ? " shared)" : ")");
}

static void add_spec(struct str *s, const struct probe_spec *spec)
{
	const struct text *t = &spec->text;

	if (spec->span)
		add_span(s, spec);

	for (size_t i = 0; i < spec->alternatives.n; i++) {
		const struct site_pattern *p = &spec->alternatives.items[i];

		if (i)
			str_adds(s, " |");
		for (size_t j = 0; j < p->names.n; j++)
			add_name(s, p, &p->names.items[j]);
		if (p->is_fentry)
			str_adds(s, " fentry");
		if (p->period)
			str_addf(s, " period=%llu", p->period);
		if (p->rate_hz)
			str_addf(s, " hz=%llu", p->rate_hz);
	}
	add_part(s, t, "sig", spec->has_signature, spec->signature);
	add_part(s, t, "key", spec->key.n, spec->key);
	add_part(s, t, "pred", spec->has_predicate, spec->predicate);
	add_part(s, t, "fmt", spec->has_format, spec->format);
	add_part(s, t, "act", spec->action.n, spec->action);
	add_part(s, t, "types", spec->types.n, spec->types);
	add_part(s, t, "exprs", spec->exprs.n, spec->exprs);
	add_part(s, t, "label", spec->has_label, spec->label);
	for (size_t i = 0; i < spec->columns.n; i++) {
		const struct spec_column *c = &spec->columns.items[i];

		add_part(s, t, "col", true, c->name);
		str_addf(s, "=%d", c->fn);
		add_part(s, t, "of", c->expr.n, c->expr);
	}
}

/* The spec as it was understood, or "error@CARET+WIDTH: what". */
static const char *read_as(const char *text, enum spec_form form, bool is_regex)
{
	static struct str s;
	struct spec_opts opts = { .is_regex = is_regex };
	struct arena a = { 0 };
	struct probe_spec spec;
	struct err err = { 0 };

	str_clear(&s);
	if (!probe_parse(&a, text, form, &opts, &spec, &err)) {
		add_spec(&s, &spec);
	} else {
		CHECK(err.code == 64);
		str_addf(&s, " error@%u+%u: %s", err.caret, err.width, err.what);
	}
	probe_spec_release(&spec);
	arena_release(&a);
	return str_text(&s) + 1;
}

#define TRACE(text, want)     CHECK_STR(read_as(text, SPEC_TRACE, false), want)
#define ARGDIST(text, want)   CHECK_STR(read_as(text, SPEC_ARGDIST, false), want)
#define TABLE(text, want)     CHECK_STR(read_as(text, SPEC_TABLE, false), want)
#define FUNCCOUNT(text, want) CHECK_STR(read_as(text, SPEC_FUNCCOUNT, false), want)
#define REGEX(text, want)     CHECK_STR(read_as(text, SPEC_FUNCCOUNT, true), want)

TEST(trace_reads_bccs_examples)
{
	TRACE("do_sys_open", "p:do_sys_open");
	TRACE("::do_sys_open \"%s\", arg2@user", "p:do_sys_open fmt{%s} act{arg2@user}");
	TRACE("sys_read (arg3 > 20000) \"read %d bytes\", arg3",
	      "p:sys_read pred{arg3 > 20000} fmt{read %d bytes} act{arg3}");
	TRACE("r::do_sys_open \"%llx\", retval", "r:do_sys_open fmt{%llx} act{retval}");
	TRACE("c:open (arg2 == 42) \"%s %d\", arg1, arg2",
	      "p:<c>open pred{arg2 == 42} fmt{%s %d} act{arg1, arg2}");
	TRACE(":c:malloc \"size = %d\", arg1", "p:<c>malloc fmt{size = %d} act{arg1}");
	TRACE("r:bash:readline \"%s\", retval", "r:<bash>readline fmt{%s} act{retval}");
	TRACE("r:c:read ((int)retval < 0) \"read failed: %d\", retval",
	      "r:<c>read pred{(int)retval < 0} fmt{read failed: %d} act{retval}");
	TRACE("r:/usr/lib64/libtinfo.so:curses_version \"Version=%s\", retval",
	      "r:</usr/lib64/libtinfo.so>curses_version fmt{Version=%s} act{retval}");
	TRACE("p:c:open(char *filename) \"opening %s\", filename",
	      "p:<c>open sig{char *filename} fmt{opening %s} act{filename}");
	TRACE("p:/tmp/a.out:main+0xd \"%x\", ctx->dx",
	      "p:</tmp/a.out>main+13 fmt{%x} act{ctx->dx}");
	TRACE("kfree_skb+0x12", "p:kfree_skb+18");
	TRACE("u:pthread:pthread_create (arg4 != 0)", "u:<pthread>pthread_create pred{arg4 != 0}");
	TRACE("u:pthread:libpthread:pthread_create (arg4 != 0)",
	      "u:<pthread><libpthread>pthread_create pred{arg4 != 0}");
	TRACE("t:block:block_rq_complete \"sectors=%d\", args->nr_sector",
	      "t:<block>block_rq_complete fmt{sectors=%d} act{args->nr_sector}");
	TRACE("udpv6_sendmsg(struct sock *sk) (sk->sk_dport == 13568)",
	      "p:udpv6_sendmsg sig{struct sock *sk} pred{sk->sk_dport == 13568}");
	TRACE("sys_setsockopt(int fd, int level, int optname, char* optval, int optlen)(level==0 && "
	      "STRCMP(\"{0x6C, 0x00}\", optval))",
	      "p:sys_setsockopt sig{int fd, int level, int optname, char* optval, int optlen} "
	      "pred{level==0 && STRCMP(\"{0x6C, 0x00}\", optval)}");
}

/* peers.md 2.1: what bcc misreads means the obvious. */
TEST(what_bcc_misreads_means_the_obvious)
{
	TRACE("sys_read(arg3 > 20000) \"%d\"", "p:sys_read pred{arg3 > 20000} fmt{%d}");
	TRACE("r:func", "r:func");
	TRACE("t:sched_switch", "t:sched_switch");
	TRACE("f (STRCMP(\"a)b\", arg1)) \"x\"", "p:f pred{STRCMP(\"a)b\", arg1)} fmt{x}");
	TRACE("f (a == ')') \"x\"", "p:f pred{a == ')'} fmt{x}");
	TRACE("f(int (*cb)(int), int b) (b)", "p:f sig{int (*cb)(int), int b} pred{b}");
	TRACE("f(int a) \"val) %d\", a", "p:f sig{int a} fmt{val) %d} act{a}");
	TRACE("f \"%d%d\", arg1, arg2", "p:f fmt{%d%d} act{arg1, arg2}");
	TRACE("f \"say \\\"hi\\\" %d\", 1", "p:f fmt{say \\\"hi\\\" %d} act{1}");
	TRACE("f \"%s\" , arg1", "p:f fmt{%s} act{arg1}");
	TRACE("f \"%d\" arg1", "p:f fmt{%d} act{arg1}");
	TRACE("f\n  (arg1 > 2)\n  \"%d\",\n  arg1\n", "p:f pred{arg1 > 2} fmt{%d} act{arg1}");
	TRACE("/bin/x:ns::cls::fn", "p:</bin/x>ns::cls::fn");
	TRACE("f junk \"%d\", arg1",
	      "error@2+15: the text to print must begin with a format in double quotes");
	TRACE("p::0xffffffff81000010", "p:0xffffffff81000010@ffffffff81000010");
	TRACE("/bin/x:0x1234", "p:</bin/x>0x1234@1234");
}

TEST(kinds_have_their_own_names)
{
	TRACE("k:vfs_read", "p:vfs_read");
	TRACE("kprobe:vfs_read", "p:vfs_read");
	TRACE("kretprobe:vfs_read", "r:vfs_read");
	TRACE("uprobe:/bin/x:main", "p:</bin/x>main");
	TRACE("uretprobe:c:malloc", "r:<c>malloc");
	TRACE("fentry:vfs_read", "p:vfs_read fentry");
	TRACE("kretfunc:vfs_read", "r:vfs_read");
	TRACE("tracepoint:sched:sched_switch", "t:<sched>sched_switch");
	TRACE("rawtracepoint:sched_switch", "raw:sched_switch");
	TRACE("usdt:/bin/x:p:q", "u:</bin/x><p>q");
	TRACE("software:page-faults:100", "e:page-faults period=100");
	TRACE("kr:vfs_read", "r:vfs_read");
	TRACE("f:vfs_read", "p:vfs_read fentry");
	TRACE("p:vfs_read", "p:vfs_read");
	TRACE("k:ext4`ext4_file_open", "p:ext4`ext4_file_open");
	TRACE("raw:sched_switch", "raw:sched_switch");
	TRACE("syscall:openat", "syscall:openat");
	TRACE("p:syscall:openat", "syscall:openat");
	TRACE("r:syscall:openat", "r:syscall:openat");
	TRACE("e:cpu-clock@99", "e:cpu-clock hz=99");
	TRACE("e:cache-misses:1000000", "e:cache-misses period=1000000");
	TRACE("e:page-faults", "e:page-faults");
	TRACE("p:bin:std::vector<int, std::allocator<int> >::push_back (arg1)",
	      "p:<bin>std::vector<int, std::allocator<int> >::push_back pred{arg1}");
	TRACE("p:bin:<T as core::fmt::Debug>::fmt \"x\"",
	      "p:<bin><T as core::fmt::Debug>::fmt fmt{x}");
	TRACE("p:bin:operator<< \"x\"", "p:<bin>operator<< fmt{x}");
}

TEST(sets_and_alternatives_are_expanded)
{
	TRACE("tcp_{send,recv}msg", "p:tcp_sendmsg p:tcp_recvmsg");
	TRACE("{raw:a,raw:b}", "raw:a raw:b");
	TRACE("p:{c,m}:f{1,2}", "p:<c>f1 p:<c>f2 p:<m>f1 p:<m>f2");
	TRACE("a{b,c{d,e}}", "p:ab p:acd p:ace");
	TRACE("t:block:block_rq_* (1)", "t:<block>block_rq_*~ pred{1}");
	TRACE("vfs_[rw]*", "p:vfs_[rw]*~");
	TRACE("do_sys_openat2 | do_sys_open (1)", "p:do_sys_openat2 | p:do_sys_open pred{1}");
	TRACE("main+{0xd,0x25}", "p:main+13 p:main+37");
	TRACE("{raw:a,t:b:c}",
	      "error@0+13: a set's sites must be of one kind: this one has raw: and t:");
	TRACE("{a,,b}", "error@0+6: a function's name is missing");
	TRACE("a{b", "error@1+1: this '{' is not closed");
	TRACE("a*+4", "error@0+2: an offset belongs to one function, not to a pattern");
}

TEST(wrong_sites_have_a_caret)
{
	TRACE("", "error@0+1: an empty spec");
	TRACE(" (arg1)", "error@1+1: a site is missing here");
	TRACE("a |", "error@3+1: a site is missing here");
	TRACE("p:", "error@2+1: a function's name is missing");
	TRACE("r::f+4", "error@3+3: a return has no offset: give r: the function's name only");
	TRACE("p:ns::f", "error@2+5: the program or library is missing: p:LIB:NAME::SPACE");
	TRACE("t:a:b:c", "error@5+2: a tracepoint is t:CATEGORY:EVENT");
	TRACE("x:c:open", "error@0+2: 'x:' is not a kind of site");
	TRACE("retprobe:c:open", "error@0+9: 'retprobe:' is not a kind of site");
	TRACE("interval:s:1", "error@0+12: a timer is not a site");
	TRACE("f | tick-10ms", "error@4+9: a timer is not a site");
	TRACE("tick-0", "p:tick-0");
	TRACE("profile:s:x", "error@0+8: 'profile:' is not a kind of site");
	TRACE("x:f+4:int:arg1", "error@5+9: a site ends after its offset");
	TRACE("/bin/x:c:open", "p:</bin/x>c:open");
	TRACE("u:f", "error@2+1: u: takes a program or library: u:LIB[:PROVIDER]:PROBE");
	TRACE("e:cpu-clock@x", "error@11+2: a rate is @HZ, such as @99");
	TRACE("f (a", "error@2+1: this '(' is not closed");
	TRACE("f (a) (b) \"x\"", "error@7+1: there is a predicate already: join them by &&");
	TRACE("f \"x", "error@2+1: this '\"' is not closed");
	TRACE("f \"x\",", "error@5+1: an expression is missing after this ','");
}

TEST(a_version_follows_a_user_function)
{
	TRACE("p:c:memcpy@GLIBC_2.2.5", "p:<c>memcpy@GLIBC_2.2.5");
	TRACE("c:memcpy@@GLIBC_2.14+0x4", "p:<c>memcpy@@GLIBC_2.14+4");
	TRACE("r:c:mem*@GLIBC_2.2.5", "r:<c>mem*@GLIBC_2.2.5~");
	TRACE("p:c:*@*", "p:<c>*@*~");
	TRACE("p:c:f@", "p:<c>f@");
	TRACE("p:c:@f", "p:<c>@f");
}

TEST(quoted_names_stay_as_they_are)
{
	TRACE("p:x:\"ns::f(int, char*)\" (1)", "p:<x>ns::f(int, char*) pred{1}");
	TRACE("x:\"f\"(int i) \"%d\", i", "p:<x>f sig{int i} fmt{%d} act{i}");
	TRACE("r:x:\"(anonymous namespace)::f\"", "r:<x>(anonymous namespace)::f");
	TRACE("p:x:\"main::{lambda(int*)#1}::operator[](int)\"",
	      "p:<x>main::{lambda(int*)#1}::operator[](int)");
	TRACE("p:x:\"f(int)\"+0x10", "p:<x>f(int)+16");
	ARGDIST("p:x:\"f(int)\"(int i):int:i#a",
		"p:<x>f(int) sig{int i} types{int} exprs{i} label{a}");
	TRACE("p:x:\"f(int)", "error@4+1: this '\"' is not closed");
	TRACE("p:x:\"\"", "error@4+2: a function's name is missing");
	TRACE("p:x:\"f\"g", "error@7+1: only an offset (+0x10) may follow a quoted name");
	TRACE("r:x:\"f\"+4", "error@7+2: a return has no offset: give r: the function's name only");
	TRACE("p::\"f\"", "error@3+3: only a user function's name can be quoted");
}

TEST(a_quoted_library_may_hold_anything)
{
	TRACE("p:\"/a b/x\":f", "p:</a b/x>f");
	TRACE("\"/a b/x\":f(int i) \"%d\", i", "p:</a b/x>f sig{int i} fmt{%d} act{i}");
	TRACE("r:\"/a:b/(x)|y\":f (1)", "r:</a:b/(x)|y>f pred{1}");
	TRACE("p:\"/a b/{x,y}\":{f,g}", "p:</a b/{x,y}>f p:</a b/{x,y}>g");
	TRACE("p:\"/a b/x\":\"f(int, long)\"+0x10", "p:</a b/x>f(int, long)+16");
	TRACE("u:\"/a b/x\":y:z", "u:</a b/x><y>z");
	TRACE("p:\"/a b/x\":", "error@11+1: a function's name is missing");
}

TEST(shape_decides_between_signature_and_predicate)
{
	TRACE("f(size_t)", "p:f sig{size_t}");
	TRACE("f(char *)", "p:f sig{char *}");
	TRACE("f(foo *a)", "p:f sig{foo *a}");
	TRACE("f (foo *a)", "p:f pred{foo *a}");
	TRACE("f (struct foo *a)", "p:f sig{struct foo *a}");
	TRACE("f(retval)", "p:f pred{retval}");
	TRACE("f(a == 1)", "p:f pred{a == 1}");
	TRACE("f($pid)", "p:f pred{$pid}");
	TRACE("f(strcmp(a, b))", "p:f pred{strcmp(a, b)}");
	TRACE("f(int a[4], ...)", "p:f sig{int a[4], ...}");
	TRACE("f() (1)", "p:f pred{1}");
	TRACE("f(const char __user *filename, int flags)",
	      "p:f sig{const char __user *filename, int flags}");
}

TEST(argdist_splits_by_colons_that_separate)
{
	ARGDIST("p:c:malloc(size_t size):size_t:size",
		"p:<c>malloc sig{size_t size} types{size_t} exprs{size}");
	ARGDIST("p:c:write(int fd, void *buf, size_t len):size_t:len:fd==1",
		"p:<c>write sig{int fd, void *buf, size_t len} pred{fd==1} types{size_t} exprs{len}");
	ARGDIST("r:c:read()", "r:<c>read");
	ARGDIST("r:c:read", "r:<c>read");
	ARGDIST("p:c:fork()#fork calls", "p:<c>fork label{fork calls}");
	ARGDIST("p:c:fork():int:$PID;fork per process",
		"p:<c>fork types{int} exprs{$PID} label{fork per process}");
	ARGDIST("r:c:gets():char*:(char*)$retval:$retval!=0",
		"r:<c>gets pred{$retval!=0} types{char*} exprs{(char*)$retval}");
	ARGDIST("p:c:f():int:arg1?1:0:arg2?a:b",
		"p:<c>f pred{arg2?a:b} types{int} exprs{arg1?1:0}");
	ARGDIST("p:c:f():int:arg1=='#':arg2==':'",
		"p:<c>f pred{arg2==':'} types{int} exprs{arg1=='#'}");
	ARGDIST("p:c:f()::arg1", "p:<c>f exprs{arg1}");
	ARGDIST("p:bin:ns::f(int a):int:a", "p:<bin>ns::f sig{int a} types{int} exprs{a}");
	ARGDIST("u:lib:prov:probe():u64:arg2+1", "u:<lib><prov>probe types{u64} exprs{arg2+1}");
	ARGDIST("e:cache-misses:1000000():char*,u32:$COMM,$PID",
		"e:cache-misses period=1000000 types{char*,u32} exprs{$COMM,$PID}");
	ARGDIST("r::__vfs_read(void *file, void *buf,\n size_t count):size_t:$entry(count)\n:$latency>1",
		"r:__vfs_read sig{void *file, void *buf,\n size_t count} pred{$latency>1} "
		"types{size_t} exprs{$entry(count)}");
	ARGDIST("c:read+4:u64:count", "error@8+10: a site ends after its offset");
	ARGDIST("c:read:u64:arg1+x", "error@6+11: parentheses are missing after the site: "
				     "SITE():type:expression");
	ARGDIST("c:read:u64:count", "error@6+10: parentheses are missing after the site: "
				    "SITE():type:expression");
	ARGDIST("r:c:read:u64:$latency", "error@8+13: parentheses are missing after the site: "
					 "SITE():type:expression");
	ARGDIST("p:c:f():int", "error@8+3: types without expressions");
	ARGDIST("p:c:f():int:a:b:c",
		"error@15+2: there is a filter already: join conditions by &&");
	ARGDIST("p:c:f():int:a#", "error@13+1: a label is missing after this '#'");
	ARGDIST("p:c:f()#  ", "error@7+1: a label is missing after this '#'");
	ARGDIST("p:c:f();", "error@7+1: a label is missing after this ';'");
	FUNCCOUNT("f#", "error@1+1: a label is missing after this '#'");
	ARGDIST("p:c:f():int:", "error@11+1: an expression is missing after this ':'");
}

TEST(a_parenthesis_too_many_is_found)
{
	TRACE("f (count > 5))", "error@13+1: one ')' too many");
	TRACE("f(int a) (a)) \"%d\", a", "error@12+1: one ')' too many");
	FUNCCOUNT("f (a))#label", "error@5+1: one ')' too many");
	TABLE("f[x] (a)) A=count()", "error@8+1: one ')' too many");
}

TEST(funccount_takes_predicate_and_label)
{
	FUNCCOUNT("vfs_*", "p:vfs_*~");
	FUNCCOUNT("go:os.*", "p:<go>os.*~");
	FUNCCOUNT("./test:read*", "p:<./test>read*~");
	FUNCCOUNT("u:pthread:*mutex*", "u:<pthread>*mutex*~");
	FUNCCOUNT("t:syscalls:sys_enter_*(args->ret < 0)#bad ones",
		  "t:<syscalls>sys_enter_*~ pred{args->ret < 0} label{bad ones}");
	FUNCCOUNT("vfs_read x", "error@9+1: only a (predicate) and a #label may follow a site");
	REGEX("c:(write|read)$", "p:<c>(write|read)$");
	REGEX("^vfs.*", "p:^vfs.*");
	REGEX("^(a|b){1,2}$ (arg1)#x", "p:^(a|b){1,2}$ pred{arg1} label{x}");
}

TEST(spans_have_starts_and_ends)
{
	ARGDIST("span(raw:block_rq_issue[rq] ; raw:block_rq_complete[rq]):u64:$latency",
		"span( raw:block_rq_issue key{rq} ; raw:block_rq_complete key{rq}) types{u64} "
		"exprs{$latency}");
	ARGDIST("span(r:c:{malloc,calloc}[retval](retval) ; p:c:free[arg1]; keep=first)"
		":size_t:$start($entry(size))",
		"span( r:<c>malloc r:<c>calloc key{retval} pred{retval} ; p:<c>free key{arg1} first) "
		"types{size_t} exprs{$start($entry(size))}");
	ARGDIST("span({raw:sched_wakeup,raw:sched_wakeup_new}[p->pid] ; raw:sched_switch[next->pid])"
		":u64:$latency",
		"span( raw:sched_wakeup raw:sched_wakeup_new key{p->pid} ; raw:sched_switch "
		"key{next->pid}) types{u64} exprs{$latency}");
	TRACE("span(a[1], b[2] ; c[d]) ($latency > 1ms) \"%d\", $latency",
	      "span( p:a key{1} p:b key{2} ; p:c key{d}) pred{$latency > 1ms} fmt{%d} "
	      "act{$latency}");
	TRACE("span(t:syscalls:sys_enter_x ; t:syscalls:sys_exit_x)",
	      "span( t:<syscalls>sys_enter_x ; t:<syscalls>sys_exit_x)");
	TRACE("span(vfs_[rw]*[arg1] ; b)", "span( p:vfs_[rw]*~ key{arg1} ; p:b)");
	TRACE("span(a ;)", "error@0+9: a span is span(START ; END)");
	TRACE("span(a[arg1] b[arg1])", "error@0+21: a span is span(START ; END)");
	ARGDIST("span(a[arg1]):int:arg1", "error@0+13: a span is span(START ; END)");
	TRACE("span(p:c:a)", "error@0+11: a span is span(START ; END)");
	TRACE("span(int a)", "p:span sig{int a}");
	TRACE("span(a ; b[1],keep=last)", "error@14+9: 'keep=last' is not a site");
	TRACE("span(key=shared ; b)", "error@5+10: 'key=shared' is not a site");
	TRACE("span(a ; b ; keep=x)",
	      "error@13+6: only keep=first and key=shared may follow a span's end");
	TRACE("span(a ; b ; c ; x)",
	      "error@17+1: only keep=first and key=shared may follow a span's end");
}

TEST(tables_have_columns)
{
	TABLE("mark_page_accessed[$pid](1) HITS=count(), B=sum(a, b)",
	      "p:mark_page_accessed key{$pid} pred{1} col{HITS}=0 col{B}=1 of{a, b}");
	TABLE("a[$pid] X=foo(1)",
	      "error@10+3: a column is NAME=count(), or sum, avg, min, max of an expression");
	TABLE("a[$pid]",
	      "error@0+1: a table needs columns: SITE[key] NAME=count(), NAME=sum(expr)");
	TABLE("f[x] A=count(v)", "error@13+1: count() counts events, not values");
	TABLE("f[x] A=count()#some", "error@14+5: a table has no label: its columns have names");
}

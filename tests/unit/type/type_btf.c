// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The types of the running kernel, all of them: whatever compilers and pahole put into BTF. */
#include <bpf/btf.h>
#include <dirent.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "expr/check.h"
#include "expr/dump.h"
#include "test.h"
#include "type/lookup.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

static struct btf *kernel_btf(void)
{
	struct btf *btf;

	if (access(KERNEL_BTF, R_OK))
		SKIP("no BTF of this kernel can be read");
	btf = btf__parse(KERNEL_BTF, NULL);
	CHECK(btf);
	return btf;
}

static void check_member(struct types *types, const struct type *in, const char *name, u32 size)
{
	struct type_member m;
	u32 end;

	if (!type_find_member(types, in, name, SPACE_KERNEL, &m)) {
		printf("# %s.%s\n", in->name, name);
		CHECK(!"found");
	}
	end = m.offset + (m.bit_size ? (m.bit_offset + m.bit_size + 7) / 8 : m.type->size);
	CHECK(end <= size);
	CHECK(!m.bit_size || m.bit_offset + m.bit_size <= 8 * m.type->size);
}

static void check_members(struct types *types, const struct btf *btf, u32 id)
{
	const struct btf_type *bt = btf__type_by_id(btf, id);
	const struct type *in = type_of_btf(types, btf, id, SPACE_KERNEL);

	for (u32 i = 0; i < btf_vlen(bt); i++) {
		const char *name = btf__name_by_offset(btf, btf_members(bt)[i].name_off);

		if (*name)
			check_member(types, in, name, bt->size);
	}
}

TEST(every_member_of_every_kernel_struct_is_found_inside_of_it)
{
	struct btf *btf = kernel_btf();

	for (u32 id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *bt = btf__type_by_id(btf, id);
		struct arena arena = { 0 };
		struct types types;

		types_init(&types, &arena, 81);
		types_add_btf(&types, btf);
		if (btf_is_composite(bt) && bt->name_off)
			check_members(&types, btf, id);
		types_release(&types);
		arena_release(&arena);
	}
	btf__free(btf);
}

static void check_function(struct types *types, const struct btf *btf, u32 id, enum scope_ctx ctx,
			   enum scope_side side)
{
	const struct tree *values[16];
	const char *names[16];
	struct str text = { 0 };
	struct err err = { 0 };
	struct scope s;
	u32 n;

	scope_init(&s, types, ctx, side, "k:function");
	s.space = SPACE_EITHER;
	scope_args(&s, 12);
	CHECK(!scope_btf_func(&s, btf, id, 0, &err));
	n = expr_all_args(&s, names, values, 16);
	for (u32 i = 0; i < n; i++)
		dump_tree(values[i], &text);
	str_release(&text);
	scope_release(&s);
}

TEST(every_kernel_function_offers_its_arguments)
{
	struct btf *btf = kernel_btf();

	for (u32 id = 1; id < btf__type_cnt(btf); id++) {
		struct arena arena = { 0 };
		struct types types;

		if (!btf_is_func(btf__type_by_id(btf, id)))
			continue;
		types_init(&types, &arena, 81);
		types_add_btf(&types, btf);
		check_function(&types, btf, id, SCOPE_REGS, SIDE_ENTRY);
		check_function(&types, btf, id, SCOPE_REGS, SIDE_RETURN);
		check_function(&types, btf, id, SCOPE_WORDS, SIDE_RETURN);
		types_release(&types);
		arena_release(&arena);
	}
	btf__free(btf);
}

/* A circle of typedefs, ids beyond the end: a module's or a binary's BTF may say anything. */
TEST(broken_btf_ends)
{
	struct btf *btf = btf__new_empty();
	struct arena arena = { 0 };
	struct type_member m;
	struct types types;
	struct type in = { .kind = TYPE_STRUCT, .btf = btf };
	s32 id;

	types_init(&types, &arena, 81);
	types_add_btf(&types, btf);
	id = btf__add_typedef(btf, "a", 2);
	btf__add_typedef(btf, "b", 1);
	CHECK(id == 1 && !type_of_btf(&types, btf, 1, SPACE_KERNEL));
	id = btf__add_ptr(btf, 1000);
	CHECK(!type_of_btf(&types, btf, (u32)id, SPACE_KERNEL));
	id = btf__add_struct(btf, "s", 8);
	btf__add_field(btf, NULL, id, 0, 0); /* itself, without a name */
	in.btf_id = (u32)id;
	CHECK(!type_find_member(&types, &in, "x", SPACE_KERNEL, &m));
	id = btf__add_array(btf, 1, 1, 0xffffffff);
	CHECK(!type_of_btf(&types, btf, (u32)id, SPACE_KERNEL));
	CHECK(!type_of_btf(&types, btf, 77777, SPACE_KERNEL));
	types_release(&types);
	arena_release(&arena);
	btf__free(btf);
}

/* sizeof and offsets as the C library's headers have them. */
TEST(user_structs_have_the_layout_of_the_abi)
{
#define ROW(type, member)                                                                    \
	{                                                                                    \
		"struct " #type, #member, sizeof(struct type), offsetof(struct type, member) \
	}
	static const struct {
		const char *type, *member;
		u32 size, offset;
	} rows[] = {
		ROW(timespec, tv_nsec),	    ROW(timeval, tv_usec),
		ROW(itimerspec, it_value),  ROW(itimerval, it_value),
		ROW(iovec, iov_len),	    ROW(sockaddr, sa_data),
		ROW(sockaddr_in, sin_addr), ROW(sockaddr_in6, sin6_scope_id),
		ROW(sockaddr_un, sun_path), ROW(msghdr, msg_flags),
		ROW(mmsghdr, msg_len),	    ROW(pollfd, revents),
		ROW(addrinfo, ai_next),	    ROW(rlimit, rlim_max),
		ROW(sigaction, sa_flags),   ROW(tm, tm_gmtoff),
		ROW(dirent, d_name),	    ROW(passwd, pw_shell),
		ROW(stat, st_size),	    ROW(stat, st_ctim),
		ROW(stat, st_mode),
	};
	struct arena arena = { 0 };
	struct types types;

	types_init(&types, &arena, 81);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct type *t = type_by_name(&types, rows[i].type, SPACE_USER);
		struct type_member m;

		CHECK(t && type_find_member(&types, t, rows[i].member, SPACE_USER, &m));
		CHECK_U64(t->size, rows[i].size);
		CHECK_U64(m.offset, rows[i].offset);
	}
	types_release(&types);
	arena_release(&arena);
}

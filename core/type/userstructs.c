// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Structs of the C library's headers, which programs pass to functions and system calls, and which
 * no BTF describes there.  They are written as parameter lists, and laid out according to the ABI
 * (each member aligned to its size).
 */
#include <bpf/btf.h>

#include "syntax/parse.h"
#include "type/lookup.h"

static const struct {
	const char *name, *members;
} structs[] = {
	{ "timespec", "long tv_sec, long tv_nsec" },
	{ "timeval", "long tv_sec, long tv_usec" },
	{ "timezone", "int tz_minuteswest, int tz_dsttime" },
	{ "itimerspec", "struct timespec it_interval, struct timespec it_value" },
	{ "itimerval", "struct timeval it_interval, struct timeval it_value" },
	{ "iovec", "void *iov_base, unsigned long iov_len" },
	{ "in_addr", "unsigned int s_addr" },
	{ "in6_addr", "unsigned char s6_addr[16]" },
	{ "sockaddr", "unsigned short sa_family, char sa_data[14]" },
	{ "sockaddr_in", "unsigned short sin_family, unsigned short sin_port, "
			 "struct in_addr sin_addr, unsigned char sin_zero[8]" },
	{ "sockaddr_in6",
	  "unsigned short sin6_family, unsigned short sin6_port, unsigned int sin6_flowinfo, "
	  "struct in6_addr sin6_addr, unsigned int sin6_scope_id" },
	{ "sockaddr_un", "unsigned short sun_family, char sun_path[108]" },
	{ "msghdr", "void *msg_name, unsigned int msg_namelen, struct iovec *msg_iov, "
		    "unsigned long msg_iovlen, void *msg_control, unsigned long msg_controllen, "
		    "int msg_flags" },
	{ "mmsghdr", "struct msghdr msg_hdr, unsigned int msg_len" },
	{ "pollfd", "int fd, short events, short revents" },
	{ "addrinfo", "int ai_flags, int ai_family, int ai_socktype, int ai_protocol, "
		      "unsigned int ai_addrlen, struct sockaddr *ai_addr, char *ai_canonname, "
		      "struct addrinfo *ai_next" },
	{ "rlimit", "unsigned long rlim_cur, unsigned long rlim_max" },
	{ "sigaction", "void *sa_handler, unsigned long sa_mask[16], int sa_flags, "
		       "void *sa_restorer" },
	{ "tm", "int tm_sec, int tm_min, int tm_hour, int tm_mday, int tm_mon, int tm_year, "
		"int tm_wday, int tm_yday, int tm_isdst, long tm_gmtoff, char *tm_zone" },
	{ "dirent", "unsigned long d_ino, long d_off, unsigned short d_reclen, "
		    "unsigned char d_type, char d_name[256]" },
	{ "passwd", "char *pw_name, char *pw_passwd, unsigned int pw_uid, unsigned int pw_gid, "
		    "char *pw_gecos, char *pw_dir, char *pw_shell" },
#ifdef __aarch64__
	{ "stat",
	  "unsigned long st_dev, unsigned long st_ino, unsigned int st_mode, unsigned int st_nlink, "
	  "unsigned int st_uid, unsigned int st_gid, unsigned long st_rdev, "
	  "unsigned long __pad1, long st_size, int st_blksize, int __pad2, long st_blocks, "
	  "struct timespec st_atim, struct timespec st_mtim, struct timespec st_ctim, "
	  "unsigned int __reserved[2]" },
#else
	{ "stat", "unsigned long st_dev, unsigned long st_ino, unsigned long st_nlink, "
		  "unsigned int st_mode, unsigned int st_uid, unsigned int st_gid, int __pad0, "
		  "unsigned long st_rdev, long st_size, long st_blksize, long st_blocks, "
		  "struct timespec st_atim, struct timespec st_mtim, struct timespec st_ctim, "
		  "long __reserved[3]" },
#endif
};

static s32 id_named(struct btf *btf, const char *name)
{
	if (!strncmp(name, "struct ", 7)) {
		s32 id = btf__find_by_name_kind(btf, name + 7, BTF_KIND_STRUCT);

		/* The struct itself, or a later row: a declaration is enough for a pointer. */
		return id > 0 ? id : btf__add_fwd(btf, name + 7, BTF_FWD_STRUCT);
	}
	if (!strcmp(name, "void"))
		return 0;
	return btf__find_by_name_kind(btf, name, BTF_KIND_INT);
}

static const struct {
	const char *name;
	u32 size;
	int encoding;
} basic[] = {
	{ "char", 1, BTF_INT_SIGNED }, { "unsigned char", 1, 0 },    { "short", 2, BTF_INT_SIGNED },
	{ "unsigned short", 2, 0 },    { "int", 4, BTF_INT_SIGNED }, { "unsigned int", 4, 0 },
	{ "long", 8, BTF_INT_SIGNED }, { "unsigned long", 8, 0 },
};

static u32 align_of(const struct btf *btf, s32 id)
{
	int align = btf__align_of(btf, (u32)id);

	return align > 0 ? (u32)align : 1;
}

static s32 member_type(struct btf *btf, const struct ast_type *type, s32 index)
{
	s32 id = id_named(btf, type->base);

	for (u32 i = 0; i < type->n_pointers && id >= 0; i++)
		id = btf__add_ptr(btf, id);
	for (u32 i = type->n_dims; i-- > 0 && id >= 0;)
		id = btf__add_array(btf, index, id, (u32)type->dims[i]);
	return id;
}

static void add_struct(struct btf *btf, struct arena *a, const char *name, const char *members)
{
	struct text text = text_of(members);
	struct ast_signature sig;
	struct err err = { 0 };
	s32 ids[16], index = btf__find_by_name_kind(btf, "unsigned int", BTF_KIND_INT);
	u32 at = 0, align = 1;

	if (parse_signature(a, &text, span_all(&text), &sig, &err))
		return;
	for (u32 i = 0; i < sig.n_params && i < ARRAY_SIZE(ids); i++)
		ids[i] = member_type(btf, sig.params[i].type, index);
	/* The size is set last: libbpf allows adding fields only to the newest type. */
	for (u32 pass = 0; pass < 2; pass++) {
		if (pass)
			btf__add_struct(btf, name, (at + align - 1) / align * align);
		at = 0;
		for (u32 i = 0; i < sig.n_params && i < ARRAY_SIZE(ids); i++) {
			u32 own = align_of(btf, ids[i]);

			at = (at + own - 1) / own * own;
			if (pass)
				btf__add_field(btf, sig.params[i].name, ids[i], at * 8, 0);
			at += (u32)btf__resolve_size(btf, (u32)ids[i]);
			align = own > align ? own : align;
		}
	}
}

const struct btf *type_own_btf(struct types *t)
{
	struct arena a = { 0 };

	if (t->own)
		return t->own;
	t->own = btf__new_empty();
	if (!t->own)
		return NULL;
	btf__set_pointer_size(t->own, t->pointer_size);
	for (size_t i = 0; i < ARRAY_SIZE(basic); i++)
		btf__add_int(t->own, basic[i].name, basic[i].size, basic[i].encoding);
	for (size_t i = 0; i < ARRAY_SIZE(structs); i++)
		add_struct(t->own, &a, structs[i].name, structs[i].members);
	arena_release(&a);
	return t->own;
}

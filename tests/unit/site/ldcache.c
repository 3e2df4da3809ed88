// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/ldcache.h"

#include "test.h"

#ifdef __aarch64__
#define FLAGS 0x0a03
#else
#define FLAGS 0x0303
#endif

struct entry {
	u32 flags, key, value, os_version;
	u64 hwcap;
};

/* A cache of one library. */
static struct str cache_of(const char *soname, const char *path)
{
	static const char magic[20] = { 'g', 'l', 'i', 'b', 'c', '-', 'l', 'd', '.', 's',
					'o', '.', 'c', 'a', 'c', 'h', 'e', '1', '.', '1' };
	u32 rest[7] = { 1 }, strings = (u32)(sizeof(magic) + sizeof(rest) + sizeof(struct entry));
	struct entry e = { FLAGS, strings, strings + (u32)strlen(soname) + 1, 0, 0 };
	struct str s = { 0 };

	str_add(&s, magic, sizeof(magic));
	str_add(&s, (const char *)rest, sizeof(rest));
	str_add(&s, (const char *)&e, sizeof(e));
	str_add(&s, soname, strlen(soname) + 1);
	str_add(&s, path, strlen(path) + 1);
	return s;
}

static bool begins(const char *soname, const char *prefix)
{
	return !strncmp(soname, prefix, strlen(prefix));
}

static bool finds(struct str *cache, const char *want)
{
	struct str path = { 0 };
	bool found = ldcache_find(str_view(cache), "libc", begins, &path);

	if (found)
		CHECK_STR(str_text(&path), want);
	str_release(&path);
	str_release(cache);
	return found;
}

TEST(a_library_is_found)
{
	struct str cache = cache_of("libc.so.6", "/lib/libc.so.6");

	CHECK(finds(&cache, "/lib/libc.so.6"));
	cache = cache_of("libd.so.6", "/lib/libd.so.6");
	CHECK(!finds(&cache, NULL));
}

TEST(strings_without_an_end_are_ignored)
{
	struct str cache = cache_of("libc.so.6", "/lib/libc.so.6");

	cache.n -= 1;
	CHECK(!finds(&cache, NULL));
	cache = cache_of("libc.so.6", "/lib/libc.so.6");
	cache.n -= strlen("/lib/libc.so.6") + 2;
	CHECK(!finds(&cache, NULL));
}

/* In a cache of 60 MB that was all one string, each entry scanned all of it: hours. */
TEST(strings_longer_than_names_and_paths_are_no_library)
{
	char name[5000];
	struct str cache;

	memset(name, 'x', sizeof(name));
	memcpy(name, "libc", 4);
	name[255] = '\0';
	cache = cache_of(name, "/lib/c");
	CHECK(finds(&cache, "/lib/c"));
	name[255] = 'x';
	name[256] = '\0';
	cache = cache_of(name, "/lib/c");
	CHECK(!finds(&cache, NULL));
	name[256] = 'x';
	name[sizeof(name) - 1] = '\0';
	cache = cache_of("libc.so.6", name);
	CHECK(!finds(&cache, NULL));
}

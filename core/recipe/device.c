// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Devices, users and cgroups that the user names, as the numbers that the kernel has for them. */
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"
#include "base/str.h"
#include "host/cgroup.h"
#include "opt/target.h"
#include "recipe/recipe_int.h"

/* The kernel's dev_t: 20 bits of minor number (include/linux/kdev_t.h). */
#define MINOR_BITS 20

static const char *below_dev(const char *path)
{
	return strncmp(path, "/dev/", 5) ? path : path + 5;
}

/* "8:1\n" */
static bool read_device(struct view text, u64 *device)
{
	struct view major, minor;
	u64 high, low;

	if (!view_split(&text, ':', &major) || !view_split(&text, '\n', &minor) ||
	    !num_parse_dec(major, &high) || !num_parse_dec(minor, &low) || high >> 12 ||
	    low >> MINOR_BITS)
		return false;
	*device = high << MINOR_BITS | low;
	return true;
}

int recipe_disk(const char *text, const char *what, char **out, struct err *err)
{
	const char *name = below_dev(text);
	_cleanup_(free_p) char *path = mem_printf("/sys/class/block/%s/dev", name);
	_cleanup_(str_release) struct str line = { 0 };
	u64 device;

	if (!read_device(view_of(name), &device) &&
	    (strchr(name, '/') || file_read(path, 64, &line) ||
	     !read_device(str_view(&line), &device))) {
		err_set(err, ERR_NOTARGET, "%s: there is no disk '%s'", what, text);
		return err_hint(err, "ls /sys/class/block shows them");
	}
	*out = mem_printf("%llu", device);
	return 0;
}

/* /dev/console and /dev/tty0 stand for other terminals, or for each other: the kernel lists these,
 * and the last one of the list is meant. */
static char *terminal_meant(const char *name)
{
	char *meant = mem_strdup(name);

	for (int i = 0; i < 2 && !strchr(meant, '/'); i++) {
		_cleanup_(free_p) char *path = mem_printf("/sys/class/tty/%s/active", meant);
		_cleanup_(str_release) struct str list = { 0 };
		struct view rest, one = { 0 }, last = { 0 };

		if (file_read(path, 256, &list))
			break;
		rest = str_view(&list);
		view_split(&rest, '\n', &one);
		rest = one;
		while (view_split(&rest, ' ', &one))
			last = one;
		if (!last.n)
			break; /* there is none */
		free(meant);
		meant = mem_strndup(last.p, last.n);
	}
	return meant;
}

/* Pseudo-terminals have no entry in /sys. */
#define PTS_MAJOR_FIRST	 136
#define PTS_MAJOR_LAST	 143
/* /dev/tty, /dev/console and /dev/ptmx stand for other terminals, or make new ones: no terminal has
 * their numbers, so that a tool would wait forever. */
#define NAMES_MAJOR	 5
#define NAMES_MINOR_LAST 2

static bool is_terminal(dev_t device)
{
	_cleanup_(free_p) char *path =
		mem_printf("/sys/dev/char/%u:%u/subsystem", major(device), minor(device));
	char link[256];
	ssize_t n = readlink(path, link, sizeof(link));

	if (major(device) == NAMES_MAJOR && minor(device) <= NAMES_MINOR_LAST)
		return false;
	return (major(device) >= PTS_MAJOR_FIRST && major(device) <= PTS_MAJOR_LAST) ||
	       (n > 4 && !memcmp(link + n - 4, "/tty", 4));
}

int recipe_tty(const char *text, const char *what, char **out, struct err *err)
{
	_cleanup_(free_p) char *name = NULL, *path = NULL;
	struct stat st;
	u64 number;

	if (num_parse_dec(view_of(text), &number))
		name = mem_printf("pts/%llu", number);
	else
		name = terminal_meant(below_dev(text));
	path = mem_printf("%s%s", name[0] == '/' ? "" : "/dev/", name);
	if (stat(path, &st) || !S_ISCHR(st.st_mode) || !is_terminal(st.st_rdev)) {
		err_set(err, ERR_NOTARGET, "%s: there is no terminal '%s'", what, text);
		return err_hint(err, "tty prints the path of the one that it runs in");
	}
	*out = mem_printf("%llu", (u64)major(st.st_rdev) << MINOR_BITS | minor(st.st_rdev));
	return 0;
}

int recipe_users(const char *text, char **out, struct err *err)
{
	struct u32_list list = { 0 };
	struct str ids = { 0 };
	int ret = target_parse_uids(&list, text, err);

	for (size_t i = 0; i < list.v.n; i++)
		str_addf(&ids, "%s%u", i ? "," : "", list.v.items[i]);
	if (!ret)
		*out = mem_strdup(str_text(&ids));
	vec_release(&list.v);
	str_release(&ids);
	return ret;
}

int recipe_cgroups(const char *text, char **out, struct err *err)
{
	struct cgroup_set set = { 0 };
	struct str ids = { 0 };
	int ret = cgroup_resolve(&set, text, err);

	for (size_t i = 0; i < set.v.n; i++)
		str_addf(&ids, "%s%llu", i ? "," : "", set.v.items[i].id);
	if (!ret)
		*out = mem_strdup(str_text(&ids));
	cgroup_set_release(&set);
	str_release(&ids);
	return ret;
}

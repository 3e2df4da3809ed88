// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Completion against a small /proc, /sys and /etc of our own. */
#include <stdio.h>
#include <sys/stat.h>

#include "opt/output.h"
#include "opt/target.h"
#include "test.h"

struct conf {
	struct target target;
	struct output_conf output;
	const char *event;
};

static const struct opt table[] = {
	OPT_STRING('e', "event", struct conf, event, "EVENT", "what", .complete = COMPLETE_EVENT),
	OPT_LETTER('p', "pid"),
	OPT_LETTER('f', "folded"),
	OPT_INCLUDE(struct conf, target, target_opts),
	OPT_INCLUDE(struct conf, output, output_opts),
	OPT_END,
};

static char root[64];

static void put(const char *path, const char *text)
{
	char full[256];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	f = fopen(full, "w");
	CHECK(f);
	fputs(text, f);
	fclose(f);
}

static void make_root(void)
{
	snprintf(root, sizeof(root), "/tmp/bperf-complete.XXXXXX");
	CHECK(mkdtemp(root));
	put("/proc/12/comm", "nginx\n");
	put("/proc/12/task/12/comm", "nginx\n");
	put("/proc/12/task/13/comm", "worker\n");
	put("/proc/120/comm", "nginx\n");
	put("/proc/7/comm", "a\tb\033[*\n");
	put("/proc/self/comm", "me\n");
	put("/sys/devices/system/cpu/online", "0-2,10\n");
	put("/sys/fs/cgroup/system.slice/nginx.service/x", "");
	put("/sys/fs/cgroup/user.slice/x", "");
	put("/etc/passwd", "root:x:0:0::/root:/bin/sh\nbroken\nrobot:x:77:0::/:/bin/sh\n");
}

static void remove_root(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	CHECK(!system(command));
}

static void events(void (*add)(void *ctx, const char *name, const char *what), void *ctx)
{
	add(ctx, "cycles", "CPU cycles");
	add(ctx, "cpu-clock", "time");
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

#define OFFERED(...) offered((char *[]){ __VA_ARGS__, NULL })

/* The candidates, sorted and joined by newlines. */
static const char *offered(char **words)
{
	const struct opt_sources src = { .root = root, .events = events };
	static char out[8192];
	char *lines[128], *text, *save;
	size_t size, n = 0;
	FILE *f = open_memstream(&text, &size);

	while (words[n])
		n++;
	make_root();
	opt_complete(table, &src, words, n, f);
	remove_root();
	fclose(f);
	n = 0;
	for (char *l = strtok_r(text, "\n", &save); l && n < 128; l = strtok_r(NULL, "\n", &save))
		lines[n++] = l;
	qsort(lines, n, sizeof(char *), compare);
	out[0] = '\0';
	for (size_t i = 0; i < n; i++)
		snprintf(out + strlen(out), sizeof(out) - strlen(out), "%s\n", lines[i]);
	free(text);
	return out;
}

TEST(options_by_their_beginning)
{
	CHECK_STR(OFFERED("--st"), "--strict\texit with 1 if anything was lost\n");
	CHECK(strstr(OFFERED("-"), "-p\tthese processes\n"));
	CHECK(strstr(OFFERED(""), "--pid\tthese processes\n"));
	CHECK_STR(OFFERED("5"), "");
	CHECK_STR(OFFERED("--zz"), "");
}

TEST(pids_come_with_their_names)
{
	CHECK_STR(OFFERED("-p", ""), "12\tnginx\n120\tnginx\n7\ta?b???\n");
}

TEST(pids_are_found_by_number_or_name)
{
	CHECK_STR(OFFERED("-p", "1"), "12\tnginx\n120\tnginx\n");
	CHECK_STR(OFFERED("--pid", "ngi"), "12\tnginx\n120\tnginx\n");
	CHECK_STR(OFFERED("--tid", "13"), "13\tworker\n");
}

TEST(the_head_of_the_word_stays)
{
	CHECK_STR(OFFERED("--pid=7,12"), "--pid=7,12\tnginx\n--pid=7,120\tnginx\n");
	CHECK_STR(OFFERED("-fp12"), "-fp12\tnginx\n-fp120\tnginx\n");
	CHECK_STR(OFFERED("--color=al"), "--color=always\t\n");
}

TEST(each_kind_has_its_source)
{
	CHECK_STR(OFFERED("--cpu", "1"), "1\t\n10\t\n");
	CHECK_STR(OFFERED("--uid", "ro"), "robot\t77\nroot\t0\n");
	CHECK_STR(OFFERED("--comm", "n"), "nginx\t\n");
	CHECK_STR(OFFERED("--cgroup", "/sys"), "/system.slice\t\n/system.slice/nginx.service\t\n");
	CHECK_STR(OFFERED("-e", "cy"), "cycles\tCPU cycles\n");
	CHECK_STR(OFFERED("-O", "fo"), "folded\t\n");
	CHECK_STR(OFFERED("-o", ""), ":file\n");
}

TEST(after_two_dashes_the_shell_completes)
{
	CHECK_STR(OFFERED("-f", "--", ""), ":command 2\n");
	CHECK_STR(OFFERED("--", "ls", "-"), ":command 1\n");
	CHECK_STR(OFFERED("-e", "--", "--st"), "--strict\texit with 1 if anything was lost\n");
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "saved/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define ROOM	   (256u << 10)
#define PEEK_BYTES 4096

int input_open(struct input *in, const char *path, struct err *err)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	*in = (struct input){ .name = is_stdin ? "standard input" : path };
	if (fd < 0)
		return err_errno(err, errno, "cannot read %s", in->name);
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		close(fd);
		return err_set(err, ERR_FAIL, "cannot read %s: it is a directory", in->name);
	}
	in->gz = gzdopen(fd, "rb");
	if (!in->gz) {
		close(fd);
		return err_set(err, ERR_FAIL, "cannot read %s: out of memory", in->name);
	}
	gzbuffer(in->gz, ROOM / 2);
	in->cap = ROOM;
	in->buf = mem_alloc(1, ROOM);
	return 0;
}

void input_close(struct input *in)
{
	if (in->gz)
		gzclose(in->gz);
	free(in->buf);
	*in = (struct input){ 0 };
}

/* True for a gzipped file that ends too early: everything before that has been read. */
static bool is_cut_off(struct input *in, int code)
{
	return code == Z_BUF_ERROR || (code == Z_DATA_ERROR && gzeof(in->gz));
}

static int explain(struct input *in, struct err *err)
{
	int code, errnum = errno;
	const char *why = gzerror(in->gz, &code);

	if (code == Z_ERRNO)
		return err_errno(err, errnum, "cannot read %s", in->name);
	if (is_cut_off(in, code)) {
		in->is_end = in->is_broken = true;
		return 0;
	}
	return err_set(err, ERR_FAIL, "cannot unpack %s: %s", in->name, why);
}

/* Read more data after the present data, and make room for it. */
static int fill(struct input *in, struct err *err)
{
	int n;

	if (in->start) {
		memmove(in->buf, in->buf + in->start, in->end - in->start);
		in->end -= in->start;
		in->start = 0;
	}
	if (in->cap - in->end < ROOM / 2) {
		in->cap *= 2;
		in->buf = mem_realloc(in->buf, in->cap, 1);
	}
	errno = 0;
	n = gzread(in->gz, in->buf + in->end, (unsigned)(in->cap - in->end));
	if (n < 0)
		return explain(in, err);
	if (!n) {
		int code;

		gzerror(in->gz, &code);
		in->is_end = true;
		in->is_broken = code == Z_BUF_ERROR;
	}
	in->end += (size_t)n;
	return 0;
}

int input_peek(struct input *in, struct view *head, struct err *err)
{
	int ret = 0;

	while (!ret && !in->is_end && in->end - in->start < PEEK_BYTES)
		ret = fill(in, err);
	*head = (struct view){ in->buf + in->start, in->end - in->start };
	if (head->n > PEEK_BYTES)
		head->n = PEEK_BYTES;
	return ret;
}

static int give_line(struct input *in, struct view *line, size_t n, bool has_newline)
{
	*line = (struct view){ in->buf + in->start, n };
	in->start += n + has_newline;
	in->is_cut = !has_newline;
	in->line++;
	return 1;
}

int input_line(struct input *in, struct view *line, struct err *err)
{
	size_t seen = 0;

	for (;;) {
		size_t n = in->end - in->start;
		char *from = in->buf + in->start, *nl;
		int ret;

		nl = n > seen ? memchr(from + seen, '\n', n - seen) : NULL;
		if (nl && nl - from <= INPUT_LINE_MAX)
			return give_line(in, line, (size_t)(nl - from), true);
		/* The buffer is larger than the longest line: its end may be in there. */
		if (nl || n > INPUT_LINE_MAX)
			return err_set(err, ERR_FAIL, "%s:%llu: a line of more than %u MB",
				       in->name, in->line + 1, INPUT_LINE_MAX >> 20);
		if (in->is_end)
			return n ? give_line(in, line, n, false) : 0;
		seen = n;
		ret = fill(in, err);
		if (ret)
			return ret;
	}
}

int input_all(struct input *in, u64 max, struct str *out, struct err *err)
{
	int ret = 0;

	for (;;) {
		if (in->end > in->start)
			str_add(out, in->buf + in->start, in->end - in->start);
		in->start = in->end = 0;
		if (out->n > max)
			return err_set(err, ERR_FAIL,
				       "%s: more than %llu MB unpacked, too much to read", in->name,
				       max >> 20);
		if (in->is_end || ret)
			return ret;
		ret = fill(in, err);
	}
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/memlimit.h"
#include "base/stop.h"
#include "test.h"

/* A folder for this test's files, made with the first of them. */
static char dir[] = "/tmp/bperf-sink-XXXXXX";

static const char *in_dir(char path[64], const char *name)
{
	if (strstr(dir, "XXXXXX"))
		CHECK(mkdtemp(dir));
	snprintf(path, 64, "%s/%s", dir, name);
	return path;
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	CHECK(f && fputs(text, f) >= 0 && !fclose(f));
}

static void check_file(const char *path, const char *want)
{
	struct str text = { 0 };

	CHECK(!file_read(path, 1 << 20, &text));
	CHECK_STR(str_text(&text), want);
	str_release(&text);
}

TEST(a_full_disk_is_an_error_at_close)
{
	struct err err = { 0 };
	struct sink s;

	CHECK(!sink_open_file(&s, "/dev/full", &err));
	str_adds(&s.buf, "text");
	sink_flush(&s);
	CHECK_U64((u64)s.error, ENOSPC);
	CHECK(sink_close(&s, &err) == -ERR_FAIL);
	CHECK_STR(err.what, "cannot write to '/dev/full': No space left on device");
}

/* As the program finds a stdout that its caller has closed: main() has put something there. */
TEST(standard_output_for_reading_only_is_an_error_at_once)
{
	struct err err = { 0 };
	struct sink s;
	int fd = open("/dev/null", O_RDONLY);

	CHECK(fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0);
	CHECK(sink_open_stdout(&s, &err) == -ERR_FAIL);
	CHECK_STR(err.what, "cannot write to standard output: Bad file descriptor");
}

TEST(a_reader_that_left_is_no_error)
{
	struct err err = { 0 };
	struct sink s;
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	CHECK(!pipe(ends) && dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO);
	close(ends[0]);
	close(ends[1]);
	CHECK(!sink_open_stdout(&s, &err));
	str_adds(&s.buf, "text");
	sink_flush(&s);
	CHECK(sink_is_broken(&s));
	CHECK(!sink_close(&s, &err));
}

TEST(closed_stdout_is_an_error)
{
	struct err err = { 0 };
	int saved = dup(STDOUT_FILENO);
	struct sink s;
	int ret;

	close(STDOUT_FILENO);
	ret = sink_open_stdout(&s, &err);
	dup2(saved, STDOUT_FILENO);
	CHECK(ret == -ERR_FAIL);
	CHECK_STR(err.what, "cannot write to standard output: Bad file descriptor");
}

TEST(a_slow_reader_of_a_pipe_that_does_not_block_gets_all)
{
	struct err err = { 0 };
	struct sink s = { 0 };
	char byte[65536];
	size_t n = 0;
	ssize_t got;
	int ends[2];
	pid_t pid;

	CHECK(!pipe(ends) && !fcntl(ends[1], F_SETFL, O_NONBLOCK));
	pid = fork();
	if (!pid) {
		s.fd = ends[1];
		s.path = mem_strdup("pipe");
		for (int i = 0; i < 1 << 20; i++)
			str_addc(&s.buf, 'x');
		_exit(sink_close(&s, &err) ? 1 : 0);
	}
	close(ends[1]);
	usleep(50000);
	while ((got = read(ends[0], byte, sizeof(byte))) > 0)
		n += (size_t)got;
	CHECK_U64(n, 1 << 20);
}

/* A measurement goes on while nobody reads. */
TEST(a_full_pipe_does_not_hold_up_a_flush)
{
	struct err err = { 0 };
	struct sink s = { 0 };
	static char got[65536];
	size_t n = 0;
	ssize_t more;
	int ends[2];

	CHECK(!pipe(ends));
	s.fd = ends[1];
	s.path = mem_strdup("pipe");
	alarm(20);
	for (int i = 0; i < 1 << 20; i++)
		str_addc(&s.buf, 'x');
	sink_flush(&s);
	CHECK(s.buf.n >= (1 << 20) - 65536);
	CHECK(s.n_waiting == s.buf.n);
	/* Writing goes on when somebody reads, and nothing is written twice. */
	CHECK(!fcntl(ends[0], F_SETFL, O_NONBLOCK));
	while (s.buf.n || n < 1 << 20) {
		while ((more = read(ends[0], got, sizeof(got))) > 0)
			n += (size_t)more;
		sink_flush(&s);
	}
	CHECK_U64(n, 1 << 20);
	CHECK(!sink_close(&s, &err));
}

/* A caller that can keep its data is told when nobody has read for long. */
TEST(a_sink_is_full_before_it_waits)
{
	struct err err = { 0 };
	struct sink s = { 0 };
	static char got[65536];
	int ends[2];

	CHECK(!pipe(ends));
	s.fd = ends[1];
	s.path = mem_strdup("pipe");
	alarm(20);
	mem_limit_set(256 << 20);
	for (int i = 0; i < 9 << 20; i++) {
		str_addc(&s.buf, 'x');
		if (i == 1 << 20) {
			sink_flush(&s);
			CHECK(!sink_is_full(&s));
		}
	}
	sink_flush(&s); /* does not wait for anybody */
	CHECK(sink_is_full(&s));
	while (sink_is_full(&s)) {
		CHECK(read(ends[0], got, sizeof(got)) > 0);
		sink_wait(&s, 1000);
	}
	str_clear(&s.buf);
	CHECK(!sink_close(&s, &err));
	mem_limit_set(0);
}

TEST(a_signal_gives_up_a_reader_who_does_not_read)
{
	struct err err = { 0 };
	struct sink s = { 0 };
	int ends[2];

	CHECK(!pipe(ends));
	s.fd = ends[1];
	s.path = mem_strdup("pipe");
	alarm(20);
	for (int i = 0; i < 1 << 20; i++)
		str_addc(&s.buf, 'x');
	stop_catch();
	stop_start_is_over();
	raise(SIGTERM);
	CHECK(sink_close(&s, &err) == -ERR_FAIL);
	CHECK_STR(err.what, "gave up writing to 'pipe': a signal arrived, and no process reads it");
}

TEST(a_fifo_of_another_user_is_refused)
{
	char buf[64];
	const char *path = in_dir(buf, "out");
	struct err err = { 0 };
	struct sink s;
	pid_t reader;

	if (geteuid())
		SKIP("only root can give a FIFO away");
	CHECK(!mkfifo(path, 0666) && !chown(path, 65534, 65534));
	alarm(20);
	CHECK(sink_open_file(&s, path, &err) == -ERR_PERM);
	CHECK(strstr(err.what, "is a FIFO of another user (uid 65534), and is not written to"));
	/* Also with a reader. */
	reader = fork();
	if (!reader) {
		CHECK(open(path, O_RDONLY | O_NONBLOCK) >= 0);
		pause();
	}
	usleep(50000);
	err_clear(&err);
	CHECK(sink_open_file(&s, path, &err) == -ERR_PERM);
	kill(reader, SIGKILL);
	unlink(path);
	rmdir(dir);
}

TEST(a_signal_ends_the_wait_for_the_reader_of_a_fifo)
{
	char buf[64];
	const char *path = in_dir(buf, "out");
	struct err err = { 0 };
	struct sink s;

	CHECK(!mkfifo(path, 0600));
	alarm(20);
	stop_catch();
	stop_start_is_over();
	raise(SIGINT);
	CHECK(sink_open_file(&s, path, &err) == -ERR_FAIL);
	CHECK(strstr(err.what, "no process reads this FIFO"));
	unlink(path);
	rmdir(dir);
}

TEST(a_file_keeps_its_contents_until_there_is_something_to_write)
{
	char buf[64];
	const char *path = in_dir(buf, "out");
	struct err err = { 0 };
	struct sink s;

	put(path, "the run before");
	CHECK(!sink_open_file(&s, path, &err));
	CHECK(!sink_close(&s, &err));
	check_file(path, "the run before");
	CHECK(!sink_open_file(&s, path, &err));
	str_adds(&s.buf, "this");
	CHECK(!sink_close(&s, &err));
	check_file(path, "this");
	unlink(path);
	rmdir(dir);
}

TEST(a_run_that_failed_leaves_no_new_file)
{
	char buf[64];
	const char *path = in_dir(buf, "out");
	struct err err = { 0 };
	struct sink s;

	CHECK(!sink_open_file(&s, path, &err));
	CHECK(!access(path, F_OK));
	CHECK(!sink_close(&s, &err));
	CHECK(access(path, F_OK));
	rmdir(dir);
}

TEST(an_empty_result_is_an_empty_file)
{
	char buf[64];
	const char *path = in_dir(buf, "out");
	struct err err = { 0 };
	struct sink s;

	CHECK(!sink_open_file(&s, path, &err));
	sink_restart(&s);
	CHECK(!sink_close(&s, &err));
	check_file(path, "");
	unlink(path);
	rmdir(dir);
}

TEST(a_restart_replaces_what_was_written)
{
	char buf[64];
	const char *path = in_dir(buf, "out");
	struct err err = { 0 };
	struct sink s;

	CHECK(!sink_open_file(&s, path, &err));
	str_adds(&s.buf, "a long first picture");
	sink_flush(&s);
	sink_restart(&s);
	str_adds(&s.buf, "second");
	CHECK(!sink_close(&s, &err));
	check_file(path, "second");
	unlink(path);
	rmdir(dir);
}

TEST(a_link_in_a_folder_for_everybody_is_not_followed)
{
	char bufs[2][64];
	const char *path = in_dir(bufs[0], "out"), *other = in_dir(bufs[1], "other");
	struct err err = { 0 };
	struct sink s;

	put(other, "precious");
	CHECK(!symlink(other, path));
	CHECK(!chmod(dir, 01777));
	CHECK(sink_open_file(&s, path, &err) < 0);
	check_file(other, "precious");
	CHECK(!chmod(dir, 0700));
	err_clear(&err);
	CHECK(!sink_open_file(&s, path, &err));
	str_adds(&s.buf, "through a link of our own");
	CHECK(!sink_close(&s, &err));
	check_file(other, "through a link of our own");
	unlink(path);
	unlink(other);
	rmdir(dir);
}

TEST(an_unwritable_file_is_an_error_at_open)
{
	struct err err = { 0 };
	struct sink s;

	CHECK(sink_open_file(&s, "/nonexistent/out.svg", &err) == -ERR_FAIL);
	CHECK_STR(err.what, "cannot write to '/nonexistent/out.svg': No such file or directory");
}

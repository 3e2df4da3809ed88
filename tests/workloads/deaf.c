/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * deaf DIR SECONDS: a FUSE file system at DIR whose server never answers.  Exits with 77 if there
 * is no FUSE here, or no right to mount it.
 */
#include <fcntl.h>
#include <sys/mount.h>

#include "work.h"

int main(int argc, char **argv)
{
	char options[128];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (argc < 3 || fd < 0)
		return 77;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	if (mount("deaf", argv[1], "fuse", MS_NOSUID | MS_NODEV, options))
		return 77;
	printf("pid %d\n", getpid());
	fflush(stdout);
	sleep((unsigned)atoi(argv[2]));
	close(fd); /* a waiting client gets an error */
	return umount2(argv[1], MNT_DETACH);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "attach/background.h"

#include <unistd.h>

pid_t background_fork(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (fork() > 0)
		_exit(0);
	setsid();
	for (int fd = 0; fd <= 2; fd++)
		close(fd);
	return 0;
}

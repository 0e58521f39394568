/* Preloaded into redis-server: its wall clock is the int64 of nanoseconds in
 * the file CLOCK_FILE names, so a test moves time instead of sleeping. The
 * monotonic clock stays real, or the server's event loop would stand still.
 * No allocation anywhere: the allocator itself asks for the time. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile long long *shared;

static long long now_ns(void) {
    if (!shared) {
        const char *path = getenv("CLOCK_FILE");
        int fd = path ? open(path, O_RDONLY) : -1;
        void *p = fd < 0 ? MAP_FAILED : mmap(0, 8, PROT_READ, MAP_SHARED, fd, 0);
        if (fd >= 0) close(fd);
        if (p == MAP_FAILED) _exit(98);
        shared = p;
    }
    return *shared;
}

int clock_gettime(clockid_t id, struct timespec *ts) {
    if (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE) return syscall(SYS_clock_gettime, id, ts);
    long long n = now_ns();
    ts->tv_sec = n / 1000000000;
    ts->tv_nsec = n % 1000000000;
    return 0;
}

int gettimeofday(struct timeval *restrict tv, void *restrict tz) {
    (void)tz;
    long long n = now_ns();
    tv->tv_sec = n / 1000000000;
    tv->tv_usec = n % 1000000000 / 1000;
    return 0;
}

time_t time(time_t *t) {
    time_t s = now_ns() / 1000000000;
    if (t) *t = s;
    return s;
}

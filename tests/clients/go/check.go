// Command clients drives a server with the Go client libraries: the checks are those of ../README.md.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"time"
)

var (
	addr        = os.Getenv("ADDR")
	clusterAddr = os.Getenv("CLUSTER_ADDR")
	authAddr    = os.Getenv("AUTH_ADDR")
	password    = os.Getenv("PASSWORD")
	reference   = os.Getenv("REFERENCE") == "1"
)

const clockStart = 1_700_000_000_000_000_000

func main() {
	programs := map[string]func(context.Context){
		"go-redis": goRedis, "redigo": redigoClient, "rueidis": rueidisClient,
		"go-redis-cluster": goRedisClusterFailover, "go-redis-sentinel": goRedisSentinelFailover, "rueidis-cluster": rueidisClusterFailover,
	}
	run, known := programs[strings.Join(os.Args[1:], " ")]
	if !known {
		fmt.Fprintln(os.Stderr, "usage: clients go-redis|redigo|rueidis|go-redis-cluster|go-redis-sentinel|rueidis-cluster")
		os.Exit(2)
	}
	run(context.Background())
}

type failure string

// must stops the current check if err is not nil.
func must(err error) {
	if err != nil {
		fail(err.Error())
	}
}

// get is must for a call that also returns a value.
func get[T any](got T, err error) T {
	must(err)
	return got
}

// equal stops the check unless got is want.
func equal[T any](want, got T) {
	if !reflect.DeepEqual(want, got) {
		fail(fmt.Sprintf("want %v, got %v", want, got))
	}
}

// refused stops the check unless the text of err contains text.
func refused(err error, text string) {
	if err == nil || !strings.Contains(err.Error(), text) {
		fail(fmt.Sprintf("want an error with %q, got %v", text, err))
	}
}

func fail(why string) {
	at := ""
	for depth := 2; depth < 6; depth++ {
		if _, file, line, _ := runtime.Caller(depth); !strings.HasSuffix(file, "/check.go") {
			at = fmt.Sprintf(" at %s:%d", file[strings.LastIndexByte(file, '/')+1:], line)
			break
		}
	}
	panic(failure(why + at))
}

// check runs one check and prints its line. A check fails after a minute.
func check(name string, run func()) {
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		run()
	}()
	var failed any
	select {
	case failed = <-done:
	case <-time.After(time.Minute):
		failed = "took a minute"
	}
	if failed == nil {
		fmt.Println("ok  ", name)
		return
	}
	fmt.Printf("FAIL %s: %s\n", name, strings.ReplaceAll(fmt.Sprint(failed), "\n", " "))
}

// caller is a library's generic call.
type caller func(args ...any) (any, error)

// throttle checks CL.THROTTLE's replies under the test clock.
func throttle(call caller) {
	user := []any{"CL.THROTTLE", "user", 15, 30, 60}
	if reference {
		_, err := call(user...)
		refused(err, "unknown command")
		return
	}
	get(call("DEBUG", "CLOCK", "SET", clockStart))
	defer func() { _, _ = call("DEBUG", "CLOCK", "RESUME") }()
	for i := range 16 {
		equal(fmt.Sprint([]int{0, 16, 15 - i, -1, 2*i + 2}), fmt.Sprint(get(call(user...))))
	}
	equal("[1 16 0 2 32]", fmt.Sprint(get(call(user...))))
	get(call("DEBUG", "CLOCK", "ADVANCE", 2_000_000_000))
	equal("[0 16 0 -1 32]", fmt.Sprint(get(call(user...))))
}

// clusterThrottle is throttle with the real clock, because the test clock of another server does not move it.
func clusterThrottle(call caller) {
	got, err := call("CL.THROTTLE", "user", 15, 30, 60)
	if reference {
		refused(err, "unknown command")
		return
	}
	must(err)
	equal("[0 16 15 -1 2]", fmt.Sprint(got))
}

// throttleError checks that a refusal is the library's error.
func throttleError(call caller) {
	if reference {
		return
	}
	_, err := call("CL.THROTTLE", "u", 15, 0, 60)
	refused(err, "Cell error: Store error: Zero rates are not supported")
}

// binaryPair is a key of all bytes and a value of 5 MB.
func binaryPair() (key, value string) {
	var all bytes.Buffer
	for b := range 256 {
		all.WriteByte(byte(b))
	}
	noise := make([]byte, 5<<20)
	_, _ = rand.Read(noise)
	return all.String(), string(noise)
}

// until waits for the effect of another connection's write.
func until(holds func() bool) {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if holds() {
			return
		}
	}
	fail("never came true")
}

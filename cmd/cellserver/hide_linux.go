package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"cellserver/internal/config/configload"
)

// hidePasswords replaces the passwords in the arguments and in the environment of the process. Every user
// can read the arguments in the list of processes. os.Args must be a copy ([ownArgs]), because its first
// memory changes.
func hidePasswords() error {
	args, environ := os.Args[1:], os.Environ()
	if slices.Equal(configload.HideArgs(args), args) && slices.Equal(configload.HideEnviron(environ), environ) {
		return nil
	}
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return err
	}
	err = hideIn("/proc/self/cmdline", stat, argStart, func(words []string) []string {
		return append(words[:1:1], configload.HideArgs(words[1:])...)
	})
	if err != nil {
		return err
	}
	return hideIn("/proc/self/environ", stat, envStart, configload.HideEnviron)
}

// The fields of /proc/self/stat after the program's name, as proc(5) numbers them less 3: the addresses at
// which the arguments and the environment begin.
const (
	argStart = 48 - 3
	envStart = 50 - 3
)

// hideIn replaces the words of a file of /proc by writing to the memory that the file shows. Every word
// keeps its length.
func hideIn(file string, stat []byte, field int, hide func([]string) []string) error {
	text, err := os.ReadFile(file)
	if err != nil || len(text) == 0 {
		return err
	}
	hidden := []byte(strings.Join(hide(strings.Split(string(text), "\x00")), "\x00"))
	if bytes.Equal(hidden, text) {
		return nil
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= field || len(hidden) != len(text) {
		return fmt.Errorf("%s: unknown form", file)
	}
	address, err := strconv.ParseInt(string(fields[field]), 10, 64)
	if err != nil {
		return err
	}
	memory, err := os.OpenFile("/proc/self/mem", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer memory.Close()
	_, err = memory.WriteAt(hidden, address)
	return err
}

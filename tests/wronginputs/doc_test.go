// Package wronginputs is a table of wrong inputs through every door of the server: flags, configuration
// files, variables of the environment, rules, users, certificates, data directories, commands and HTTP. Each
// answer repeats the wrong word and says what to do, and nothing has changed. Every test runs the real
// binary.
package wronginputs

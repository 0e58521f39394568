// Package configload builds the configuration from redis.conf, the environment and the command line, and
// writes redis.conf for CONFIG REWRITE.
//
//	commandline.go   splits the program's arguments into files and options
//	special.go       names in a redis.conf that are not directives of this server
//	apply.go         applies directives to a configuration, and collects warnings
//	load.go          Load: all sources; a later source replaces the values of an earlier one
//	hide.go          hides passwords in the arguments and the environment of the process
//	rewrite.go       Rewrite: changes a redis.conf so that it gives a configuration
//
// Invariant: every error names the place of the fault. The package reads files only through the function
// that its caller passes. It keeps no state between calls and takes no lock.
package configload

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/mail"
	"os"
	"regexp"
	"strings"

	"github.com/github/go-spdx/v2/spdxexp"
	"golang.org/x/mod/module"
)

// The names of the tree before it is published.
const (
	oldModule  = "cellserver"
	oldPackage = "cellserver-ratelimit"
)

// names are what the owner chooses. The texts between markers in the pages use them as a template.
type names struct {
	Module     string // the path of the Go module
	Image      string // the name of the image, without a tag
	Registry   string
	License    string // an identifier of SPDX
	Contact    string // a name and an address
	Repository string // where people find the source
	NPM        string
	Python     string
	Version    string

	licenseText []byte
}

// A nameRule says whether a name may stand, and in words which names may.
type nameRule struct {
	pattern *regexp.Regexp
	says    string
}

var (
	registryNames = nameRule{
		regexp.MustCompile(`^[a-z0-9]+([.-][a-z0-9]+)*(:[0-9]+)?(/[a-z0-9]+([._-][a-z0-9]+)*)*$`),
		"a host and a path in lower case, such as registry.example.com/acme"}
	addresses = nameRule{regexp.MustCompile(`^https://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~-]+)+$`),
		"an address such as https://example.com/acme/cellserver"}
	npmNames = nameRule{regexp.MustCompile(`^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$`),
		"a name in lower case, such as acme-ratelimit or @acme/ratelimit"}
	pythonNames = nameRule{regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`),
		"letters, digits, dots, hyphens and underscores, such as acme-ratelimit"}
)

// errUsage stands for a usage that the flags have printed.
var errUsage = errors.New("usage: deploy/publish-prepare MODULE REGISTRY " +
	"--license ID --license-file FILE --contact 'NAME <ADDRESS>'")

// readNames reads the arguments and refuses a name that no registry accepts.
func readNames(args []string) (*names, error) {
	if len(args) < 2 || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[1], "-") {
		return nil, errUsage
	}
	n := &names{Module: args[0], Registry: args[1]}
	flags := flag.NewFlagSet("publish-prepare", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	file := flags.String("license-file", "", "")
	flags.StringVar(&n.License, "license", "", "")
	flags.StringVar(&n.Contact, "contact", "", "")
	flags.StringVar(&n.Repository, "repository", "https://"+n.Module, "")
	flags.StringVar(&n.NPM, "npm", oldPackage, "")
	flags.StringVar(&n.Python, "python", oldPackage, "")
	if err := flags.Parse(args[2:]); err != nil {
		return nil, fmt.Errorf("%w\n%w", err, errUsage)
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("%q is one argument too many\n%w", flags.Arg(0), errUsage)
	}
	n.Image = n.Registry + "/" + oldModule
	return n, errors.Join(n.check(), n.readLicense(*file))
}

// check finds every name that is wrong, not only the first one.
func (n *names) check() error {
	var contact error
	if _, err := mail.ParseAddress(n.Contact); err != nil || strings.ContainsAny(n.Contact, "\"\\$`{}") {
		const says = "--contact %q: say who gets reports, such as 'Acme <security@acme.example>'"
		contact = fmt.Errorf(says, n.Contact)
	}
	return errors.Join(n.checkModule(), contact, addresses.check("--repository", n.Repository),
		registryNames.check("REGISTRY", n.Registry), npmNames.check("--npm", n.NPM),
		pythonNames.check("--python", n.Python))
}

func (r nameRule) check(argument, name string) error {
	if r.pattern.MatchString(name) {
		return nil
	}
	return fmt.Errorf("%s %q: %s", argument, name, r.says)
}

// checkModule refuses a path that the go command cannot fetch at version 0.
func (n *names) checkModule() error {
	_, major, ok := module.SplitPathVersion(n.Module)
	switch err := module.CheckPath(n.Module); {
	case err != nil:
		const says = "MODULE %q: %w; name the address of the repository, such as example.com/acme/cellserver"
		return fmt.Errorf(says, n.Module, err)
	case !ok || major != "":
		return fmt.Errorf("MODULE %q: leave out %s, because this is version 0", n.Module, major)
	case n.Module == oldModule || strings.HasPrefix(n.Module, oldModule+"/"):
		return fmt.Errorf("MODULE %q is the name that nobody can fetch", n.Module)
	}
	return nil
}

// texts has words of the text of each well-known licence, by the beginning of its identifier.
var texts = []struct{ license, words string }{
	{"0BSD", "Permission to use, copy, modify, and/or distribute"},
	{"AGPL-", "GNU AFFERO GENERAL PUBLIC LICENSE"},
	{"Apache-", "Apache License"},
	{"BSD-", "Redistribution and use in source and binary forms"},
	{"EPL-", "Eclipse Public License"},
	{"EUPL-", "EUROPEAN UNION PUBLIC LICENCE"},
	{"GPL-", "GNU GENERAL PUBLIC LICENSE"},
	{"ISC", "Permission to use, copy, modify, and"},
	{"LGPL-", "GNU LESSER GENERAL PUBLIC LICENSE"},
	{"MIT", "Permission is hereby granted, free of charge"},
	{"MPL-", "Mozilla Public License"},
	{"Unlicense", "free and unencumbered software"},
}

// checkText refuses a text of another well-known licence.
func (n *names) checkText(file string) error {
	words := strings.Fields(string(n.licenseText))
	if len(words) < 50 {
		return fmt.Errorf("--license-file %s: this is not the text of a licence", file)
	}
	for _, known := range texts {
		named := len(n.License) >= len(known.license) &&
			strings.EqualFold(n.License[:len(known.license)], known.license)
		has := strings.Contains(strings.ToLower(strings.Join(words, " ")), strings.ToLower(known.words))
		if named && !has {
			const says = "--license-file %s: this is not the text of --license %s, which has the words %q. " +
				"It begins with %q"
			return fmt.Errorf(says, file, n.License, known.words, strings.Join(words[:10], " "))
		}
	}
	return nil
}

// readLicense reads the text of the licence and refuses an identifier that SPDX does not list.
func (n *names) readLicense(file string) (err error) {
	if known, _ := spdxexp.ValidateLicenses([]string{n.License}); !known {
		const says = "--license %q: an identifier of https://spdx.org/licenses/, such as Apache-2.0 or MIT"
		return fmt.Errorf(says, n.License)
	}
	if n.licenseText, err = os.ReadFile(file); err != nil {
		return fmt.Errorf("--license-file: the text of the licence: %w", err)
	}
	return n.checkText(file)
}

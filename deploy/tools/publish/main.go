package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "publish-prepare: %v\npublish-prepare: nothing is changed\n", err)
		os.Exit(1)
	}
}

// run takes the root of the tree and the arguments of deploy/publish-prepare.
func run(args []string) error {
	top := args[0]
	n, err := readNames(args[1:])
	if err != nil {
		return err
	}
	if err := requireClean(top); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "publish-prepare-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := tree{top: filepath.Join(dir, "copy")}
	if _, err := output(top, "git", "worktree", "add", "--quiet", "--detach", t.top); err != nil {
		return err
	}
	defer output(top, "git", "worktree", "remove", "--force", t.top)
	if err := t.prepare(n); err != nil {
		return err
	}
	return t.apply(top, n)
}

// requireClean refuses a tree with changes, because the copy would not have them.
func requireClean(top string) error {
	status, err := output(top, "git", "status", "--porcelain")
	if err == nil && status != "" {
		err = fmt.Errorf("the tree has changes: commit them first, or remove them\n%s", status)
	}
	return err
}

// prepare makes all edits in the copy, and checks it.
func (t *tree) prepare(n *names) error {
	for _, step := range []func(*names) error{
		t.removeItself, t.list, t.readVersion, t.editModules, t.editPages, t.editPackagePaths, t.editProfile,
		t.writeLicenses, t.editTexts, t.editPackageNames, t.list, t.checkNames, t.checkGo, t.checkClients,
	} {
		if err := step(n); err != nil {
			return err
		}
	}
	return nil
}

// apply brings the changes of the copy into the tree and into the index of git. It prints what to do next.
func (t *tree) apply(top string, n *names) error {
	if _, err := output(t.top, "git", "add", "--all"); err != nil {
		return err
	}
	patch, err := output(t.top, "git", "diff", "--cached", "--binary", "--full-index", "HEAD")
	if err != nil {
		return err
	}
	command := exec.Command("git", "-C", top, "apply", "--index", "--whitespace=nowarn")
	command.Stdin = strings.NewReader(patch)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("git apply: %w\n%s", err, out)
	}
	fmt.Print(n.uploads(t.clientModules()))
	return nil
}

// output runs a program in a folder, and returns what it prints. An error has what it says on stderr.
func output(dir, program string, args ...string) (string, error) {
	command := exec.Command(program, args...)
	var out, complaint bytes.Buffer
	command.Dir, command.Stdout, command.Stderr = dir, &out, &complaint
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", program, strings.Join(args, " "), err, &out, &complaint)
	}
	return out.String(), nil
}

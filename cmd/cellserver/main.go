package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"cellserver/cmd/cellserver/app"
	"cellserver/cmd/cellserver/logline"
	"cellserver/internal/config"
	"cellserver/internal/config/configload"
	"cellserver/internal/notices"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

func main() {
	args := ownArgs()
	if err := run(args, hidePasswords()); err != nil {
		if inJSON, is := errors.AsType[jsonError](err); is {
			slog.New(logline.NewJSON(os.Stderr, nil)).Warn("the server ends", "error", inJSON.error)
		} else {
			fmt.Fprintln(os.Stderr, "cellserver:", err)
		}
		os.Exit(1)
	}
}

// jsonError is the error of a server whose log-format is json.
type jsonError struct{ error }

// ownArgs replaces os.Args by a copy, and returns the arguments without the name of the program. The list of
// processes shows the original memory.
func ownArgs() []string {
	for i, arg := range os.Args {
		os.Args[i] = strings.Clone(arg)
	}
	return os.Args[1:]
}

// run executes the command line. Its error is one line for the user. visible is the reason why the passwords
// are not hidden, or nil.
func run(args []string, visible error) error {
	err := execute(args, visible)
	switch {
	case errors.Is(err, configload.ErrHelp):
		fmt.Print(help())
	case errors.Is(err, configload.ErrVersion):
		fmt.Println("cellserver", app.Version)
	case errors.Is(err, configload.ErrLicenses):
		fmt.Print(notices.Text)
	default:
		return err
	}
	return nil
}

// execute runs the sub-command of a command line. Without one it serves.
func execute(args []string, visible error) error {
	if s := chosen(args); s != nil {
		return s.execute(args[1:])
	}
	var files fileReader
	cfg, warnings, err := configload.Load(args, os.Environ(), files.read)
	if err != nil {
		err = unknown(args, err)
	} else {
		err = serve(cfg, warnings, files.first, visible)
	}
	if err != nil && cfg.LogFormat == config.LogJSON {
		err = jsonError{err}
	}
	return err
}

// serve runs the server until the stop.
func serve(cfg *config.Config, warnings []configload.Warning, file string, visible error) error {
	if visible != nil {
		warnings = append(warnings, configload.Warning{File: "command line", Text: "passwords stay visible in the list of processes: " +
			"set requirepass in a configuration file (" + visible.Error() + ")"})
	}
	paceCollector()
	goOnWithoutReader()
	ctx := stopOnSignal()
	o := app.Options{
		Config: cfg, Warnings: warnings, ConfigFile: file, Sockets: activation.Files(true), Notify: notify,
	}
	if cfg.LogFile == "" && cfg.LogLevel != config.LogWarning && cfg.LogFormat == config.LogText {
		o.Greet = func(text string) { fmt.Print(text) }
	}
	a, err := app.New(o)
	if err != nil {
		return err
	}
	onHangup(a.Reload)
	return a.Run(ctx)
}

// notify tells systemd a state, if systemd waits for it.
func notify(state string) error {
	if state == daemon.SdNotifyReady {
		dropStartPages()
	}
	_, err := daemon.SdNotify(false, state)
	return err
}

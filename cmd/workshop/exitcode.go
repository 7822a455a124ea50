package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/client-go-workshop/internal/cluster"
)

// The exit codes are part of the command's interface; the root help lists them.
const (
	exitDone        = 0
	exitNotYet      = 1
	exitUsage       = 2
	exitNoCluster   = 3
	exitInterrupted = 130
)

// exitError ends the command with a code. Without an error there is nothing
// more to print: the result on stdout said it.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// notYet ends with exitNotYet after the result said why.
func notYet() error { return &exitError{code: exitNotYet} }

func usageError(format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

func exitCode(err error) int {
	var exit *exitError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &exit):
		return exit.code
	case cluster.IsNoCluster(err):
		return exitNoCluster
	case errors.Is(err, cluster.ErrNoRepository):
		return exitUsage
	}
	return exitNotYet
}

// message is what is left to print of an error, or nothing.
func message(err error) string {
	var exit *exitError
	if err == nil || errors.As(err, &exit) && exit.err == nil {
		return ""
	}
	return err.Error()
}

// wantArgs takes least to most arguments, and says what is wrong in words.
func wantArgs(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usageError("%s wants %s\nusage: %s\nmore:  %s -h", cmd.Name(), what, cmd.UseLine(), cmd.CommandPath())
		case len(args) > most && most == 0:
			return usageError("%s takes no argument, but there is %q\nusage: %s", cmd.Name(), args[0], cmd.UseLine())
		case len(args) > most:
			return usageError("%s wants %s, but there is more: %q\nusage: %s", cmd.Name(), what, args[most], cmd.UseLine())
		}
		return nil
	}
}

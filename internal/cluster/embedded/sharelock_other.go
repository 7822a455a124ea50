//go:build !unix

package embedded

import (
	"os"
	"syscall"
)

// ownGroup is nothing here: an interrupted build is killed by itself.
func ownGroup() *syscall.SysProcAttr { return nil }

// ownSession is nothing here: a process outlives its console as it is.
func ownSession() *syscall.SysProcAttr { return nil }

func interruptGroup(process *os.Process) error { return process.Kill() }

func killGroup(*os.Process) {}

// askToEnd kills: there is no signal to ask with, and the data survives it.
func askToEnd(process *os.Process) error { return process.Kill() }

// shareLock does nothing: a program that runs cannot be removed here anyway.
func shareLock(string) (*os.File, error) { return nil, nil }

func inherit(*os.File) []*os.File { return nil }

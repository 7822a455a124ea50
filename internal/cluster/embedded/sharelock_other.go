//go:build !unix

package embedded

import "os"

// shareLock does nothing: a program that runs cannot be removed here anyway.
func shareLock(string) (*os.File, error) { return nil, nil }

func inherit(*os.File) []*os.File { return nil }

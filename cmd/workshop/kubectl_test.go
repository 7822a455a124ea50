package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStrayFlag(t *testing.T) {
	for line, want := range map[string]string{
		"get pods -A":                          "",
		"get pods -o json --show-labels":       "",
		"get pods --selector a=b --sort-by x":  "",
		"apply --server-side -f x":             "",
		"exec p -- curl -s --server=x":         "",
		"get --server=https://x pods":          "--server",
		"get --server https://x pods":          "--server",
		"--kubeconfig=/x get pods":             "--kubeconfig",
		"get pods --cluster x":                 "--cluster",
		"get pods -s https://x":                "-s",
		"get pods -s=https://x":                "-s",
		"get pods -shttps://x":                 "-s",
		"get pods -Awshttps://x":               "-s",
		"get pods -nkube-system":               "",
		"get pods -n s":                        "",
		"delete ns x --cascade=foreground -R":  "",
		"logs p --since 1h --tail 3 -p":        "",
		"config view --minify":                 "",
		"create token x --duration 1h":         "",
		"cluster-info dump --cluster-wide-not": "",
	} {
		require.Equal(t, want, strayFlag(strings.Fields(line)), line)
	}
}

func TestIsLocalOnly(t *testing.T) {
	for line, want := range map[string]bool{
		"":                   true,
		"help get":           true,
		"get -h":             true,
		"completion bash":    true,
		"version --client":   true,
		"version":            false,
		"get pods":           false,
		"exec p -- ls -h":    false,
		"delete pod options": false,
	} {
		require.Equal(t, want, isLocalOnly(strings.Fields(line)), line)
	}
}

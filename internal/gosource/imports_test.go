package gosource

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parsed(t *testing.T, text string) *Source {
	t.Helper()
	s, err := Parse("main.go", []byte(text))
	require.NoError(t, err)
	return s
}

func TestAddImport(t *testing.T) {
	const own, std = "x.org/own/pkg", "fmt"
	for name, tc := range map[string]struct{ path, before, after string }{
		"none":            {own, "package main\n", "package main\n\nimport \"x.org/own/pkg\"\n"},
		"one of its kind": {std, "package main\n\nimport \"errors\"\n", "package main\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n)\n"},
		"one of another":  {std, "package main\n\nimport \"x.org/b\"\n", "package main\n\nimport (\n\t\"fmt\"\n\n\t\"x.org/b\"\n)\n"},
		"among its kind": {std, "package main\n\nimport (\n\t\"errors\"\n\t\"os\" // why\n)\n",
			"package main\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n\t\"os\" // why\n)\n"},
		"last of its kind": {own, "package main\n\nimport (\n\t\"errors\"\n\n\t\"x.org/a\" // why\n)\n",
			"package main\n\nimport (\n\t\"errors\"\n\n\t\"x.org/a\" // why\n\t\"x.org/own/pkg\"\n)\n"},
		"a group of its own": {own, "package main\n\nimport (\n\t\"errors\"\n)\n",
			"package main\n\nimport (\n\t\"errors\"\n\n\t\"x.org/own/pkg\"\n)\n"},
		"first group":   {std, "package main\n\nimport (\n\t\"x.org/a\"\n)\n", "package main\n\nimport (\n\t\"fmt\"\n\n\t\"x.org/a\"\n)\n"},
		"no tidy block": {std, "package main; import (\"os\"; \"io\")\n", "package main; import (\"os\"; \"io\")\nimport \"fmt\"\n"},
		"windows": {std, "package main\r\n\r\nimport (\r\n\t\"os\"\r\n)\r\n",
			"package main\r\n\r\nimport (\r\n\t\"fmt\"\r\n\t\"os\"\r\n)\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.after, string(AddImport(parsed(t, tc.before), "", tc.path)))
		})
	}
	named := AddImport(parsed(t, "package main\n"), "v1", "k8s.io/api/core/v1")
	assert.Equal(t, "package main\n\nimport v1 \"k8s.io/api/core/v1\"\n", string(named))
}

func TestDropUnusedImports(t *testing.T) {
	const before = `package main

import (
	"os"
	"soon"

	// a comment
	"x.org/go-odd"
	v1 "k8s.io/api/core/v1"

	"x.org/mod/v2"
	_ "x.org/effect"
)

func f(v *v1.Pod) { os.Exit(1); odd.Do(); mod.Do() }
`
	for body, want := range map[string]string{
		"os.Exit(1); odd.Do(); mod.Do()": "\"os\"\n\t\"soon\"\n\n\t// a comment\n\t\"x.org/go-odd\"\n\tv1 " +
			"\"k8s.io/api/core/v1\"\n\n\t\"x.org/mod/v2\"\n\t_ \"x.org/effect\"",
		"odd.Do(); mod.Do()": "\"soon\"\n\n\t// a comment\n\t\"x.org/go-odd\"\n\tv1 " +
			"\"k8s.io/api/core/v1\"\n\n\t\"x.org/mod/v2\"\n\t_ \"x.org/effect\"",
		"os := v; os.X(); mod.Do()": "\"soon\"\n\n\tv1 \"k8s.io/api/core/v1\"\n\n\t\"x.org/mod/v2\"\n\t_ \"x.org/effect\"",
		"":                          "\"soon\"\n\n\tv1 \"k8s.io/api/core/v1\"\n\n\t_ \"x.org/effect\"",
	} {
		text, err := DropUnusedImports(parsed(t, before), []byte(strings.Replace(before, "os.Exit(1); odd.Do(); mod.Do()", body, 1)))
		require.NoError(t, err)
		_, imports, _ := strings.Cut(string(text), "import (\n\t")
		imports, _, _ = strings.Cut(imports, "\n)")
		assert.Equal(t, want, imports, body)
	}
	const only = "package main\n\nimport \"os\"\n\nfunc f() { os.Exit(1) }\n"
	text, err := DropUnusedImports(parsed(t, only), []byte(strings.Replace(only, "os.Exit(1)", "", 1)))
	require.NoError(t, err)
	assert.Equal(t, "package main\n\nfunc f() {  }\n", string(text))
}

func TestBlankImports(t *testing.T) {
	s := parsed(t, "package main\n\nimport (\n\t\"os\"\n\tx \"io\"\n)\n")
	assert.Equal(t, "package main\n\nimport (\n\t_ \"os\"\n\t_ \"io\"\n)\n", string(BlankImports(s, s.File.Imports)))
}

func TestPackageName(t *testing.T) {
	for path, want := range map[string]string{
		"fmt": "fmt", "k8s.io/api/core/v1": "v1", "k8s.io/klog/v2": "klog", "gopkg.in/yaml.v3": "yaml",
		"github.com/mattn/go-isatty": "isatty", "math/rand/v2": "rand",
	} {
		assert.Equal(t, want, PackageName(path), path)
	}
}

func TestKeys(t *testing.T) {
	s := parsed(t, "package main\n\ntype T[P any] struct{}\n\nfunc (t *T[P]) M() {}\n\nfunc M() {}\n\nvar a, b = 1, 2\n")
	var keys []string
	for _, decl := range s.File.Decls {
		keys = append(keys, Keys(decl)...)
	}
	assert.Equal(t, []string{"T", "T.M", "M", "a", "b"}, keys)
	_, fn := Function([]*Source{s}, "M")
	assert.Nil(t, fn.Recv, "a function comes before a method")
	_, fn = Function([]*Source{s}, "T.M")
	assert.NotNil(t, fn.Recv)
}

package learner

import (
	"go/format"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const solutionMain = `package main

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
)

// Step 1: first.
func First(ctx context.Context, name string) (*corev1.Pod, error) {
	if name == "" {
		return nil, errors.New("no name")
	}
	return build(name), nil
}

// Step 2: second.
func Second(cfg *rest.Config) error {
	return fmt.Errorf("x: %w", errors.ErrUnsupported)
}

// build makes a pod.
func build(name string) *corev1.Pod {
	p := &corev1.Pod{}
	p.Name = name + suffix
	return p
}

const suffix = "-x"

func main() {}
`

const starterMain = `package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/todo"
)

// Step 1: first.
func First(ctx context.Context, name string) (*corev1.Pod, error) {
	panic(todo.Step(1))
}

// Step 2: second.
func Second(cfg *rest.Config) error {
	panic(todo.Step(2))
}

func main() {}
`

func one(text string) Files { return Files{"main.go": []byte(text)} }

func replaced(t *testing.T, mine Files, from, name string) Replaced {
	t.Helper()
	r, err := ReplaceFunction(mine, one(from), name)
	require.NoError(t, err)
	return r
}

func TestReplaceSolutionIntoStarter(t *testing.T) {
	r := replaced(t, one(starterMain), solutionMain, "First")
	text := string(r.Files["main.go"])
	require.Equal(t, `package main

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/todo"
)

// Step 1: first.
func First(ctx context.Context, name string) (*corev1.Pod, error) {
	if name == "" {
		return nil, errors.New("no name")
	}
	return build(name), nil
}

// Step 2: second.
func Second(cfg *rest.Config) error {
	panic(todo.Step(2))
}

func main() {}

// build makes a pod.
func build(name string) *corev1.Pod {
	p := &corev1.Pod{}
	p.Name = name + suffix
	return p
}

const suffix = "-x"
`, text)
	require.Len(t, r.Notes, 2)

	both := replaced(t, r.Files, solutionMain, "Second")
	text = string(both.Files["main.go"])
	require.NotContains(t, text, "internal/todo", "the last step takes the import along")
	require.Contains(t, text, `"fmt"`)
	requireGofmt(t, text)

	back := replaced(t, replaced(t, both.Files, starterMain, "Second").Files, starterMain, "First")
	text = string(back.Files["main.go"])
	require.NotContains(t, text, `"errors"`)
	require.NotContains(t, text, `"fmt"`)
	require.Contains(t, text, "internal/todo")
	requireGofmt(t, text)
}

func requireGofmt(t *testing.T, text string) {
	t.Helper()
	formatted, err := format.Source([]byte(text))
	require.NoError(t, err)
	require.Equal(t, string(formatted), text)
}

func TestReplaceLeavesTheRestByteForByte(t *testing.T) {
	const before = `package   main
import ( "context"; v1 "k8s.io/api/core/v1"
   "k8s.io/client-go/rest" )


/* mine */   var  x=1 ; func First(ctx context.Context, name string)   (*corev1.Pod,
	error)  { if true { return nil,nil }; return nil , nil /* } */ }  // after
func   Second(cfg *rest.Config)error{ s := "}" ; _ = s
	return nil}
type (   T struct{A  int;B string} )
var _ v1.Pod
`
	mine := one(strings.Replace(before, "*corev1.Pod", "*v1.Pod", 1))
	r := replaced(t, mine, starterMain, "Second")
	text := string(r.Files["main.go"])
	want := strings.Replace(string(mine["main.go"]), "{ s := \"}\" ; _ = s\n\treturn nil}", "{\n\tpanic(todo.Step(2))\n}", 1)
	want = strings.Replace(want, "rest\" )", "rest\" ); import \"example.com/client-go-workshop/internal/todo\"", 1)
	require.Equal(t, strings.ReplaceAll(want, "); import", ")\nimport"), text)
}

func TestReplaceKeepsWindowsLineEnds(t *testing.T) {
	mine := one(strings.ReplaceAll(starterMain, "\n", "\r\n"))
	text := string(replaced(t, mine, solutionMain, "First").Files["main.go"])
	require.Equal(t, strings.Count(text, "\n"), strings.Count(text, "\r\n"))
	require.NotContains(t, text, "\r\r")
}

func TestReplaceMendsTheSignature(t *testing.T) {
	mine := one(strings.Replace(starterMain, "Second(cfg *rest.Config) error {\n\tpanic(todo.Step(2))",
		"Second(cfg *rest.Config, more int) (int, error) {\n\treturn 0, nil", 1))
	r := replaced(t, mine, starterMain, "Second")
	require.Equal(t, starterMain, string(r.Files["main.go"]))
	require.Len(t, r.Notes, 1)

	renamed := one(strings.Replace(starterMain, "name string) (*corev1.Pod", "n string) (*corev1.Pod", 1))
	r = replaced(t, renamed, solutionMain, "First")
	require.Contains(t, string(r.Files["main.go"]), "name string) (*corev1.Pod", "the solution's body uses its own names")
}

func TestReplaceFindsAMovedFunction(t *testing.T) {
	main, second, _ := strings.Cut(starterMain, "// Step 2")
	mine := Files{
		"main.go": []byte(strings.Replace(main, "\n\t\"k8s.io/client-go/rest\"", "", 1) + "func main() {}\n"),
		"other.go": []byte("package main\n\nimport " +
			"(\n\t\"k8s.io/client-go/rest\"\n\n\t\"example.com/client-go-workshop/internal/todo\"\n)\n\n// Step 2" + strings.Replace(second,
			"\nfunc main() {}\n", "", 1)),
	}
	r := replaced(t, mine, solutionMain, "Second")
	require.Equal(t, "other.go", r.File)
	require.Equal(t, mine["main.go"], r.Files["main.go"])
	require.Equal(t, "package main\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n\n\t\"k8s.io/client-go/rest\"\n)\n\n// Step 2: second.\nfunc "+
		"Second(cfg *rest.Config) error {\n\treturn fmt.Errorf(\"x: %w\", errors.ErrUnsupported)\n}\n", string(r.Files["other.go"]))
}

func TestReplacePutsADeletedFunctionBack(t *testing.T) {
	cut := strings.Replace(starterMain, "// Step 2: second.\nfunc Second(cfg *rest.Config) error {\n\tpanic(todo.Step(2))\n}\n\n", "", 1)
	cut = strings.Replace(cut, "\t\"k8s.io/client-go/rest\"\n", "", 1)
	r := replaced(t, one(cut), starterMain, "Second")
	require.Contains(t, string(r.Files["main.go"]), "func main() {}\n\n// Step 2: second.\nfunc Second(cfg *rest.Config) error {")
	require.Contains(t, string(r.Files["main.go"]), "\t\"k8s.io/client-go/rest\"\n")
	require.Contains(t, r.Notes[0], "was not in your files")
}

func TestReplaceOfAMethod(t *testing.T) {
	const theirs = "package main\n\ntype C struct{}\n\n// Step 1: go.\nfunc (c *C) Sync() error {\n\treturn nil\n}\n\nfunc (d D) Sync() " +
		"error { return nil }\n\ntype D struct{}\n"
	const own = "package main\n\ntype C struct{}\n\nfunc (c *C) Sync() error { panic(1) }\n\nfunc (d D) Sync() error { panic(2) }\n\ntype " +
		"D struct{}\n"
	text := string(replaced(t, one(own), theirs, "Sync").Files["main.go"])
	require.Contains(t, text, "panic(2)")
	require.NotContains(t, text, "panic(1)")
}

func TestReplaceRefuses(t *testing.T) {
	_, err := ReplaceFunction(one("package main\n\nfunc First( {\n"), one(starterMain), "First")
	var parseErr *ParseError
	require.ErrorAs(t, err, &parseErr)
	require.Equal(t, "main.go", parseErr.File)
	require.ErrorContains(t, err, "main.go:3:")

	clash := strings.Replace(starterMain, `"context"`, "\"context\"\n\terrors \"github.com/pkg/errors\"", 1)
	_, err = ReplaceFunction(one(clash), one(solutionMain), "First")
	require.ErrorContains(t, err, "github.com/pkg/errors")

	_, err = ReplaceFunction(one(starterMain), one(starterMain), "Nope")
	require.ErrorContains(t, err, "no function Nope")
}

func TestReplaceKeepsUnrelatedUnusedImports(t *testing.T) {
	mine := one(strings.Replace(starterMain, `"context"`, "\"context\"\n\t\"strings\" // soon", 1))
	require.Contains(t, string(replaced(t, mine, solutionMain, "First").Files["main.go"]), `"strings" // soon`)
}

func TestReplaceDropsWholeGroups(t *testing.T) {
	const own = "package main\n\nimport (\n\t\"a\"\n\n\t\"x.org/b\"\n\n\t// for c\n\t\"y.org/c\" // why\n)\n\nvar _ a.T\n\nfunc F() { " +
		"b.X(); c.Y() }\n"
	text := string(replaced(t, one(own), "package main\n\nfunc F() {}\n", "F").Files["main.go"])
	require.Equal(t, "package main\n\nimport (\n\t\"a\"\n)\n\nvar _ a.T\n\nfunc F() {}\n", text)
}

func TestReplaceWithoutImports(t *testing.T) {
	const own = "package main\n\nfunc Second() error { return nil }\n"
	text := string(replaced(t, one(own), strings.Replace(starterMain, "cfg *rest.Config", "", 1), "Second").Files["main.go"])
	require.Equal(t, "package main\n\nimport \"example.com/client-go-workshop/internal/todo\"\n\nfunc Second() error "+
		"{\n\tpanic(todo.Step(2))\n}\n", text)
	text = string(replaced(t, one(text), "package main\n\nfunc Second() error { return nil }\n", "Second").Files["main.go"])
	require.Equal(t, own, text)
}

func TestDiff(t *testing.T) {
	d := Diff("yours", "solution", one(starterMain), one(strings.Replace(starterMain, "todo.Step(1)", "nil", 1)))
	require.Contains(t, d, "--- yours/main.go\n+++ solution/main.go\n@@")
	require.Contains(t, d, "-\tpanic(todo.Step(1))\n+\tpanic(nil)\n")
	require.Empty(t, Diff("a", "b", one("x"), one("x")))
	require.Contains(t, Diff("a", "b", Files{}, one("x\n")), "+x")
}

// Package portability type-checks the workshop for operating systems that no test
// here runs on.
//
// go vet would do, and compiles all of client-go for each system first: more than
// five minutes of CPU time. Reading the sources, of other modules without what is
// inside of the functions, finds the same errors in a few seconds.
package portability

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// typeCheck type-checks every package of the module in dir, tests included, as it is
// built for goos without cgo. It returns the faults of the module's own packages,
// and an error where the go command cannot list them.
func typeCheck(ctx context.Context, dir, goos string) ([]error, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("module %s: %w", dir, err)
	}
	loaded, err := packages.Load(&packages.Config{
		Context: ctx,
		Dir:     dir,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
		Env:   append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0"),
		Tests: true,
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			return parse(fset, dir, name, src)
		},
	}, "./...")
	if err != nil {
		return nil, fmt.Errorf("load %s for %s: %w", dir, goos, err)
	}
	var faults []error
	for _, p := range loaded {
		if strings.HasSuffix(p.PkgPath, ".test") {
			continue // the main package that go test writes
		}
		for _, e := range p.Errors {
			faults = append(faults, fmt.Errorf("%s: %w", p.PkgPath, e))
		}
	}
	return faults, nil
}

// parse leaves out the bodies of other modules' functions: they compile for
// whoever publishes them, and are most of the work.
func parse(fset *token.FileSet, dir, name string, src []byte) (*ast.File, error) {
	own := strings.HasPrefix(name, dir+string(filepath.Separator))
	mode := parser.SkipObjectResolution
	if own {
		mode |= parser.AllErrors
	}
	file, err := parser.ParseFile(fset, name, src, mode)
	if file == nil || own {
		return file, err
	}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			f.Body = nil
		}
	}
	return file, err
}

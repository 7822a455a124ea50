package course

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// kind is how the zero value of a type is written.
type kind int

const (
	kindUnknown   kind = iota // a type parameter: only *new(T)
	kindNil                   // nil
	kindNumber                // 0
	kindString                // ""
	kindBool                  // false
	kindComposite             // T{}
)

// goPackage is a package as far as its declared types need it.
type goPackage struct {
	name  string
	files []*ast.File
}

// scope is where the names of a type expression are looked up.
type scope struct {
	pkg    *goPackage
	file   *ast.File
	params map[string]bool
}

// packages finds imported packages by their source, and remembers them.
type packages struct {
	dir    string
	loaded map[string]*goPackage
}

// newPackages looks imports up as code in dir would see them.
func newPackages(dir string) *packages {
	return &packages{dir: dir, loaded: map[string]*goPackage{}}
}

// goListTimeout bounds one call of go list, which may download a module.
const goListTimeout = 2 * time.Minute

// load parses the package with the import path.
func (p *packages) load(path string) (*goPackage, error) {
	if pkg, ok := p.loaded[path]; ok {
		return pkg, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), goListTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "list", "-find", "-json=Dir,Name,GoFiles", "--", path)
	cmd.Dir = p.dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("find package %s: %w", path, withStderr(err))
	}
	var listed struct {
		Dir, Name string
		GoFiles   []string
	}
	if err := json.Unmarshal(out, &listed); err != nil {
		return nil, fmt.Errorf("find package %s: %w", path, err)
	}
	pkg := &goPackage{name: listed.Name}
	for _, name := range listed.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(listed.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parse package %s: %w", path, err)
		}
		pkg.files = append(pkg.files, file)
	}
	p.loaded[path] = pkg
	return pkg, nil
}

// withStderr adds what a program wrote to the error that says how it ended.
func withStderr(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}

// zero writes the zero value of typ as it stands in s. A result of a type
// parameter has no better one than its own name, or *new(T) without a name.
func (p *packages) zero(s *source, sc scope, typ ast.Expr, name *ast.Ident) (string, error) {
	k, err := p.kindOf(sc, typ, 0)
	if err != nil {
		return "", fmt.Errorf("zero value of %s: %w", s.of(typ), err)
	}
	switch k {
	case kindNil:
		return "nil", nil
	case kindNumber:
		return "0", nil
	case kindString:
		return `""`, nil
	case kindBool:
		return "false", nil
	case kindComposite:
		return s.of(typ) + "{}", nil
	}
	if name != nil && name.Name != "_" {
		return name.Name, nil
	}
	return "*new(" + s.of(typ) + ")", nil
}

// maxTypeDepth bounds how many type declarations are followed.
const maxTypeDepth = 100

// kindOf follows typ to the type that says how its zero value is written.
func (p *packages) kindOf(sc scope, typ ast.Expr, depth int) (kind, error) {
	if depth > maxTypeDepth {
		return kindUnknown, errors.New("the type is declared in a circle")
	}
	switch t := typ.(type) {
	case *ast.ParenExpr:
		return p.kindOf(sc, t.X, depth+1)
	case *ast.IndexExpr:
		return p.kindOf(sc, t.X, depth+1)
	case *ast.IndexListExpr:
		return p.kindOf(sc, t.X, depth+1)
	case *ast.ArrayType:
		if t.Len != nil {
			return kindComposite, nil
		}
		return kindNil, nil
	case *ast.StructType:
		return kindComposite, nil
	case *ast.StarExpr, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType:
		return kindNil, nil
	case *ast.Ident:
		return p.kindOfName(sc, t.Name, depth)
	case *ast.SelectorExpr:
		return p.kindOfImported(sc, t, depth)
	}
	return kindUnknown, fmt.Errorf("unknown form of type %T", typ)
}

// kindOfName looks a name up among type parameters, the package and Go's own types.
func (p *packages) kindOfName(sc scope, name string, depth int) (kind, error) {
	if sc.params[name] {
		return kindUnknown, nil
	}
	if spec, file := sc.pkg.typeSpec(name); spec != nil {
		return p.kindOf(scope{pkg: sc.pkg, file: file}, spec.Type, depth+1)
	}
	switch name {
	case "string":
		return kindString, nil
	case "bool":
		return kindBool, nil
	case "error", "any":
		return kindNil, nil
	case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
		"byte", "rune", "float32", "float64", "complex64", "complex128":
		return kindNumber, nil
	}
	return kindUnknown, fmt.Errorf("type %s is not declared", name)
}

// kindOfImported looks pkg.Name up in the source of the imported package.
func (p *packages) kindOfImported(sc scope, sel *ast.SelectorExpr, depth int) (kind, error) {
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return kindUnknown, errors.New("not a type of a package")
	}
	path, err := p.importPath(sc.file, id.Name)
	if err != nil {
		return kindUnknown, err
	}
	if path == "unsafe" {
		return kindNil, nil
	}
	pkg, err := p.load(path)
	if err != nil {
		return kindUnknown, err
	}
	spec, file := pkg.typeSpec(sel.Sel.Name)
	if spec == nil {
		return kindUnknown, fmt.Errorf("package %s declares no type %s", path, sel.Sel.Name)
	}
	return p.kindOf(scope{pkg: pkg, file: file}, spec.Type, depth+1)
}

// importPath is the path of the package that file calls name.
func (p *packages) importPath(file *ast.File, name string) (string, error) {
	var unnamed []string
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return "", fmt.Errorf("import %s: %w", spec.Path.Value, err)
		}
		switch {
		case spec.Name != nil && spec.Name.Name == name, spec.Name == nil && assumedName(path) == name:
			return path, nil
		case spec.Name == nil:
			unnamed = append(unnamed, path)
		}
	}
	for _, path := range unnamed {
		if pkg, err := p.load(path); err == nil && pkg.name == name {
			return path, nil
		}
	}
	return "", fmt.Errorf("no import is called %s", name)
}

// typeSpec finds the declaration of a type at the top level.
func (pkg *goPackage) typeSpec(name string) (*ast.TypeSpec, *ast.File) {
	for _, file := range pkg.files {
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				if ts, ok := spec.(*ast.TypeSpec); ok && ts.Name.Name == name {
					return ts, file
				}
			}
		}
	}
	return nil, nil
}
